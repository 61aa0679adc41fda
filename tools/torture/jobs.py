"""Commands of every kind on small inputs, with what they must write: the material of faults, disk and descriptors."""

import base64
import json
import shutil
import struct

from .world import TINY, files, skeleton, temporary, without_times


class Job:
    """A command. It reads only in/, writes only out/ and standard output; `writes` are its files or one directory."""

    def __init__(self, name, *arguments, writes=(), stdin=None, slow=False):
        self.name, self.arguments, self.writes, self.stdin, self.slow = name, arguments, list(writes), stdin, slow

    @property
    def directory(self):
        return bool(self.writes) and self.writes[0].endswith("/")


def text(part, language):
    return f"in/p.{part}.{language}"


CORPUS = ["--train-source", text("train", "en"), "--train-target", text("train", "de"), "--valid-source", text("valid", "en"),
          "--valid-target", text("valid", "de")]
TEST = ["--source", text("test", "en"), "--reference", text("test", "de")]
TRAIN = [word for setting in [*TINY, "readout.size=6", "training.batch=32", "training.learning_rate=0.01",
                              "validation.sentences=3", "validation.samples=1"] for word in ("--set", setting)]
POCKET = [f"out/c.{part}.{kind}" for part in ("train", "valid", "test") for kind in ("en", "de", "align")]
SENTENCE = "The old man sees a dog."

