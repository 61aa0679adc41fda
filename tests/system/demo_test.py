#!/usr/bin/env python3
"""heed demo --quick: how good it is, what it costs, and the commands that it ends with.

    demo_test.py BUILD      BUILD contains the program heed"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program

heed = Program()
EXACT = 60       # percent of the held-out sentences
CPU_SECONDS = 60  # half a minute on 2 cores


def check_quality(directory):
    """Returns what the demo prints. It is started by a relative path with a space in it."""
    (directory / "the program").mkdir()
    (directory / "the program/heed").symlink_to(heed.path)
    done = subprocess.run(["the program/heed", "demo", "--quick", "--threads", "2"], cwd=directory, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, f"demo --quick: exit code {done.returncode}: {done.stderr[-500:]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    expect(seconds < CPU_SECONDS, f"demo --quick took {seconds:.1f} s of CPU time, at most {CPU_SECONDS} are allowed")
    exact = re.search(r"of 1000 held-out sentences translated exactly right \(([\d.]+)%\)", done.stdout)
    expect(exact and float(exact[1]) >= EXACT, f"demo --quick translates {exact and exact[1]}% exactly, expected at least {EXACT}%")
    for part in ("Attention for one of them:", "attention pictures: runs/quick/attention-*.png", "alignment error",
                 "Training report: runs/quick/report.html"):
        expect(part in done.stdout, f"demo --quick does not print {part!r}")
    for name in ("attention-1.svg", "attention-3.png", "report.html", "model.safetensors"):
        expect((directory / "runs/quick" / name).is_file(), f"demo --quick does not write {name}")
    print(f"demo: {exact and exact[1]}% exactly right, {seconds:.1f} s of CPU time")
    return done.stdout


def check_next_commands(directory, output):
    """Every command that the demo ends with works as printed."""
    commands = re.findall(r"^  (.*heed'? .*)$", output.partition("\nNext:\n")[2], re.M)
    expect(len(commands) == 4, f"the demo ends with {commands}")
    for command in commands:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=directory, input="We see a dog.\n", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(done.returncode == 0 and (done.stdout or "--out" in command), f"{command}: {done.returncode}, {done.stderr[-300:]}")
    expect((directory / "page.html").is_file(), "no command writes page.html")


def check_name_on_path(directory):
    """Found through the PATH, the program is called heed."""
    environment = dict(os.environ, PATH=f"{Path(heed.path).parent}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(["heed", "demo", "--pairs", "100", "--epochs", "1", "--out", "a demo"], cwd=directory, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    expect("| heed translate 'a demo/model.safetensors'\n" in done.stdout, f"the commands at the end: {done.stdout[-500:]}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-demo-") as name:
        directory = Path(name)
        output = check_quality(directory)
        check_next_commands(directory, output)
        check_name_on_path(directory)
    return report("demo")


if __name__ == "__main__":
    sys.exit(main())
