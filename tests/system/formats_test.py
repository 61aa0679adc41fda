#!/usr/bin/env python3
"""The same pairs in every format, compression and encoding are the same corpus, and lead to the same model.

    formats_test.py BUILD      BUILD holds the program heed

Files made by other tools (translate-toolkit, gettext, libxml2-utils, csvkit) are read too, if these are installed; otherwise the
test says so."""

import csv
import gzip
import io
import json
import lzma
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program

heed = Program()
skipped = []


def tool(name, *arguments, **settings):
    """The output of another program, as bytes; None if it is not installed."""
    if not shutil.which(name):
        if name not in skipped:
            skipped.append(name)
            print(f"skipped: {name} is not installed")
        return None
    return subprocess.run([name, *map(str, arguments)], cwd=heed.directory, stdout=subprocess.PIPE, check=True, **settings).stdout


def as_table(pairs, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n" if separator == ";" else "\n")
    writer.writerow(["id", "German", "English"])
    writer.writerows((i, target, source) for i, (source, target) in enumerate(pairs))
    return text.getvalue()


def as_tmx(pairs, encoding):
    units = "".join(f'<tu tuid="{i}"><tuv xml:lang="de-DE"><seg>{escape(t)}</seg></tuv>\n<tuv xml:lang="en-US"><seg>{escape(s)}</seg></tuv></tu>\n'
                    for i, (s, t) in enumerate(pairs))
    return (f'<?xml version="1.0" encoding="{encoding}"?>\n<tmx version="1.4"><header srclang="en-US" datatype="plaintext"/>'
            f"<body>\n{units}</body></tmx>\n")


def as_xliff(pairs, encoding, version):
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    if version == 2:
        units = "".join(f'<unit id="{i}"><segment><source>{escape(s)}</source><target>{escape(t)}</target></segment></unit>\n'
                        for i, (s, t) in enumerate(pairs))
        return f'{head}<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">\n{units}</file></xliff>\n'
    units = "".join(f'<trans-unit id="{i}"><source>{escape(s)}</source><target>{escape(t)}</target></trans-unit>\n'
                    for i, (s, t) in enumerate(pairs))
    return f'{head}<xliff version="1.2"><file source-language="en" target-language="de"><body>\n{units}</body></file></xliff>\n'


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_po(pairs, encoding):
    entries = "".join(f"\n#: line:{i}\nmsgctxt \"{i}\"\nmsgid {quoted(s)}\nmsgstr {quoted(t)}\n" for i, (s, t) in enumerate(pairs))
    return f'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Content-Type: text/plain; charset={encoding}\\n"\n{entries}'


def as_json_lines(pairs, nested):
    return "".join(json.dumps({"translation": {"de": t, "en": s}} if nested else {"id": 1, "target": t, "source": s},
                              ensure_ascii=nested) + "\n" for s, t in pairs)


ENCODINGS = {  # name: (for Python, with a byte-order mark, as XML and PO declare it)
    "utf8": ("utf-8", b"", "UTF-8"),
    "utf8-mark": ("utf-8", b"\xef\xbb\xbf", "UTF-8"),
    "utf16": ("utf-16-le", b"\xff\xfe", "UTF-16"),
    "utf16-big": ("utf-16-be", b"\xfe\xff", "UTF-16"),
    "utf16-bare": ("utf-16-le", b"", "UTF-16"),
    "cp1252": ("cp1252", b"", "windows-1252"),
}
COMPRESSIONS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress,
                ".zst": lambda data: tool("zstd", "-q", "-c", input=data)}


def formats(pairs, declared):
    """{ending: text} of the pairs in every format with both sides in one file."""
    return {
        "tsv": "".join(f"{s}\t{t}\n" for s, t in pairs),
        "txt": "en\tde\r\n" + "".join(f"{s}\t{t}\r\n" for s, t in pairs),
        "csv": as_table(pairs, ","),
        "semicolon.csv": as_table(pairs, ";"),
        "tmx": as_tmx(pairs, declared),
        "xlf": as_xliff(pairs, declared, 1),
        "xliff": as_xliff(pairs, declared, 2),
        "po": as_po(pairs, declared),
        "jsonl": as_json_lines(pairs, False),
        "nested.ndjson": as_json_lines(pairs, True),
    }


def write_all(pairs):
    """Writes every combination; yields the files that are a corpus, and how they are made."""
    for encoding, (codec, mark, declared) in ENCODINGS.items():
        sides = {"en": "".join(s + "\n" for s, _ in pairs), "de": "".join(t + "\n" for _, t in pairs)}
        for suffix, compress in COMPRESSIONS.items():
            names = {}
            for ending, text in {**formats(pairs, declared), **sides}.items():
                packed = compress(mark + text.encode(codec))
                if packed is None:
                    continue
                names[ending] = f"{encoding}.{ending}{suffix}"
                (heed.directory / names[ending]).write_bytes(packed)
            for ending, name in names.items():
                if ending != "de":
                    yield [name, names["de"]] if ending == "en" else [name], encoding


