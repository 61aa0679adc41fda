#!/usr/bin/env python3
"""Compares the translation speed of heed and PyTorch: the same model and sentences, run alternately, best of several rounds.

usage: bench/compare_translate.py MODEL SOURCE [--rounds 3] [--threads 2] [--json]

MODEL is a heed model of the preset bigru-deep-output; SOURCE is text as the model reads it:
tokenized, separated by spaces, and lowercased if the model was. Set OPENBLAS_CORETYPE for PyTorch (see bench/peers/torch_translate.py). Run `make` first.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compare_translate: {' '.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    threads = ["--threads", str(arguments.threads)]
    heed = [str(ROOT / "build" / "heed"), "bench", "translate", arguments.model, "--source", arguments.source, "--json",
            "--shortlist", "off"]
    commands = {
        "heed, greedy": heed + threads + ["--beam", "1"],
        "heed, beam 5": heed + threads + ["--beam", "5"],
        "PyTorch, greedy": ["/usr/bin/python3", str(ROOT / "bench" / "peers" / "torch_translate.py"), arguments.model,
                            arguments.source] + threads,
    }
    best = {}
    for _ in range(arguments.rounds):
        for name, command in commands.items():
            result = run(command)
            if name not in best or result["sentences_per_second"] > best[name]["sentences_per_second"]:
                best[name] = result
    greedy, beam, peer = best.values()
    ratios = {"greedy_to_pytorch": greedy["target_tokens_per_second"] / peer["target_tokens_per_second"],
              "beam_cost_in_greedy": greedy["sentences_per_second"] / beam["sentences_per_second"]}
    if arguments.json:
        print(json.dumps({"best": best, **ratios}))
        return
    for name, result in best.items():
        print(f"{name:<16} {result['target_tokens_per_second']:>9.1f} target tokens/s "
              f"{result['sentences_per_second']:>8.1f} sentences/s {result['peak_rss_mb']:>7.0f} MB")
    print(f"greedy is {ratios['greedy_to_pytorch']:.2f} times as fast as PyTorch; "
          f"beam 5 takes {ratios['beam_cost_in_greedy']:.2f} times as long as greedy")


if __name__ == "__main__":
    main()