JOBS = [
    Job("corpus", "corpus", "pocket", "--pairs", 20, "--out", "out/c", writes=POCKET),
    Job("corpus to standard output", "corpus", "pocket", "--pairs", 20),
    Job("data", "data", text("train", "en"), text("train", "de"), "--valid-source", text("valid", "en"), "--valid-target",
        text("valid", "de"), "--clean", "out/c", writes=["out/c.en", "out/c.de"]),
    Job("data to one file", "data", "in/p.tsv", "--clean", "out/c.tsv", writes=["out/c.tsv"]),
    Job("data split", "data", text("train", "en"), text("train", "de"), "--split", "out/a,out/b", "--split-size", "20%",
        writes=["out/a.en", "out/a.de", "out/b.en", "out/b.de"]),
    Job("data from standard input", "data", "--tsv", "-", "--json", stdin="in/p.tsv"),
    Job("tokenize", "tokenize", "--lowercase", stdin=text("train", "en")),
    Job("tokenize with subwords", "tokenize", "--tokenizer", "sentencepiece", "--subword-model", "in/subwords.model",
        stdin=text("test", "en")),
    Job("train words", "train", *CORPUS, *TRAIN, "--set", "data.tokenizer=words", "--set", "training.average=2", "--epochs", 2,
        "--threads", 1, "--resume", "--out", "out/run", writes=["out/run/"]),
    Job("train bpe", "train", *CORPUS, *TRAIN, "--set", "data.subwords=120", "--epochs", 1, "--threads", 2, "--resume",
        "--out", "out/run", writes=["out/run/"]),
    Job("train seeds", "train", *CORPUS, *TRAIN, "--set", "data.tokenizer=words", "--epochs", 1, "--threads", 1, "--seeds", 2,
        "--tensorboard", "--resume", "--out", "out/run", writes=["out/run/"], slow=True),
    Job("fine-tune", "train", *CORPUS, "--from", "in/model.safetensors", "--extend-vocabulary", 5, "--batch", 32, "--epochs", 1,
        "--threads", 1, "--resume", "--out", "out/run", writes=["out/run/"]),
    Job("shortlist", "shortlist", "in/model.safetensors", "--train", text("train", "en"), text("train", "de"), "--out",
        "out/m.safetensors", writes=["out/m.safetensors"]),
    Job("translate", "translate", "in/model.safetensors", "--input", text("test", "en"), "--output", "out/t.txt", "--threads", 1,
        writes=["out/t.txt"]),
    Job("translate a page", "translate", "in/model.safetensors", "in/page.html", "--output", "out/page.html", "--threads", 1,
        writes=["out/page.html"]),
    Job("translate standard input", "translate", "in/model.safetensors", "--json", "--threads", 2, stdin=text("test", "en")),
    Job("translate stream", "translate", "in/model.safetensors", "--stream", "--threads", 1, stdin=text("test", "en")),
    *[Job(f"attend {kind}", "attend", "in/model.safetensors", SENTENCE, "--out", f"out/a.{kind}", writes=[f"out/a.{kind}"])
      for kind in ("svg", "html", "json", "png", "pdf")],
    Job("attend", "attend", "in/model.safetensors", stdin=text("test", "en")),
    Job("report", "report", "in/run", "--out", "out/report.html", writes=["out/report.html"]),
    *[Job(f"runs {kind}", "runs", "in/run", "--out", f"out/r.{kind}", writes=[f"out/r.{kind}"]) for kind in ("html", "csv", "png")],
    Job("runs for TensorBoard", "runs", "in", "--json", "--tensorboard", "out/board", writes=["out/board/"]),
    Job("info", "info", "in/model.safetensors"),
    Job("vocab", "vocab", "in/model.safetensors", "--json"),
    Job("export", "export", "in/model.safetensors", "--out", "out/w.safetensors", writes=["out/w.safetensors"]),
    Job("import", "import", "--preset", "heed", "--tokenizer", "whitespace", "--weights", "in/weights.safetensors", "--out", "out/m.safetensors",
        "--source-vocabulary", "in/source.txt", "--target-vocabulary", "in/target.txt", writes=["out/m.safetensors"]),
    Job("parity", "parity", "in/golden.safetensors"),
    Job("bench translate", "bench", "translate", "in/model.safetensors", "--source", text("test", "en"), "--threads", 1),
    Job("evaluate", "evaluate", "in/model.safetensors", *TEST, "--gold", "in/p.test.align", "--out", "out/e.txt", "--threads", 1,
        writes=["out/e.txt"]),
    Job("score", "score", "--hypothesis", text("test", "en"), "--reference", text("test", "de"), "--json"),
    Job("compare", "compare", "in/model.safetensors", "in/other.safetensors", *TEST, "--samples", 20, "--trials", 20,
        "--sentences", 2, "--threads", 1, "--out", "out/c.html", "--out", "out/c.csv", "--out", "out/c.tex",
        writes=["out/c.html", "out/c.csv", "out/c.tex"]),
    Job("align with a model", "align", "in/model.safetensors", "--source", text("test", "en"), "--target", text("test", "de"),
        "--gold", "in/p.test.align", "--out", "out/links.txt", "--threads", 1, writes=["out/links.txt"]),
    Job("align texts", "align", "--source", text("test", "en"), "--target", text("test", "de"), "--out", "out/links.txt",
        "--threads", 1, writes=["out/links.txt"]),
    Job("demo", "demo", "--pairs", 100, "--epochs", 1, "--threads", 1, "--out", "out/demo", writes=["out/demo/"], slow=True),
    Job("presets", "presets"),
    Job("help", "help", "train"),
]


def metadata(path):
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    return json.loads(content[8:8 + length])["__metadata__"]