LANGUAGES = ["--source-language", "en", "--target-language", "de"]


def pairs_of(*files, languages=LANGUAGES, **settings):
    """The pairs that heed reads, as one TSV text without its header."""
    done = heed.works("data", *files, *languages, "--clean", "read.tsv", "--json", **settings)
    header, _, text = (heed.directory / "read.tsv").read_text(encoding="utf-8").partition("\n")
    expect(header == f"{languages[1]}\t{languages[3]}", f"{files}: header {header!r}")
    return text, json.loads(done.stdout or "{}")


def check_every_combination(pairs):
    expected = "".join(f"{s}\t{t}\n" for s, t in pairs)
    models = {}
    combinations = list(write_all(pairs))
    for number, (files, encoding) in enumerate(combinations):
        text, found = pairs_of(*files)
        expect(text == expected, f"{files}: not the same pairs: {text[:200]!r}")
        is_xml = any(ending in files[0] for ending in (".tmx", ".xl"))
        declared = ".po" in files[0] and encoding == "cp1252"
        # An escaped JSON text and an English text are ASCII.
        told = any("not UTF-8" in note for note in found.get("notes", []))
        plain = encoding.startswith("utf8") or is_xml or declared or ("nested" in files[0] and encoding == "cp1252")
        expect(told != plain, f"{files}: notes {found.get('notes')}")
        if number % 7 == 0 or len(files) == 2 and encoding == "utf8":
            done = heed.works("train", "--train", *files, "--out", "run", "--overwrite", "--updates", 2, "--threads", 1, "--set",
                              "encoder.hidden=4", "--set", "decoder.hidden=4", "--set", "data.subwords=120", "--set",
                              "data.source_language=en", "--set", "data.target_language=de")
            if done.returncode == 0:
                models.setdefault((heed.directory / "run/model.safetensors").read_bytes(), []).append(files)
    expect(len(models) == 1, f"{len(models)} different models: {[files[:3] for files in models.values()]}")
    text, _ = pairs_of("utf8.tsv", "utf16.tmx.xz", "utf8.en", "utf8.de.gz", "cp1252.csv:2")
    expect(text == expected, "duplicates of the first part are not the same pairs")
    return len(combinations)


