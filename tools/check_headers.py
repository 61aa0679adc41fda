#!/usr/bin/env python3
"""Checks that every header of src compiles on its own, that is, includes what it needs.

usage: tools/check_headers.py BUILD [-j JOBS]

BUILD is a build folder that was configured with -DHEED_UNITY=OFF, so that building it compiles every source on its own.
That build already proves the headers that a source includes first; this script compiles the others (-fsyntax-only),
each with the options of its module's sources. It writes no files. It prints the compiler's messages for each header
that fails, and then exits with 1."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"
# The options that change what a header means; -fsyntax-only needs neither optimization levels nor output files.
KEPT = ("-I", "-D", "-std=", "-W", "-f")
INCLUDE = re.compile(r'^#include "(.+)"', re.M)


def compiler_and_options(arguments):
    """(compiler, options) of one command in compile_commands.json."""
    compiler = next(word for word in arguments if not word.endswith("ccache"))
    options = []
    for word, following in zip(arguments, arguments[1:] + [""]):
        if word == "-isystem":
            options += [word, following]
        elif word.startswith(KEPT):
            options.append(word)
    return compiler, options


def commands_by_module(build):
    """{module: (compiler, options)}, from one source of each module."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(SRC):
            found.setdefault(path.relative_to(SRC).parts[0], compiler_and_options(shlex.split(entry["command"])))
    return found


def included_first():
    """The headers that are the first include of a source: compiling the source compiles them on their own."""
    return {match[1] for source in SRC.rglob("*.cpp") if (match := INCLUDE.search(source.read_text()))}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    commands = commands_by_module(options.build)
    proven = included_first()
    headers = sorted(header.relative_to(SRC) for header in SRC.rglob("*.h"))
    rest = [header for header in headers if str(header) not in proven]
    if not rest:
        sys.exit(f"headers: {SRC} contains no header to check")
    unknown = sorted({header.parts[0] for header in rest} - commands.keys())
    if unknown:
        sys.exit(f"headers: {options.build}/compile_commands.json lists no source of {', '.join(unknown)};"
                 " configure it with -DHEED_UNITY=OFF (cmake --preset no-unity)")

    def check(header):
        compiler, flags = commands[header.parts[0]]
        return subprocess.run([compiler, *flags, "-Werror", "-fsyntax-only", "-x", "c++", "-"],
                              input=f'#include "{header}"\n', capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for header, result in zip(rest, pool.map(check, rest)):
            if result.returncode != 0:
                failed += 1
                print(f"src/{header} does not compile on its own:\n{result.stderr}", file=sys.stderr)
    print(f"headers: {len(rest) - failed} of {len(rest)} compile on their own; a source includes the other"
          f" {len(headers) - len(rest)} first")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
