#!/usr/bin/env python3
"""Fine-tuning with `heed train --from`, and looking into the models with `heed vocab` and `heed info`.

    finetune_test.py BUILD       BUILD holds the program heed

A model of the pocket corpus's statements is fine-tuned on a few of its questions. It must translate other questions much
better than before, and better than a model trained on those few questions alone."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

heed = Program()
SMALL = [word for setting in ("encoder.hidden=48", "decoder.hidden=48", "encoder.embedding=32", "decoder.embedding=32",
                              "readout.size=32", "data.tokenizer=words", "training.learning_rate=0.01")
         for word in ("--set", setting)]
COMMON = ["--no-holdout", "--batch", 16, "--threads", 1, "--set", "dropout.readout=0.1", "--set", "dropout.source_embedding=0.1", "--set",
          "dropout.target_embedding=0.1", "--set", "training.label_smoothing=0"]


def make_corpus(directory):
    heed.works("corpus", "pocket", "--pairs", 4000, "--out", "pocket")
    rows = {part: [f"{en}\t{de}" for en, de in zip(*((directory / f"pocket.{part}.{side}").read_text().splitlines()
                                                     for side in ("en", "de")))] for part in ("train", "test")}
    is_question = lambda row: "?" in row
    parts = {"statements": [row for row in rows["train"] if not is_question(row)],
             "questions": [row for row in rows["train"] if is_question(row)][:400]}
    for name, part in parts.items():
        (directory / f"{name}.tsv").write_text("\n".join(part) + "\n")
    test = [row.split("\t") for row in rows["test"] if is_question(row) and row not in rows["train"]]
    expect(len(test) > 30, f"{len(test)} test questions")
    for k, side in enumerate(("en", "de")):
        (directory / f"test.{side}").write_text("".join(row[k] + "\n" for row in test))


def scores_of(model):
    """Perplexity and BLEU on the test questions."""
    done = heed.works("evaluate", model, "--source", "test.en", "--reference", "test.de", "--json", "--threads", 1)
    result = json.loads(done.stdout)
    return result["perplexity"], result["bleu"]["score"]


def check_gain(directory):
    heed.works("train", "--train-tsv", "statements.tsv", "--out", "statements", *SMALL, *COMMON, "--epochs", 10)
    heed.works("train", "--train-tsv", "questions.tsv", "--out", "scratch", *SMALL, *COMMON, "--epochs", 10)
    heed.works("train", "--train-tsv", "questions.tsv", "--out", "tuned", "--from", "statements", *COMMON, "--epochs", 10,
               "--set", "training.learning_rate=0.005", "--extend-vocabulary", 500)
    scores = {name: scores_of(f"{name}/model.safetensors") for name in ("statements", "scratch", "tuned")}
    print(f"finetune: perplexity and BLEU of questions: {scores}")
    expect(scores["tuned"][1] > scores["statements"][1] + 5, f"fine-tuning gains little: {scores}")
    expect(scores["tuned"][1] > scores["scratch"][1] + 5, f"fine-tuning is no better than training anew: {scores}")
    expect(scores["tuned"][0] < 0.5 * scores["scratch"][0], f"the perplexity after fine-tuning: {scores}")


def info(model):
    return json.loads(heed.works("info", model, "--json").stdout)


def check_info():
    parent, tuned = info("statements/model.safetensors"), info("tuned/model.safetensors")
    expect(tuned["from"] == parent["checksum"] and parent["from"] is None, f"the origin is {tuned['from']}")
    expect(tuned["training"]["train_pairs"] == 400 and tuned["training"]["epochs"] == 10, f"training: {tuned['training']}")
    expect(tuned["source_vocabulary"] > parent["source_vocabulary"], "the vocabulary did not grow")
    expect(tuned["case"] == "kept" and tuned["input"] == "raw" and tuned["tokenizer"] == "words", f"text: {tuned}")
    shown = heed.works("info", "tuned/model.safetensors").stdout
    for sentence in ("raw text", "kept: upper and lower case differ", "400 sentence pairs, 250 updates (10 epochs)",
                     f"from the model with checksum {parent['checksum']}", "heed translate tuned/model.safetensors",
                     "bidirectional gru encoder (48 units per direction), additive attention before the cell"):
        expect(sentence in shown, f"heed info does not say {sentence!r}: {shown[:1500]}")
    old = heed.works("info", ROOT / "tests/fixtures/format-1/bahdanau-lstm.safetensors").stdout
    expect("lower case only" in old and "400 sentence pairs, 600 updates\n" in old, f"heed info of an old model: {old[:800]}")


def vocab(model, *options):
    return json.loads(heed.works("vocab", model, "--json", *options).stdout)


def check_vocab(directory):
    listed = vocab("statements")
    words = [entry["word"] for entry in listed["source"]]
    text = (directory / "statements.tsv").read_text().splitlines()
    tokens = heed.works("tokenize", input="\n".join(row.split("\t")[0] for row in text) + "\n").stdout.split()
    for word in ("the", "."):
        entry = listed["source"][words.index(word)]
        expect(entry["frequency"] == tokens.count(word), f"{entry}, but it occurs {tokens.count(word)} times")
    expect([entry["id"] for entry in listed["target"]] == list(range(len(listed["target"]))), "the ids have gaps")
    expect(listed["source"][1] == {"id": 1, "word": "<eos>", "frequency": len(text), "special": True}, f"{listed['source'][1]}")
    top = vocab("statements", "--top", 3, "--side", "source")
    expect(list(top) == ["source"] and len(top["source"]) == 3, f"--top: {top}")
    expect([e["frequency"] for e in top["source"]] == sorted((e["frequency"] for e in listed["source"] if not e["special"]),
                                                             reverse=True)[:3], f"--top: {top}")
    found = vocab("statements", "--search", "the quux")["source"]
    expect([(t["token"], t["known"]) for t in found["tokens"]] == [("the", True), ("quux", False)], f"--search: {found}")
    shown = heed.works("vocab", "statements", "--search", "the quux", "--side", "source").stdout
    expect("1 of 2 tokens unknown" in shown and "quux" in shown, f"--search: {shown}")
    plain = heed.works("vocab", "statements", "--side", "target", "--plain").stdout.split("\n")
    expect(plain[:-1] == [entry["word"] for entry in listed["target"]] and plain[-1] == "", f"--plain lists {plain[:5]}")
    shown = heed.works("vocab", ROOT / "tests/fixtures/format-1/heed.safetensors", "--side", "source", "--top", 2).stdout
    expect(shown.count("  -  ") == 2, f"an old model has no frequencies: {shown}")
    heed.fails(2, "cannot be combined", "vocab", "statements", "--search", "the", "--top", 3)
    heed.fails(1, "none", "vocab", "none")


def check_refusals():
    words = ["train", "--train-tsv", "questions.tsv", "--out", "no", "--from", "statements", "--epochs", 1]
    heed.fails(2, ["encoder.hidden is 24", "it is 48"], *words, "--set", "encoder.hidden=24")
    heed.fails(2, ["data.tokenizer", "bpe"], *words, "--set", "data.tokenizer=bpe")
    heed.fails(2, "leave --preset out", *words, "--preset", "vanilla")
    heed.fails(2, "--extend-vocabulary", *words, "--set", "data.max_words=100")
    heed.fails(2, "statements", *words[:3], "--from", "statements", "--out", "statements", "--overwrite")
    heed.fails(2, "--from", "train", "--train-tsv", "questions.tsv", "--out", "no", "--extend-vocabulary", 3)
    heed.fails(1, "nothing", *words[:5], "--from", "nothing")
    heed.fails(1, "heed.format", *words[:5], "--from", ROOT / "tests/model/golden/vanilla.safetensors")


def check_resume(directory):
    """A run directory remembers --from, also if it is resumed elsewhere; the same bytes as in one go."""
    words = ["train", "--train-tsv", "questions.tsv", "--from", "statements", *COMMON]
    heed.works(*words, "--epochs", 2, "--out", "whole", "--set", "training.schedule=constant")
    heed.works(*words, "--epochs", 1, "--out", "parts", "--set", "training.schedule=constant")
    (directory / "below").mkdir()
    heed.works("train", "--resume", "--out", "../parts", "--epochs", 2, cwd=directory / "below")
    same = (directory / "whole/model.safetensors").read_bytes() == (directory / "parts/model.safetensors").read_bytes()
    expect(same, "the resumed run ends with another model")
    heed.works(*words, "--resume", "--epochs", 2, "--out", "parts", "--set", "training.schedule=constant")
    heed.fails(2, "was started from the model", "train", "--resume", "--out", "parts", "--epochs", 3, "--from", "scratch")
    shutil.move(directory / "statements", directory / "moved")
    heed.fails(1, "statements", "train", "--resume", "--out", "parts", "--epochs", 3)
    heed.works("train", "--resume", "--out", "parts", "--epochs", 3, "--from", "moved")
    shutil.move(directory / "moved", directory / "statements")


def check_old_models():
    """Models of heed 0.1, one with the tensor names of its tutorial."""
    for name in ("heed", "bahdanau-lstm"):
        model = ROOT / f"tests/fixtures/format-1/{name}.safetensors"
        heed.works("train", "--train-tsv", "questions.tsv", "--out", f"old-{name}", "--from", model, "--epochs", 1, "--threads", 1,
                   "--extend-vocabulary", 5)
        tuned, old = info(f"old-{name}/model.safetensors"), info(model)
        expect(tuned["from"] == old["checksum"], f"{name}: the origin is {tuned['from']}")
        expect(0 <= tuned["source_vocabulary"] - old["source_vocabulary"] <= 5, f"{name}: {tuned['source_vocabulary']} words")
        expect(vocab(f"old-{name}", "--top", 1)["source"][0]["frequency"] is None, f"{name}: frequencies from nowhere")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = heed.directory = Path(temporary)
        make_corpus(directory)
        check_gain(directory)
        check_info()
        check_vocab(directory)
        check_refusals()
        check_resume(directory)
        check_old_models()
    sys.exit(report("finetune"))


main()
