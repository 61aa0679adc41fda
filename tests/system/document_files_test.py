#!/usr/bin/env python3
"""Documents that heed translates open in the programs that they are made for, with the right text in the right place.

    document_files_test.py BUILD      BUILD holds the program heed

Checked with LibreOffice, msgfmt and xmllint, if these are installed; otherwise the test says so (`make test-documents` installs
them)."""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

heed = Program()
MODEL = ROOT / "models" / "pocket-en-de.safetensors"
skipped = []

BOOK, BUCH = "The woman reads a good book.", "Die Frau liest ein gutes Buch."
CHILDREN, KINDER = "The children sleep.", "Die Kinder schlafen."
HOT, HEISS = "Now it is hot.", "Jetzt ist es heiß."


def tool(name, *arguments):
    """The finished process of another program; None if it is not installed."""
    if not shutil.which(name):
        if name not in skipped:
            skipped.append(name)
            print(f"skipped: {name} is not installed")
        return None
    return subprocess.run([name, *map(str, arguments)], cwd=heed.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def passes(name, *arguments):
    done = tool(name, *arguments)
    if done:
        expect(done.returncode == 0, f"{name} {arguments}: exit code {done.returncode}: {done.stdout[-500:]}")


def office(kinds, *files):
    """Converts files in LibreOffice, to all kinds at the same time, with a profile for each; false if it is not installed."""
    def convert(number, kind):
        profile = f"-env:UserInstallation=file://{heed.directory}/profile-{number}"
        return tool("soffice", "--headless", profile, "--convert-to", kind, *files)

    with ThreadPoolExecutor() as pool:
        done = list(pool.map(convert, range(len(kinds)), kinds))
    for kind, process in zip(kinds, done):
        for file in files if process else ():
            made = (heed.directory / file).with_suffix("." + kind.split(":")[0])
            expect(made.exists(), f"LibreOffice does not make {made.name}: {process.stdout[-500:]}")
    return all(done)


def translate(name, text, *flags):
    """The translation of a file with this text."""
    path = heed.directory / name
    path.write_text(text, encoding="utf-8", newline="")
    out = path.with_name("de." + name)
    heed.works("translate", MODEL, path, "--output", out, *flags)
    return out.read_bytes().decode() if out.exists() else ""


def check_text_formats():
    def replaces(name, text, *pairs, flags=()):
        out = translate(name, text, *flags)
        for source, target in pairs:
            text = text.replace(source, target)
        expect(out == text, f"{name}: {out!r}, expected {text!r}")

    replaces("a.srt", "1\n00:00:01,000 --> 00:00:02,500\nThe <i>woman</i> reads\na good book.\n\n2\n00:00:03,000 --> 00:00:04,000\n- Now it is hot.\n- "
             "The children sleep.\n", ("The <i>woman</i> reads\na good book.", "Die <i>Frau</i> liest\nein gutes Buch."), (HOT, HEISS), (CHILDREN, KINDER))
    replaces("a.vtt", f"WEBVTT\n\nNOTE {BOOK}\n\n00:01.000 --> 00:02.000 align:start\n{HOT}\n", (HOT, HEISS))
    replaces("a.json", f'{{ "{HOT} ":  ["{HOT}", 1.50, "{BOOK}"] }}\n', (f'"{HOT}"', f'"{HEISS}"'), (BOOK, BUCH))
    json.loads((heed.directory / "de.a.json").read_text(encoding="utf-8"))
    replaces("a.csv", f'id;text\r\n1;"{HOT}"\r\n{BOOK};{CHILDREN}\r\n', (HOT, HEISS), (CHILDREN, KINDER), flags=("--columns", "text"))
    replaces("a.tsv", f"{HOT}\t{BOOK}\n", (BOOK, BUCH), flags=("--columns", "2"))
    heed.fails(2, ["--columns", "1 'id', 2 'text'"], "translate", MODEL, "a.csv")
    heed.fails(2, "--columns 2 is for tables", "translate", MODEL, "a.json", "--columns", "2")
    heed.fails(2, "has no column 'x'", "translate", MODEL, "a.csv", "--columns", "x", "--output", "x.csv")
    expect(not (heed.directory / "x.csv").exists(), "a refused document leaves an output")


def check_po():
    out = translate("a.pot", 'msgid ""\nmsgstr ""\n"Project-Id-Version: x 1\\n"\n"PO-Revision-Date: 2024-01-01 00:00+0000\\n"\n'
                    '"Last-Translator: A B <a@example.org>\\n"\n"Language-Team: none\\n"\n"Language: \\n"\n"MIME-Version: 1.0\\n"\n'
                    '"Content-Type: text/plain; charset=CHARSET\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
                    '"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n'
                    f'#, c-format\nmsgid "{HOT}\\n"\nmsgstr ""\n\n#, c-format\nmsgid "The dog sees %d cat."\nmsgid_plural "The dog sees %d cats."\n'
                    'msgstr[0] ""\nmsgstr[1] ""\n\nmsgid "done"\nmsgstr "fertig"\n')
    expect(f'msgstr "{HEISS}\\n"' in out and 'msgstr "fertig"' in out and '"Language: de\\n"' in out, f"a.pot: {out!r}")
    expect("nplurals=2; plural=(n != 1);" in out and "charset=UTF-8" in out, f"a.pot: {out!r}")
    passes("msgfmt", "--check", "-o", "/dev/null", "de.a.pot")


def check_exchange_formats():
    out = translate("a.xlf", '<?xml version="1.0"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n<file original="a" '
                    'source-language="en" datatype="plaintext"><body>\n<trans-unit id="1">\n <source>The <g id="1">woman</g> reads a good book.</source>\n'
                    "</trans-unit>\n</body></file></xliff>\n")
    expect(' <target>Die <g id="1">Frau</g> liest ein gutes Buch.</target>\n</trans-unit>' in out, f"a.xlf: {out!r}")
    out = translate("b.xlf", f'<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en"><file id="f"><unit id="1"><segment><source>{HOT}'
                    "</source></segment></unit></file></xliff>")
    expect(f"<target>{HEISS}</target>" in out and 'trgLang="de"' in out, f"b.xlf: {out!r}")
    out = translate("a.tmx", f'<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>{HOT}</seg></tuv></tu></body></tmx>')
    expect(f'<tuv xml:lang="de"><seg>{HEISS}</seg></tuv></tu>' in out, f"a.tmx: {out!r}")
    passes("xmllint", "--noout", "de.a.xlf", "de.b.xlf", "de.a.tmx")


WORD = ' xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DOCX = {
    "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    f'Type="{RELATIONS}/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/document.xml": f'<?xml version="1.0"?><w:document{WORD}><w:body><w:p><w:r><w:t xml:space="preserve">The </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>'
    f"<w:t>woman</w:t></w:r><w:r><w:t xml:space=\"preserve\"> reads a good book.</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>{HOT}</w:t></w:r></w:p></w:tc></w:tr>"
    f"</w:tbl><w:p><w:r><w:t>{HOT}</w:t><w:br/><w:t>{CHILDREN}</w:t></w:r></w:p></w:body></w:document>",
}
ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODT = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": f'<?xml version="1.0"?><office:document-content xmlns:office="{ODF}office:1.0" xmlns:text="{ODF}text:1.0" xmlns:style="{ODF}style:1.0" '
    f'xmlns:fo="{ODF}xsl-fo-compatible:1.0" office:version="1.2"><office:automatic-styles><style:style style:name="B" style:family="text">'
    '<style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles><office:body><office:text><text:h text:outline-level="1">'
    f'{HOT}</text:h><text:p>The <text:span text:style-name="B">woman</text:span> reads a good book.<text:note text:note-class="footnote">'
    f"<text:note-citation>1</text:note-citation><text:note-body><text:p>{CHILDREN}</text:p></text:note-body></text:note></text:p></office:text></office:body>"
    "</office:document-content>",
    "META-INF/manifest.xml": f'<?xml version="1.0"?><manifest:manifest xmlns:manifest="{ODF}manifest:1.0" manifest:version="1.2"><manifest:file-entry '
    'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" '
    'manifest:media-type="text/xml"/></manifest:manifest>',
}
PAGE = f"<html><body><h1>{HOT}</h1><p>The <b>woman</b> reads a good book.</p><ul><li>{CHILDREN}</li></ul><table><tr><td>{HOT}</td></tr></table></body></html>"


