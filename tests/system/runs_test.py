#!/usr/bin/env python3
"""heed runs, heed train --seeds, and event files for TensorBoard.

    runs_test.py BUILD      BUILD contains the program heed"""

import csv
import io
import json
import os
import re
import shutil
import signal
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program
from tfevents import read_events

heed = Program()
TEXT = ["--train-source", "p.train.en", "--train-target", "p.train.de", "--valid-source", "p.valid.en", "--valid-target", "p.valid.de"]
SETTINGS = ["--threads", 1, *(word for setting in (
    "encoder.hidden=6", "decoder.hidden=6", "encoder.embedding=6", "decoder.embedding=6", "readout.size=6", "data.tokenizer=words",
    "training.batch=16", "validation.sentences=3", "validation.samples=1", "validation.metric=perplexity", "training.ema=0",
    "training.schedule=constant", "training.schedule_warmup=0", "training.learning_rate=0.01") for word in ("--set", setting))]
TRAIN = ["train", *TEXT, *SETTINGS]
EVENTS = "events.out.tfevents.heed"


def train_with_rate(rate):
    return [f"training.learning_rate={rate}" if str(word).startswith("training.learning_rate=") else word for word in TRAIN]


def path(name):
    return heed.directory / name


def log(run):
    return [json.loads(line) for line in path(run).joinpath("metrics.jsonl").read_text().splitlines()]


def check_events(file, run):
    """The event file says exactly what metrics.jsonl says."""
    try:
        started, events = read_events(path(file).read_bytes())
    except (ValueError, OSError, KeyError, IndexError) as error:
        return expect(False, f"{file}: {error}")
    keys = {"update": ("train/", ["loss", "learning_rate", "gradient_norm", "tokens_per_second"]),
            "validation": ("valid/", ["perplexity", "accuracy", "bleu", "chrf", "exact"])}
    keys["average"] = ("average/", keys["validation"][1])
    lines = [line for line in log(run) if line["kind"] in keys]
    expect(len(events) == len(lines) > 0, f"{file}: {len(events)} events for {len(lines)} lines")
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    for (moment, step, values), line in zip(events, lines):
        prefix, names = keys[line["kind"]]
        expected = {prefix + name: single(line[name]) for name in names}
        expect(step == line["update"] and values == expected, f"{file}: {step} {values} instead of {line}")
        expect(abs(moment - started - line["seconds"]) < 1e-3, f"{file}: the time of update {step}")
    return started


