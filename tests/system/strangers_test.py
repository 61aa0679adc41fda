#!/usr/bin/env python3
"""Files of strangers, and lack of memory: one sentence and exit code 1, never a signal.

    strangers_test.py BUILD      BUILD holds the program heed"""

import json
import random
import resource
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
from checks import expect, report
from program import Program, sentence_problem
from torture.protobuf import message

SENTENCE = "The old man sees a dog ."
PARTS = [b"the ", b"dog", b" ", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf", b"\xff", b"\x00", b"\xc2\x9b", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80",
         "é".encode(), "日".encode(), "\u202e".encode(), b"\x1b[2J", b"\x80", "🙂 ".encode()]

heed = Program(text=False)


def subword_model(rules):
    """A SentencePiece model with three subwords and these normalization rules."""
    pieces = [message([(1, 2, text.encode()), (2, 5, struct.pack("<f", -1)), (3, 0, kind)])
              for text, kind in (("<unk>", b"\2"), ("▁", b"\1"), ("a", b"\1"))]
    return message([*((1, 2, piece) for piece in pieces), (3, 2, message([(2, 2, rules)]))])


def check_subword_models(directory):
    """Normalization rules of any bytes are refused: SentencePiece would follow them anywhere."""
    path = directory / "subwords"
    tokenize = ("tokenize", "--tokenizer", "sentencepiece", "--subword-model", path)
    path.write_bytes(subword_model(b""))
    expect(heed.works(*tokenize, input=b"a a\n").stdout.decode() == "▁ a ▁ a\n", "a good subword model is not used")
    draw = random.Random(1)
    for trial in range(40):
        rules = draw.randbytes(draw.choice([8, 100, 1024, 5000]))
        if trial % 2:
            rules = struct.pack("<I", len(rules) // 1024 * 1024) + rules + b"\0"
        path.write_bytes(subword_model(rules))
        heed.fails(1, [str(path), "normalization rules are damaged"], *tokenize, input=b"abc\n\xff\xfe\n")
    path.write_bytes(b"nonsense")
    heed.fails(1, [str(path), "not a SentencePiece model"], *tokenize, input=b"a\n")


def spans_fit(what, spans, text):
    expect(all(0 <= a <= b <= len(text) for a, b in spans), f"{what}: spans {spans} of {text!r}")


def check_spans(model):
    """Every span of the JSON lies within the text beside it, whatever the bytes of the line."""
    draw = random.Random(2)
    lines = [b"a \xe2\x82 b"] + [b"".join(draw.choices(PARTS, k=draw.randint(0, 20))) for _ in range(200)]
    done = heed.works("translate", model, "--json", "--beam", 2, "--nbest", 2, input=b"".join(line + b"\n" for line in lines))
    objects = [json.loads(line) for line in done.stdout.decode().splitlines()]
    expect(len(objects) == len(lines), f"{len(lines)} lines in, {len(objects)} out")
    for one in objects:
        for translation in (one, *one.get("nbest", [])):
            spans_fit("source_spans", translation["source_spans"], one["source"])
            spans_fit("target_spans", translation["target_spans"], translation["translation"])
        spans_fit("words", [word["span"] for word in one["words"]], one["translation"])
    for line in lines[:5]:
        if not line.replace(b"\0", b"").strip():
            continue
        heed.works("attend", model, "--out", "a.json", input=line + b"\n")
        seen = json.loads((heed.directory / "a.json").read_bytes())
        spans_fit("attend source_spans", seen["source_spans"], seen["text"])
        spans_fit("attend target_spans", seen["target_spans"], seen["translation"])


def check_memory(model):
    """With any limit, a command works or says that memory is short."""
    commands = {"subwords": heed.words(["train", "--train-source", "pocket.train.en", "--train-target", "pocket.train.de", "--threads", 2, "--epochs", 1,
                                        "--set", "encoder.hidden=12", "--set", "decoder.hidden=12", "--set", "data.tokenizer=bpe",
                                        "--set", "data.subwords=200", "--overwrite", "--out", "limited"]),
                "png": heed.words(["attend", model, SENTENCE, "--out", "a.png"]),
                "translate": heed.words(["translate", model])}
    for name, words in commands.items():
        codes = []
        for megabytes in (*range(80, 400, 20), 1000):
            size = megabytes << 20
            done = heed.run(*words[1:], input=SENTENCE.encode(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
            codes.append(done.returncode)
            if done.returncode == 127:  # the dynamic linker found no room
                continue
            expect(done.returncode in (0, 1), f"{name} in {megabytes} MB: exit code {done.returncode}: {done.stderr.decode()[-300:]}")
            expect(b"bug in heed" not in done.stderr, f"{name} in {megabytes} MB: {done.stderr.decode()[-300:]}")
            if done.returncode == 1 and name != "subwords":
                problem = sentence_problem(done, 1)
                expect(not problem, f"{name} in {megabytes} MB: {problem}")
        expect(1 in codes and codes[-1] == 0, f"{name}: the exit codes with more and more memory are {codes}")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        heed.directory = Path(temporary)
        heed.works("corpus", "pocket", "--pairs", 300, "--out", "pocket")
        model = heed.train("run", "--epochs", 1)
        check_subword_models(heed.directory)
        check_spans(model)
        check_memory(model)
    sys.exit(report("strangers"))


main()
