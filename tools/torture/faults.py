"""System calls that fail, one or all from some call on (strace's fault injection)."""

import re
import shutil
from collections import Counter

from . import jobs
from .world import PATIENCE, temporary

NAME = "faults"
CALLS = ["write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "linkat", "openat", "ftruncate", "unlink", "unlinkat",
         "mkdir", "close", "read", "pread64", "flock", "fstat", "newfstatat", "lseek", "getdents64"]
ERRORS = ["ENOSPC", "EIO", "EINTR", "EACCES", "EMFILE"]


def missing():
    return None if shutil.which("strace") else "strace is not installed: tools/setup.sh torture"


def strace(*options):
    return ["strace", "-f", "-qq", "--seccomp-bpf", *options]


def calls_of(world, trial, job):
    """How often each call is made, by the thread that makes it most often."""

    def count():
        jobs.lay_out(world, trial, job, old=False)
        done = trial.heed(*job.arguments, stdin=job.stdin, wrap=strace("-e", "trace=" + ",".join(CALLS), "-o", "log"))
        if done.code != 0:
            raise SystemExit(f"torture: strace cannot run {job.name}: {done.err.decode(errors='replace')[-800:]}")
        counts = Counter(re.findall(r"^(\d+) +(\w+)\(", (trial.folder / "log").read_text(errors="replace"), re.MULTILINE))
        trial.clear()
        most = {}
        for (_, call), number in counts.items():
            most[call] = max(number, most.get(call, 0))
        return most

    return world.remember("calls of " + job.name, count)


def draw_fault(draw, counts):
    """Options of strace, and whether an error message may be lost."""
    if draw.random() < 0.05:  # heed's own mappings only: code generators of libraries do not survive a failure
        path = draw.choice(["in/model.safetensors", "in/p.train.en", "in/weights.safetensors"])
        return ["-P", path, "-e", "trace=mmap", "-e", "inject=mmap:error=ENOMEM:when=1"], False
    call = draw.choice([call for call in CALLS if counts.get(call)])
    error = draw.choice(ERRORS)
    when = str(draw.randint(1, counts[call]))
    if error != "EINTR" and draw.random() < 0.25:
        when += "+"
    return ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"], call == "write"


def trial(world, trial):
    job = trial.draw.choice([job for job in jobs.JOBS if not job.slow or trial.draw.random() < 0.3])
    expected = jobs.reference(world, trial, job)
    counts = calls_of(world, trial, job)
    before = jobs.lay_out(world, trial, job, old=trial.draw.random() < 0.6)
    options, silent = draw_fault(trial.draw, counts)
    done = trial.heed(*job.arguments, stdin=job.stdin, wrap=strace("-o", "log", *options), patience=2 * PATIENCE)
    if done.loader_failed():
        return
    what = f"{job.name} with {options[-1]}"
    jobs.check_inputs(trial, before, what)
    found = jobs.outputs(trial, job)
    jobs.check_untouched_or_complete(trial, job, expected, before, found, what)
    if not trial.judge(done, what):
        return
    if done.code == 1 and not done.sentences() and not silent:
        trial.problem("message", f"{what} failed without an error message")
    if temporary(found) and "unlink" not in options[-1]:
        trial.problem("difference", f"{what} left {temporary(found)} behind")
    if done.code == 0:
        jobs.check_complete(trial, job, expected, found, what)
        said = b"the report was not written" in done.err  # then the demo does not name it, either
        if not said and not expected.same_out(done.out):
            trial.problem("loss", f"{what} wrote something else to standard output, with exit code 0")
    again = trial.heed(*job.arguments, stdin=job.stdin)
    what = f"{job.name} again after {options[-1]}"
    if trial.judge(again, what, codes=(0,)):
        found = jobs.outputs(trial, job)
        if "unlink" in options[-1]:
            found = {name: content for name, content in found.items() if not temporary([name])}
        jobs.check_complete(trial, job, expected, found, what)
