#!/usr/bin/env python3
"""Run directories: what heed refuses to replace, and what it makes of directories whose files are lost or damaged.

    run_directory_test.py BUILD      BUILD contains the program heed"""

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tools"))
from checks import expect, report
from program import Program
from torture import safetensors

heed = Program()
TEXT = ["--train-source", "p.train.en", "--train-target", "p.train.de", "--valid-source", "p.valid.en", "--valid-target", "p.valid.de"]
SETTINGS = ["--threads", 1, "--set", "encoder.hidden=8", "--set", "decoder.hidden=8", "--set", "encoder.embedding=8", "--set",
            "decoder.embedding=8", "--set", "readout.size=8", "--set", "data.tokenizer=words", "--set", "training.batch=16", "--set", "validation.sentences=4", "--set", "training.ema=0", "--set", "training.schedule=constant", "--set",
            "training.schedule_warmup=0", "--set", "training.learning_rate=0.002", "--set", "validation.metric=perplexity",
            "--checkpoint-updates", 3]


def files(directory):
    """{path: bytes} of all files below a directory, but for the lock."""
    root = heed.directory / directory
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file() and path.name != "lock"}


def copy(old, new, without=()):
    shutil.copytree(heed.directory / old, heed.directory / new, symlinks=True)
    for name in without:
        path = heed.directory / new / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return new


