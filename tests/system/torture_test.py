#!/usr/bin/env python3
"""tools/torture.py must find what a program does wrong, go on where it stopped, and leave nothing running.

    torture_test.py BUILD      BUILD contains the program heed

The program under test is heed behind a script that does harm, in each family another kind, and only if disturbed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

HARMFUL = """#!/bin/sh
empty_outputs() { for file in out/*; do [ -d "$file" ] || : > "$file"; done; }
if grep -q inject= "/proc/$PPID/cmdline"; then  # a system call is to fail: the old output is lost
  empty_outputs; echo 'heed: harm' >&2; exit 1
fi
if [ -d out ] && [ "$(stat -f -c %T out)" = tmpfs ] && [ ! -e after.1 ]; then  # a small disk: the same
  empty_outputs; echo 'heed: harm' >&2; exit 1
fi
[ -e /proc/$$/fd/2 ] || kill -ABRT $$  # standard error is closed
case " $* " in
  *" hostile "*) printf 'heed: \\033[2J\\n' >&2; exit 1 ;;
  *" --threads 2 "*--json*|*--json*" --threads 2 "*) [ -e text ] && set -- "$@" --length-extra 1 ;;
  *" --out run --resume "*) "@HEED@" "$@"; code=$?; [ $code != 0 ] || echo >> run/samples.jsonl; exit $code ;;
esac
exec "@HEED@" "$@"
"""
EXPECTED = {"kills": "difference", "faults": "loss", "disk": "loss", "descriptors": "crash", "hostile": "message",
            "invariance": "difference"}


def torture(folder, *options):
    command = [sys.executable, str(ROOT / "tools/torture.py"), "--heed", str(folder / "harmful"), "--directory",
               str(folder / "state"), *options]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)


def state(folder):
    return json.loads((folder / "state/state.json").read_text())


def check_finds(folder):
    """Every kind of harm is found, with evidence, and again if the trial is repeated."""
    for family, kind in EXPECTED.items():
        deadline = time.monotonic() + 180
        while True:
            done = torture(folder, "--only", family, "--minutes", "0.05")
            found = state(folder)["families"][family][kind]
            if found or time.monotonic() > deadline:
                break
        expect(found and done.returncode == 1, f"{family}: {found} times {kind}, exit code {done.returncode}: {done.stdout[-900:]}")
    evidence = folder / "state/failures"
    failed = state(folder)["failed"]
    for family in EXPECTED:
        numbers = [number for name, number in failed if name == family]
        expect(numbers and (evidence / f"{family}-{numbers[0]}/COMMANDS").read_text(), f"{family}: no evidence")
        if numbers and family != "kills":  # how often it is killed depends on the clock
            done = torture(folder, "--only", family, "--trial", str(numbers[0]))
            expect(done.returncode == 1 and f"{family} {numbers[0]}: " in done.stdout, f"{family}: not repeated: {done.stdout[-500:]}")


def check_goes_on(folder):
    """Another program: the counters start at 0, the trials that failed come first and pass."""
    before = state(folder)
    shutil.copy(Program().path, folder / "harmful")
    family, number = next(trial for trial in before["failed"] if trial[0] == "hostile")
    torture(folder, "--only", family, "--minutes", "0.02")
    after = state(folder)
    expect(after["seed"] == before["seed"] and after["families"]["faults"]["loss"] == 0, "the counters did not start at 0")
    expect([family, number] not in after["retry"] and after["families"][family]["trials"] > 0, "the failed trials were not repeated")
    if [family, number] not in after["failed"]:
        expect(not (folder / f"state/failures/{family}-{number}").exists(), "the evidence of a repaired failure is still there")
    torture(folder, "--only", "kills", "--fresh", "--minutes", "0")
    expect(state(folder)["failed"] == state(folder)["retry"] == [], "--fresh did not forget the failures")


def descendants(parent):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found += [int(path.parent.name), *descendants(int(path.parent.name))]
    return found


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def check_stops(folder):
    """SIGTERM, SIGINT and even SIGKILL end it with everything that it started."""
    command = [sys.executable, str(ROOT / "tools/torture.py"), "--heed", Program().path, "--directory", str(folder / "state"),
               "--only", "faults", "--minutes", "5"]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        children, deadline = [], time.monotonic() + 120
        while not children and time.monotonic() < deadline:
            time.sleep(0.01)
            children = descendants(process.pid)
        process.send_signal(number)
        output = process.communicate(timeout=120)[0]
        expect(children, f"signal {number}: nothing was started: {output[-500:]}")
        if number != signal.SIGKILL:
            expect(process.returncode in (0, 1) and "goes on" in output and "trials" in output, f"signal {number}: {output[-500:]}")
        time.sleep(0.5)
        left = [child for child in children if runs(child)]
        expect(not left, f"signal {number}: the processes {left} still run")


def main():
    if not shutil.which("strace"):
        print("skipped: no strace (tools/setup.sh torture installs it)")
        return 0
    with tempfile.TemporaryDirectory(prefix="heed-torture-") as name:
        folder = Path(name)
        (folder / "harmful").write_text(HARMFUL.replace("@HEED@", Program().path))
        (folder / "harmful").chmod(0o755)
        check_finds(folder)
        check_goes_on(folder)
        check_stops(folder)
        mounts = Path("/proc/mounts").read_text()
        expect(str(folder) not in mounts and str(os.path.realpath(folder)) not in mounts, "a mount was left behind")
    return report("torture")


if __name__ == "__main__":
    sys.exit(main())
