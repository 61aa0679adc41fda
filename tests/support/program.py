"""Runs the program heed in system tests."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from checks import expect

# A shell starts background jobs with SIGINT ignored, which the programs under test would inherit.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent.parent
TIMEOUT = 600


def has_sanitizer(library):
    """Whether a library was built with a sanitizer, so that other programs cannot load it."""
    content = Path(library).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


def decoded(output):
    return output if isinstance(output, str) else output.decode("utf-8", "strict")


def sentence_problem(done, code, *says):
    """What is wrong with how a command failed, or None. It must print one sentence `heed: …` that contains all of
    `says` to standard error, and nothing to standard output."""
    error = decoded(done.stderr)
    if done.returncode != code:
        return f"exit code {done.returncode}, expected {code}; standard error: {error[-500:]}"
    if not re.fullmatch(r"heed: [^\n]+\n", error):
        return f"standard error is not one sentence: {error[:500]!r}"
    if re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]", error):
        return f"control characters in {error[:500]!r}"
    if re.search(r"terminate called|Sanitizer|runtime error|basic_string|std::|a bug in heed|filesystem error|json\.exception|\.cc\(|_M_", error):
        return f"this is not a sentence for a user: {error[:500]!r}"
    if len(error) > 1000:
        return f"a sentence of {len(error)} bytes"
    missing = [part for part in says if part not in error]
    if missing:
        return f"the sentence lacks {missing}: {error[:500]!r}"
    return f"standard output holds {done.stdout[:200]!r}" if done.stdout else None


def replacing(words, *more):
    """The words and `more`, where a flag with a value in `more` replaces that flag in `words`: heed takes each once."""
    flags = [word for word in more if str(word).startswith("--") and word != "--set"]
    kept = []
    for i, word in enumerate(words):
        if word not in flags and (i == 0 or words[i - 1] not in flags):
            kept.append(word)
    return [*kept, *more]


class Program:
    """heed in the build directory that the test got as its argument. Every command runs in `directory`, with nothing on
    standard input unless `input` is passed. `text` says whether its output is returned as str or as bytes."""

    def __init__(self, text=True):
        self.path = str(Path(sys.argv[1]).resolve() / "heed") if len(sys.argv) > 1 else ""
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"usage: {Path(sys.argv[0]).name} BUILD, where BUILD/heed is the program")
        self.text, self.directory = text, None

    def words(self, arguments):
        return [self.path, *(argument if isinstance(argument, bytes) else str(argument) for argument in arguments)]

    def shown(self, arguments):
        return "heed " + " ".join(repr(a)[:80] if isinstance(a, bytes) else str(a)[:80] for a in arguments)

    def run(self, *arguments, **settings):
        """The finished process; `settings` are those of subprocess.run()."""
        if "input" not in settings:
            settings.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self.words(arguments), **{"cwd": self.directory, "stdout": subprocess.PIPE, "text": self.text,
                                                        "stderr": subprocess.PIPE, "timeout": TIMEOUT, **settings})

    def start(self, *arguments, **settings):
        """A running process with pipes."""
        return subprocess.Popen(self.words(arguments), cwd=self.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **settings)

    def works(self, *arguments, **settings):
        done = self.run(*arguments, **settings)
        expect(done.returncode == 0, f"{self.shown(arguments)}: exit code {done.returncode}: {decoded(done.stderr)[-500:]}")
        return done

    def fails(self, code, says, *arguments, **settings):
        """The command must fail as sentence_problem() describes; `says` is a text or a list of texts."""
        problem = sentence_problem(self.run(*arguments, **settings), code, *([says] if isinstance(says, str) else says))
        expect(not problem, f"{self.shown(arguments)}: {problem}")

    def train(self, out, *settings, hidden=12, corpus="pocket", source="en", target="de"):
        """Trains a small model on the corpus that `heed corpus pocket --out CORPUS` wrote; returns the model's path."""
        done = self.run("train", "--train-source", f"{corpus}.train.{source}", "--train-target", f"{corpus}.train.{target}", "--threads", 1,
                        "--set", f"encoder.hidden={hidden}", "--set", f"decoder.hidden={hidden}", "--out", out, *settings)
        if done.returncode != 0:
            raise SystemExit(f"training {out} failed: {decoded(done.stderr)}")
        return f"{out}/model.safetensors"