def check_single_runs():
    heed.works(*TRAIN, "--epochs", 4, "--tensorboard", "--out", "runs/a")
    started = check_events(f"runs/a/{EVENTS}", "runs/a")
    expect(started and abs(time.time() - started) < 300, f"the run started at {started}")
    heed.works(*train_with_rate(0.03), "--epochs", 3, "--set", "training.average=2", "--out", "runs/b, c")
    expect(not path(f"runs/b, c/{EVENTS}").exists(), "an event file that nobody asked for")
    # Longer, and with an event file from now on: it has the whole history.
    heed.works("train", "--resume", "--epochs", 4, "--tensorboard", "--out", "runs/b, c")
    check_events(f"runs/b, c/{EVENTS}", "runs/b, c")
    expect(any(line["kind"] == "average" for line in log("runs/b, c")), "no average in the log")
    # A reader must notice every kind of damage.
    good = path(f"runs/a/{EVENTS}").read_bytes()
    for at in (0, 9, 20, 38, 45, len(good) // 2, len(good) - 1):
        bad = bytearray(good)
        bad[at] ^= 0x20
        try:
            read_events(bytes(bad))
            expect(False, f"a changed byte {at} of an event file is not noticed")
        except ValueError:
            expect(True, "")
    heed.works("train", "--resume", "--epochs", 5, "--set", "training.tensorboard=false", "--out", "runs/a")
    expect(not path(f"runs/a/{EVENTS}").exists(), "an event file that contradicts the log was left")


def check_seeds():
    heed.works(*TRAIN, "--epochs", 2, "--seed", 7, "--seeds", 2, "--out", "runs/exp")
    for number in (1, 2):
        heed.works(*TRAIN, "--epochs", 2, "--seed", 6 + number, "--out", f"alone{number}")
        for name in ("model.safetensors", "samples.jsonl"):
            expect(path(f"runs/exp/seed-{number}/{name}").read_bytes() == path(f"alone{number}/{name}").read_bytes(),
                   f"seed-{number}/{name} is not that of a single run")
    expect(path("alone1/model.safetensors").read_bytes() != path("alone2/model.safetensors").read_bytes(), "both seeds give one model")
    summary = json.loads(path("runs/exp/seeds.json").read_text())
    best = [next(line for line in reversed(log(f"runs/exp/seed-{n}")) if line.get("best") is True) for n in (1, 2)]
    for name in ("perplexity", "bleu", "loss"):
        values, found = [line[name] for line in best], summary["summary"][name]
        expect(abs(found["mean"] - statistics.mean(values)) < 1e-9 and abs(found["deviation"] - statistics.stdev(values)) < 1e-9,
               f"{name}: {found} of {values}")
    expect([run["seed"] for run in summary["runs"]] == [7, 8], f"{summary['runs']}")

    # What would mix runs is refused.
    before = {file: file.read_bytes() for file in path("runs/exp").rglob("*") if file.is_file() and file.name != "lock"}
    heed.fails(2, ["--resume", "--overwrite"], *TRAIN, "--seeds", 2, "--out", "runs/exp")
    heed.fails(2, "several seeds", *TRAIN, "--out", "runs/exp")
    heed.fails(2, "several seeds", *TRAIN, "--overwrite", "--out", "runs/exp")
    heed.fails(2, "--seeds 2", *TRAIN, "--resume", "--seeds", 1, "--out", "runs/exp")
    heed.fails(2, "single run", *TRAIN, "--seeds", 2, "--out", "runs/a")
    heed.fails(2, ["single run", "leave out --seeds"], "train", "--resume", "--seeds", 2, "--out", "runs/a")
    heed.fails(2, "seed", *TRAIN, "--seeds", 2, "--seed", 2**63 - 1, "--out", "far")
    expect(all(file.read_bytes() == content for file, content in before.items()), "a refused command changed a run")
    # One more seed.
    done = heed.works("train", "--resume", "--seeds", 3, "--out", "runs/exp")
    expect("seed 3 of 3" in done.stderr and "±" in done.stderr, f"resuming with one more seed says {done.stderr[-600:]}")
    expect(json.loads(path("runs/exp/seeds.json").read_text())["summary"]["bleu"]["deviation"] is not None, "no deviation")


def check_interrupted():
    """Ctrl-C in the second run; --resume alone continues with it."""
    arguments = [*TRAIN, "--epochs", 30, "--seeds", 2, "--tensorboard"]
    heed.works(*arguments, "--out", "whole")
    running = heed.start(*arguments, "--out", "parts")
    second = path("parts/seed-2/metrics.jsonl")
    end = time.monotonic() + 60
    while time.monotonic() < end and not (second.exists() and second.read_bytes().count(b"\n") > 3):
        time.sleep(0.005)
    state = json.loads(heed.works("runs", "parts", "--json").stdout)["runs"][-1]["state"]
    expect(state in ("running", "finished"), f"a run in progress is {state}")
    running.send_signal(signal.SIGINT)
    message = running.communicate(timeout=60)[1].decode()
    if running.returncode != 130:  # too late: it was faster
        return expect(running.returncode == 0, f"interrupted: {running.returncode}, {message[-500:]}")
    expect("heed train --resume --out parts\n" in message, f"the way to resume is missing: {message[-300:]}")
    found = json.loads(heed.works("runs", "parts", "--json").stdout)["runs"][-1]
    stopped = int(re.search(r"stopped after update (\d+)", message).group(1))
    expect(found["state"] == "stopped" and found["update"] == stopped, f"stopped after update {stopped}: {found}")
    check_events(f"parts/seed-2/{EVENTS}", "parts/seed-2")
    first = path("parts/seed-1/model.safetensors").stat().st_mtime_ns
    # As after a crash: the logs and events beyond the checkpoint go.
    with second.open("a") as file:
        file.write('{"kind":"update","update":999,"loss":9,"seconds":99}\n')
    with path(f"parts/seed-2/{EVENTS}").open("ab") as file:
        file.write(b"torn")
    done = heed.works("train", "--resume", "--out", "parts")
    expect("seed 2 of 2" in done.stderr, f"resuming says {done.stderr[-500:]}")
    expect(path("parts/seed-1/model.safetensors").stat().st_mtime_ns == first, "a finished run was trained again")
    for number in (1, 2):
        expect(path(f"parts/seed-{number}/model.safetensors").read_bytes() == path(f"whole/seed-{number}/model.safetensors").read_bytes(),
               f"seed-{number} differs after an interruption")
        check_events(f"parts/seed-{number}/{EVENTS}", f"parts/seed-{number}")
    expect(json.loads(path("parts/seeds.json").read_text())["summary"].keys() == json.loads(path("whole/seeds.json").read_text())["summary"].keys(),
           "the summary is missing after an interruption")


def check_diverged():
    """Rollbacks remove events, and the list says that the run gave up."""
    done = heed.run(*train_with_rate("1e8"), "--tensorboard", "--set", "training.optimizer=sgd", "--set", "training.clip=0", "--out", "diverged")
    expect(done.returncode == 1 and "after 3 rollbacks" in done.stderr, f"a rate of 1e8 does not diverge: {done.stderr[-400:]}")
    check_events(f"diverged/{EVENTS}", "diverged")
    expect(log("diverged")[-1]["kind"] == "divergence" and log("diverged")[-1]["back_to"] is None, f"{log('diverged')[-1]}")
    expect(json.loads(heed.works("runs", "diverged", "--json").stdout)["runs"][0]["state"] == "diverged", "a diverged run is not")


def check_list():
    path("runs/damaged").mkdir()
    path("runs/damaged/metrics.jsonl").write_text('{"kind":"start"}\n\x1b[31m\n')
    path("runs/foreign").mkdir()
    path("runs/foreign/metrics.jsonl").write_text('{"loss":1}\n')
    path("runs/empty").mkdir()
    done = heed.works("runs", "--json")
    expect("damaged" in done.stderr and "foreign" in done.stderr and "\x1b" not in done.stderr, f"no note: {done.stderr}")
    found = json.loads(done.stdout)
    names = [run["name"] for run in found["runs"]]
    expect(names == ["a", "b, c", "exp/seed-1", "exp/seed-2", "exp/seed-3"], f"runs: {names}")
    expect(found["differing"] == ["training.average", "training.epochs", "training.learning_rate", "training.seed"], f"{found['differing']}")
    run = next(run for run in found["runs"] if run["name"] == "b, c")
    best = next(line for line in reversed(log("runs/b, c")) if line.get("best") is True)
    expect(run["state"] == "finished" and run["best"]["perplexity"] == best["perplexity"] and run["epoch"] == 4, f"{run}")
    expect(run["settings"]["training.learning_rate"] == "0.03", f"{run['settings']}")
    group, = found["groups"]
    expect(group["name"] == "exp" and len(group["runs"]) == 3, f"{group}")
    values = [run["best"]["perplexity"] for run in found["runs"] if run["name"] in group["runs"]]
    expect(abs(group["summary"]["perplexity"]["deviation"] - statistics.stdev(values)) < 1e-9, f"{group} of {values}")

    table = heed.works("runs", "runs").stdout
    expect(re.search(r"^exp \(3 seeds\) .*finished.* ± ", table, re.M), f"no line for the group: {table}")
    expect(len(table.splitlines()) == 7, f"the table has other lines: {table}")
    # A run has the same name wherever the list begins.
    names = [run["name"] for run in json.loads(heed.works("runs", "runs/exp", "--json").stdout)["runs"]]
    expect(names == ["exp/seed-1", "exp/seed-2", "exp/seed-3"], f"runs of one group: {names}")
    shown = heed.works("runs", "runs/a", "runs/b, c", "alone1/", "runs").stdout
    expect(shown.count("finished") == 7, f"runs that are named twice: {shown}")
    heed.fails(1, ["found no training run", "metrics.jsonl", "--out"], "runs", "runs/empty")
    done = heed.run("runs", "runs/damaged")
    expect(done.returncode == 1 and "metrics.jsonl:2, column 1: this is not valid JSON" in done.stderr
           and "no readable training run in 'runs/damaged'" in done.stderr, f"a damaged run: {done.stderr}")
    # Without an argument: the runs in runs, or else those of the current directory.
    path("elsewhere/runs").mkdir(parents=True)
    heed.fails(1, "in '.'", "runs", cwd=path("elsewhere"))
    shutil.copytree(path("runs/a"), path("elsewhere/mine"))
    expect("mine" in heed.works("runs", cwd=path("elsewhere")).stdout, "an empty directory runs hides the others")
    shutil.copytree(path("runs/a"), path("elsewhere/runs/theirs"))
    done = heed.works("runs", cwd=path("elsewhere"))
    expect("mine" not in done.stdout and "only the runs below 'runs' are shown" in done.stderr and "runs ." in done.stderr, f"no note: {done.stderr}")
    expect("only the runs" not in heed.works("runs", ".", cwd=path("elsewhere")).stderr, "a note about runs that are shown")
    # Names of files are not shown in the table.
    config = path("elsewhere/mine/config.toml")
    config.write_text(re.sub(r'^(train_source = \[)"', r'\1"other.', config.read_text(), flags=re.M).replace("learning_rate = ", "learning_rate = 1"))
    table = heed.works("runs", ".", cwd=path("elsewhere")).stdout
    expect("training.learning_rate" in table and "data.train" not in table, f"columns of files: {table}")
    expect("data.train_source" in json.loads(heed.works("runs", ".", "--json", cwd=path("elsewhere")).stdout)["differing"], "JSON lacks the files")
    heed.fails(1, ["'runs/exp' is not a model", "'runs/exp/seed-1' or 'runs/exp/seed-2'"], "info", "runs/exp")
    heed.fails(1, "'runs/exp/seed-1'", "translate", "runs/exp", "a house")
    heed.fails(1, "'missing'", "runs", "missing")


def check_files():
    heed.works("runs", "--out", "all.csv")
    rows = list(csv.DictReader(io.StringIO(path("all.csv").read_text())))
    empty = [name for name in rows[0] if not any(row[name] for row in rows)]
    expect(not empty, f"empty columns: {empty}")
    for run in ("a", "b, c", "exp/seed-2"):
        lines = [line for line in log(f"runs/{run}") if line["kind"] not in ("start", "end")]
        mine = [row for row in rows if row["run"] == run]
        expect(len(mine) == len(lines), f"{run}: {len(mine)} rows for {len(lines)} lines")
        for row, line in zip(mine, lines):
            expect(all(row[key] == (str(value).lower() if isinstance(value, bool) else value) or float(row[key]) == value
                       for key, value in line.items() if value is not None), f"{run}: {row} instead of {line}")
    for name, begin in (("x.html", b"<!doctype html>"), ("x.svg", b"<?xml"), ("x.png", b"\x89PNG"), ("x.pdf", b"%PDF")):
        heed.works("runs", "--out", name)
        expect(path(name).read_bytes().startswith(begin), f"{name} is something else")
    svg = path("x.svg").read_text()
    expect(svg.count('<path class="line') >= 15 and "Validation BLEU" in svg and "b, c</text>" in svg, "the picture lacks curves")
    heed.works("runs", "--tensorboard", "board")
    for run in ("a", "b, c", "exp/seed-3"):
        check_events(f"board/{run}/{EVENTS}", f"runs/{run}")
    shutil.copytree(path("board"), path("again"))
    heed.works("runs", "--tensorboard", "board")
    expect(path(f"board/a/{EVENTS}").read_bytes() == path(f"again/a/{EVENTS}").read_bytes(), "two exports of a finished run differ")
    heed.fails(2, "run directory", "runs", "runs/a", "--tensorboard", "runs")
    heed.fails(2, ".csv", "runs", "--out", "x.txt")
    os.link(path("runs/a/metrics.jsonl"), path("link.csv"))
    heed.fails(2, "the same file", "runs", "--out", "link.csv")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-runs-") as directory:
        heed.directory = Path(directory)
        heed.works("corpus", "pocket", "--pairs", 60, "--out", "p")
        check_single_runs()
        check_seeds()
        check_interrupted()
        check_diverged()
        check_list()
        check_files()
    return report("runs")


if __name__ == "__main__":
    sys.exit(main())
