#!/usr/bin/env python3
"""Compares the training speed of heed and PyTorch: the same model, run alternately, best of several rounds.

usage: bench/compare_train.py SOURCE TARGET [--peer SCRIPT] [--rounds 3] [--updates 8] [--threads 2]
           [--small | --only-small HIDDEN] [--json]

SOURCE and TARGET are text, tokenized and separated by spaces. SCRIPT (default: bench/peers/torch_train.py) is run as
`SCRIPT SOURCE TARGET --style S --updates N --batch N --threads N --embedding N --hidden N` and prints a JSON object with
target_tokens_per_second, peak_rss_mb and parameters, like `heed bench train --json`. The style is expert for the reference
model, and tutorial for the small models that --small adds (hidden 64 to 256, batch 1 and 32); --only-small measures only
the small models of one size. Set OPENBLAS_CORETYPE for PyTorch (see bench/peers/torch_train.py). Run `make` first.
"""
import argparse
import json
import os
import subprocess
import sys

REFERENCE = dict(style="expert", embedding=256, hidden=512, batch=128)
SMALL = [dict(style="tutorial", embedding=hidden, hidden=hidden, batch=batch)
         for hidden in (64, 128, 256) for batch in (1, 32)]


def measure(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare_train: {' '.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def updates_of(case, updates):
    """More updates for small models, whose updates take only milliseconds."""
    return updates if case["batch"] >= 128 else updates * (5 if case["batch"] > 1 else 40)


def heed_command(args, case):
    sizes = [f"{side}.{key}={case[key]}" for side in ("encoder", "decoder") for key in ("embedding", "hidden")]
    return [args.heed, "bench", "train", "--json", "--train-source", args.source, "--train-target", args.target,
            "--updates", str(updates_of(case, args.updates)), "--batch", str(case["batch"]),
            "--threads", str(args.threads)] + [part for size in sizes for part in ("--set", size)]


def peer_command(args, case):
    return [args.python, args.peer, args.source, args.target, "--style", case["style"],
            "--updates", str(updates_of(case, args.updates)), "--threads", str(args.threads)] + \
        [part for key in ("batch", "embedding", "hidden") for part in (f"--{key}", str(case[key]))]


def best(runs):
    return max(runs, key=lambda run: run["target_tokens_per_second"])


def compare(args, case):
    ours, theirs = [], []
    for _ in range(args.rounds):
        theirs.append(measure(peer_command(args, case)))
        ours.append(measure(heed_command(args, case)))
    heed, peer = best(ours), best(theirs)
    if heed["parameters"] != peer["parameters"]:
        sys.exit(f"compare_train: heed's model has {heed['parameters']} parameters, the peer's {peer['parameters']}")
    return dict(case, heed=heed, peer=peer,
                ratio=heed["target_tokens_per_second"] / peer["target_tokens_per_second"],
                memory=max(run["peak_rss_mb"] for run in ours) / min(run["peak_rss_mb"] for run in theirs))


def row(result):
    heed, peer = result["heed"], result["peer"]
    return (f"{result['style']:<9} {result['hidden']:>6} {result['batch']:>5} {heed['parameters']:>11,}"
            f" {peer['target_tokens_per_second']:>9.0f} {heed['target_tokens_per_second']:>9.0f} {result['ratio']:>6.2f}"
            f" {peer['peak_rss_mb']:>8.0f} {heed['peak_rss_mb']:>8.0f} {result['memory']:>6.2f}"
            f" {100 * heed['multiply_share']:>8.0f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--peer", default=os.path.join(os.path.dirname(__file__), "peers", "torch_train.py"))
    parser.add_argument("--heed", default=os.path.join(os.path.dirname(__file__), "..", "build", "heed"))
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only-small", type=int, metavar="HIDDEN")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = []
    if not args.json:
        print("style     hidden batch  parameters  peer t/s  heed t/s  ratio  peer MB  heed MB  ratio  multiply")
    cases = [REFERENCE] + (SMALL if args.small else [])
    if args.only_small:
        cases = [case for case in SMALL if case["hidden"] == args.only_small]
    for case in cases:
        results.append(compare(args, case))
        if not args.json:
            print(row(results[-1]), flush=True)
    if args.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
