"""Outputs that are one of the command's own inputs, by their path, by a link, or through standard input and output."""

import os

from . import jobs

NAME = "aliases"
RUN_FILES = ["model.safetensors", "metrics.jsonl", "samples.jsonl", "config.toml"]


def reads(job):
    """The files that a job reads."""
    names = [str(word) for word in job.arguments if str(word).startswith("in/")] + ([job.stdin] if job.stdin else [])
    return [name for name in names if name != "in/run"] + ([f"in/run/{name}" for name in RUN_FILES] if "in/run" in names else [])


def writes_one_file(job):
    """The output is an argument of the command, not a prefix or a directory."""
    return len(job.writes) == 1 and not job.directory and job.writes[0] in job.arguments


def make_link(trial, kind, target, name):
    path = trial.folder / name
    path.unlink(missing_ok=True)
    if kind == "hard link":
        os.link(trial.folder / target, path)
    else:
        path.symlink_to(os.path.relpath(trial.folder / target, path.parent))
    trial.note(f"{name} is a {kind} to {target}")


def alias_by_path(trial, job, target):
    """The arguments with the output's name replaced by another name of an input."""
    name = trial.draw.choice([target, "./" + target, f"in/../{target}", str(trial.folder / target)])
    return [name if word == job.writes[0] else word for word in job.arguments], f"its output is {name}"


def trial(world, trial):
    job = trial.draw.choice([job for job in jobs.JOBS if reads(job) and (job.writes and not job.directory or job.stdin)])
    jobs.reference(world, trial, job)
    before = jobs.lay_out(world, trial, job, old=False)
    target, arguments, options = trial.draw.choice(reads(job)), job.arguments, {}
    if job.stdin and not job.writes:
        target = job.stdin
        kind = trial.draw.choice(["a", "r+"])
        options["stdout"] = open(trial.folder / target, kind + "b")
        what = f"{job.name} whose standard output is its standard input ({kind})"
    elif writes_one_file(job) and trial.draw.random() < 0.5:
        arguments, how = alias_by_path(trial, job, target)
        what = f"{job.name}: {how}"
    else:
        kind = trial.draw.choice(["hard link", "symbolic link"])
        name = trial.draw.choice(job.writes)
        make_link(trial, kind, target, name)
        what = f"{job.name}: {name} is a {kind} to {target}"
    try:
        done = trial.heed(*arguments, stdin=job.stdin, patience=20, **options)
    finally:
        if options:
            options["stdout"].close()
    jobs.check_inputs(trial, before, what)
    trial.judge(done, what, codes=(0, 1, 2))
