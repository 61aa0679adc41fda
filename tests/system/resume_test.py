#!/usr/bin/env python3
"""Training runs that are killed, stopped, out of disk space or diverging, and are resumed.

    resume_test.py BUILD [TRIALS]      BUILD contains the program heed; TRIALS runs are killed repeatedly (default 3)

A run that was killed at arbitrary times must end with the same bytes as an uninterrupted one: the same model, and the
same logs except for the times in them."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import replacing

TIMED = {"seconds", "tokens_per_second"}
# Everything with a state: moments, moving average, snapshots, plateau, teacher forcing, dropout, sampled subwords, changed text.
SETTINGS = """
[data]
tokenizer = "unigram"
normalize = ["nfc", "lowercase"]
subwords = 120
subword_sampling = 0.3
augment = ["title", "typos", "punctuation"]
[encoder]
hidden = 12
embedding = 8
[decoder]
hidden = 12
embedding = 8
[readout]
size = 8
[dropout]
source_words = 0.1
recurrent = 0.1
[training]
batch = 16
accumulate = 2
epochs = 3
learning_rate = 0.01
schedule = "plateau"
schedule_warmup = 3
teacher_forcing = 1.0
teacher_forcing_to = 0.5
teacher_forcing_updates = 10
ema = 0.8
average = 2
threads = 2
[validation]
updates = 5
sentences = 12
metric = "chrf"
"""

heed = ""


def command(out, *more, settings="settings.toml"):
    return replacing([heed, "train", settings, "--train-source", "p.train.en", "--train-target", "p.train.de", "--valid-source",
                      "p.valid.en", "--valid-target", "p.valid.de", "--out", out], *more)


def run(out, *more, **options):
    return subprocess.run(command(out, *more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, **options)


def lines(path):
    """The objects of a log without the keys that depend on the clock."""
    return [{k: v for k, v in json.loads(line).items() if k not in TIMED} for line in Path(path).read_text().splitlines()]


def compare(out, what, reference="whole"):
    for name in ("model.safetensors", "samples.jsonl"):
        same = (Path(out) / name).read_bytes() == (Path(reference) / name).read_bytes()
        expect(same, f"{what}: {out}/{name} differs from that of the uninterrupted run")
    expect(lines(f"{out}/metrics.jsonl") == lines(f"{reference}/metrics.jsonl"), f"{what}: metrics.jsonl differs")


def fails(done, code, says, what):
    error = done.stderr.decode()
    last = error.splitlines()[-1] if error else ""
    expect(done.returncode == code and last.startswith("heed: ") and says in last,
           f"{what}: exit code {done.returncode}, expected {code} and {says!r}: {error[-500:]}")


def check_kills(trials, duration, draw):
    """Kills at random times; every update writes a checkpoint, so that many kills happen while one is written."""
    for trial in range(trials):
        out, kills, updates = f"killed{trial}", 0, set()
        while True:
            process = subprocess.Popen(command(out, "--resume", "--checkpoint-updates", "1"), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                _, error = process.communicate(timeout=draw.uniform(0.02, duration) if kills < 8 else 300)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
                if Path(f"{out}/metrics.jsonl").exists():
                    updates.add(Path(f"{out}/metrics.jsonl").read_bytes().count(b"\n"))
        expect(process.returncode == 0, f"trial {trial}: exit code {process.returncode}: {error.decode()[-500:]}")
        if process.returncode == 0:
            compare(out, f"killed {kills} times, trial {trial}")
        print(f"resume: trial {trial}: killed {kills} times, lines of the log at each kill: {sorted(updates)}")
        left = [name for name in os.listdir(f"{out}/checkpoint") if name.endswith(".tmp")]
        expect(not left, f"trial {trial}: {left} were left behind")


def check_stops():
    """Ctrl-C, SIGTERM and SIGHUP: the run saves a checkpoint, says how to resume, and can be resumed."""
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        out = f"stopped{code}"
        process = subprocess.Popen(command(out), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not os.path.exists(f"{out}/checkpoint/good.safetensors"):
            time.sleep(0.002)
        process.send_signal(number)
        error = process.communicate(timeout=60)[1].decode()
        expect(process.returncode == code, f"signal {number}: exit code {process.returncode}: {error[-500:]}")
        expect(f"heed train --resume --out {out}" in error, f"signal {number}: the message does not say how to resume: {error[-500:]}")
        done = subprocess.run([heed, "train", "--resume", "--out", out], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        expect(done.returncode == 0, f"after signal {number}: exit code {done.returncode}: {done.stderr.decode()[-500:]}")
        compare(out, f"signal {number}")


def check_many_signals():
    """Signals that arrive during a matrix product: generated code may use the stack pointer for its own data."""
    for trial in range(20):
        out = f"storm{trial}"
        process = subprocess.Popen(command(out, "--threads", "1", "--epochs", "30"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        log = Path(f"{out}/metrics.jsonl")
        while process.poll() is None and not (log.exists() and b'"update"' in log.read_bytes()):
            time.sleep(0.001)
        time.sleep(0.003 * trial)
        while process.poll() is None:
            process.send_signal(signal.SIGHUP)
        error = process.communicate()[1].decode()
        expect(process.returncode == 129, f"many signals, trial {trial}: exit code {process.returncode}: {error[-200:]}")


def check_ignored_signals():
    """A run started with `nohup`, or with `&` in a script, outlives the terminal's signals."""
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    process = subprocess.Popen(command("ignoring"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=ignore)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    error = process.communicate()[1].decode()
    expect(process.returncode == 0, f"ignored signals: exit code {process.returncode}: {error[-500:]}")
    compare("ignoring", "ignored signals")


def check_refusals():
    before = Path("whole/model.safetensors").read_bytes()
    fails(run("whole"), 2, "--resume", "a directory that contains a run")
    done = run("whole", "--resume")
    expect(done.returncode == 0 and b"is complete" in done.stderr, f"a finished run: {done.returncode} {done.stderr}")
    fails(run("whole", "--resume", "--epochs", "4", "--set", "encoder.hidden=13"), 2, "encoder.hidden", "another size")
    fails(run("whole", "--resume", "--epochs", "4", "--seed", "2"), 2, "training.seed", "another seed")
    fails(run("whole", "--resume", "--epochs", "4", "--threads", "1"), 2, "--threads 2", "another number of threads")
    Path("other.en").write_text(Path("p.train.en").read_text().replace("the", "The", 1).replace("a", "b", 3))
    fails(run("whole", "--resume", "--epochs", "4", "--train-source", "other.en"), 1, "training text", "other text")
    fails(run("settings.toml/run"), 1, "settings.toml/run", "a directory that cannot be created")
    fails(run("whole", "--resume", "--overwrite"), 2, "--overwrite", "contradictory flags")
    expect(Path("whole/model.safetensors").read_bytes() == before, "a refused run changed the model")

    subprocess.run(["cp", "-r", "whole", "damaged"], check=True)
    state = Path("damaged/checkpoint/good.safetensors")
    state.write_bytes(state.read_bytes()[:-7])
    fails(run("damaged", "--resume", "--epochs", "4"), 1, "good.safetensors", "a damaged checkpoint")

    done = run("whole", "--resume", "--epochs", "4")
    expect(done.returncode == 0 and lines("whole/metrics.jsonl")[-1]["update"] > lines("damaged/metrics.jsonl")[-1]["update"],
           f"a finished run could not be extended by an epoch: {done.stderr.decode()[-500:]}")


def check_full_disk(reference):
    """No space for the next checkpoint: one error message, and the run can be resumed from the last good one."""
    out = "starved"
    size = os.path.getsize(f"{reference}/checkpoint/good.safetensors")
    model = os.path.getsize(f"{reference}/model.safetensors")
    assert model < size - 4096
    done = subprocess.Popen(command(out), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while done.poll() is None and not os.path.exists(f"{out}/checkpoint/good.safetensors"):
        time.sleep(0.002)
    done.kill()
    done.communicate()
    before = Path(f"{out}/checkpoint/good.safetensors").read_bytes()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size - 4096, size - 4096))
    fails(run(out, "--resume", preexec_fn=limit), 1, "good.safetensors", "a disk without space for a checkpoint")
    expect(Path(f"{out}/checkpoint/good.safetensors").read_bytes() == before, "a failed checkpoint damaged the previous one")
    expect(run(out, "--resume").returncode == 0, "the run could not be resumed after the disk had space again")
    compare(out, "a full disk", reference)


