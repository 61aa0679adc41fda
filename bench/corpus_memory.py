#!/usr/bin/env python3
"""Measures the memory of training as the corpus grows: it should not.

usage: bench/corpus_memory.py [--pairs 20000,200000,2000000] [--ranks 2] [--updates 200] [--tokenizer words] [--json]

Trains a small model in several processes on synthetic text of so many sentence pairs (those of `heed corpus pocket`, in random
order, with numbers), and prints for each process the memory that it owns, that is, without the pages of files, which the system
may drop at any time: while it reads the text (the most), at the first update, after half of the updates and at the end. Needs
`make mpi`, and disk space for the text in the directory for temporary files (about 100 bytes per pair).
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/system"))
import cluster_test

SETTINGS = ["encoder.hidden=32", "encoder.embedding=32", "decoder.hidden=32", "decoder.embedding=32", "readout.size=32",
            "validation.updates=1000000", "data.max_words=5000"]


def write_text(heed, pairs):
    """Sentence pairs in text.en and text.de; the same for the same number."""
    subprocess.run([heed, "corpus", "pocket", "--out", "pocket"], check=True, stderr=subprocess.DEVNULL)
    known = list(zip(*(Path(f"pocket.train.{side}").read_text().splitlines() for side in ("en", "de"))))
    draw = random.Random(1)
    with open("text.en", "w") as source, open("text.de", "w") as target:
        for _ in range(pairs):
            one, number = known[draw.randrange(len(known))], draw.randrange(10000)
            source.write(f"{number} {one[0]}\n")
            target.write(f"{number} {one[1]}\n")
    return (os.path.getsize("text.en") + os.path.getsize("text.de")) / 1e6


def own_memory(pid):
    """Megabytes of anonymous memory; 0 if the process has ended."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0.0


def updates_done():
    """The last update that the log of the run mentions."""
    try:
        lines = Path("run/metrics.jsonl").read_text().splitlines()
    except OSError:
        return 0
    return max((json.loads(line).get("update", 0) for line in lines if line.endswith("}")), default=0)


def measure(args, pairs):
    text = write_text(args.heed, pairs)
    shutil.rmtree("run", ignore_errors=True)
    words = [*cluster_test.MPIRUN, "-n", str(args.ranks), args.heed, "train", "--train-source", "text.en", "--train-target", "text.de",
             "--no-holdout", "--out", "run", "--threads", "1", "--batch", "32",
             "--tokenizer", args.tokenizer, "--updates", str(args.updates)]
    if args.tokenizer in ("bpe", "unigram"):
        words += ["--subwords", "1000"]
    for setting in SETTINGS:
        words += ["--set", setting]
    start = time.monotonic()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seen = []  # (update, memory of each process)
    reading = None
    while process.poll() is None:
        done = updates_done()
        memory = [own_memory(pid) for pid in cluster_test.rank_pids(process.pid)]
        if len(memory) == args.ranks and all(memory):
            seen.append((done, memory))
        if done and reading is None:
            reading = time.monotonic() - start
        time.sleep(0.05)
    if process.returncode != 0:
        sys.exit(f"corpus_memory: {' '.join(words)} failed: {process.stderr.read()[-1000:]}")
    at = lambda update: next(memory for done, memory in seen if done >= update)
    most = [max(column) for column in zip(*(memory for done, memory in seen if done == 0))]
    last = seen[-1][0]
    return {"pairs": pairs, "text_mb": text, "seconds_until_first_update": reading, "reading_mb": most, "first_mb": at(1),
            "middle_mb": at(last // 2), "end_mb": seen[-1][1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default=str(ROOT / "build/heed"), type=os.path.abspath)
    parser.add_argument("--pairs", default="20000,200000,2000000")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--tokenizer", default="words", help="words, or bpe or unigram, which also learn subwords")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heed-memory-") as directory:
        os.chdir(directory)
        os.environ["TMPDIR"] = directory  # for the token ids
        rows = [measure(args, int(pairs)) for pairs in args.pairs.split(",")]
        os.chdir("/")
    if args.json:
        return print(json.dumps(rows))
    names = ("reading", "first", "middle", "end")
    print(f"{'pairs':>9} {'text, MB':>8} {'s to read':>9}  " + "".join(f"{name + ', MB':>{8 * args.ranks}}" for name in names))
    for row in rows:
        print(f"{row['pairs']:>9} {row['text_mb']:>8.0f} {row['seconds_until_first_update']:>9.1f}  " +
              "".join(f"{value:>8.1f}" for name in names for value in row[f"{name}_mb"]))


if __name__ == "__main__":
    main()
