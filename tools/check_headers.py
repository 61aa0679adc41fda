#!/usr/bin/env python3
"""Compiles every header of src on its own: each must include what it needs.

usage: tools/check_headers.py BUILD [-j JOBS]

BUILD is a configured build folder: a header gets the options of the sources of its module. Nothing is written. Prints
what the compiler says about each header that fails; the exit code is 1 if one did."""

import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"
# Only the options that decide what a header means; optimization and outputs have no part in -fsyntax-only.
KEPT = ("-I", "-D", "-std=", "-W", "-f")


def compiler_and_options(arguments):
    """(compiler, options) of one command of compile_commands.json."""
    compiler = next(word for word in arguments if not word.endswith("ccache"))
    options = []
    for word, following in zip(arguments, arguments[1:] + [""]):
        if word == "-isystem":
            options += [word, following]
        elif word.startswith(KEPT):
            options.append(word)
    return compiler, options


def commands_by_module(build):
    """The compiler and the options of one source of each module."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        parts = Path(entry["file"])
        # With HEED_UNITY, the files are BUILD/src/CMakeFiles/heed_MODULE.dir/Unity/...; without, SRC/MODULE/...
        if parts.is_relative_to(SRC):
            module = parts.relative_to(SRC).parts[0]
        else:
            module = next((part[len("heed_"):-len(".dir")] for part in parts.parts
                           if part.startswith("heed_") and part.endswith(".dir")), None)
        if module and (SRC / module).is_dir():
            found.setdefault(module, compiler_and_options(shlex.split(entry["command"])))
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    commands = commands_by_module(options.build)
    headers = sorted(header.relative_to(SRC) for header in SRC.rglob("*.h"))
    if not headers:
        sys.exit(f"headers: {SRC} has none")
    unknown = sorted({header.parts[0] for header in headers} - commands.keys())
    if unknown:
        sys.exit(f"headers: {options.build}/compile_commands.json has no source of {', '.join(unknown)}")

    def check(header):
        compiler, flags = commands[header.parts[0]]
        return subprocess.run([compiler, *flags, "-Werror", "-fsyntax-only", "-x", "c++", "-"],
                              input=f'#include "{header}"\n', capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for header, result in zip(headers, pool.map(check, headers)):
            if result.returncode != 0:
                failed += 1
                print(f"src/{header} does not compile on its own:\n{result.stderr}", file=sys.stderr)
    print(f"headers: {len(headers) - failed} of {len(headers)} compile on their own")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
