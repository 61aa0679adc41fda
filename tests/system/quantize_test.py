#!/usr/bin/env python3
"""int8 models: heed quantize, and every command that reads a model.

    quantize_test.py BUILD      BUILD holds the program heed

The model is the small one in models/; a tiny one is trained for what training records."""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

MODEL = ROOT / "models/pocket-en-de.safetensors"
heed = Program()
run = heed.run


def output(*arguments, **settings):
    return heed.works(*arguments, **settings).stdout


def check_quantize(directory, text):
    """Writes the int8 model that the other checks use."""
    int8 = directory / "int8.safetensors"
    done = run("quantize", MODEL, "--out", int8, "--calibrate", text)
    expect(done.returncode == 0 and "int8" in done.stderr and done.stdout == "", f"quantize: {done.stderr}")
    again = directory / "again.safetensors"
    output("quantize", MODEL, "--out", again, "--calibrate", text)
    expect(int8.read_bytes() == again.read_bytes(), "quantizing twice gives different bytes")
    ratio = int8.stat().st_size / MODEL.stat().st_size
    expect(ratio < 0.35, f"the int8 model has {ratio:.2f} times the size")
    heed.fails(2, "int8 model already", "quantize", int8, "--out", again, "--calibrate", text)
    heed.fails(2, "--calibrate FILE", "quantize", MODEL, "--out", again)
    empty = directory / "empty"
    empty.write_text("")
    heed.fails(1, "nothing to measure", "quantize", MODEL, "--out", again, "--calibrate", empty)
    return int8


def check_commands(directory, int8, text, reference):
    info = json.loads(output("info", int8, "--json"))
    expect(info["precision"] == "int8" and info["format"] == 2, f"info --json: {info['precision']}, {info['format']}")
    types = {tensor["name"]: tensor["type"] for tensor in info["tensors"]}
    expect(types["encoder.embedding.weight"] == "int8" and types["decoder.out.bias"] == "f32", f"types: {types}")
    expect(json.loads(output("info", MODEL, "--json"))["precision"] == "f32", "info of an f32 model")
    expect(" in int8, " in output("info", int8), "info does not say int8")

    own = output("translate", int8, "--input", text)
    f32 = output("translate", MODEL, "--input", text)
    lines = own.splitlines(), f32.splitlines()
    equal = sum(a == b for a, b in zip(*lines))
    expect(len(lines[0]) == len(lines[1]) and equal >= 0.9 * len(lines[0]), f"{equal} of {len(lines[0])} translations are equal")
    for more in (["--batch", "1"], ["--batch", "7", "--threads", "2"]):
        expect(output("translate", int8, "--input", text, *more) == own, f"other translations with {more}")
    for cpu in ("avx2", "sse4", "scalar"):
        done = run("translate", int8, "--input", text, env=os.environ | {"HEED_CPU": cpu})
        if done.returncode != 2:  # this machine has it
            expect(done.stdout == own, f"other translations with HEED_CPU={cpu}: {done.stderr}")
    expect(len(output("translate", int8, MODEL, "--input", text).splitlines()) == len(lines[0]), "an ensemble of int8 and f32")
    scores = json.loads(output("evaluate", int8, "--source", text, "--reference", reference, "--json"))
    expect(scores["bleu"]["score"] > 80, f"BLEU {scores['bleu']}")
    output("attend", int8, "The cat drinks milk.", "--out", directory / "map.svg")
    run_directory = directory / "run"
    run_directory.mkdir()
    (run_directory / "model.safetensors").write_bytes(int8.read_bytes())
    expect(output("translate", run_directory, "--input", text) == own, "a run directory with an int8 model")
    output("export", int8, "--format", "pytorch", "--out", directory / "weights.safetensors")
    expect((directory / "weights.safetensors").stat().st_size > 3 * int8.stat().st_size, "export does not write f32")


def check_training(directory, source, target):
    """Training records ranges, and can start from an int8 model."""
    files = ["--train-source", source, "--train-target", target]
    small = ["--epochs", "1", "--threads", "1", "--set", "encoder.hidden=16", "--set", "decoder.hidden=16"]
    output("train", "--preset", "vanilla", "--out", directory / "tiny", *files, *small)
    tiny8 = directory / "tiny8.safetensors"
    output("quantize", directory / "tiny", "--out", tiny8)
    expect(json.loads(output("info", tiny8, "--json"))["precision"] == "int8", "a model with recorded ranges")
    output("train", "--from", tiny8, "--out", directory / "tuned", *files, "--epochs", "1", "--threads", "1")
    expect(json.loads(output("info", directory / "tuned", "--json"))["precision"] == "f32", "fine-tuning gives f32")


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        output("corpus", "pocket", "--pairs", "2000", "--out", directory / "pocket")
        train, test = ([directory / f"pocket.{part}.{side}" for side in ("en", "de")] for part in ("valid", "test"))
        int8 = check_quantize(directory, train[0])
        check_commands(directory, int8, *test)
        check_training(directory, *train)
    return report("quantize_test")


sys.exit(main())
