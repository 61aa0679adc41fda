#!/usr/bin/env python3
"""Measures `heed serve`: speed compared with the offline program and a sequential server, overload, attackers, disturbances.

usage: bench/serve/run.py [--quick] [--only speed|overload|attacks|disturbances]
       bench/serve/run.py --sanitized build-asan/heed     a minute of load on a program with sanitizers, which must find nothing

`make bench-serve` builds what it needs and runs everything, in less than 20 minutes. It prints PASS or FAIL for each measurement and
Markdown tables at the end; the exit code is 1 if a measurement failed. --quick takes about 3 minutes and compares CPU times where it
can, for machines that are busy with something else; on such machines, its latencies mean nothing. Needs the Debian package
slowhttptest."""

import argparse
import signal
import sys
import time

import robust
import speed
from harness import PROBLEMS, allow_many_files, interrupted, record, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("speed", "overload", "attacks", "disturbances"))
    parser.add_argument("--sanitized", metavar="PROGRAM")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupted)  # ends the servers
    allow_many_files()
    start = time.monotonic()
    table = []
    quick = arguments.quick

    def measure(name, function, *words):
        if name != "sanitized" and arguments.only not in (None, name):
            return None
        try:
            return function(*words)
        except PROBLEMS as error:
            record(name, f"{type(error).__name__}: {error}", "runs to the end", False)
            return None

    if arguments.sanitized:
        measure("sanitized", robust.measure_sanitized, robust.make_requests(), arguments.sanitized)
        return 0 if all(passed for *_, passed in results) else 1
    table = measure("speed", speed.measure, quick) or []
    if arguments.only not in ("speed", "disturbances"):
        requests = robust.make_requests()
        measure("overload", robust.measure_overload, requests, quick)
        measure("attacks", robust.measure_attacks, requests, quick)
    measure("disturbances", robust.measure_disturbances, quick)

    print("\n| line | measured | limit | |", "|---|---|---|---|", sep="\n")
    for line, measured, limit, passed in results:
        print(f"| {line} | {measured} | {limit} | {'PASS' if passed else '**FAIL**'} |")
    print("\n".join(table))
    failed = sum(not passed for *_, passed in results)
    print(f"\nbench/serve: {len(results) - failed} lines passed, {failed} failed; {time.monotonic() - start:.0f} s{' (quick)' if quick else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
