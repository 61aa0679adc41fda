#!/usr/bin/env python3
"""heed score, evaluate, compare and align from end to end: what they print, as text and as JSON, and bad input.

    evaluate_test.py BUILD      BUILD holds the program heed; the gold alignments of real text are read where $HEED_SHARED (or
                           ../shared beside the repository) has them"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

heed = Program()
works, fails = heed.works, heed.fails


def read_json(*arguments):
    done = works(*arguments, "--json")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        expect(False, f"{arguments}: {error} in {done.stdout[:200]!r}")
        return {}


def write(name, *lines):
    (heed.directory / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return name


def check_score():
    three = write("three", "The cat sat on the mat.", "A dog barks loudly at night.", "We drink milk every day.")
    two = write("two", "The cat sat on the mat.", "A dog barks loudly at night.")
    other = write("other", "The cat sat on a mat.", "A dog barks at night.", "We drink tea every day.")
    same = read_json("score", "--hypothesis", three, "--reference", three, "--metric", "bleu,chrf,chrf++,ter")
    for metric, score in (("bleu", 100), ("chrf", 100), ("chrf++", 100), ("ter", 0)):
        found = same.get(metric, {})
        expect(abs(found.get("score", -1) - score) < 1e-6 and "version:" in found.get("signature", ""), f"itself: {same}")
    paired = read_json("score", "--hypothesis", other, "--reference", three, "--compare", three)["bleu"]
    difference = paired["score"] - paired["compare"]["score"]
    expect(difference < 0 and abs(abs(paired["compare"]["difference"]) + difference) < 1e-9, f"--compare: {paired}")
    expect(all(0 < paired["compare"][test]["p_value"] <= 1 for test in ("bootstrap", "randomisation")), f"{paired}")
    fails(1, ["two' has 2", "three' has 3"], "score", "--hypothesis", two, "--reference", three)
    fails(1, ["two' has 2", "three' has 3", "other' has 3"], "score", "--hypothesis", other, "--reference", three,
          "--reference", two)
    fails(1, ["blank", "no words"], "score", "--hypothesis", three, "--reference", write("blank", "", " ", "\t"))
    fails(1, ["empty"], "score", "--hypothesis", write("empty"), "--reference", "empty")
    fails(1, ["missing"], "score", "--hypothesis", "missing", "--reference", three)
    noted = works("score", "--hypothesis", three, "--reference", write("tokenized", "The cat sat on the mat .",
                  "A dog barks , loudly , at night .", "We drink milk every day ."))
    expect("tokenized" in noted.stderr, f"a tokenized reference goes unnoticed: {noted.stderr!r}")


def check_hypothesis_links():
    links, gold = write("links", "0-0 1-2", "0-1"), write("gold", "0-0 1-2 2p1", "0-0 0p1")
    score = read_json("align", "--hypothesis", links, "--gold", gold)
    # Three links, all possible, two of three sure ones found.
    expect(abs(score["precision"] - 100) < 1e-9 and abs(score["recall"] - 200 / 3) < 1e-9, f"{score}")
    expect(abs(score["aer"] - 100 * (1 - 5 / 6)) < 1e-9, f"{score}")
    moved = write("moved", "1-1 2-3", "1-2")
    expect(read_json("align", "--hypothesis", moved, "--base", 1, "--gold", gold)["aer"] == score["aer"], "--base")
    expect("--base 1" in works("align", "--hypothesis", moved, "--gold", gold).stderr, "the other base is not suggested")
    fails(1, ["bad:2", "1:3"], "align", "--hypothesis", write("bad", "0-0", "0-0 1:3"), "--gold", gold)
    fails(1, ["links:1"], "align", "--hypothesis", links, "--base", 1, "--gold", gold)
    fails(1, ["links' has 2", "one' has 1"], "align", "--hypothesis", links, "--gold", write("one", "0-0"))
    fails(2, ["--gold"], "align", "--hypothesis", links)
    fails(2, ["--source"], "align", "--hypothesis", links, "--gold", gold, "--source", links, "--target", links)
    fails(2, ["--pretokenized"], "align", "--hypothesis", links, "--gold", gold, "--pretokenized")
    fails(2, ["--source"], "align")
    fails(2, ["--target"], "align", "--source", links)


def check_texts_alone():
    texts = ["align", "--source", "pocket.train.en", "--target", "pocket.train.de"]
    score = read_json(*texts, "--gold", "pocket.train.align", "--out", "made")
    expect(score["aer"] < 10 and score["sentences"] == 2000, f"links of the pocket corpus: {score}")
    made = (heed.directory / "made").read_text()
    expect(works(*texts, "--threads", 3).stdout == made, "links depend on the number of threads")
    expect(read_json("align", "--hypothesis", "made", "--gold", "pocket.train.align")["aer"] == score["aer"], "--out")
    # Splitting at spaces gives other words.
    expect(read_json(*texts, "--pretokenized", "--gold", "pocket.train.align")["aer"] > score["aer"] + 2, "--pretokenized changes nothing")
    few = works("align", "--source", write("few.en", "a dog", "a cat"), "--target", write("few.de", "ein Hund", "eine Katze"))
    expect("only 2 pairs" in few.stderr and few.stdout.count("\n") == 2, f"two pairs: {few.stderr!r}, {few.stdout!r}")
    # How to split at an apostrophe depends on the language: it ' s, it 's.
    write("short.en", *["It's fine."] * 3)
    ends = [works("align", "--source", "short.en", "--target", "short.en", *language).stdout.split()[-1]
            for language in ([], ["--source-language", "en"], ["--source-language", "en", "--target-language", "en"])]
    expect(ends == ["4-4", "3-4", "3-3"], f"languages: {ends}")
    fails(1, ["few.en' has 2", "pocket.test.de' has 100"], "align", "--source", "few.en", "--target", "pocket.test.de")
    for flags in (["--reverse", "made"], ["--threshold", 0.1], ["--shift"]):
        fails(2, [flags[0], "MODEL"], *texts, *flags)
    fails(2, ["--symmetrize"], *texts, "--symmetrize", "union")
    fails(2, ["--base"], *texts, "--base", 1)
    expect("'xy'" in works(*texts, "--source-language", "xy").stderr, "a language without rules is not reported")
    (heed.directory / "bad.en").write_bytes(b"a dog\n\xff\n")
    notes = works("align", "--source", "bad.en", "--target", "few.de").stderr
    expect("bad.en:2: invalid UTF-8" in notes, f"invalid bytes are not reported: {notes!r}")
    apart = write("apart", *["A dog , a cat and we see them ."] * 30)
    notes = works("align", "--source", apart, "--target", apart).stderr
    expect(notes.count("--pretokenized") == 2, f"--pretokenized is not suggested: {notes!r}")
    expect("tokenized" not in works("align", "--source", apart, "--target", apart, "--pretokenized").stderr, "a note too many")
    fails(2, ["--source-language"], *texts, "--pretokenized", "--source-language", "en")
    fails(1, ["no/such"], *texts, "--out", "no/such/links")
    fails(1, ["pocket.train.en' has 2000", "pocket.test.align' has 100"], *texts, "--gold", "pocket.test.align", "--out", "made")
    expect((heed.directory / "made").read_text() == made, "a failure touched the links that were there")


def check_models(attends, vanilla):
    test = ["--source", "pocket.test.en", "--reference", "pocket.test.de"]
    score = read_json("align", attends, "--source", "pocket.test.en", "--target", "pocket.test.de", "--gold", "pocket.test.align")
    expect(0 <= score["aer"] <= 100 and score["sentences"] == 100, f"align: {score}")
    fails(1, ["no attention"], "align", vanilla, "--source", "pocket.test.en", "--target", "pocket.test.de")
    fails(2, ["--source-language"], "align", attends, "--source", "pocket.test.en", "--target", "pocket.test.de",
          "--source-language", "en")
    fails(1, ["pocket.test.en' has 100", "few.de' has 2"], "align", attends, "--source", "pocket.test.en", "--target", "few.de")
    one = read_json("evaluate", attends, *test)
    both = read_json("compare", attends, vanilla, *test, "--gold", "pocket.test.align")
    for key in ("bleu", "perplexity", "exact"):
        expect(one[key] == both["models"][0][key], f"evaluate and compare disagree: {one[key]}, {both['models'][0][key]}")
    expect("alignment" in both["models"][0] and "alignment" not in both["models"][1], f"compare: {both}")
    # Tokenized text matters only in the reference.
    apart, plain = "apart", write("plain", *["A dog, a cat and we see them."] * 30)
    for source, reference, noted in ((apart, plain, 0), (plain, apart, 1)):
        notes = works("evaluate", attends, "--source", source, "--reference", reference).stderr
        expect(notes.count("looks tokenized") == noted, f"{source}, {reference}: {notes!r}")
    for command in ("evaluate", "compare"):
        models = [attends] if command == "evaluate" else [attends, vanilla]
        fails(1, ["pocket.test.en' has 100", "few.de' has 2"], command, *models, "--source", "pocket.test.en", "--reference", "few.de")
        fails(1, ["blank"], command, *models, "--source", "few.de", "--reference", write("blank", "", ""))


def check_guided():
    """training.guided_shift changes the model."""
    models = []
    for shift in ("false", "true"):
        works("train", "--preset", "luong-dot", "--train-source", "pocket.valid.en", "--train-target", "pocket.valid.de",
              "--guided-alignment", "pocket.valid.align", "--epochs", 1, "--threads", 1, "--set", "encoder.hidden=8", "--set",
              "decoder.hidden=8", "--set", f"training.guided_shift={shift}", "--set", "training.shortlist=false", "--out", shift)
        score = read_json("align", f"{shift}/model.safetensors", "--source", "pocket.test.en", "--target", "pocket.test.de",
                          "--gold", "pocket.test.align", "--shift")
        models.append((heed.directory / shift / "model.safetensors").read_bytes()[-4000:])
        expect(score["links"] > 0, f"{score}")
    expect(models[0] != models[1], "training.guided_shift changes nothing")


def check_published():
    shared = Path(os.environ.get("HEED_SHARED", ROOT / "../shared")) / "data/wordalign"
    if not shared.is_dir():
        print(f"skipped: {shared} is not there")
        return
    for name, aer in (("giza.grow-diagonal-final", 20.55), ("fastalign.grow-diagonal", 27.02), ("fastalign", 28.46)):
        found = read_json("align", "--hypothesis", shared / f"{name}.talp", "--gold", shared / "gold.talp", "--gold-base", 1)
        expect(f"{found['aer']:.2f}" == f"{aer:.2f}", f"{name}: {found}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        heed.directory = Path(directory)
        works("corpus", "pocket", "--pairs", 2000, "--out", "pocket")
        check_score()
        check_hypothesis_links()
        check_texts_alone()
        check_models(*(heed.train(preset, "--preset", preset, "--epochs", 1) for preset in ("bahdanau-lstm", "vanilla")))
        check_guided()
        check_published()
    return report("evaluate_cli")


if __name__ == "__main__":
    sys.exit(main())
