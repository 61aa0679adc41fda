"""What the trials share: the program, the texts and models they work on, and how a process is run and judged."""

import ctypes
import json
import os
import pickle
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

TIMED = {"seconds", "tokens_per_second", "processor"}
PATIENCE = 60  # seconds of wall-clock time after which a command hangs; on an idle machine they all take less than 3
TINY = ["encoder.hidden=8", "encoder.embedding=6", "decoder.hidden=8", "decoder.embedding=6"]
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None)


class Stop(BaseException):
    """The time is up, or the user wants to end: the current trial is dropped."""


class Done:
    """A finished process. code is None if it had to be killed because it did not end."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    @property
    def crashed(self):
        return self.code is not None and (self.code < 0 or self.code > 128 and self.code not in (129, 130, 143))

    def sentences(self):
        """The error messages: lines of heed that are neither notes nor say what was written or how large a model is."""
        return [line for line in self.err.decode(errors="replace").split("\n")
                if re.match(r"heed: (?!note: |wrote |[0-9,]+ parameters)", line)]

    def loader_failed(self):
        """The dynamic loader failed before the program began."""
        return self.code == 127 and b"error while loading shared libraries" in self.err


def set_up_process(limits=(), descriptors=None):
    """What happens in the child before the program starts; returns a function for Popen's preexec_fn."""
    parent = os.getpid()

    def prepare():
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        os.nice(10)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for kind, value in limits:
            resource.setrlimit(kind, (value, value))
        if descriptors:
            descriptors()

    return prepare