def check_divergence():
    """A learning rate that is too large: the run returns with a smaller one, or fails and names the update."""
    done = run("hopeless", "--set", "training.learning_rate=1e6", "--set", "training.schedule_warmup=0")
    fails(done, 1, "training.learning_rate", "a hopeless rate")
    expect(b"update 2 (epoch 1, batch" in done.stderr and done.stderr.count(b"back to update 0") == 3,
           f"the three rollbacks were not reported: {done.stderr.decode()[-900:]}")
    rate = ["--set", "training.learning_rate=5", "--set", "training.schedule_warmup=0", "--checkpoint-updates", "2"]
    done = run("diverged", *rate)
    logged = lines("diverged/metrics.jsonl") if done.returncode == 0 else []
    back = [line for line in logged if line["kind"] == "divergence"]
    expect(done.returncode == 0 and 1 <= len(back) <= 3, f"the run did not recover from a divergence: {done.stderr.decode()[-900:]}")
    # Killed after a rollback, the run must still end with the same bytes.
    for delay in (0.1, 0.25, 0.4):
        process = subprocess.Popen(command("diverged-killed", *rate, "--resume"), stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
    expect(run("diverged-killed", *rate, "--resume").returncode == 0, "a killed run that had diverged could not be resumed")
    compare("diverged-killed", "diverged and killed", "diverged")


def main():
    global heed
    heed = str(Path(sys.argv[1]).resolve() / "heed")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory(prefix="heed-resume-") as directory:
        os.chdir(directory)
        Path("settings.toml").write_text(SETTINGS)
        subprocess.run([heed, "corpus", "pocket", "--pairs", "150", "--out", "p"], check=True)
        start = time.monotonic()
        whole = run("whole")
        duration = time.monotonic() - start
        expect(whole.returncode == 0, f"exit code {whole.returncode}: {whole.stderr.decode()[-500:]}")
        if whole.returncode == 0:
            kinds = {line["kind"] for line in lines("whole/metrics.jsonl")}
            expect(kinds == {"start", "update", "validation", "average", "end"}, f"kinds of lines: {kinds}")
            samples = [json.loads(line) for line in Path("whole/samples.jsonl").read_text().splitlines()]
            references = [sample["reference"] for line in samples for sample in line["samples"]]
            expect(references and all(text != text.lower() for text in references),
                   f"references are not those of the file: {references[:3]}")
            expect(b"report was not written" not in whole.stderr and os.path.getsize("whole/report.html") > 10000,
                   f"the report was not written: {whole.stderr.decode()[-500:]}")
            check_kills(trials, duration, random.Random(trials))
            check_stops()
            check_many_signals()
            check_ignored_signals()
            check_full_disk("whole")
            check_divergence()
            check_refusals()
        os.chdir("/")
    return report("resume")


if __name__ == "__main__":
    sys.exit(main())
