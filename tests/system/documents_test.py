#!/usr/bin/env python3
"""heed translate with documents, from end to end: HTML, XML and Markdown with the small model of the repository.

    documents_test.py BUILD      BUILD holds the program heed; pages of /usr/share/doc are translated if there are any"""

import gzip
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

MODEL = ROOT / "models/pocket-en-de.safetensors"
heed = Program()

PAGE = """<!DOCTYPE html>
<html lang="en"><head><title>We see a dog.</title><script>var a = "The dog";</script></head>
<body class="a"><h1>The <b>old man</b> reads a book.</h1>
<!-- The dog -->
<p>We see <a href="x?a=1&amp;b=2">a dog</a>.<br>The cat will <i>drink <u>milk</u></i>.</p>
<p translate="no">We see a dog.</p><img src=dog.png alt="We see a dog.">
</body></html>
"""
TRANSLATED = """<!DOCTYPE html>
<html lang="en"><head><title>Wir sehen einen Hund.</title><script>var a = "The dog";</script></head>
<body class="a"><h1>Der <b>alte Mann</b> liest ein Buch.</h1>
<!-- The dog -->
<p>Wir sehen <a href="x?a=1&amp;b=2">einen Hund</a>.<br>Die Katze wird <i><u>Milch</u> trinken</i>.</p>
<p translate="no">We see a dog.</p><img src=dog.png alt="Wir sehen einen Hund.">
</body></html>
"""


def check_formats(directory):
    def translated(*arguments, **settings):
        return heed.works("translate", MODEL, *arguments, cwd=directory, **settings).stdout
    (directory / "page.html").write_text(PAGE)
    (directory / "page").write_text(PAGE)
    with gzip.open(directory / "packed.HTML.gz", "wt") as file:
        file.write(PAGE)
    result = translated("page.html")
    expect(result == TRANSLATED, f"not the expected page:\n{result}")
    expect(translated("page", "--format", "html") == TRANSLATED, "--format html")
    expect(translated("packed.HTML.gz") == TRANSLATED, "a compressed page")
    expect(translated("--format", "html", input=PAGE) == TRANSLATED, "a page from standard input")
    expect(translated("--format", "html", "--threads", 2, "--batch", 1, input=PAGE) == TRANSLATED, "threads and batches change a page")
    expect(translated("page.html", "-o", "out.html") == "" and (directory / "out.html").read_text() == TRANSLATED, "-o")
    # --input FILE is like the argument FILE. Lines: --format text, and for many processes.
    expect(translated("--input", "page.html") == TRANSLATED, "--input page.html")
    expect(translated("--input", "packed.HTML.gz") == TRANSLATED, "--input with a compressed page")
    lines = translated("--input", "page.html", "--format", "text")
    expect(lines == translated("page.html", "--format", "text") and lines.count("\n") == PAGE.count("\n"), "the lines of a page")
    expect(translated("--input", "page.html", "--shard", "1/1") == lines, "--shard divides the lines of --input")
    heed.works("translate", MODEL, "--input", "page.html", "--shard-dir", "shards", "--output", "lines.html", cwd=directory)
    expect((directory / "lines.html").read_text() == lines, "--shard-dir divides the lines of --input")
    (directory / "ids.csv").write_text("1,We see a dog.\n2,The dog sleeps.\n")
    expect(translated("--input", "ids.csv", "--columns", 2) == "1,Wir sehen einen Hund.\n2,Der Hund schläft.\n", "--input of a table")

    (directory / "a.md").write_text("# We see a dog.\n\nThe **old man**\nreads `a` book.\n\n    We see\n")
    expect(translated("a.md").startswith("# Wir sehen einen Hund.\n\nDer **alte Mann** liest "), "Markdown")
    expect(translated("a.md").endswith("\n\n    We see\n"), "code in Markdown")
    (directory / "a.xml").write_text("<?xml version='1.0'?>\n<a b='We see'><c>We see <d>a dog</d>.</c></a>\n")
    expect(translated("a.xml") == "<?xml version='1.0'?>\n<a b='We see'><c>Wir sehen <d>einen Hund</d>.</c></a>\n", "XML")


def check_errors(directory):
    def refused(code, says, *arguments):
        heed.fails(code, says, "translate", MODEL, *arguments, cwd=directory)
    (directory / "old.html").write_text("old")
    for flag in (["--json"], ["--nbest", 2], ["--alignment"], ["--stream"], ["--plain"], ["--prefix-file", "a.md"]):
        refused(2, [f"{flag[0]} is for text", "(html)", "--format text"], "page.html", "-o", "old.html", *flag)
    refused(2, "--format html needs a file or standard input, but 'We see a dog.' is not a file", "We see a dog.", "--format", "html")
    refused(2, ["--reverse needs a model that translates de to en", "translates en to de"], "page.html", "--reverse", MODEL)
    refused(2, ["--reverse", "the input is text"], "We see a dog.", "--reverse", MODEL)
    refused(2, "is the same file as", "page.html", "-o", "./page.html")
    (directory / "bad.xml").write_text("<a>\n<b></a>\n")
    refused(1, ["bad.xml:2: this is not well-formed XML"], "bad.xml", "-o", "old.html")
    (directory / "deep.html").write_text("<div>" * 20000)
    refused(1, ["deep.html", "nested more than 10000 deep"], "deep.html", "-o", "old.html")
    with (directory / "large.html").open("wb") as file:
        file.truncate(65 << 20)
    refused(1, ["large.html", "more than 64 MB"], "large.html", "-o", "old.html")
    expect((directory / "old.html").read_text() == "old" and (directory / "page.html").read_text() == PAGE, "a file was changed")


def check_interrupt(directory):
    (directory / "long.html").write_text("<p>The old man reads a book.</p>\n" * 20000)
    process = heed.start("translate", MODEL, directory / "long.html", "-o", directory / "old.html")
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    expect(process.returncode == 130 and b"old.html is unchanged" in errors, f"interrupt: {process.returncode} {errors}")
    expect((directory / "old.html").read_text() == "old", "an interrupt changed the output")


def check_real_pages(directory):
    """Tags and skipped parts of real documentation stay."""
    pages = sorted(path for path in Path("/usr/share/doc").glob("*/html/*.html") if path.stat().st_size < 15_000)[:3]
    if not pages:
        print("skipped: there are no pages in /usr/share/doc")
    for page in pages:
        text = page.read_bytes().decode("utf-8", "replace")
        result = heed.works("translate", MODEL, "--beam", 1, "--format", "html", input=text, cwd=directory).stdout
        tags = [Counter(re.findall(r"</?[a-zA-Z][^>]*>", re.sub(r'(title|alt|content)="[^"]*"', "", part))) for part in (text, result)]
        expect(tags[0] == tags[1], f"{page}: {(tags[0] - tags[1]) or (tags[1] - tags[0])}")
        expect(result != text, f"{page} was not translated")


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        check_formats(directory)
        check_errors(directory)
        check_interrupt(directory)
        check_real_pages(directory)
    return report("documents")


if __name__ == "__main__":
    sys.exit(main())