def check_direction():
    backward, _ = pairs_of("utf8.tmx", languages=["--source-language", "de", "--target-language", "en"])
    forward, _ = pairs_of("utf8.tmx")
    expect(sorted(backward.split()) == sorted(forward.split()) and backward != forward, "the other direction is the same")
    for name in ("utf8.tmx", "utf8.csv", "utf8.xlf", "utf8.nested.ndjson", "utf8.txt"):
        heed.fails(1, ["French (fr)", "German (de)" if "tmx" not in name and "json" not in name else "de"], "data", name,
                   "--source-language", "fr", "--target-language", "de")
    first = (heed.directory / "utf8.en").read_text().splitlines()[0]
    done = heed.works("train", "--train", "utf8.de", "utf8.en", "--out", "swapped", "--updates", 1, "--set", "encoder.hidden=4",
                      "--set", "data.subwords=120", "--set", "data.source_language=en", "--set", "data.target_language=de")
    expect("'utf8.en' is the source and 'utf8.de' the target" in done.stderr, done.stderr)
    # Languages that nobody set are those of the training text, in the validation text too.
    done = heed.works("train", "--train", "utf8.tmx", "--valid", "utf8.csv", "--out", "told", "--updates", 1, "--set",
                      "encoder.hidden=4", "--set", "data.subwords=120")
    expect("translating from English (en-US) to German (de-DE)" in done.stderr, done.stderr)
    info = json.loads(heed.works("info", "told", "--json").stdout)["languages"]
    expect(info == {"source": "en", "target": "de"}, f"languages that the training text names: {info}")
    # So are those of two plain files whose names end in them.
    heed.works("train", "--train", "utf8.en", "utf8.de", "--out", "ended", "--updates", 1, "--set", "encoder.hidden=4", "--set", "data.subwords=120")
    info = json.loads(heed.works("info", "ended", "--json").stdout)["languages"]
    expect(info == {"source": "en", "target": "de"}, f"languages that names of files end in: {info}")
    # They are recorded in the model, and turn the pairs of heed evaluate and heed train --from round.
    for names, turned in ((("German", "English"), True), (("a", "b"), False)):
        (heed.directory / "back.csv").write_text(",".join(names) + "\n" + "".join(
            f'"{t}","{s}"\n' for s, t in zip(*((heed.directory / f"utf8.{side}").read_text().replace('"', "").splitlines() for side in ("en", "de")))))
        for command in (["evaluate", "told", "--pairs", "back.csv", "--out", "out.csv"],
                        ["train", "--from", "told", "--train", "back.csv", "--out", "tuned", "--overwrite", "--updates", 1]):
            done = heed.works(*command)
            expect(("back.csv: translating from English (en) to German (de), as the model" in done.stderr) == turned, f"{command}: {done.stderr}")
        expect((next(csv.DictReader((heed.directory / "out.csv").open()))["source"] == first.replace('"', "")) == turned, f"{names}: the source of out.csv")
    expect(json.loads(heed.works("info", "tuned", "--json").stdout)["languages"]["source"] == "en", "the languages of a fine-tuned model")
    # Standard input cannot be turned round once it is read.
    heed.fails(1, ["standard input", "'utf8.en'", "--source-language"], "align", "--pairs", "utf8.en", "utf8.de", "-",
               input=(heed.directory / "utf8.nested.ndjson").read_text())
    # heed data reads the validation text in the direction of the corpus, as heed train does.
    for train, valid in ((["utf8.csv"], ["utf8.en", "utf8.de"]), (["utf8.de", "utf8.en"], ["utf8.tmx"]), (["utf8.de", "utf8.en"], ["utf8.en", "utf8.de"])):
        found = json.loads(heed.works("data", *train, "--valid", *valid, "--json").stdout)["held_out"][0]
        expect(found["pairs_in_training"] == found["pairs"] > 0, f"{train} and {valid}: {found}")
    # It reports files in different directions, and writes no copies of them.
    rows = heed.works("corpus", "pocket", "--pairs", 600).stdout.splitlines()
    (heed.directory / "named.tsv").write_text("en\tde\n" + "".join("\t".join(row.split("\t")[:2]) + "\n" for row in rows[:300]))
    (heed.directory / "turned.tsv").write_text("".join("\t".join(reversed(row.split("\t")[:2])) + "\n" for row in rows[300:]))
    done = heed.works("data", "named.tsv", "turned.tsv")
    expect("'turned.tsv' has the words of the second side of 'named.tsv'" in done.stderr, f"files in different directions: {done.stderr[:500]}")
    heed.fails(1, "seem to go the other way", "data", "named.tsv", "turned.tsv", "--split", "a,b")
    samples = [json.loads(line) for line in (heed.directory / "told/samples.jsonl").read_text().splitlines()]
    expect(samples and first in json.dumps(samples[0], ensure_ascii=False), f"{first!r} is not the first source of {samples[:1]}")


def check_flags():
    heed.fails(2, ["--train", "'utf8.en' is plain text and has no other side"], "train", "--train", "utf8.tsv", "utf8.en", "--out", "x")
    heed.fails(2, ["'run/config.toml' is a configuration", "--train"], "train", "--train", "utf8.tsv", "run/config.toml", "--out", "x")
    heed.fails(1, ["utf8.tsv:1", "there is no column 'fr'"], "train", "--train", "utf8.tsv", "--columns", "fr,en", "--out", "x")
    for command in (["data", "utf8.csv"], ["train", "utf8.csv", "--out", "x"]):
        heed.fails(1, "'utf8.csv' has 3 columns, but --columns asks for 7 and 8", *command, "--columns", "7,8")
    # No repetition drops data.
    pairs = len((heed.directory / "utf8.en").read_text().splitlines())
    for flags in (["--train", "utf8.tsv", "--train", "utf8.csv"], ["--train-tsv", "utf8.tsv", "--train-tsv", "utf8.tsv"],
                  ["--train-source", "utf8.en", "--train-target", "utf8.de", "--train-source", "utf8.en.gz", "--train-target", "utf8.de.gz"],
                  ["--train", "utf8.tsv", "--train-source", "utf8.en", "--train-target", "utf8.de"]):
        done = heed.works("train", *flags, "--out", "twice", "--overwrite", "--updates", 1, "--set", "encoder.hidden=4", "--set",
                          "data.subwords=120", "--set", "data.source_language=en", "--set", "data.target_language=de")
        expect(f"training pairs: {2 * pairs}," in done.stderr, f"{flags}: {done.stderr[:300]}")
    # The configuration of a run with several files works from another directory.
    heed.works("train", "../twice/config.toml", "--out", "again", "--updates", 1, cwd=heed.directory / "run")
    for command in (["align", "--source-language", "en", "--target-language", "de"], ["evaluate", "run/model.safetensors"]):
        one = heed.works(*command, "--pairs", "utf16.tmx.gz", "--json").stdout
        second = "--target" if command[0] == "align" else "--reference"
        two = heed.works(*command, "--source", "utf8.en", second, "cp1252.de", "--json").stdout
        keys = ("alignments", "bleu", "perplexity")
        first, other = json.loads(one), json.loads(two)
        expect([first.get(key) for key in keys] == [other.get(key) for key in keys], f"{command}: {one[:200]} and {two[:200]}")
    table = heed.works("evaluate", "run/model.safetensors", "utf8.tsv", "--json").stdout
    expect(json.loads(table)["bleu"] == first["bleu"], f"one file with both sides: {table[:200]}")
    heed.fails(2, "'utf8.en' is one plain file, but two are needed", "evaluate", "run/model.safetensors", "utf8.en")
    heed.fails(2, "give either --pairs, or --source and --reference, not both", "evaluate", "run/model.safetensors", "--pairs", "utf8.tsv", "--source", "utf8.en")
    piped = (heed.directory / "utf8.tmx").read_text()
    text, _ = pairs_of("-", input=piped)
    expect(text == (heed.directory / "utf8.tsv").read_text(), "TMX from standard input")


