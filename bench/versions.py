#!/usr/bin/env python3
"""Compares the speed of two versions of heed: start-up, decoding and training, run alternately; the best of several rounds counts.

usage: bench/versions.py OLD NEW [--rounds 40] [--json]

OLD and NEW are heed programs, for example /tmp/heed-before and build/heed. Start-up is measured in wall time, the rest in CPU time,
which depends less on what else the machine does. Both versions should print the same translations and write the same model;
the script says so if they do not.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = str(ROOT / "models" / "pocket-en-de.safetensors")


def run(program, arguments, directory):
    """Runs a program and returns the wall time in seconds, the CPU time in seconds, and standard output."""
    start, before = time.perf_counter(), os.times()
    done = subprocess.run([program, *arguments], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"versions: {program} {' '.join(arguments)} failed: {done.stderr.decode().strip()}")
    return (time.perf_counter() - start,
            after.children_user + after.children_system - before.children_user - before.children_system, done.stdout)


def tasks(rounds):
    """The tasks: name, whether wall time counts, number of runs, and arguments."""
    sentence = "The old man sees a dog."
    few = max(1, rounds // 10)
    return [
        ("--version", True, rounds, ["--version"]),
        ("train --help", True, rounds, ["train", "--help"]),
        ("translate, one sentence, --plain", True, rounds, ["translate", MODEL, sentence, "--plain"]),
        ("translate, one sentence", True, rounds, ["translate", MODEL, sentence]),
        ("translate, 4,000 lines, --plain", False, few, ["translate", MODEL, "--input", "text.en", "--threads", "1", "--plain"]),
        ("translate, 4,000 lines", False, few, ["translate", MODEL, "--input", "text.en", "--threads", "1"]),
        ("train, 40 updates", False, few, ["train", "--train", "corpus.train.en", "corpus.train.de", "--no-holdout", "--updates", "40",
                                           "--threads", "1", "--out", "OUT"]),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=40, help="of the start-up tasks; the long tasks run a tenth as often")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    programs = {"old": os.path.abspath(arguments.old), "new": os.path.abspath(arguments.new)}
    results = []
    with tempfile.TemporaryDirectory(prefix="heed-versions-") as directory:
        run(programs["new"], ["corpus", "pocket", "--pairs", "4000", "--out", "corpus"], directory)
        lines = pathlib.Path(directory, "corpus.train.en").read_text().splitlines()[:4000]
        pathlib.Path(directory, "text.en").write_text("".join(line + "\n" for line in lines))
        for name, wall, rounds, command in tasks(arguments.rounds):
            best, printed = {}, {}
            for number in range(rounds):
                # The order alternates, so that neither version always runs first.
                for version, program in sorted(programs.items(), reverse=number % 2 == 0):
                    words = [f"{version}-{number}" if word == "OUT" else word for word in command]
                    seconds, cpu, output = run(program, words, directory)
                    best[version] = min(best.get(version, float("inf")), seconds if wall else cpu)
                    printed[version] = output if command[0] == "translate" else b""
                    model = pathlib.Path(directory, words[-1], "model.safetensors")
                    if command[0] == "train" and model.is_file():
                        printed[version] = model.read_bytes()
            results.append({"task": name, "time": "wall" if wall else "cpu", "old": best["old"], "new": best["new"],
                            "ratio": best["new"] / best["old"], "same_output": printed["old"] == printed["new"]})
    if arguments.json:
        print(json.dumps(results))
        return
    for result in results:
        note = "" if result["same_output"] else "   the outputs differ"
        print(f"{result['task']:<34} {1000 * result['old']:>9.2f} -> {1000 * result['new']:>9.2f} ms {result['time']:<4} "
              f"{100 * (result['ratio'] - 1):+6.1f}%{note}")


if __name__ == "__main__":
    main()
