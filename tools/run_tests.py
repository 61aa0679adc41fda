#!/usr/bin/env python3
"""Runs ctest in a build folder, then prints how many tests passed, failed and were skipped, and why they were skipped.

usage: tools/run_tests.py BUILD [arguments for ctest]

A test is one TEST of a GoogleTest program, or one Python program. The exit code is ctest's."""

import re
import subprocess
import sys
from pathlib import Path

START = re.compile(r"^\d+/\d+ Test: (\S+)$")
GTEST = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] ([\w/]+\.[\w/]+) \(\d+ ms\)$")
SKIPPED = re.compile(r"^skipped: (.+)$")


def summarize(log):
    """(passed, failed, [(name, reason) of the skipped tests]), from the text of ctest's LastTest.log."""
    passed, failed, skipped = 0, 0, []
    program, cases, reason = None, 0, ""
    for line in log.splitlines():
        if start := START.match(line):
            program, cases = start[1], 0
        elif match := GTEST.match(line):
            cases += 1
            if match[1] == "SKIPPED":
                skipped.append((match[2], reason))
            passed += match[1] == "OK"
            failed += match[1] == "FAILED"
        elif match := SKIPPED.match(line):
            skipped.append((program, match[1]))
        elif line in ("Test Passed.", "Test Failed.", "Test time out."):
            if cases == 0 or (line != "Test Passed." and failed == 0):
                passed += line == "Test Passed."
                failed += line != "Test Passed."
        if line.strip() and not GTEST.match(line):
            reason = line.strip()
    return passed, failed, skipped


def self_test():
    log = ("1/3 Test: text\n[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n[ RUN      ] A.c\nneeds /x, which is not here\n"
           "[  SKIPPED ] A.c (0 ms)\nTest Passed.\n2/3 Test: cli\nskipped: no browser\nTest Passed.\n"
           "3/3 Test: crash\n[ RUN      ] B.d\nTest Failed.\n")
    found = summarize(log)
    expected = (2, 1, [("A.c", "needs /x, which is not here"), ("cli", "no browser")])
    if found != expected:
        sys.exit(f"run_tests: the self-test gave {found}, expected {expected}")


def main():
    self_test()
    build, *arguments = sys.argv[1:] or sys.exit(__doc__)
    code = subprocess.run(["ctest", "--output-on-failure", "--no-tests=error", *arguments], cwd=build).returncode
    passed, failed, skipped = summarize((Path(build) / "Testing/Temporary/LastTest.log").read_text(errors="replace"))
    print()
    for name, reason in skipped:
        print(f"skipped {name}: {reason}")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return code


if __name__ == "__main__":
    sys.exit(main())
