#!/usr/bin/env python3
"""Weights into heed and back: every system's state dict is imported and exported, byte for byte.

    import_export_test.py BUILD      BUILD holds the program heed

The state dicts are the parameters of the golden files. Plain Python: no torch, no safetensors."""

import json
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

GOLDEN = ROOT / "tests/model/golden"
heed = Program()
run = heed.run


def read(path):
    """(metadata, {name: (dtype, shape, bytes)}) of a safetensors file."""
    data = Path(path).read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    metadata = header.pop("__metadata__", {})
    start = 8 + length
    return metadata, {name: (t["dtype"], t["shape"], data[start + t["data_offsets"][0]:start + t["data_offsets"][1]])
                      for name, t in header.items()}


def write(path, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def check_system(name, directory):
    metadata, golden = read(GOLDEN / f"{name}.safetensors")
    state = {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")}
    weights, model, back = (directory / f"{name}.{kind}" for kind in ("weights", "model", "back"))
    extra = {}
    if name == "bahdanau-lstm":  # the document's class declares it and never reads it
        hidden = int(metadata["hidden"])
        extra = {"decoder.attn_combine.weight": ("F32", [hidden, 2 * hidden], bytes(8 * hidden * hidden)),
                 "decoder.attn_combine.bias": ("F32", [hidden], bytes(4 * hidden))}
    write(weights, {**state, **extra})
    words = {}
    for side in ("source", "target"):
        words[side] = directory / f"{name}.{side}"
        words[side].write_text("".join(f"{side}{i}\n" for i in range(int(metadata[f"{side}_vocabulary"]))))
    done = run("import", "--preset", name, "--weights", weights, "--out", model, "--source-vocabulary", words["source"],
               "--target-vocabulary", words["target"], "--sos", metadata["sos"], "--eos", metadata["eos"], "--unk", metadata["unk"])
    expect(done.returncode == 0, f"{name}: import failed: {done.stderr}")
    for tensor in extra:
        expect(tensor in done.stderr, f"{name}: the unused {tensor} is not named")
    kept, tensors = read(model)
    expect(kept.get("heed.vocabulary.source") == words["source"].read_text(), f"{name}: the source words are not kept")
    expect(sorted(map(repr, tensors.values())) == sorted(map(repr, state.values())),
           f"{name}: the model's tensors are not the state dict's")
    expect({"encoder.embedding.weight", "encoder.rnn.weight_ih_l0", "decoder.rnn.weight_hh_l0", "decoder.out.bias"} <= set(tensors),
           f"{name}: the model's tensors are called {sorted(tensors)}")
    done = run("export", model, "--format", "pytorch", "--out", back)
    expect(done.returncode == 0, f"{name}: export failed: {done.stderr}")
    expect(read(back)[1] == state, f"{name}: what comes back is not what went in, byte for byte")
    info = run("info", model)
    expect(info.returncode == 0 and name in info.stdout, f"{name}: info failed: {info.stderr}")
    # Tensors that do not match give one sentence, and no model is written.
    for what, spoilt in {"a missing tensor": dict(list(state.items())[1:]), "an unknown tensor": {**state, "decoder.x": ("F32", [1], bytes(4))},
                         "a wrong shape": {**state, list(state)[-1]: ("F32", [1], bytes(4))}}.items():
        write(weights, spoilt)
        refused = directory / "refused"
        done = run("import", "--preset", name, "--weights", weights, "--out", refused)
        expect(done.returncode == 1 and done.stderr.count("\n") == 1 and not refused.exists(),
               f"{name}: {what}: exit {done.returncode}, {done.stderr}")


def halves(data, dtype):
    """The bytes of F32 numbers as F16 or BF16 (the latter cut off), and the F32 numbers equal to these."""
    floats = struct.unpack(f"<{len(data) // 4}f", data)
    if dtype == "F16":
        stored = struct.pack(f"<{len(floats)}e", *floats)
        return stored, struct.pack(f"<{len(floats)}f", *struct.unpack(f"<{len(floats)}e", stored))
    stored = b"".join(data[i + 2:i + 4] for i in range(0, len(data), 4))
    return stored, b"".join(b"\0\0" + stored[i:i + 2] for i in range(0, len(stored), 2))


def check_half_precision(directory):
    """F16 and BF16 tensors become the equal F32 numbers; other types and infinite numbers are refused."""
    golden = read(GOLDEN / "luong-general.safetensors")[1]
    state = {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")}
    for dtype in ("F16", "BF16"):
        weights, model, back = (directory / f"{dtype}.{kind}" for kind in ("weights", "model", "back"))
        write(weights, {name: (dtype, shape, halves(data, dtype)[0]) for name, (_, shape, data) in state.items()})
        done = run("import", "--preset", "luong-general", "--weights", weights, "--out", model)
        expect(done.returncode == 0, f"{dtype}: import failed: {done.stderr}")
        expect(run("export", model, "--out", back).returncode == 0, f"{dtype}: export failed")
        expect(read(back)[1] == {name: ("F32", shape, halves(data, dtype)[1]) for name, (_, shape, data) in state.items()},
               f"{dtype}: the numbers are not those of the file")
    first = list(state)[0]
    shape, data = state[first][1:]
    for what, tensor, words in (("I32", ("I32", shape, data), f"'{first}' is I32, expected F32, F16 or BF16"),
                                ("an infinite F16", ("F16", shape, b"\0\x7c" * (len(data) // 4)), f"'{first}' holds inf")):
        write(directory / "spoilt", {**state, first: tensor})
        done = run("import", "--preset", "luong-general", "--weights", directory / "spoilt", "--out", directory / "none")
        expect(done.returncode == 1 and done.stderr.count("\n") == 1 and words in done.stderr and not (directory / "none").exists(),
               f"{what}: {done.stderr}")


def check_vocabulary(directory):
    """A vocabulary that a model cannot use is refused with its file and line, before anything is written."""
    metadata, golden = read(GOLDEN / "vanilla.safetensors")
    weights, words, out = directory / "weights", directory / "words", directory / "kept"
    write(weights, {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")})
    good = [b"w%d\n" % i for i in range(int(metadata["source_vocabulary"]))]
    out.write_text("precious")
    arguments = ["import", "--preset", "vanilla", "--weights", weights, "--source-vocabulary", words, "--out", out]
    for lines, says in ((good[:8] + [b"w5\n"] + good[9:], ":9: the word 'w5' is already in line 6"),
                        (good[:3] + [b"\xff\n"] + good[4:], ":4: the line is not valid UTF-8"),
                        (good[:2] + [b"\n"] + good[3:], ":3: the line is empty"), ([], " is empty"),
                        (good[1:], f"has {len(good) - 1} words")):
        words.write_bytes(b"".join(lines))
        heed.fails(1, [str(words), says], *arguments)
        expect(out.read_bytes() == b"precious", f"{says}: the model was replaced")
    words.write_bytes(b"".join(good))
    heed.works(*arguments)
    expect(heed.run("info", out).returncode == 0, "the model with a good vocabulary cannot be read")


def check_without_vocabularies(directory):
    """A model without vocabularies is noted, and what needs them says how to get them."""
    golden = read(GOLDEN / "vanilla.safetensors")[1]
    state = {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")}
    weights, bare = directory / "weights", directory / "bare"
    write(weights, state)
    done = heed.works("import", "--preset", "vanilla", "--weights", weights, "--out", bare)
    expect("without --source-vocabulary and --target-vocabulary the model cannot translate text\n" in done.stderr, f"import: {done.stderr}")
    says = ["has no source vocabulary", "import it again with --source-vocabulary and --target-vocabulary"]
    heed.fails(1, says, "translate", bare, "dog")
    heed.fails(1, says, "quantize", bare, "--out", directory / "int8")
    heed.fails(1, says, "vocab", bare)
    write(weights, {**state, "decoder.fc_hidden.weight": next(iter(state.values()))})
    heed.fails(1, ["has the tensor 'decoder.fc_hidden.weight', which the model does not have; is the file for another preset than vanilla?"],
               "import", "--preset", "vanilla", "--weights", weights, "--out", directory / "none")


def check_preset(directory):
    """Weights of another system are the file's fault; an id out of range is the user's."""
    for other, preset in (("luong-general", "vanilla"), ("vanilla", "luong-general"), ("bahdanau-lstm", "luong-dot"), ("luong-dot", "heed")):
        golden, weights = read(GOLDEN / f"{other}.safetensors")[1], directory / "weights"
        write(weights, {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")})
        heed.fails(1, str(weights), "import", "--preset", preset, "--weights", weights, "--out", directory / "none")
        heed.fails(2, "--sos is 1000000", "import", "--preset", other, "--weights", weights, "--sos", 1000000, "--out", directory / "none")
    # Sizes that contradict each other.
    golden = read(GOLDEN / "vanilla.safetensors")[1]
    state = {key[len("param/"):]: value for key, value in golden.items() if key.startswith("param/")}
    name = "decoder.gru.weight_hh_l0"
    dtype, (rows, columns), data = state[name]
    write(weights, {**state, name: (dtype, [rows, columns - 1], data[:rows * (columns - 1) * 4])})
    heed.fails(1, [str(weights), "does not fit the preset vanilla"], "import", "--preset", "vanilla", "--weights", weights, "--out", directory / "none")
    expect(not (directory / "none").exists(), "a model was written")


def check_round_trip(directory):
    """A trained model that is exported and imported with its vocabularies translates as before: the text settings are
    those of its preset, and --set changes them."""
    heed.directory = directory
    heed.works("corpus", "pocket", "--pairs", 300, "--out", "pocket")
    model = heed.train("trip", "--preset", "luong-dot", "--batch", 16, "--epochs", 2)
    heed.works("export", model, "--out", "trip.safetensors")
    for side in ("source", "target"):
        Path(directory, f"trip.{side}").write_text(heed.works("vocab", model, "--side", side, "--plain").stdout)
    arguments = ("import", "--preset", "luong-dot", "--weights", "trip.safetensors", "--source-vocabulary", "trip.source",
                 "--target-vocabulary", "trip.target", "--out", "back.safetensors")
    done = heed.works(*arguments)
    expect("text settings: data.tokenizer=words, data.normalize=[lowercase]" in done.stderr, f"import prints {done.stderr}")
    before, after = (heed.works("translate", path, "pocket.test.en").stdout for path in (model, "back.safetensors"))
    expect(before == after and len(set(before.split("\n"))) > 2, "the imported model does not translate as before")
    done = heed.works(*arguments, "--set", "data.normalize=[]")
    expect("data.normalize=[]" in done.stderr, f"--set data.normalize=[]: {done.stderr}")
    expect(heed.works("translate", "back.safetensors", "pocket.test.en").stdout != before, "--set data.normalize has no effect")
    heed.fails(2, "add --tokenizer whitespace", *arguments, "--set", "data.tokenizer=bpe")
    heed.fails(2, ["not .pt files", "'weights.safetensors'"], "export", model, "--out", "weights.pt")
    expect(not Path(directory, "weights.pt").exists(), "weights.pt was written")
    heed.fails(2, "add --side source or --side target", "vocab", model, "--plain")
    heed.directory = None


def main():
    names = sorted(path.stem for path in GOLDEN.glob("*.safetensors") if not path.stem.startswith(("trajectory", "heed")))
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            check_system(name, Path(temporary))
        check_half_precision(Path(temporary))
        check_vocabulary(Path(temporary))
        check_without_vocabularies(Path(temporary))
        check_preset(Path(temporary))
        check_round_trip(temporary)
        done = run("import", "--preset", "vanila", "--weights", "x", "--out", "y")
        expect(done.returncode == 2 and "vanilla" in done.stderr, f"an unknown preset: {done.stderr}")
    expect(len(names) == 10, f"{len(names)} systems, expected 10")
    sys.exit(report("import_export", f"{len(names)} systems"))


main()