def check_office_files():
    def write(name, files):
        with zipfile.ZipFile(heed.directory / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, text in files.items():
                archive.writestr(entry, text, zipfile.ZIP_STORED if entry == "mimetype" else None)

    write("a.docx", DOCX)
    write("a.odt", ODT)
    names = ["a.docx", "a.odt"]
    # The same text as LibreOffice writes it.
    (heed.directory / "page.html").write_text(PAGE, encoding="utf-8")
    if office(["odt:writer8", "docx:Office Open XML Text"], "page.html"):
        names += ["page.odt", "page.docx"]
    for name in names:
        heed.works("translate", MODEL, name, "--output", "de." + name)
        with zipfile.ZipFile(heed.directory / name) as before, zipfile.ZipFile(heed.directory / ("de." + name)) as after:
            expect(after.testzip() is None and before.namelist() == after.namelist(), f"{name}: {after.namelist()}")
            changed = [entry for entry in before.namelist() if before.read(entry) != after.read(entry)]
            main = "word/document.xml" if name.endswith("docx") else "content.xml"
            expect(changed == [main], f"{name}: {changed} have changed")
            (heed.directory / "main.xml").write_bytes(after.read(main))
            text = after.read(main).decode()
            bold = ">Frau</w:t></w:r>" if name.endswith("docx") else ">Frau</text:span>"
            expect(bold in text and "Jetzt ist es heiß." in text and KINDER in text, f"{name}: {text[-1500:]}")
            expect([info.compress_type for info in before.infolist()] == [info.compress_type for info in after.infolist()], f"{name}: compression")
        passes("xmllint", "--noout", "main.xml")
    for name in names:
        (heed.directory / ("de." + name)).rename(heed.directory / ("de-" + name.replace(".", "-") + Path(name).suffix))
    results = ["de-" + name.replace(".", "-") + Path(name).suffix for name in names]
    if office(["pdf", "txt:Text (encoded):UTF8"], *results):
        for name in results:
            expect((heed.directory / name).with_suffix(".pdf").read_bytes().startswith(b"%PDF"), f"{name}: this is not a PDF file")
            text = (heed.directory / name).with_suffix(".txt").read_text(encoding="utf-8-sig")
            expect(BUCH in text.replace("Buch.1", "Buch.") and HEISS in text, f"{name}: LibreOffice reads {text!r}")
    for name, content in (("bad.docx", b"PK\3\4"), ("bad.odt", b"text"), ("old.docx", b"\xd0\xcf\x11\xe0")):
        (heed.directory / name).write_bytes(content)
        heed.fails(1, name, "translate", MODEL, name, "--output", "x.docx")
    expect(not (heed.directory / "x.docx").exists(), "a damaged document leaves an output")


with tempfile.TemporaryDirectory() as directory:
    heed.directory = Path(directory)
    check_text_formats()
    check_po()
    check_exchange_formats()
    check_office_files()
sys.exit(report("document files", *(f"{len(skipped)} programs not installed" for _ in skipped[:1])))
