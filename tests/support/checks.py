"""Checks that are counted and reported at the end, for tests that check many things in one run.

With the environment variable HEED_FAIL_FAST, the first failed check ends the test: make sabotage needs to know only that
one fails.
"""
import os
import sys

problems = []
count = 0


def expect(holds, words):
    global count
    count += 1
    if not holds:
        problems.append(words)
        if "HEED_FAIL_FAST" in os.environ:
            sys.exit(words)


def report(name, *more):
    """Prints the failed checks and a summary; returns the exit code of the test. No check at all is a failure too."""
    for problem in problems:
        print(problem)
    print(f"{name}: {', '.join([*more, f'{count} checks', f'{len(problems)} problems'])}")
    return 1 if problems or count == 0 else 0
