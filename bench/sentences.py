#!/usr/bin/python3
"""Measures how well heed finds the ends of sentences, compared with the plain rules of ICU.

usage: bench/sentences.py [--errors]

The text is prose in English, French, German and Spanish: 392 paragraphs of the Debian Administrator's Handbook, which is
downloaded as a Debian package. Half were drawn at random, half from those with abbreviations, initials, ordinals or command
names next to full stops. A person judged every full stop, question mark, exclamation mark and ellipsis that is followed by
white space; bench/sentence_ends.tsv has a hash of each paragraph and the positions, in characters, at which its sentences end,
except for the end of the paragraph. --errors prints every mistake. Run `make` first; needs the Debian package python3-icu.
"""

import csv
import hashlib
import html.parser
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = "debian-handbook"


class Paragraphs(html.parser.HTMLParser):
    """The text of <div class="para">, up to the first block inside it."""

    def __init__(self):
        super().__init__()
        self.inside, self.parts, self.found = False, [], []

    def flush(self, inside=False):
        text = " ".join("".join(self.parts).split())
        if text and self.inside:
            self.found.append(text)
        self.inside, self.parts = inside, []

    def handle_starttag(self, tag, attrs):
        if tag in ("div", "pre", "table", "ul", "ol", "dl", "li"):
            self.flush(tag == "div" and ("class", "para") in attrs)

    def handle_endtag(self, tag):
        if tag in ("p", "div", "pre", "table", "ul"):
            self.flush()

    def handle_data(self, data):
        if self.inside:
            self.parts.append(data)


def download():
    folder = ROOT / "build" / "sentences"
    if not (folder / "usr").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        subprocess.run(["dpkg-deb", "-x", str(next(folder.glob(f"{PACKAGE}_*.deb"))), str(folder)], check=True)
    return folder / "usr" / "share" / "doc" / PACKAGE / "html"


def paragraphs(folder):
    by_hash = {}
    for path in sorted(folder.glob("*.html")):
        parser = Paragraphs()
        parser.feed(path.read_text(encoding="utf-8"))
        parser.flush()
        for text in parser.found:
            by_hash[hashlib.sha256(text.encode()).hexdigest()[:16]] = text
    return by_hash


def heed_ends(language, texts):
    """The ends of the sentences in each text, in characters."""
    command = [str(ROOT / "build" / "heed"), "tokenize", "--sentences", "--language", language]
    done = subprocess.run(command, input="\n".join(texts) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    sentences = iter(done.stdout.split("\n"))
    found = []
    for text in texts:
        ends, at = set(), 0
        while at < len(text):
            sentence = next(sentences)
            at = text.index(sentence, at) + len(sentence)
            ends.add(at)
        found.append(ends)
    return found


def icu_ends(language, texts):
    import icu
    rules = icu.BreakIterator.createSentenceInstance(icu.Locale(language))
    found = []
    for text in texts:
        units = text.encode("utf-16-le")
        rules.setText(text)
        found.append({len(units[:2 * end].decode("utf-16-le").rstrip()) for end in rules})
    return found


def main():
    subprocess.run([str(ROOT / "tools" / "setup.sh"), "sentences"], check=True)
    marked = {}
    with open(ROOT / "bench" / "sentence_ends.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            ends = {int(end) for end in row["ends"].split(",") if end}
            marked.setdefault(row["language"], {})[row["paragraph"]] = ends
    pages = download()
    totals = {}
    print(f"{'language':<9} {'ends':>5}  {'heed P':>7} {'R':>6} {'F1':>6}  {'ICU P':>7} {'R':>6} {'F1':>6}")
    for language, truth in list(marked.items()) + [("all", None)]:
        line = ""
        if truth is not None:
            known = paragraphs(pages / language)
            missing = len(truth.keys() - known.keys())
            if missing:
                sys.exit(f"sentences: {missing} of {len(truth)} paragraphs are not in this version of {PACKAGE}")
            texts = [known[key] for key in truth]
        for name, split in (("heed", heed_ends), ("ICU", icu_ends)):
            counts = totals.setdefault(name, [0, 0, 0])
            if truth is not None:
                here = [0, 0, 0]  # right, found, marked
                for text, ends, found in zip(texts, truth.values(), split(language[:2], texts)):
                    found.discard(len(text))
                    for i, number in enumerate((len(ends & found), len(found), len(ends))):
                        here[i] += number
                    for end in sorted(ends ^ found) if name == "heed" and "--errors" in sys.argv else []:
                        print(f"  {'missed' if end in ends else 'wrong'}: {text[max(0, end - 40):end]}|{text[end:end + 20]}")
                totals[name] = [a + b for a, b in zip(counts, here)]
                counts = here
            right, found, wanted = counts
            precision, recall = right / found, right / wanted
            line += f"  {100 * precision:7.2f} {100 * recall:6.2f} {200 * precision * recall / (precision + recall):6.2f}"
        print(f"{language:<9} {wanted:>5}{line}")


if __name__ == "__main__":
    main()
