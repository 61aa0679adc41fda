#!/usr/bin/env python3
"""Compares training in several processes with as many threads of one process, and with what the network allows.

usage: bench/cluster.py SOURCE TARGET [--ranks 2,4] [--rate 1gbit] [--accumulate 1,4] [--rounds 2] [--updates 4] [--json]
       bench/cluster.py --expect SECONDS MEGABYTES

SOURCE and TARGET are text, tokenized and separated by spaces. Measures the reference model (preset bigru-deep-output) with
`heed bench train`: N processes with one thread each, and one process with N threads; the ratio of their speeds is the
efficiency. With --rate, each process has its own network link of that speed (network namespaces; needs root, ip and tc);
otherwise they share memory. Next to each efficiency is the prediction of the formula in docs/cluster.md. On a machine with
fewer cores than processes, both sides are slower but still comparable. --expect prints what the formula predicts, without
overlap, for batches that a machine computes in SECONDS and gradients of MEGABYTES. Run `make mpi` first.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/system"))
import cluster_test

MICRO_BATCH_WORDS = 250  # src/train/micro_batches.cpp
BUCKET_MEGABYTES = 4 * 2 ** 19 / 1e6  # src/train/exchange.cpp


def bench(args, threads, accumulate, launcher):
    words = [*launcher, args.heed, "bench", "train", "--json", "--train-source", args.source, "--train-target", args.target,
             "--updates", str(args.updates), "--threads", str(threads), "--batch", str(args.batch), "--set",
             f"training.accumulate={accumulate}", "--set", f"training.gradient_exchange={args.gradients}"]
    for setting in args.set:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"cluster: {' '.join(words)} failed: {done.stderr.strip()[-1000:]}")
    return json.loads(done.stdout)


def bits_per_second(rate):
    number, unit = re.fullmatch(r"([0-9.]+)([kmg]?)bit", rate).groups()
    return float(number) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[unit]


def predicted(compute, megabytes, ranks, rate, overlap=0.0):
    """The formula of docs/cluster.md: the fraction of the time in which the ranks compute."""
    times = 1 if ranks == 2 else 2  # a rank between two others sends the gradients up and the total down
    first_bucket = 2 * (ranks - 2) * BUCKET_MEGABYTES  # until it has come up and down all ranks, the others follow it
    exchange = (times * megabytes + first_bucket) * 1e6 * 8 / bits_per_second(rate)
    return compute / (compute + max(0.0, exchange - overlap))


def overlap_of(run, ranks, accumulate):
    """Seconds of the last micro-batch's backward pass, during which the first buckets are already being sent."""
    seconds, tokens = run["seconds"] / run["updates"], run["target_tokens_per_second"] * run["seconds"] / run["updates"]
    micro_batches = accumulate * max(1, tokens / accumulate / ranks // MICRO_BATCH_WORDS)
    return seconds * run["phases"]["backward"] / micro_batches


def print_expectations(seconds, megabytes):
    """Prints the predicted efficiencies, without overlap."""
    rates = ("1gbit", "10gbit", "25gbit")
    print(f"{'ranks':>5} {'accumulate':>10}" + "".join(f"{rate:>9}" for rate in rates))
    for ranks in (2, 4, 16, 64):
        for accumulate in (1, 4, 16):
            print(f"{ranks:>5} {accumulate:>10}" +
                  "".join(f"{predicted(accumulate * seconds, megabytes, ranks, rate):>9.0%}" for rate in rates))


def compare(args, ranks, accumulate):
    """Measures both sides alternately; the best of several rounds counts."""
    alone, together = [], []
    for _ in range(args.rounds):
        alone.append(bench(args, ranks, accumulate, []))
        launcher = cluster_test.MPIRUN + ["-n", str(ranks)]
        if args.rate:
            launcher, problem = cluster_test.network_namespaces(args.rate, ranks)
            if launcher is None:
                sys.exit(f"cluster: no network namespaces: {problem}")
        try:
            together.append(bench(args, 1, accumulate, launcher))
        finally:
            cluster_test.remove_network_namespaces()
    speed = lambda runs: max(run["target_tokens_per_second"] for run in runs)
    if abs(alone[0]["loss"] - together[0]["loss"]) > (0 if args.gradients == "f32" else 0.05):
        sys.exit(f"cluster: the losses differ: {alone[0]['loss']} and {together[0]['loss']}")
    best = max(alone, key=lambda run: run["target_tokens_per_second"])
    seconds, megabytes = best["seconds"] / best["updates"], together[0]["sent_mb_per_update"]
    return {"ranks": ranks, "accumulate": accumulate, "rate": args.rate or "shared memory", "gradients": args.gradients,
            "threads_tokens_per_second": speed(alone), "ranks_tokens_per_second": speed(together),
            "efficiency": speed(together) / speed(alone), "megabytes": megabytes,
            "update_seconds": seconds,
            "predicted": predicted(seconds, megabytes, ranks, args.rate, overlap_of(best, ranks, accumulate)) if args.rate else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=os.path.abspath)
    parser.add_argument("target", nargs="?", type=os.path.abspath)
    parser.add_argument("--expect", nargs=2, type=float, metavar=("SECONDS", "MEGABYTES"))
    parser.add_argument("--heed", default=str(ROOT / "build/heed"), type=os.path.abspath)
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--accumulate", default="1")
    parser.add_argument("--rate", default="", help="speed of each process's network link in the notation of tc: 1gbit")
    parser.add_argument("--gradients", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="more settings")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.expect:
        return print_expectations(*args.expect)
    if not args.target:
        parser.error("SOURCE and TARGET are missing")
    with tempfile.TemporaryDirectory(prefix="heed-bench-") as directory:
        os.chdir(directory)
        rows = [compare(args, int(ranks), int(accumulate)) for ranks in args.ranks.split(",")
                for accumulate in args.accumulate.split(",")]
        os.chdir("/")
    if args.json:
        print(json.dumps(rows))
        return
    print(f"{'ranks':>5} {'accumulate':>10} {'network':>14} {'s per update':>12} {'threads tok/s':>13} {'ranks tok/s':>11} "
          f"{'MB sent':>8} {'efficiency':>10} {'predicted':>9}")
    for row in rows:
        expected = f"{100 * row['predicted']:.0f}%" if row["predicted"] else "-"
        print(f"{row['ranks']:>5} {row['accumulate']:>10} {row['rate']:>14} {row['update_seconds']:>12.2f} "
              f"{row['threads_tokens_per_second']:>13.0f} {row['ranks_tokens_per_second']:>11.0f} {row['megabytes']:>8.1f} {row['efficiency']:>10.1%} "
              f"{expected:>9}")


if __name__ == "__main__":
    main()