def end_group(process):
    """Kills a process and everything it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


class World:
    """The files that trials start from; each is made once, when it is first needed."""

    def __init__(self, heed, directory, root):
        self.heed, self.directory, self.root = str(heed), Path(directory), Path(root)
        self.references = {}

    def keep(self, name, build):
        """The folder NAME, which build(folder) fills; a build that was interrupted leaves nothing behind."""
        path = self.directory / name
        if not path.exists():
            new = self.directory / (name + ".new")
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir(parents=True)
            build(new)
            new.rename(path)
        return path

    def remember(self, key, make):
        """The value of make(), computed once and kept."""
        if key not in self.references:
            path = self.directory / "remembered" / (re.sub(r"[^a-z0-9]", "-", key) + ".pickle")
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                new = path.with_suffix(".new")
                new.write_bytes(pickle.dumps(make()))
                new.rename(path)
            self.references[key] = pickle.loads(path.read_bytes())
        return self.references[key]

    def must(self, *arguments, cwd=None):
        done = subprocess.run([self.heed, *map(str, arguments)], cwd=cwd, stdin=subprocess.DEVNULL, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=set_up_process())
        if done.returncode != 0:
            raise SystemExit(f"torture: {shlex.join(map(str, arguments))} failed with exit code {done.returncode}: "
                             f"{done.stderr.decode(errors='replace')[-800:]}")
        return done.stdout

    def text(self):
        return self.keep("text", lambda folder: self.must("corpus", "pocket", "--pairs", 120, "--out", folder / "p")) / "p"

    def corpus(self):
        """The options of `heed train` that name the texts."""
        text = self.text()
        return ["--train-source", f"{text}.train.en", "--train-target", f"{text}.train.de",
                "--valid-source", f"{text}.valid.en", "--valid-target", f"{text}.valid.de"]

    def presets(self):
        return sorted(path.stem for path in (self.root / "presets").glob("*.toml"))

    def run(self, preset="heed"):
        """The directory of a finished run of a tiny model."""
        settings = [*TINY, "training.epochs=2", "training.batch=16", "training.learning_rate=0.01", "validation.samples=2",
                    "training.threads=1"]
        config = self.must("presets", preset).decode()
        if "readout.size" in config or "size =" in config:
            settings.append("readout.size=6")
        if "bpe" in config:
            settings.append("data.subwords=120")
        if '"location"' in config:
            settings += ["attention.max_length=40", "data.max_length=39", "data.target_prefixes=[]"]

        def build(folder):
            options = [word for setting in settings for word in ("--set", setting)]
            self.must("train", "--preset", preset, *self.corpus(), *options, "--out", folder / "run")

        return self.keep("run-" + preset, build) / "run"

    def model(self, preset="heed"):
        return self.run(preset) / "model.safetensors"


class Trial:
    """One trial: its random draws, its folder, the commands it ran and the problems they showed."""

    def __init__(self, world, family, number, seed, folder):
        self.world, self.family, self.number = world, family, number
        self.draw = random.Random(f"{seed} {family} {number}")
        self.folder = Path(folder)
        self.commands, self.problems, self.runs = [], [], 0
        self.clear()

    def clear(self):
        """Begins again, in an empty folder."""
        self.commands.clear()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def problem(self, kind, words):
        """kind: loss, difference, crash, hang or message (a wrong exit code or error message)."""
        self.problems.append((kind, words))

    def note(self, words):
        self.commands.append("# " + words)

    def start(self, arguments, stdin=None, wrap=(), limits=(), descriptors=None, stdout=None, stderr=None, quiet=False):
        """Starts heed with these arguments in the trial's folder; wrap is a program that starts it in turn."""
        self.runs += 1
        command = [*map(str, wrap), self.world.heed, *map(str, arguments)]
        if not quiet:
            self.commands.append(shlex.join(command) + (f" < {stdin}" if stdin else ""))
        source = open(self.folder / stdin, "rb") if stdin else subprocess.DEVNULL
        try:
            return subprocess.Popen(command, cwd=self.folder, stdin=source, start_new_session=True,
                                    stdout=subprocess.PIPE if stdout is None else stdout,
                                    stderr=subprocess.PIPE if stderr is None else stderr,
                                    preexec_fn=set_up_process(limits, descriptors))
        finally:
            if stdin:
                source.close()

    def finish(self, process, patience=PATIENCE):
        begin = time.monotonic()
        try:
            out, err = process.communicate(timeout=patience)
            code = process.returncode
        except subprocess.TimeoutExpired:
            end_group(process)
            out, err, code = b"", b"", None
        except BaseException:
            end_group(process)
            raise
        done = Done(code, out or b"", err or b"", time.monotonic() - begin)
        self.commands.append(f"# exit code {code}, {done.seconds:.2f} s, standard error: {done.err[-2000:]!r}")
        return done

    def heed(self, *arguments, patience=PATIENCE, **options):
        return self.finish(self.start(arguments, **options), patience)

    def judge(self, done, what, codes=(0, 1)):
        """The checks that every command must pass; returns whether it ended by itself."""
        if done.code is None:
            self.problem("hang", f"{what} did not end")
        elif done.crashed:
            self.problem("crash", f"{what} ended with {name_of(done.code)}: {tail(done.err)}")
        elif done.code not in codes:
            self.problem("message", f"{what} has exit code {done.code}: {tail(done.err)}")
        elif len(done.sentences()) > 1:
            self.problem("message", f"{what} printed {len(done.sentences())} error messages: {tail(done.err)}")
        else:
            return True
        return False


def name_of(code):
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def tail(error):
    lines = error.decode(errors="backslashreplace").strip().splitlines()
    return lines[-1][:300] if lines else "nothing on standard error"


def files(folder):
    """The content of every file below a folder by its name."""
    folder = Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def without_times(content):
    """A log without what depends on the clock or the machine."""
    return [{k: v for k, v in json.loads(line).items() if k not in TIMED} for line in content.decode().splitlines()]


def skeleton(content):
    """A text without its numbers, the width of its columns and the marks of the best numbers, which may be speeds."""
    content = re.sub(rb'\\textbf\{([^}]*)\}|("best":)(?:true|false)', rb"\1\2", content)
    return re.sub(rb" +", b" ", re.sub(rb"-?[0-9][0-9,]*(\.[0-9]+)?(e[-+]?[0-9]+)?", b"0", content))


def temporary(names):
    return [name for name in names if name.endswith(".tmp")]
