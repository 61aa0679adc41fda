#!/usr/bin/env python3
"""What the text layer costs for plain text: translates the same lines with and without --plain, alternately, and compares the CPU times.

usage: bench/text_layer.py [PROGRAM] [--model MODEL] [--input FILE] [--beam N] [--rounds 8] [--limit PERCENT] [--json]

PROGRAM is build/heed if it is not given, MODEL the small model in models/, and FILE 4,000 lines of the built-in corpus, which have
nothing that the text layer changes; the script checks that both ways give the same translations of these. The best of the
rounds counts. With --limit, the exit code is 1 if the text layer costs more.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def cpu_seconds(command):
    """Runs a command and returns its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"text_layer: {' '.join(command)} failed: {done.stderr.decode().strip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "heed"))
    parser.add_argument("--model", default=str(ROOT / "models" / "pocket-en-de.safetensors"))
    parser.add_argument("--input", help="a text, one sentence per line")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--limit", type=float, help="in percent")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory(prefix="heed-text-layer-") as directory:
        text = pathlib.Path(directory, "text")
        if arguments.input:
            text.write_bytes(pathlib.Path(arguments.input).read_bytes())
        else:
            cpu_seconds([program, "corpus", "pocket", "--pairs", "4000", "--out", f"{directory}/corpus"])
            text.write_bytes(b"".join(pathlib.Path(directory, "corpus.train.en").read_bytes().splitlines(True)[:4000]))
        command = [program, "translate", arguments.model, "--input", str(text), "--threads", "1", "--beam", str(arguments.beam),
                   "--output", f"{directory}/"]
        best = {"plain": float("inf"), "layer": float("inf")}
        for number in range(arguments.rounds):
            for way in sorted(best, reverse=number % 2 == 0):  # neither way always runs first
                seconds = cpu_seconds([*command[:-1], command[-1] + way, *(["--plain"] if way == "plain" else [])])
                best[way] = min(best[way], seconds)
        same = pathlib.Path(directory, "plain").read_bytes() == pathlib.Path(directory, "layer").read_bytes()
        lines = text.read_bytes().count(b"\n")
    if not arguments.input and not same:
        sys.exit("text_layer: the text layer changed translations of plain text")
    cost = 100 * (best["layer"] / best["plain"] - 1)
    if arguments.json:
        print(json.dumps({"lines": lines, "plain": best["plain"], "layer": best["layer"], "cost": cost, "same_output": same}))
    else:
        print(f"{lines:,} lines, beam {arguments.beam}: {best['plain']:.3f} s of CPU time with --plain, {best['layer']:.3f} s with the text "
              f"layer ({cost:+.1f}%){'' if same else '; the translations differ'}")
    if arguments.limit is not None and cost > arguments.limit:
        sys.exit(f"text_layer: the text layer costs {cost:.1f}%, more than {arguments.limit:g}%")


if __name__ == "__main__":
    main()
