#!/usr/bin/env python3
"""Runs two `heed bench translate --json` commands alternately and prints how much faster the second is.

    processor_time.py ROUNDS COMMAND COMMAND

Other programs slow down both, so the ratio is that of the smallest times."""

import json
import os
import subprocess
import sys


def run(command):
    """The seconds that the command measured, and the processor time of the whole process."""
    before = os.times()
    result = json.loads(subprocess.run(command.split(), stdout=subprocess.PIPE, check=True).stdout)
    after = os.times()
    return result["seconds"], after.children_user + after.children_system - before.children_user - before.children_system


def main():
    rounds, commands = int(sys.argv[1]), sys.argv[2:4]
    times = [[run(command) for command in commands] for _ in range(rounds)]
    for k, name in enumerate(("elapsed time", "processor time with start-up")):
        first, second = (min(times[i][c][k] for i in range(rounds)) for c in (0, 1))
        print(f"{name}: {first:.2f} s and {second:.2f} s, {first / second:.2f} times as fast")


if __name__ == "__main__":
    main()
