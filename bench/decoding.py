#!/usr/bin/env python3
"""Measures what vocabulary selection and int8 gain: the same model and sentences, run alternately, best of several rounds.

usage: bench/decoding.py MODEL SOURCE --train SOURCE TARGET [--before HEED] [--rounds 3] [--threads 2] [--json]

MODEL is a model of f32. The script adds a shortlist, learned from the texts of --train, and quantizes the model (calibrated on
SOURCE), in a temporary folder. It measures `heed bench translate` in batches of 64, greedy and with beam 5, and one sentence at a
time on one thread, for: the program of --before (an older heed), all words, the shortlist, int8, and both. The ratios are
those of sentences per second to the first row. Run `make` first, on a quiet machine.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEED = str(ROOT / "build/heed")
WAYS = {"greedy": ["--beam", "1", "--batch", "64"], "beam 5": ["--beam", "5", "--batch", "64"],
        "one sentence": ["--beam", "5", "--batch", "1", "--threads", "1"]}


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"decoding: {' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--train", nargs=2, required=True)
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heed-bench-") as folder:
        f32, int8 = f"{folder}/f32.safetensors", f"{folder}/int8.safetensors"
        run(HEED, "shortlist", args.model, "--train", *args.train, "--out", f32)
        run(HEED, "quantize", f32, "--calibrate", args.source, "--out", int8)
        rows = {"all words": (HEED, f32, ["--shortlist", "off"]), "shortlist": (HEED, f32, ["--shortlist", "on"]),
                "int8": (HEED, int8, ["--shortlist", "off"]), "shortlist and int8": (HEED, int8, ["--shortlist", "on"])}
        if args.before:
            rows = {"before": (args.before, args.model, []), **rows}
        speeds = {row: dict.fromkeys(WAYS, 0.0) for row in rows}
        for _ in range(args.rounds):
            for row, (heed, model, options) in rows.items():
                for way, words in WAYS.items():
                    threads = [] if "--threads" in words else ["--threads", args.threads]
                    result = json.loads(run(heed, "bench", "translate", model, "--source", args.source, *words, *threads, *options, "--json"))
                    speeds[row][way] = max(speeds[row][way], result["sentences_per_second"])
    if args.json:
        return print(json.dumps(speeds))
    base = next(iter(speeds.values()))
    print("| |" + "|".join(f" {way}: sentences/s | ratio " for way in WAYS) + "|\n|---|" + "---|---|" * len(WAYS))
    for row, found in speeds.items():
        print(f"| {row} |" + "|".join(f" {found[way]:.1f} | {found[way] / base[way]:.2f} " for way in WAYS) + "|")


if __name__ == "__main__":
    main()
