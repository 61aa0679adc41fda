#!/usr/bin/env python3
"""Vocabulary selection: `heed shortlist`, the option --shortlist of the commands, and its defaults.

    shortlist_test.py BUILD       BUILD holds the program heed

The pocket corpus has too few words for a shortlist to matter, so every sentence here has a serial number as a word."""

import json
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program

heed = Program()
SMALL = [word for setting in ("encoder.hidden=16", "decoder.hidden=16", "encoder.embedding=12", "decoder.embedding=12",
                              "readout.size=12", "data.tokenizer=words", "training.learning_rate=0.01")
         for word in ("--set", setting)]
TRAIN = ["--train", "train.en", "train.de"]
TEXT = ["--input", "test.en", "--json"]


def make_corpus(directory):
    draw = random.Random(1)
    for part, count in (("train", 3000), ("test", 20)):
        words = [[draw.randrange(2000) for _ in range(3)] for _ in range(count)]
        (directory / f"{part}.en").write_text("".join("see " + " ".join(f"a{w}" for w in line) + "\n" for line in words))
        (directory / f"{part}.de").write_text("".join("sieh " + " ".join(f"b{w}" for w in line) + "\n" for line in words))


def translations(model, *options):
    return [json.loads(line) for line in heed.works("translate", model, *TEXT, *options).stdout.splitlines()]


def info(model):
    return json.loads(heed.works("info", model, "--json").stdout)


def check_training():
    heed.works("train", *TRAIN, "--no-holdout", *SMALL, "--updates", 5, "--threads", 1, "--out", "run")
    heed.works("train", *TRAIN, "--no-holdout", *SMALL, "--updates", 5, "--threads", 1, "--out", "bare", "--set",
               "training.shortlist=false")
    shortlist = info("run")["shortlist"]
    expect(shortlist["always"] >= 100 and 1 < shortlist["candidates_per_word"] < 60, f"heed info --json: {shortlist}")
    expect("candidates per source word" in heed.works("info", "run").stdout, "heed info does not show the shortlist")
    expect(info("bare")["shortlist"] is None, "training.shortlist=false makes a shortlist")


def check_command(directory):
    before = (directory / "bare/model.safetensors").read_bytes()
    said = json.loads(heed.works("shortlist", "bare", *TRAIN, "--out", "added.safetensors", "--json").stdout)
    expect((directory / "bare/model.safetensors").read_bytes() == before, "heed shortlist --out changes its model")
    expect(said["pairs"] == 3000 and said["coverage"] > 0.99, f"heed shortlist --json: {said}")
    expect(5 < said["candidates"] < 800, f"heed shortlist --json: {said}")
    expect((directory / "added.safetensors").read_bytes() == (directory / "run/model.safetensors").read_bytes(),
           "heed shortlist does not make the same file as training with a shortlist")
    shown = heed.works("shortlist", "bare", *TRAIN).stdout
    expect("candidates of their sources" in shown, f"heed shortlist says {shown!r}")
    expect((directory / "bare/model.safetensors").read_bytes() == (directory / "added.safetensors").read_bytes(),
           "heed shortlist does not replace its model")
    (directory / "bare/model.safetensors").write_bytes(before)
    heed.fails(2, "--train", "shortlist", "bare")
    heed.fails(1, "missing.en", "shortlist", "bare", "--train", "missing.en", "train.de")


def check_defaults():
    on, off = translations("run", "--shortlist", "on"), translations("run", "--shortlist", "off")
    expect(on != off, "--shortlist changes nothing")
    expect(translations("run") == on, "heed translate does not use the shortlist by default")
    expect(translations("bare") == off, "a model without a shortlist is not like --shortlist off")
    plain = translations("run", "--plain")
    expect(plain == translations("run", "--plain", "--shortlist", "off"), "--plain uses the shortlist")
    expect(plain != translations("run", "--plain", "--shortlist", "on"), "--plain --shortlist on does not use it")
    for options in (["--batch", 1], ["--batch", 7, "--threads", 2]):
        expect(translations("run", *options) == on, f"translations depend on {options}")
    for command in (["translate", "bare", "x"], ["evaluate", "bare", "test.en", "test.de"], ["serve", "en-de=bare"],
                    ["bench", "translate", "bare", "--source", "test.en"]):
        heed.fails(2, "heed shortlist", *command, "--shortlist", "on")
    heed.fails(2, "expected on or off", "translate", "run", "--shortlist", "maybe", "x")


def check_ensemble():
    both = translations("run", "added.safetensors")
    expect(both != translations("run", "added.safetensors", "--shortlist", "off"), "an ensemble has no shortlist")
    mixed = translations("run", "bare")
    expect(mixed == translations("run", "bare", "--shortlist", "off"), "an ensemble of a model without one uses it")
    heed.fails(2, "heed shortlist", "translate", "run", "bare", "--shortlist", "on", "x")


def check_measurements():
    evaluate = lambda *options: json.loads(heed.works("evaluate", "run", "test.en", "test.de", "--json", *options).stdout)
    plain, chosen = evaluate(), evaluate("--shortlist", "on")
    expect("shortlist" not in plain, "heed evaluate uses the shortlist by default")
    expect(0.5 < chosen["shortlist"]["coverage"] <= 1 and chosen["shortlist"]["candidates"] > 5, f"{chosen['shortlist']}")
    expect(chosen["perplexity"] == plain["perplexity"], "the perplexity depends on the shortlist")
    expect(set(chosen) - set(plain) == {"shortlist"}, f"keys {set(chosen) ^ set(plain)}")
    shown = heed.works("evaluate", "run", "test.en", "test.de", "--shortlist", "on").stdout
    expect("of the reference tokens are candidates" in shown, f"heed evaluate says {shown!r}")
    heed.fails(2, "--shortlist", "evaluate", "run", "test.en", "test.de", "--translations", "test.de", "--shortlist", "on")
    bench = lambda *options: json.loads(
        heed.works("bench", "translate", "run", "--source", "test.en", "--json", *options).stdout)["shortlist"]
    expect(bench() is True and bench("--shortlist", "off") is False, "heed bench translate --json: shortlist")


def main():
    with tempfile.TemporaryDirectory() as name:
        heed.directory = Path(name)
        make_corpus(heed.directory)
        check_training()
        check_command(heed.directory)
        check_defaults()
        check_ensemble()
        check_measurements()
    return report("shortlist")


if __name__ == "__main__":
    sys.exit(main())
