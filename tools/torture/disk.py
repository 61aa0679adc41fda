"""Commands on a full disk, and again when there is room."""

import math
import resource
import subprocess

from . import jobs
from .world import PATIENCE, Done, set_up_process

NAME = "disk"
PAGE = 4096
# $1: pages; the rest: a command. Runs it twice, on a disk of that size and on a large one, and copies what is there.
SCRIPT = """
mount -t tmpfs -o size=$(($1 * 4))k torture out || exit 90
cp -r old/. out/ || exit 91
shift
source=$1
shift
"$@" < "$source" > stdout.1 2> stderr.1; echo $? > code.1
cp -r out after.1 && mount -o remount,size=256m out || exit 92
"$@" < "$source" > stdout.2 2> stderr.2; echo $? > code.2
cp -r out after.2
"""
WRITERS = [job for job in jobs.JOBS if job.writes]


def namespace():
    """How to get a private mount namespace: as root, as root of a user namespace, or not at all."""
    for options in (["-m"], ["-r", "-m"]):
        probe = ["unshare", *options, "sh", "-c", "mount -t tmpfs torture /mnt"]
        try:
            if subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0:
                return ["unshare", *options]
        except OSError:
            pass
    return None


def describe():
    return "a tmpfs in a private mount namespace" if namespace() else "RLIMIT_FSIZE (mounting needs root)"


def on_tmpfs(trial, job, unshare, pages):
    """Both runs, with the outputs after each."""
    (trial.folder / "old").mkdir()
    for path in (trial.folder / "out").iterdir():
        path.rename(trial.folder / "old" / path.name)
    command = [*unshare, "sh", "-c", SCRIPT, "sh", str(pages), job.stdin or "/dev/null"]
    trial.note(f"out/ is a tmpfs of {pages} pages, then of 256 MB")
    # The runner's own standard descriptors are those of the script; the commands' are in files.
    done = trial.finish(trial.start(job.arguments, wrap=command), 3 * PATIENCE)
    if done.code is None:
        trial.problem("hang", f"{job.name} on a disk of {pages} pages did not end")
        return []
    if done.code != 0:
        raise SystemExit(f"torture: the script of the family disk failed with {done.code}: {done.err.decode()[-500:]}")
    runs = []
    for turn in "12":
        parts = [(trial.folder / f"{name}.{turn}").read_bytes() for name in ("stdout", "stderr")]
        trial.note(f"run {turn}: exit code {(trial.folder / f'code.{turn}').read_text().strip()}: {parts[1][-1000:]!r}")
        code = int((trial.folder / f"code.{turn}").read_text())
        runs.append((Done(code, *parts, 0), jobs.outputs(trial, job, f"after.{turn}")))
    return runs


def with_limit(trial, job, pages):
    runs = []
    for limits in ([(resource.RLIMIT_FSIZE, pages * PAGE)], []):
        done = trial.heed(*job.arguments, stdin=job.stdin, limits=limits)
        runs.append((done, jobs.outputs(trial, job)))
    return runs


def trial(world, trial):
    job = trial.draw.choice([job for job in WRITERS if not job.slow or trial.draw.random() < 0.3])
    expected = jobs.reference(world, trial, job)
    before = jobs.lay_out(world, trial, job, old=trial.draw.random() < 0.6)
    if "namespace" not in world.references:
        world.references["namespace"] = namespace()
    unshare = world.references["namespace"]
    need = sum(math.ceil(len(content) / PAGE) for content in expected.files.values())
    there = 2 + sum(name.startswith("out/") for name in before)
    pages = there + trial.draw.randint(0, math.ceil(1.5 * need))
    if unshare:
        runs = on_tmpfs(trial, job, unshare, pages)
    else:
        runs = with_limit(trial, job, trial.draw.randint(0, need))
    for turn, (done, found) in enumerate(runs):
        what = f"{job.name} on a disk of {pages} pages" if turn == 0 else f"{job.name} again with room"
        jobs.check_inputs(trial, before, what)
        jobs.check_untouched_or_complete(trial, job, expected, before, found, what)
        if not trial.judge(done, what, codes=(0, 1) if turn == 0 else (0,)):
            return
        if done.code == 0:
            jobs.check_complete(trial, job, expected, found, what)
        elif len(done.sentences()) != 1:
            trial.problem("message", f"{what} failed without an error message")
