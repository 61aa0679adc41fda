#!/usr/bin/env python3
"""Compiles every source, and every header of src, on its own: each must include what it needs.

usage: tools/check_includes.py BUILD [-j JOBS]

BUILD is a build folder that was configured with -DHEED_UNITY=OFF; it need not be built. A source is compiled with its own
options, a header with those of its module's sources unless it is the first include of a source, which proves it already.
Warnings are errors. Nothing is written (-fsyntax-only). It prints the compiler's messages for each file that fails, and then
exits with 1."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# The options that change what a file means; -fsyntax-only needs neither optimization levels nor output files.
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


def commands_by_source(build):
    """{source: (compiler, options)} of all sources that are part of the repository."""
    entries = json.loads((build / "compile_commands.json").read_text())
    commands = {Path(entry["file"]): compiler_and_options(shlex.split(entry["command"])) for entry in entries}
    return {path: command for path, command in commands.items()
            if path.is_relative_to(ROOT) and not path.is_relative_to(build.resolve())}


def included_first():
    """The headers that are the first include of a source: compiling the source compiles them on their own."""
    return {match[1] for source in SRC.rglob("*.cpp") if (match := INCLUDE.search(source.read_text()))}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    commands = commands_by_source(options.build)
    missing = sorted(str(source.relative_to(ROOT)) for source in SRC.rglob("*.cpp") if source not in commands)
    if missing:
        sys.exit(f"includes: {options.build}/compile_commands.json lacks {missing[0]};"
                 " configure it with -DHEED_UNITY=OFF (cmake --preset no-unity)")
    modules = {source.relative_to(SRC).parts[0]: command for source, command in commands.items() if source.is_relative_to(SRC)}
    proven = included_first()
    headers = [header for header in sorted(SRC.rglob("*.h")) if str(header.relative_to(SRC)) not in proven]

    def check(path):
        is_header = path.suffix == ".h"
        compiler, flags = modules[path.relative_to(SRC).parts[0]] if is_header else commands[path]
        source = ["-x", "c++", "-"] if is_header else [str(path)]
        return subprocess.run([compiler, *flags, "-Werror", "-fsyntax-only", *source], cwd=options.build, capture_output=True,
                              text=True, input=f'#include "{path.relative_to(SRC)}"\n' if is_header else None)

    files, failed = [*commands, *headers], 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, result in zip(files, pool.map(check, files)):
            if result.returncode != 0:
                failed += 1
                print(f"{path.relative_to(ROOT)} does not compile on its own:\n{result.stderr}", file=sys.stderr, flush=True)
    print(f"includes: {len(files) - failed} of {len(files)} files compile on their own: {len(commands)} sources, and"
          f" {len(headers)} headers that no source includes first")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