def check_other_tools():
    """What other tools write, and what they read out of the same file."""
    if tool("msgcat", "--version") is not None:
        wrapped = tool("msgcat", "-w", "30", "--sort-output", "utf8.po")
        (heed.directory / "wrapped.po").write_bytes(wrapped)
        latin = tool("msgconv", "-t", "ISO-8859-1", "wrapped.po")
        (heed.directory / "latin.po").write_bytes(latin)
        same = pairs_of("wrapped.po")[0]
        expect(sorted(same.splitlines()) == sorted(pairs_of("utf8.po")[0].splitlines()), "msgcat")
        expect(pairs_of("latin.po")[0] == same, "msgconv")
        tool("msgfmt", "--check", "-o", "messages.mo", "utf8.po")
        (heed.directory / "unfmt.po").write_bytes(tool("msgunfmt", "messages.mo"))
        expect(sorted(pairs_of("unfmt.po")[0].splitlines()) == sorted(same.splitlines()), "msgunfmt")
    if tool("po2tmx", "--version") is not None:
        tool("po2tmx", "--progress=none", "-l", "de", "utf8.po", "made.tmx")
        made = set(pairs_of("made.tmx")[0].splitlines())
        expect(made == set(pairs_of("utf8.po")[0].splitlines()), f"po2tmx: {len(made)} pairs")
        tool("po2xliff" if shutil.which("po2xliff") else "po2tmx", "--progress=none", *([] if shutil.which("po2xliff") else ["-l", "de"]),
             "utf8.po", "made.xlf" if shutil.which("po2xliff") else "made.tmx")
    if tool("xmllint", "--version") is not None:
        for name in ("utf8.tmx", "utf8.xlf", "utf8.xliff"):
            for made, arguments in (("pretty", ["--format"]), ("latin", ["--encode", "ISO-8859-1"]), ("wide", ["--encode", "UTF-16"])):
                (heed.directory / f"{made}.{name}").write_bytes(tool("xmllint", *arguments, name))
                expect(pairs_of(f"{made}.{name}")[0] == pairs_of(name)[0], f"xmllint {arguments} {name}")
    if tool("csvformat", "--version") is not None:
        for name, arguments in (("quoted.csv", ["-U", "1"]), ("tabs.csv", ["-T"]), ("semicolons.csv", ["-D", ";"])):
            (heed.directory / name).write_bytes(tool("csvformat", *arguments, "utf8.csv"))
            expect(pairs_of(name)[0] == pairs_of("utf8.csv")[0], f"csvformat {arguments}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        heed.directory = Path(folder)
        heed.works("corpus", "pocket", "--pairs", 400, "--out", "pocket")
        sides = [(heed.directory / f"pocket.train.{side}").read_text().splitlines() for side in ("en", "de")]
        # Pairs that survive `heed data --clean`, with text that needs care in some format.
        pairs, seen = [], set()
        for source, target in zip(*sides):
            if source not in seen and len(pairs) < 47 and abs(len(source) - len(target)) < 12:
                seen.add(source)
                pairs.append((source, target))
        pairs += [("She said: \"A & B; <b>no</b>, yes\".", "Sie sagte: \"A & B; <b>nö</b>, doch\"."),
                  ("A backslash \\ and 'quotes' cost money.", "Ein Schrägstrich \\ und 'Häkchen' kosten Geld."),
                  ("The café is open till ten, for naïve fiancés.", "Das Café ist bis zehn geöffnet, für naive Verlobte.")]
        combinations = check_every_combination(pairs)
        check_direction()
        check_flags()
        check_other_tools()
        return report("formats", f"{combinations} combinations", *[f"without {name}" for name in skipped])


sys.exit(main())
