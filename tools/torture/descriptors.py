"""Standard input, output and error that are closed, full, broken or not what a program expects."""

import fcntl
import os
import signal

from . import jobs

NAME = "descriptors"
INPUTS = ["good", "good", "closed", "null", "directory", "write-only"]
OUTPUTS = ["good", "good", "closed", "full device", "full pipe", "broken pipe", "read-only"]


def full_pipe():
    """Both ends of a non-blocking pipe that takes no more."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, fcntl.fcntl(writer, fcntl.F_GETFL) | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    try:
        while True:
            os.write(writer, b"x")
    except BlockingIOError:
        return reader, writer


def broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


class Descriptors:
    """The three standard descriptors of a process, opened here and put in place in the child."""

    def __init__(self, folder, kinds, stdin):
        self.opened, self.table = [], []
        for number, kind in enumerate(kinds):
            self.table.append(self.open(folder, number, kind, stdin))

    def open(self, folder, number, kind, stdin):
        if kind == "closed":
            return None
        if kind == "full pipe":
            reader, descriptor = full_pipe()
            self.opened.append(reader)
        elif kind == "broken pipe":
            descriptor = broken_pipe()
        elif kind == "good" and number > 0:
            descriptor = os.open(folder / f"descriptor.{number}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        else:
            path, mode = {"good": (folder / stdin if stdin else "/dev/null", os.O_RDONLY), "null": ("/dev/null", os.O_RDONLY),
                          "directory": (folder, os.O_RDONLY), "write-only": ("/dev/null", os.O_WRONLY),
                          "full device": ("/dev/full", os.O_WRONLY), "read-only": ("/dev/null", os.O_RDONLY)}[kind]
            descriptor = os.open(path, mode)
        self.opened.append(descriptor)
        return descriptor

    def put(self):
        for number, descriptor in enumerate(self.table):
            if descriptor is None:
                os.close(number)
            else:
                os.dup2(descriptor, number)

    def close(self):
        for descriptor in self.opened:
            os.close(descriptor)


def trial(world, trial):
    job = trial.draw.choice([job for job in jobs.JOBS if not job.slow or trial.draw.random() < 0.2])
    kinds = [trial.draw.choice(INPUTS), trial.draw.choice(OUTPUTS), trial.draw.choice(OUTPUTS)]
    if trial.draw.random() < 0.4:  # every subset of closed ones
        kinds = [trial.draw.choice(["good", "closed"]) for _ in range(3)]
    expected = jobs.reference(world, trial, job)
    before = jobs.lay_out(world, trial, job, old=trial.draw.random() < 0.6)
    descriptors = Descriptors(trial.folder, kinds, job.stdin)
    trial.note(f"standard input: {kinds[0]}, output: {kinds[1]}, error: {kinds[2]}")
    try:
        done = trial.finish(trial.start(job.arguments, descriptors=descriptors.put))
    finally:
        descriptors.close()
    for number, name in ((1, "out"), (2, "err")):
        if kinds[number] == "good":
            setattr(done, name, (trial.folder / f"descriptor.{number}").read_bytes())
    trial.note(f"standard error: {done.err[-1000:]!r}")
    what = f"{job.name} with standard input {kinds[0]}, output {kinds[1]}, error {kinds[2]}"
    jobs.check_inputs(trial, before, what)
    found = jobs.outputs(trial, job)
    jobs.check_untouched_or_complete(trial, job, expected, before, found, what)
    if done.code == -signal.SIGPIPE and kinds[1] == "broken pipe":
        return
    reads = job.stdin and kinds[0] != "good"
    if not trial.judge(done, what, codes=(0, 1, 2) if reads else (0, 1)):  # 2: no text
        return
    loses = expected.out and kinds[1] != "good"
    if loses and done.code == 0 and not reads:
        trial.problem("loss", f"{what} could not write its output, but has exit code 0")
    if not reads and not loses:
        if done.code != 0:
            trial.problem("message", f"{what} has exit code 1 although nothing it needs is broken: {done.err[-300:]!r}")
        else:
            jobs.check_complete(trial, job, expected, found, what)
            if kinds[1] == "good" and not expected.same_out(done.out):
                trial.problem("difference", f"{what} wrote something else to standard output")
    if reads and done.code == 0 and kinds[1] == "good" and kinds[0] != "null" and done.out:
        trial.problem("difference", f"{what} wrote output without any input: {done.out[:100]!r}")