def damage(path):
    """Changes a byte in the middle of a file."""
    data = bytearray((heed.directory / path).read_bytes())
    data[len(data) * 3 // 4] ^= 0x10
    (heed.directory / path).write_bytes(data)


def train(*arguments, **settings):
    return heed.run("train", *arguments, **settings)


def refused(code, says, directory, *arguments, **settings):
    """The command must fail with one sentence as its last line, and leave every file of the directory as it was."""
    before = files(directory)
    done = train(*arguments, **settings)
    last = done.stderr.splitlines()[-1] if done.stderr else ""
    shown = heed.shown(["train", *arguments])
    expect(done.returncode == code, f"{shown}: exit code {done.returncode}, expected {code}: {done.stderr[-500:]}")
    missing = [part for part in says if part not in last]
    expect(last.startswith("heed: ") and not missing, f"{shown}: the last line lacks {missing}: {done.stderr[-500:]}")
    expect(files(directory) == before, f"{shown}: files of {directory} changed")


def ends_like(directory, reference, says, *arguments, **settings):
    """The command must work, say all of `says`, and end with the model of the reference."""
    done = train(*arguments, **settings)
    shown = heed.shown(["train", *arguments])
    expect(done.returncode == 0, f"{shown}: exit code {done.returncode}: {done.stderr[-500:]}")
    missing = [part for part in says if part not in done.stderr]
    expect(not missing, f"{shown}: lacks {missing}: {done.stderr[-800:]}")
    for name in ("model.safetensors", "samples.jsonl"):
        path = heed.directory / directory / name
        expect(path.exists() and path.read_bytes() == (heed.directory / reference / name).read_bytes(), f"{shown}: {name} differs")
    return done


def rewrite(path, change):
    """Changes the metadata of a file and gives it a valid checksum."""
    path = heed.directory / path
    metadata, entries, body = safetensors.read(path)
    change(metadata)
    path.write_bytes(safetensors.pack(safetensors.header_of(metadata, entries).encode(), body))


def change_state(path, **values):
    def change(metadata):
        state = json.loads(metadata["heed.state"])
        state.update(values)
        metadata["heed.state"] = json.dumps(state)
    rewrite(path, change)


def stopped_run(out, *more):
    """A run that was stopped by SIGTERM after its first scheduled checkpoint: it has both checkpoints."""
    process = subprocess.Popen(heed.words(["train", *TEXT, *SETTINGS, *more, "--out", out]), cwd=heed.directory,
                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (heed.directory / out / "model.safetensors").exists():
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    expect(process.wait(60) == 143, f"{out}: not stopped, but {process.returncode}")
    return out


def check_missing_checkpoint():
    """A model without a checkpoint is never replaced, unless --overwrite says so."""
    copy("whole", "model-only", ["checkpoint"])
    says = ["model.safetensors", "--overwrite", "--out"]
    refused(2, says, "model-only", "--resume", "--out", "model-only", "--epochs", 1)
    refused(2, says, "model-only", *TEXT, *SETTINGS, "--out", "model-only")
    done = train("--overwrite", *TEXT, *SETTINGS, "--epochs", 1, "--out", "model-only")
    expect(done.returncode == 0, f"--overwrite: {done.stderr[-500:]}")


def check_damaged_checkpoints(parts):
    """With one checkpoint intact, the run resumes from it, says so, and ends with the same bytes."""
    good, latest = "checkpoint/good.safetensors", "checkpoint/latest.safetensors"
    for broken, other in ((good, latest), (latest, good)):
        name = Path(broken).name
        run = copy(parts, f"{parts}-damaged-{name}")
        damage(f"{run}/{broken}")
        ends_like(run, "whole", [f"{run}/{broken}", f"{run}/{other}", "resuming after update"], "--resume", "--out", run)
        run = copy(parts, f"{parts}-without-{name}", [broken])
        says = [f"{run}/{broken}", f"{run}/{other}"] if broken == good else []
        ends_like(run, "whole", [*says, "resuming after update"], "--resume", "--out", run)
    run = copy(parts, f"{parts}-both-damaged")
    damage(f"{run}/{good}")
    damage(f"{run}/{latest}")
    refused(1, [f"{run}/{good}", f"{run}/{latest}", "--overwrite"], run, "--resume", "--out", run)
    run = copy(parts, f"{parts}-one-damaged", [latest])
    damage(f"{run}/{good}")
    refused(1, [f"{run}/{good}", "--overwrite"], run, "--resume", "--out", run)


def check_demo():
    """A demo replaces what a demo made, and nothing else."""
    demo = lambda *more: heed.run("demo", "--pairs", 100, "--epochs", 1, "--threads", 1, *more)
    for attempt in range(2):
        done = demo("--out", "demo")
        expect(done.returncode == 0, f"demo, attempt {attempt}: {done.stderr[-500:]}")
    done = heed.run("demo", "--pairs", 120, "--epochs", 2, "--threads", 2, "--out", "demo")
    expect(done.returncode == 0, f"a demo of another size: {done.stderr[-500:]}")
    shutil.rmtree(heed.directory / "demo")
    (heed.directory / "demo").mkdir()
    heed.works("corpus", "pocket", "--pairs", 50, "--out", "demo/pocket")  # as a demo that was stopped while it wrote the corpus
    expect(demo("--out", "demo").returncode == 0, "a demo that was stopped early is not replaced")

    def keeps(directory, says):
        before = files(directory)
        done = demo("--out", directory)
        expect(done.returncode == 2 and says in done.stderr and "--out" in done.stderr,
               f"demo --out {directory}: exit code {done.returncode}: {done.stderr[-500:]}")
        expect(files(directory) == before, f"demo --out {directory} changed its files")

    keeps(copy("whole", "demo-run"), "demo-run")
    keeps(copy("whole", "demo-model", ["checkpoint", "config.toml", "metrics.jsonl", "samples.jsonl"]), "demo-model")
    for name in ("pocket.train.en", "pocket.valid.align", "attention-2.svg", "config.toml", "metrics.jsonl", "report.html", "thesis.txt",
                 "attention-4.svg", ".hidden"):
        directory = f"demo-{name}"
        (heed.directory / directory).mkdir()
        (heed.directory / directory / name).write_text("my own text\n")
        keeps(directory, name)
    for name in ("notes.txt", "checkpoint/mine.safetensors", "figures/one.svg", "attention-4.png"):  # beside a finished demo
        path = heed.directory / "demo" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine\n")
        keeps("demo", name.split("/")[0])
        path.unlink()
        if path.parent.name == "figures":
            keeps("demo", "figures")
            path.parent.rmdir()
    (heed.directory / "demo/config.toml").rename(heed.directory / "config.kept")
    keeps("demo", "demo")
    (heed.directory / "config.kept").rename(heed.directory / "demo/config.toml")
    (heed.directory / "demo/.heed-1-2.tmp").write_text("of a process that was killed\n")
    expect(demo("--out", "demo").returncode == 0, "a demo with a temporary file is not replaced")
    expect(demo("--quick", "--out", "demo").returncode == 0, "a quick demo does not replace a demo")
    expect("64" in (heed.directory / "demo/config.toml").read_text().split("[encoder]")[1].split("[decoder]")[0],
           "--quick does not train the smaller model")
    (heed.directory / "started/checkpoint").mkdir(parents=True)
    (heed.directory / "started/checkpoint/lock").touch()  # as a demo that was killed before it wrote its configuration
    expect(demo("--out", "started").returncode == 0, "a demo that was killed before it wrote its configuration is not replaced")
    expect(demo("--out", "demo").returncode == 0, "a demo does not replace a quick demo")

    keeps(copy("demo", "demo-copy"), "demo-copy")  # its configuration names the text of the other directory
    config = heed.directory / "demo/config.toml"
    config.write_text(config.read_text().replace("\nbatch = 32\n", "\nbatch = 31\n"))
    keeps("demo", "demo")


def check_foreign_files():
    """A new run replaces no file that a run did not write."""
    own = "# my notes\n[encoder]\nhidden = 8\n[decoder]\nhidden = 8\n"
    for name, text in (("config.toml", own), ("metrics.jsonl", '{"kind":"mine"}\n'), ("samples.jsonl", "{}\n"), ("report.html", "mine")):
        directory = heed.directory / f"own-{name}"
        directory.mkdir()
        (directory / name).write_text(text)
        for resume in ([], ["--resume"]):
            config = [f"own-{name}/{name}"] if name == "config.toml" else []
            refused(2, [f"own-{name}", name, "--out"], directory.name, *config, *TEXT, *resume, "--out", directory.name)
    refused(2, ["own-config.toml/config.toml", "--out"], "own-config.toml", "own-config.toml/config.toml", *TEXT, "--overwrite", "--out",
            "own-config.toml")
    link = heed.directory / "mine.toml"
    link.symlink_to("own-config.toml/config.toml")
    refused(2, ["mine.toml", "--out"], "own-config.toml", "mine.toml", *TEXT, "--overwrite", "--out", "own-config.toml")
    # A run may be repeated in its own directory, and files of other names do not matter.
    copy("whole", "again")
    (heed.directory / "again/notes.txt").write_text("mine\n")
    ends_like("again", "whole", [], "again/config.toml", "--overwrite", "--out", "again")
    # A run that was killed before its first checkpoint left files, which the next one may replace.
    killed = copy("whole", "killed", ["checkpoint/good.safetensors", "model.safetensors", "report.html"])
    (heed.directory / killed / "samples.jsonl").write_text("")
    log = heed.directory / killed / "metrics.jsonl"
    for text in (log.read_text().splitlines(keepends=True)[0], "", '{"kind":"sta'):
        again = copy(killed, f"killed-{len(text)}")
        (heed.directory / again / "metrics.jsonl").write_text(text)
        ends_like(again, "whole", [], *TEXT, *SETTINGS, "--epochs", 3, "--out", again)


def check_instruction_set(parts):
    sets = heed.works("version").stdout
    other = "sse4" if "SSE4" not in sets and "scalar" not in sets else "scalar"
    run = copy(parts, f"{parts}-other-cpu")
    environment = {**os.environ, "HEED_CPU": other}
    own = next(name for name in ("avx512", "avx2", "sse4", "scalar") if name.replace("avx512", "avx-512") in sets.lower())
    refused(2, [f"HEED_CPU={own}", "--out"], run, "--resume", "--out", run, env=environment)
    ends_like(run, "whole", [], "--resume", "--out", run)
    # Checkpoints of older versions do not name it.
    run = copy(parts, f"{parts}-unnamed-cpu")

    def forget(metadata):
        identity = json.loads(metadata["heed.identity"])
        expect(identity.pop("cpu", None) == own, f"the checkpoint does not name its instruction set: {metadata['heed.identity']}")
        metadata["heed.identity"] = json.dumps(identity)
    for name in ("good", "latest"):
        rewrite(f"{run}/checkpoint/{name}.safetensors", forget)
    ends_like(run, "whole", [], "--resume", "--out", run)


def check_file_names():
    """Configurations with unusual file names and values can be read again."""
    for number, name in enumerate(["a\nb.en", 'a"b.en', "a\\b\tc.en", "a\r\x1b\x7f#b.en", "a' = [\n[training]\nseed = 77\n#.en", " \u2028ü\u0085.en"]):
        (heed.directory / name).write_bytes((heed.directory / "p.train.en").read_bytes())
        text = ["--train-source", name, *TEXT[2:]]
        out = f"name-{number}"
        done = train(*text, *SETTINGS, "--epochs", 1, "--out", out)
        expect(done.returncode == 0, f"{name!r}: {done.stderr[-500:]}")
        done = train("--resume", "--epochs", 2, "--out", out)
        expect(done.returncode == 0, f"{name!r}, resumed: {done.stderr[-500:]}")
        done = train(f"{out}/config.toml", "--out", f"{out}-again")
        expect(done.returncode == 0, f"{name!r}, repeated: {done.stderr[-500:]}")
        for run in (out, f"{out}-again"):
            config = tomllib.loads((heed.directory / run / "config.toml").read_bytes().decode())
            expect(config["data"]["train_source"] == [name] and config["training"]["seed"] == 1, f"{name!r}: {config}")
    # The text must not be read: it has too many lines to be read before the sentence comes.
    bad = os.fsencode(str(heed.directory)) + b"/\xff.en"
    shutil.copy(heed.directory / "p.train.en", bad)
    done = heed.run("train", "--train-source", bad, *TEXT[2:], "--out", "not-utf8", text=False)
    error = done.stderr.decode()
    expect(done.returncode == 2 and error.count("\n") == 1 and "--train-source" in error and "UTF-8" in error, f"not UTF-8: {error}")
    expect(not (heed.directory / "not-utf8").exists(), "a run with a name that is not UTF-8 created its directory")


def check_lost_model():
    """--resume restores the model of a finished run, if the checkpoint has it."""
    for kind in ("whole", "averaged", "unvalidated"):
        for how in ("lost", "damaged"):
            run = copy(kind, f"{kind}-model-{how}", ["model.safetensors"] if how == "lost" else [])
            if how == "damaged":
                damage(f"{run}/model.safetensors")
            ends_like(run, kind, [f"{run}/model.safetensors", "restored", "is complete"], "--resume", "--out", run)
    run = copy("worse", "worse-model-lost", ["model.safetensors"])
    refused(1, [f"{run}/model.safetensors", "--overwrite"], run, "--resume", "--out", run)
    # If the run is not complete, a better model may still come; if none comes, the end says so.
    run = copy("worse", "worse-model-longer", ["model.safetensors"])
    done = train("--resume", "--updates", 45, "--out", run)
    expect(done.returncode == 1 and f"{run}/model.safetensors" in done.stderr.splitlines()[-1], f"a lost model: {done.stderr[-500:]}")
    done = train("--resume", "--out", run)
    expect(done.returncode == 1 and "--overwrite" in done.stderr.splitlines()[-1], f"a lost model, again: {done.stderr[-500:]}")


def check_lost_configuration(parts):
    run = copy(parts, f"{parts}-without-config", ["config.toml"])
    ends_like(run, "whole", [f"{run}/config.toml"], "--resume", "--out", run)
    expect(files(run).get("config.toml") == files("whole")["config.toml"], "config.toml was not written again")


def check_lost_snapshot():
    run = copy("averaged", "averaged-without-snapshot")
    snapshot = sorted((heed.directory / run / "checkpoint").glob("snapshot-*"))[0]
    snapshot.unlink()
    refused(1, [f"{run}/checkpoint/{snapshot.name}", "training.average=0"], run, "--resume", "--epochs", 4, "--out", run)
    done = train("--resume", "--epochs", 4, "--set", "training.average=0", "--out", run)
    expect(done.returncode == 0, f"a lost snapshot that is given up: {done.stderr[-500:]}")
    run = copy("averaged", "averaged-damaged-snapshot")
    damage(f"{run}/checkpoint/{snapshot.name}")
    done = train("--resume", "--epochs", 4, "--set", "training.average=9", "--out", run)
    last = done.stderr.splitlines()[-1]
    expect(done.returncode == 1 and snapshot.name in last and "training.average=0" in last, f"a damaged snapshot: {done.stderr[-500:]}")


def check_other_directory(parts):
    """A run resumes, and its config.toml works, in another working directory."""
    root = heed.directory
    for number, cwd in enumerate([root / "elsewhere/deep", root / parts, Path("/")]):
        cwd.mkdir(parents=True, exist_ok=True)
        run = copy(parts, f"{parts}-from-{number}")
        ends_like(run, "whole", [], "--resume", "--out", root / run, cwd=cwd)
        expect((root / run / "config.toml").read_bytes() == (root / "whole/config.toml").read_bytes(), f"{cwd}: config.toml changed")
        again = f"again-from-{number}"
        (root / again).mkdir()
        ends_like(again, "whole", [], root / run / "config.toml", "--out", root / again, cwd=cwd)
        expect(files(again).get("config.toml") == files("whole")["config.toml"], f"{cwd}: {again}/config.toml differs")
    # A path of the command line is relative to the working directory, also beside paths of the file.
    ends_like("mixed", "whole", [], root / "whole/config.toml", "--valid-source", "../p.valid.en", "--out", "../mixed", cwd=root / "elsewhere")
    ends_like("mixed-again", "whole", [], root / "mixed/config.toml", "--out", root / "mixed-again", cwd="/")
    # The text and its runs may be moved together, and a copy of config.toml works where the text is.
    moved = root / "moved/project"
    moved.mkdir(parents=True)
    for name in ("p.train.en", "p.train.de", "p.valid.en", "p.valid.de"):
        shutil.copy(root / name, moved / name)
    shutil.copytree(root / parts, moved / "run")
    for name in ("p.train.en", "p.train.de", "p.valid.en", "p.valid.de"):
        (root / name).rename(root / f"hidden.{name}")
    ends_like("moved/project/run", "whole", [], "--resume", "--out", moved / "run", cwd="/")
    (root / "template").mkdir()
    shutil.copy(root / "whole/config.toml", root / "template/mine.toml")
    ends_like("moved/project/template", "whole", [], root / "template/mine.toml", "--out", "template", cwd=moved)
    for name in ("p.train.en", "p.train.de", "p.valid.en", "p.valid.de"):
        (root / f"hidden.{name}").rename(root / name)
    # Nothing in a run tells where it was made.
    for name, data in files("whole").items():
        expect(os.fsencode(str(root)) not in data, f"whole/{name} contains an absolute path")


def check_hostile_state(parts):
    for key, value in (("rollbacks", -2 ** 63), ("rollbacks", 4), ("update", -1), ("update", 2 ** 62), ("epoch", -1), ("epoch", 2 ** 40),
                       ("batch", -1), ("batch", 2 ** 40), ("schedule_falls", -1), ("schedule_waiting", -5), ("best_update", 2 ** 50),
                       ("best_update", -1), ("waiting", -1), ("snapshots", [{"update": -7, "value": 1.0}]),
                       ("snapshots", [{"update": 1, "value": 1.0}] * 200), ("snapshots", 3), ("target_tokens", -1), ("seconds", -1.0),
                       ("seconds", 1e300), ("metrics_bytes", -1), ("samples_bytes", -9), ("since_line", {"loss": 0.0, "tokens": -1.0}),
                       ("since_validation", {"loss": 1e308, "tokens": 1.0}), ("ended", "never"), ("ended", 7), ("rollbacks", None)):
        run = copy(parts, f"{parts}-hostile", ["checkpoint/latest.safetensors"])
        change_state(f"{run}/checkpoint/good.safetensors", **{key: value})
        says = [key, "good.safetensors"] if (key, value) != ("batch", 2 ** 40) else [key]
        refused(1, says, run, "--resume", "--out", run, timeout=60)
        shutil.rmtree(heed.directory / run)


def check_report():
    """If the report could not be written, the last lines do not point to it."""
    (heed.directory / "no-report/report.html/directory").mkdir(parents=True)
    done = train(*TEXT, *SETTINGS, "--epochs", 1, "--out", "no-report")
    lines = done.stderr.splitlines()
    failed = [i for i, line in enumerate(lines) if "report was not written" in line]
    expect(done.returncode == 0 and failed, f"no report: {done.returncode} {done.stderr[-500:]}")
    expect("no-report/model.safetensors" in lines[-2] and not any("report.html" in line for line in lines[-2:]),
           f"a report that was not written is named: {done.stderr[-500:]}")
    done = heed.run("demo", "--pairs", 100, "--epochs", 1, "--threads", 1, "--out", "no-report-demo")
    expect("report.html" in done.stdout, f"the demo does not name its report: {done.stdout[-300:]}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-run-directory-") as directory:
        heed.directory = Path(directory).resolve()
        heed.works("corpus", "pocket", "--pairs", 250, "--out", "p")
        every = ["--epochs", 3]
        heed.works("train", *TEXT, *SETTINGS, *every, "--out", "whole")
        heed.works("train", *TEXT, *SETTINGS, *every, "--set", "training.average=2", "--out", "averaged")
        heed.works("train", *TEXT[:4], *SETTINGS, *every, "--no-holdout", "--out", "unvalidated")
        # Its best model is an early one: with such a rate, later ones are worse.
        fast = ["training.learning_rate=0.4" if str(word).startswith("training.learning_rate=") else word for word in SETTINGS]
        heed.works("train", *TEXT, *fast, "--set", "validation.updates=8", "--updates", 40, "--out", "worse")
        for run, expected in (("whole", True), ("averaged", True), ("worse", False)):
            lines = [json.loads(line) for line in (heed.directory / run / "metrics.jsonl").read_text().splitlines()]
            best = [line["best"] for line in lines if line["kind"] == "validation"]
            expect(best[-1] == expected, f"{run}: the best validations are {best}")
        parts = stopped_run("parts", *every)
        names = {path.name for path in (heed.directory / "parts/checkpoint").iterdir()}
        expect({"good.safetensors", "latest.safetensors"} <= names, f"the stopped run has only {names}")
        only = sys.argv[2:]
        for check in (check_missing_checkpoint, check_demo, check_foreign_files, check_file_names, check_lost_model, check_lost_snapshot,
                      check_report):
            if not only or check.__name__ in only:
                check()
        for check in (check_damaged_checkpoints, check_instruction_set, check_lost_configuration, check_other_directory, check_hostile_state):
            if not only or check.__name__ in only:
                check(parts)
    return report("run_directory")


if __name__ == "__main__":
    sys.exit(main())
