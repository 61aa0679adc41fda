#!/usr/bin/env python3
"""Old names of flags and keys: they still work, and do what the new names do.

    aliases_test.py BUILD      BUILD holds the program heed

tests/fixtures/options-0.1.txt lists every flag and key of heed 0.1."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

heed = Program()

# Old key, key, a value that is not the default (for --set; quoted in files), settings that it needs.
KEYS = [
    ("data.tokeniser", "data.tokenizer", "words", []),
    ("data.normalise", "data.normalize", '["lowercase"]', []),
    ("training.optimiser", "training.optimizer", "sgd", []),
    ("training.guided_pretokenised", "training.guided_pretokenized", "true", ["--guided-alignment", "links"]),
    ("initialisation", "initialization", "glorot", []),
    ("attention.place", "attention.position", "after", ["--set", 'decoder.input=["embedding"]']),
]

MODEL = "run/model.safetensors"
TEXTS = ["--source", "pocket.test.en", "--target", "pocket.test.de"]
TEST_SET = ["--source", "pocket.test.en", "--reference", "pocket.test.de", "--json"]
GOLD = ["--gold", "pocket.test.align"]
# Old flag, flag, its value if it takes one, the rest of the command. All of them read the file `input`.
FLAGS = [
    ("--tokeniser", "--tokenizer", "characters", ["data", "pocket.test.en", "pocket.test.de", "--json"]),
    ("--tokeniser", "--tokenizer", "characters", ["tokenize"]),
    ("--normalise", "--normalize", None, ["tokenize"]),
    ("--detokenise", "--detokenize", None, ["tokenize"]),
    ("--length-normalisation", "--length-normalization", "0", ["translate", MODEL, "--json"]),
    ("--tokenise", "--tokenize", "char", ["score", "--hypothesis", "pocket.test.en", "--reference", "pocket.test.de", "--json"]),
    ("--ter-normalised", "--ter-normalized", None, ["score", "--hypothesis", "changed", "--reference", "pocket.test.de", "--json"]),
    ("--tokenise", "--tokenize", "char", ["evaluate", MODEL, *TEST_SET]),
    ("--pretokenised", "--pretokenized", None, ["evaluate", MODEL, *TEST_SET, *GOLD]),
    ("--tokenise", "--tokenize", "char", ["compare", MODEL, *TEST_SET]),
    ("--pretokenised", "--pretokenized", None, ["compare", MODEL, *TEST_SET, *GOLD]),
    ("--symmetrise", "--symmetrize", "union", ["align", MODEL, *TEXTS, "--reverse", "back/model.safetensors"]),
    ("--pretokenised", "--pretokenized", None, ["align", MODEL, *TEXTS, *GOLD, "--json"]),
]


def without_times(value):
    """JSON output without what depends on the clock."""
    if isinstance(value, list):
        return [without_times(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: without_times(one) for key, one in value.items() if key != "seconds" and not key.endswith("_per_second")}


def output(*arguments):
    text = heed.works(*arguments, input=(heed.directory / "input").read_text()).stdout
    return [without_times(json.loads(line)) for line in text.splitlines()] if "--json" in arguments else text


def check_flags():
    for old, new, value, command in FLAGS:
        with_value = lambda flag: [flag] if value is None else [flag, value]
        expected = output(*command, *with_value(new))
        expect(expected and expected != output(*command), f"heed {command[0]} {new} changes nothing")
        expect(output(*command, *with_value(old)) == expected, f"heed {command[0]} {old} is not {new}")
        if value is not None:
            expect(output(*command, f"{old}={value}") == expected, f"heed {command[0]} {old}={value} is not {new}")


def trained(*arguments):
    heed.train("out", "--overwrite", "--updates", 2, "--batch", 8, *arguments, hidden=8)
    return (heed.directory / "out/model.safetensors").read_bytes()


def check_keys():
    for old, new, value, needed in KEYS:
        def file(key):
            toml = value if value[0] == "[" or value == "true" else f'"{value}"'
            (heed.directory / "settings.toml").write_text(f"{key} = {toml}\n")
            return "settings.toml"
        expected = trained("--set", f"{new}={value}", *needed)
        expect(expected != trained(*needed), f"{new}={value} changes nothing")
        expect(trained(file(new), *needed) == expected, f"{new} in a file is not the same as with --set")
        expect(trained("--set", f"{old}={value}", *needed) == expected, f"--set {old} is not {new}")
        expect(trained(file(old), *needed) == expected, f"{old} in a file is not {new}")
        written = (heed.directory / "out/config.toml").read_text()
        expect(f"\n{new.split('.')[-1]} = " in written and f"\n{old.split('.')[-1]} = " not in written, f"{old} is written to config.toml")
        heed.fails(2, "no.such.setting", "bench", "train", "--set", f"{old}={value}", "--set", "no.such.setting=1")


def check_previous_names():
    """Each must be known: the complaint is about the name after it, or about its value."""
    lines = (ROOT / "tests/fixtures/options-0.1.txt").read_text().splitlines()
    names = [line.split("\t") for line in lines if not line.startswith("#")]
    expect(len(names) > 350, f"{len(names)} flags and keys in the list")
    for command, option in names:
        name, *value = option.split()
        if not name.startswith("--"):
            added, complaints = ["--set", f"{name}=", "--set", "no.such.setting=1"], (f"--set {name}: ", "no.such.setting")
        elif value:
            added, complaints = [name], (f"{name} needs a value",)
        else:
            added, complaints = [name, "--no-such-option"], ("--no-such-option",)
        done = heed.run(*command.split(), *added)
        known = any(complaint in done.stderr for complaint in complaints)
        expect(done.returncode == 2 and known, f"heed {command} {name} is not known any more: {done.stderr}")
    unknown = heed.run("train", "--set", "no.such.name=", "--set", "no.such.setting=1").stderr
    expect("no.such.name" in unknown, f"an unknown name is not refused: {unknown}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-aliases-") as directory:
        heed.directory = Path(directory)
        heed.works("corpus", "pocket", "--pairs", 60, "--out", "pocket")
        target = (heed.directory / "pocket.test.de").read_text()
        (heed.directory / "changed").write_text(target.replace(".", " ."))
        (heed.directory / "input").write_text("It ' s a „ dog “ , not a cat .\nThe man sees the “dogs”…\n")
        sides = [(heed.directory / f"pocket.train.{side}").read_text().splitlines() for side in ("en", "de")]
        (heed.directory / "links").write_text("".join(f"{len(s.split()) - 1}-{len(t.split()) - 1}\n" for s, t in zip(*sides)))
        heed.train("run", "--updates", 60, "--batch", 8, "--preset", "luong-dot")
        heed.train("back", "--updates", 60, "--batch", 8, "--preset", "luong-dot", source="de", target="en")
        check_previous_names()
        check_flags()
        check_keys()
    return report("aliases", f"{len(KEYS)} keys, {len(FLAGS)} flags")


if __name__ == "__main__":
    sys.exit(main())
