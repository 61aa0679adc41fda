#!/usr/bin/env python3
"""heed attend from end to end: every kind of attention, every format, any script, and bad usage.

    attend_test.py BUILD      BUILD holds the program heed"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program

SENTENCE = "The old man sees a dog ."
PRESETS = {"bahdanau-lstm": "before", "luong-dot": "after", "alignment-gru": "before", "location-gru": "before",
           "vanilla": None, "constant-context": None}


class Heed(Program):
    def train_preset(self, preset):
        more = ["attention.max_length=40", "data.max_length=30", "data.target_prefixes=[]"] if preset == "location-gru" else []
        self.train(preset, "--preset", preset, "--updates", 4, *(word for one in ["training.batch=16", *more] for word in ("--set", one)))

    def attend(self, preset, *arguments, **settings):
        return self.works("attend", f"{preset}/model.safetensors", *arguments, **settings)

    def json(self, preset, *arguments, **settings):
        self.attend(preset, *arguments, "--out", "a.json", **settings)
        return json.loads((self.directory / "a.json").read_text())


def check_json(heed, preset):
    data = heed.json(preset, SENTENCE)
    text = data["text"]
    width = len(data["source"])
    expect(text == SENTENCE and width >= 7, f"{preset}: source {data['source']}")
    spans = [text[a:b].lower() for a, b in data["source_spans"]]
    expect(spans[:-1] == [word.lower() for word in data["source"][:-1]] and spans[-1] == "", f"{preset}: spans {spans}")
    if PRESETS[preset] is None:
        expect(data["attention"] is None, f"{preset} has no attention, but {data['attention']}")
        return
    rows = data["attention"]
    expect(len(rows) == len(data["target"]) and all(len(row) == width for row in rows), f"{preset}: the wrong shape")
    sums = [sum(row) for row in rows]
    if preset == "location-gru":
        expect(all(0 < total < 1 for total in sums), f"{preset}: rows sum to {sums}, expected less than 1")
    else:
        expect(all(abs(total - 1) < 1e-3 for total in sums), f"{preset}: rows sum to {sums}")
    same = all(max(abs(a - b) for a, b in zip(row, rows[0])) < 1e-5 for row in rows)
    expect(same == (preset == "alignment-gru") or len(rows) == 1, f"{preset}: the same row at every step: {same}")


def check_input(heed):
    """The sentence on standard input: a line of several."""
    lines = "We drink milk .\n" + SENTENCE + "\n"
    shown = heed.attend("luong-dot", SENTENCE).stdout
    done = heed.attend("luong-dot", "--line", 2, input=lines)
    expect(done.stdout == shown and not done.stderr, f"--line 2: {done.stderr}")
    done = heed.attend("luong-dot", input=lines)
    expect(done.stdout != shown and "--line N shows another" in done.stderr, f"several lines, no note: {done.stderr!r}")
    expect(not heed.attend("luong-dot", input=SENTENCE + "\n").stderr, "a note about one line")
    model = "luong-dot/model.safetensors"
    heed.fails(2, "standard input has only 2 lines", "attend", model, "--line", 3, input=lines)
    heed.fails(2, "leave out one of them", "attend", model, SENTENCE, "--line", 1)
    (heed.directory / "in.txt").write_text(lines)
    heed.fails(2, ["'in.txt' is a file", f"attend {model} --line 1 < in.txt"], "attend", model, "in.txt")
    for target in ("", "  "):
        heed.fails(2, "--target is empty", "attend", model, SENTENCE, "--target", target)
    expect(heed.works("attend", "luong-dot", SENTENCE).stdout == shown, "a run directory is not its model")


def check_forced(heed):
    data = heed.json("luong-dot", SENTENCE, "--target", "Der alte Mann sieht einen Hund .")
    expect([word.lower() for word in data["target"][:-1]] == "der alte mann sieht einen hund .".split() or "<unk>" in data["target"],
           f"forced: {data['target']}")
    free = heed.json("luong-dot", SENTENCE, "--beam", "4")
    expect(free["score"] >= data["score"], "forced: the forced translation scores better than the best one of the search")
    several = heed.json("luong-dot", SENTENCE, "--beam", "4", "--nbest", "3")
    expect(len(several) == 3 and [one["score"] for one in several] == sorted((one["score"] for one in several), reverse=True),
           "nbest: not three, best first")
    expect(heed.json("luong-dot", input=SENTENCE + "\nmore\n")["text"] == SENTENCE, "the sentence is not read from standard input")


def check_formats(heed):
    for preset in PRESETS:
        for ending, magic in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!doctype html>")):
            heed.attend(preset, SENTENCE, "--out", f"x.{ending}")
            expect((heed.directory / f"x.{ending}").read_bytes().startswith(magic), f"{preset}: x.{ending} does not start with {magic}")
    shown = heed.attend("luong-dot", SENTENCE).stdout
    expect("│" in shown and "\x1b" not in shown, "the map in the terminal has no staircase, or it has colors in a pipe")
    expect("no attention" in heed.attend("vanilla", SENTENCE).stdout, "vanilla does not say that it has no attention")
    heed.attend("alignment-gru", SENTENCE, "--out", "x.svg")
    expect("same at every step" in (heed.directory / "x.svg").read_text(), "the equal rows of alignment-gru are not explained")
    heed.attend("luong-dot", SENTENCE, "--with", "vanilla/model.safetensors", "--numbers", "--gold", "0-0 1p1", "--out", "x.svg")
    row = (heed.directory / "x.svg").read_text()
    expect("luong-dot" in row and "no attention" in row and "stroke-dasharray" in row, "several models with gold: something is missing")
    for text in ("我们 喜欢 🙂 .", "نحن نحب", "<script>alert(1)</script>", "a\u2028b \u202e c", "x" * 300, "word " * 60):
        heed.attend("bahdanau-lstm", text, "--out", "x.png")
        heed.attend("bahdanau-lstm", text, "--out", "x.html")


def check_bad_usage(heed):
    def fails(code, says, *arguments, **settings):
        heed.fails(code, says, "attend", "luong-dot/model.safetensors", *arguments, **settings)
    fails(2, ".svg", SENTENCE, "--out", "x.gif")
    fails(2, "--target", SENTENCE, "--target", "x", "--beam", "2")
    fails(2, "--nbest", SENTENCE, "--beam", "2", "--nbest", "3")
    fails(2, "--words", SENTENCE, "--words", "--out", "x.html")
    fails(2, "--gold-base", SENTENCE, "--gold-base", "1")
    fails(2, "--gold", SENTENCE, "--gold", "0:1")
    fails(2, "the link 999-0 is out of range", SENTENCE, "--gold", "0-0 999-0")
    fails(2, "no words", "   ")
    fails(2, "no sentence")
    fails(1, "no/such", SENTENCE, "--out", "no/such/x.svg")
    fails(2, "too long", "word " * 500, "--out", "x.svg")
    (heed.directory / "librsvg-2.so.2").write_text("not a library")
    without = {**os.environ, "LD_LIBRARY_PATH": str(heed.directory)}
    fails(1, "librsvg2-2", SENTENCE, "--out", "without.png", env=without)
    expect(not (heed.directory / "without.png").exists(), "a picture that could not be drawn left a file")
    heed.attend("luong-dot", SENTENCE, "--out", "x.svg", env=without)
    for more, says in ((["--target", "wort"], "39 tokens"), (["--gold", "0-0"], "39 tokens"), (["--out", "x.html"], "at once")):
        heed.fails(2, says, "attend", "location-gru/model.safetensors", "word " * 60, *more)


def check_long_line(heed):
    for more in ([], ["--target", "wort"]):
        one = heed.json("luong-dot", "word " * 600, *more)
        expect("pieces" not in one and {len(row) for row in one["attention"]} == {601}, f"a long line with {more} is not one matrix")
    whole = heed.json("location-gru", "word " * 60)
    parts = whole["pieces"]
    expect(whole["attention"] is None and len(parts) == 2, f"location-gru past its length: {len(parts)} pieces")
    expect([len(part["source"]) for part in parts] == [40, 22], "the pieces are not as long as the attention allows")
    expect(all(part["attention"] for part in parts), "a piece has no attention")
    expect(parts[1]["source_spans"][0] == [39 * 5, 39 * 5 + 4], "the second piece's spans are not in the whole line")
    shown = heed.attend("location-gru", "word " * 60).stdout
    expect(shown.startswith(whole["translation"] + "\n\n") and shown.count("│  word") >= 1, "no maps of the pieces in the terminal")
    heed.works("attend", "luong-dot/model.safetensors", b"old \xff dog", "--words", "--out", "a.json")
    expect("\ufffd" in (heed.directory / "a.json").read_text(), "bad UTF-8 is not repaired")


def main():
    with tempfile.TemporaryDirectory() as directory:
        heed = Heed()
        heed.directory = Path(directory)
        heed.works("corpus", "pocket", "--pairs", "100", "--out", "pocket")
        for preset in PRESETS:
            heed.train_preset(preset)
            check_json(heed, preset)
        check_forced(heed)
        check_input(heed)
        check_formats(heed)
        check_long_line(heed)
        check_bad_usage(heed)
    return report("attend")


if __name__ == "__main__":
    sys.exit(main())