def inputs(world):
    """The folder that jobs find as in/."""

    def build(folder):
        for path in world.text().parent.iterdir():
            shutil.copy(path, folder)
        pairs = zip((folder / "p.train.en").read_text().splitlines(), (folder / "p.train.de").read_text().splitlines())
        (folder / "page.html").write_text(f"<p>{SENTENCE} <b>dog</b></p>\n" * 5)
        (folder / "p.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
        shutil.copytree(world.run(), folder / "run")
        shutil.copy(world.model(), folder / "model.safetensors")
        shutil.copy(world.model("luong-dot"), folder / "other.safetensors")
        world.must("export", world.model(), "--out", folder / "weights.safetensors")
        values = metadata(folder / "model.safetensors")
        (folder / "subwords.model").write_bytes(base64.b64decode(values["heed.subwords.source"]))
        for side in ("source", "target"):
            (folder / f"{side}.txt").write_text(values[f"heed.vocabulary.{side}"].rstrip("\n") + "\n")
        shutil.copy(world.root / "tests/model/golden/vanilla.safetensors", folder / "golden.safetensors")

    return world.keep("inputs", build)


def lay_out(world, trial, job, old):
    """Copies the inputs into the trial's folder; old: files of the output's names are there already."""
    shutil.copytree(inputs(world), trial.folder / "in")
    (trial.folder / "out").mkdir()
    if old and not job.directory:
        for name in job.writes:
            (trial.folder / name).write_text(f"the old content of {name}\n")
    return files(trial.folder)


class Reference:
    """What a job writes if nothing disturbs it. What differs between two runs (times) is compared without numbers."""

    def __init__(self, world, trial, job):
        self.directory = job.directory
        runs = []
        for _ in range(2):
            trial.clear()
            lay_out(world, trial, job, old=False)
            done = trial.heed(*job.arguments, stdin=job.stdin)
            if done.code != 0:
                raise SystemExit(f"torture: {job.name} fails undisturbed: {done.err.decode(errors='replace')[-800:]}")
            self.seconds = done.seconds
            runs.append((outputs(trial, job), done.out))
        trial.clear()
        (self.files, self.out), (again, out) = runs
        self.steady = {name for name in self.files if self.files[name] == again.get(name)}
        self.steady_out = self.out == out
        self.size = sum(map(len, self.files.values()))

    def same(self, name, content):
        expected = self.files.get(name)
        if expected is None or content is None:
            return expected is content
        if self.directory and name.endswith("report.html"):  # it is written after every validation
            return content.startswith(b"<!doctype html>") and content.endswith(b"</html>\n")
        if name.endswith(".pdf"):  # it contains the time, compressed
            return content.startswith(b"%PDF") and content.rstrip().endswith(b"%%EOF") and abs(len(content) - len(expected)) < 64
        if name.endswith(".png") and content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82"):
            return True  # without some of its fonts it has other letters
        if name.endswith("tfevents.heed"):  # it contains times
            return content[:12] == expected[:12] and len(content) == len(expected)
        if name.endswith("metrics.jsonl"):
            try:
                return without_times(content) == without_times(expected)
            except ValueError:
                return False
        return content == expected if name in self.steady else skeleton(content) == skeleton(expected)

    def same_out(self, content):
        return content == self.out if self.steady_out else skeleton(content) == skeleton(self.out)


def reference(world, trial, job):
    return world.remember("job " + job.name, lambda: Reference(world, trial, job))


def outputs(trial, job, folder="out"):
    """The files that a job wrote, without those of a run directory that only the run itself needs."""
    found = {"out/" + name: content for name, content in files(trial.folder / folder).items()}
    return {name: content for name, content in found.items() if "/checkpoint/" not in name} if job.directory else found


def check_inputs(trial, before, what):
    now = {name: content for name, content in files(trial.folder).items() if name.startswith("in/")}
    for name, content in before.items():
        if name.startswith("in/") and now.get(name) != content:
            trial.problem("loss", f"{what} changed or removed its input {name}")
    for name in sorted(now.keys() - before.keys()):
        trial.problem("difference", f"{what} left {name} among its inputs")


def check_untouched_or_complete(trial, job, expected, before, found, what):
    """A file of the output is as before or complete; of a run directory only the model and the page must be."""
    for name in sorted({*found, *expected.files, *(n for n in before if n.startswith("out/"))}):
        content, old = found.get(name), before.get(name)
        if content == old or temporary([name]) or expected.same(name, content):
            continue
        if job.directory and not name.endswith(("model.safetensors", ".html")):
            continue
        if old is not None:
            trial.problem("loss", f"{what}: {name} is neither the old file nor the complete new one")
        elif job.directory and name.endswith("model.safetensors"):
            continue  # the best model so far
        else:
            trial.problem("difference", f"{what}: {name} is incomplete")


def check_complete(trial, job, expected, found, what):
    """Every output is there and right. A report of a training run may be missing: the run does not depend on it."""
    for name in sorted(expected.files):
        if not expected.same(name, found.get(name)):
            if job.directory and name.endswith("report.html") and name not in found:
                continue
            trial.problem("loss" if name not in found else "difference", f"{what}: {name} is "
                          + ("not there" if name not in found else "not what it is without the disturbance"))
    for name in sorted(found.keys() - expected.files.keys()):
        trial.problem("difference", f"{what}: {name} was left behind")
