#!/usr/bin/env python3
"""Files of older versions: models load and translate as before, and a stopped run resumes and ends with the same model.

    old_files_test.py BUILD      BUILD holds the program heed

tests/fixtures/format-1 was written by heed 0.1: two models trained on `heed corpus pocket --pairs 400`, their translations
of source.en with a beam of 3, and a run on `heed corpus pocket --pairs 60` that was stopped in its fifth epoch, with the
model that heed 0.1 ended with after five epochs (run-end.safetensors). bahdanau-lstm and the run (luong-general) have the
tensor names of their tutorials, as listed in the section [names] of their configuration."""

import json
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

FIXTURES = ROOT / "tests/fixtures/format-1"
run = Program().run


def tensors(path):
    """[(name, shape, floats)] of a safetensors file, in its order."""
    data = Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length:]
    return [(name, t["shape"], struct.unpack(f"<{(t['data_offsets'][1] - t['data_offsets'][0]) // 4}f", body[slice(*t["data_offsets"])]))
            for name, t in header.items()]


def check_translations(name, model):
    done = run("translate", model, "--input", FIXTURES / "source.en", "--json", "--beam", 3, "--plain")
    expect(done.returncode == 0, f"{name}: translate failed: {done.stderr}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    golden = [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]
    expect(len(lines) == len(golden) == 10, f"{name}: {len(lines)} translations, expected {len(golden)}")
    for line, old in zip(lines, golden):
        expect(line["translation"] == old["translation"], f"{name}: {line['translation']!r}, but it was {old['translation']!r}")
        for key in ("score", "log_probability"):
            expect(abs(line[key] - old[key]) < 1e-4, f"{name}: {key} {line[key]}, but it was {old[key]}")


def check_model(name, directory):
    model, exported = FIXTURES / f"{name}.safetensors", directory / "exported.safetensors"
    check_translations(name, model)
    # A state dict has the names of the old file; imported again, the model has heed's own, and translates as before.
    done = run("export", model, "--out", exported)
    expect(done.returncode == 0, f"{name}: export failed: {done.stderr}")
    expect(tensors(exported) == tensors(model), f"{name}: the exported tensors are not those of the file")
    info = run("info", model, "--json")
    expect(info.returncode == 0 and json.loads(info.stdout)["format"] == 1, f"{name}: info failed: {info.stderr}")
    names = [tensor["name"] for tensor in json.loads(info.stdout)["tensors"]]
    expect("decoder.rnn.weight_hh_l0" in names and "decoder.lstm.weight_hh_l0" not in names, f"{name}: the names are {names}")


def check_run(directory):
    shutil.copytree(FIXTURES / "run", directory / "run")
    expect(run("corpus", "pocket", "--pairs", 60, "--out", "pocket", cwd=directory).returncode == 0, "no corpus")
    done = run("train", "--resume", "--epochs", 5, "--out", "run", cwd=directory)
    expect(done.returncode == 0, f"the old run does not resume: {done.stderr[-500:]}")
    ended, golden = tensors(directory / "run/model.safetensors"), tensors(FIXTURES / "run-end.safetensors")
    expect([name for name, _, _ in ended][-3:] == ["shortlist.begin", "shortlist.words", "shortlist.always"], "no shortlist")
    ended = ended[:-3]
    expect([shape for _, shape, _ in ended] == [shape for _, shape, _ in golden], "the old run ends with other shapes")
    worst = max(abs(a - b) for (_, _, x), (_, _, y) in zip(ended, golden) for a, b in zip(x, y))
    # On the machine that made it, bit for bit; other instruction sets round differently.
    expect(worst < 1e-3, f"the old run ends with other numbers: {worst}")
    print(f"old_files: the run ends within {worst:g} of the old one")
    # heed 0.1 normalized the references of validations, and this run keeps to it.
    samples = [json.loads(line)["samples"] for line in (directory / "run/samples.jsonl").read_text().splitlines()]
    references = {tuple(sample["reference"] for sample in validation) for validation in samples}
    expect(len(samples) >= 5 and len(references) == 1 and all(line.islower() for line in references.pop()),
           f"the references of the old run change: {references}")
    names = [name for name, _, _ in ended]
    expect("decoder.attention.query.weight" in names and "decoder.out.bias" in names, f"the new model's names are {names}")
    config = (directory / "run/config.toml").read_text()
    expect("[names]" not in config, "the configuration still has names")
    refused = run("train", "--resume", "--epochs", 6, "--out", "run", "--set", "names.encoder=x", cwd=directory)
    expect(refused.returncode == 2 and refused.stderr.count("\n") == 1 and "names.encoder" in refused.stderr,
           f"a removed setting: {refused.stderr}")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        check_model("heed", Path(temporary))
        check_model("bahdanau-lstm", Path(temporary))
        check_run(Path(temporary))
    sys.exit(report("old_files"))


main()
