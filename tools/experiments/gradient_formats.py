#!/usr/bin/env python3
"""Compares the formats in which processes exchange gradients: f32 and bf16 (training.gradient_exchange).

usage: tools/experiments/gradient_formats.py [--seeds 1,2,3] [--updates 600] [--every 150]

Trains a small German-English model on Multi30k in 2 processes with each format and seed, and prints how loss and perplexity
develop and how much a process sends per update. Needs `make mpi` and the text that docs/results.md#data describes.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/system"))
import cluster_test

TEXT = Path(os.environ.get("HEED_SHARED", ROOT.parent / "shared")) / "data/multi30k"
SETTINGS = ["encoder.hidden=96", "encoder.embedding=96", "decoder.hidden=96", "decoder.embedding=96", "readout.size=96",
            "validation.sentences=20", "validation.samples=0"]


def text(name):
    found = [TEXT / f"{name}.{side}" for side in ("de", "en")]
    for path in found:
        if not path.exists():
            sys.exit(f"gradient_formats.py: needs {path}; see docs/results.md#data")
    return [str(path) for path in found]


def run(heed, *words):
    done = subprocess.run([*cluster_test.MPIRUN, "-n", "2", heed, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gradient_formats.py: heed {' '.join(words)} failed: {done.stderr[-1000:]}")
    return done.stdout


def train(heed, args, seed, gradients):
    """Loss and perplexity by update."""
    (source, target), (valid_source, valid_target) = text("train"), text("val")
    words = ["train", "--train-source", source, "--train-target", target, "--valid-source", valid_source, "--valid-target", valid_target,
             "--out", "run", "--overwrite", "--threads", "1", "--updates", str(args.updates), "--batch", "32", "--subwords", "3000",
             "--seed", str(seed), "--set", f"training.gradient_exchange={gradients}", "--set", f"validation.updates={args.every}",
             "--set", "validation.metric=perplexity"]
    for setting in SETTINGS:
        words += ["--set", setting]
    run(heed, *words)
    lines = [json.loads(line) for line in Path("run/metrics.jsonl").read_text().splitlines()]
    return {line["update"]: (line["loss"], line["perplexity"]) for line in lines if line["kind"] == "validation"}


def sent_megabytes(heed, gradients):
    source, target = text("train")
    words = ["bench", "train", "--json", "--train-source", source, "--train-target", target, "--updates", "2", "--threads", "1",
             "--batch", "32", "--set", f"training.gradient_exchange={gradients}"]
    for setting in SETTINGS:
        words += [] if setting.startswith("validation") else ["--set", setting]
    return json.loads(run(heed, *words))["sent_mb_per_update"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default=str(ROOT / "build/heed"), type=os.path.abspath)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--updates", type=int, default=600)
    parser.add_argument("--every", type=int, default=150)
    args = parser.parse_args()
    seeds = [int(seed) for seed in args.seeds.split(",")]
    with tempfile.TemporaryDirectory(prefix="heed-gradients-") as directory:
        os.chdir(directory)
        sent = {gradients: sent_megabytes(args.heed, gradients) for gradients in ("f32", "bf16")}
        curves = {gradients: [train(args.heed, args, seed, gradients) for seed in seeds] for gradients in ("f32", "bf16")}
        os.chdir("/")
    print("MB sent per update: " + ", ".join(f"{gradients} {megabytes:.2f}" for gradients, megabytes in sent.items()))
    print(f"means of {len(seeds)} seeds, and the range of perplexity")
    print(f"{'update':>6} " + "".join(f"{gradients + ' loss':>10} {'perplexity':>11} {'range':>15} " for gradients in sent))
    for update in curves["f32"][0]:
        line = f"{update:>6} "
        for gradients in sent:
            losses, perplexities = zip(*(curve[update] for curve in curves[gradients]))
            spread = f"{min(perplexities):.2f}-{max(perplexities):.2f}"
            line += f"{statistics.mean(losses):>10.4f} {statistics.mean(perplexities):>11.2f} {spread:>15} "
        print(line.rstrip())


if __name__ == "__main__":
    main()
