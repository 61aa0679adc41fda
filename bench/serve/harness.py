"""Shared by the measurements of `heed serve`: models, servers, the load generator, and the list of results.

The server runs on the first core with one translating thread, the load generator on the second. Every answer is compared byte for
byte with the offline translation of the same sentence."""

import http.client
import json
import os
import re
import resource
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEED, LOAD = str(ROOT / "build/heed"), str(ROOT / "build/bench/serve_load")
POCKET = str(ROOT / "models/pocket-en-de.safetensors")
WORK = ROOT / "build/serve-bench"
SERVER_CORE, CLIENT_CORE = ("0", "1") if (os.cpu_count() or 1) > 1 else ("0", "0")
# What a measurement may raise: it then counts as failed, and the others continue.
PROBLEMS = (OSError, http.client.HTTPException, ValueError, LookupError, ArithmeticError, RuntimeError, subprocess.SubprocessError)

results = []  # (line, measured, limit, passed)


def record(line, measured, limit, passed):
    results.append((line, measured, limit, passed))
    print(f"{'PASS' if passed else 'FAIL'}: {line}: {measured} (limit: {limit})", flush=True)


def allow_many_files():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(command, **settings):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **settings)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])} … failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def on_core(core, command):
    return ["taskset", "-c", core, *map(str, command)]


def make_model():
    """A model of the preset bigru-deep-output at full size, trained for 150 updates of 32 pairs: enough for translations of a
    sensible length. Returns its path and the sentences to translate."""
    data = Path(os.environ.get("HEED_SHARED", ROOT.parent / "shared")) / "data/multi30k"
    WORK.mkdir(parents=True, exist_ok=True)
    if (data / "train.de").exists():
        name, pairs = "multi30k", [data / "train.de", data / "train.en"]
        text = (data / "test_2016_flickr.de").read_text(encoding="utf-8").splitlines()
    else:
        print("without Multi30k (see docs/results.md): the model is trained on the built-in corpus, so its vocabulary is small")
        run([HEED, "corpus", "pocket", "--out", str(WORK / "pocket")])
        name, pairs = "pocket", [WORK / "pocket.train.en", WORK / "pocket.train.de"]
        text = (WORK / "pocket.train.en").read_text(encoding="utf-8").splitlines()[:1000]
    directory = WORK / name
    if not (directory / "model.safetensors").exists():
        print("training the model, which takes a minute", flush=True)
        run([HEED, "train", "--preset", "bigru-deep-output", "--out", str(directory), "--overwrite", "--train-source", str(pairs[0]),
             "--train-target", str(pairs[1]), "--updates", "150", "--batch", "32", "--set", "training.learning_rate=0.002",
             "--set", "training.teacher_forcing=1"])
    return str(directory / "model.safetensors"), text


def offline(model, lines, *arguments):
    """Returns the translations of `heed translate` on one thread, its wall time and its CPU time, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    text = run(on_core(SERVER_CORE, [HEED, "translate", model, "--threads", 1, "--batch", 64, *arguments]), input="\n".join(lines) + "\n")
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text.splitlines(), seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_requests(path, texts, translations):
    """Writes the file that serve_load reads, and returns its path. A text is a sentence or a list of sentences."""
    with open(path, "w", encoding="utf-8") as file:
        for text, translation in zip(texts, translations, strict=True):
            request = json.dumps({"q": text, "source": "en", "target": "de"}, ensure_ascii=False)
            file.write(f"{request}\t{json.dumps({'translatedText': translation}, ensure_ascii=False, separators=(',', ':'))}\n")
    return str(path)


def load(port, requests, **settings):
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    found = json.loads(run(on_core(CLIENT_CORE, [LOAD, "--port", port, "--requests", requests, *words])))
    if found["wrong"] or found["lost"]:
        raise RuntimeError(f"{found['wrong']} wrong and {found['lost']} lost answers of {found['issued']}")
    return found


class Process:
    """A server process that prints its address; it ends with the `with` block."""

    def __init__(self, command, stderr=subprocess.DEVNULL):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if ready else ""
        found = re.search(r":(\d+)$", line.strip())
        if not found:
            self.process.kill()
            raise RuntimeError(f"{' '.join(command)} printed {line!r}")
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.process.stdout.close()

    def end(self, sent=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sent)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self):
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 2 ** 20

    def metric(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
        connection.close()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.M))


class Server(Process):
    """`heed serve` with one translating thread."""

    def __init__(self, model, *arguments):
        super().__init__(on_core(SERVER_CORE, [HEED, "serve", f"en-de={model}", "--port", 0, "--threads", 1, "--quiet", *arguments]))


def interrupted(*_):
    sys.exit("stopped")


def median(values):
    return statistics.median(values) if values else float("nan")


def temporary_directory():
    return tempfile.TemporaryDirectory(prefix="heed-bench-serve-")
