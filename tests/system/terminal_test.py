#!/usr/bin/env python3
"""heed where its messages go: standard error that cannot be written to, terminals that go away, closed descriptors, and
foreign text on the way to a terminal.

    terminal_test.py BUILD      BUILD holds the program heed

Messages never stop work: a training must end with the same bytes whatever happens to standard error. And text from
files, names and models must reach a terminal without control characters."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, TIMEOUT, Program, replacing

sys.path.insert(0, str(ROOT / "tools/torture"))
import safetensors

heed = Program(text=False)

# A title, a color, C1's CSI, DEL, an override and an isolate of the writing direction, a line separator, a zero-width
# space, a hidden tag.
HOSTILE = "\x1b]0;title\x07\x1b[31m\x9b31m\x7f\u202etxt\u2066x\u2028y\u200bz\ufeff\U000e0041"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


def train_words(out, *more):
    return heed.words(replacing(["train", "--train-source", "p.train.en", "--train-target", "p.train.de", "--valid-source", "p.valid.en",
                                 "--valid-target", "p.valid.de", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8", "--set",
                                 "validation.updates=5", "--batch", 16, "--epochs", 2, "--threads", 1, "--seed", 3, "--out", out], *more))


def launch(words, **settings):
    return subprocess.run(words, **{"cwd": heed.directory, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                    "timeout": TIMEOUT, **settings})


def same_run(out, what):
    """Whether a training wrote what the undisturbed one wrote."""
    for name in ("model.safetensors", "samples.jsonl"):
        path = heed.directory / out / name
        expect(path.is_file() and path.read_bytes() == (heed.directory / "whole" / name).read_bytes(),
               f"{what}: {name} differs from that of an undisturbed training")


def broken_errors():
    """Name and descriptor of each kind of standard error that does not take messages; the pipe's full and non-blocking."""
    with open("/dev/full", "wb") as full:
        yield "a full disk", full.fileno()
    read_end, write_end = os.pipe()
    fcntl.fcntl(write_end, fcntl.F_SETFL, os.O_NONBLOCK)
    try:
        while True:
            os.write(write_end, b"x" * 4096)
    except BlockingIOError:
        pass
    yield "a full non-blocking pipe", write_end
    os.close(read_end)
    yield "a closed pipe", write_end
    os.close(write_end)
    with open("/dev/null", "rb") as read_only:
        yield "a descriptor for reading", read_only.fileno()


def check_broken_errors():
    for number, (what, descriptor) in enumerate(broken_errors()):
        done = launch(heed.words(["info", "none"]), stderr=descriptor)
        expect(done.returncode == 1 and not done.stdout, f"heed info none, {what} as standard error: exit code {done.returncode}")
        done = launch(heed.words(["hlep"]), stderr=descriptor)
        expect(done.returncode == 2, f"heed hlep, {what} as standard error: exit code {done.returncode}")
        done = launch(train_words(f"broken{number}"), stderr=descriptor)
        expect(done.returncode == 0, f"a training, {what} as standard error: exit code {done.returncode}")
        same_run(f"broken{number}", what)


def check_closed_descriptors(model):
    def shell(redirections, words):
        return subprocess.run(["bash", "-c", f'"$@" {redirections}', "heed", *words], cwd=heed.directory,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    done = shell("<&-", heed.words(["translate", model]))
    expect(done.returncode == 1 and not done.stdout and b"standard input" in done.stderr and done.stderr.count(b"\n") == 1,
           f"heed translate <&-: exit code {done.returncode}, {len(done.stdout)} bytes, {done.stderr[-300:]}")
    done = shell(">&-", heed.words(["version"]))
    expect(done.returncode == 1 and b"standard output" in done.stderr, f"heed version >&-: exit code {done.returncode}, {done.stderr}")
    done = shell("2>&-", heed.words(["info", "none"]))
    expect(done.returncode == 1, f"heed info none 2>&-: exit code {done.returncode}")
    for number, redirections in enumerate(("2>&-", "<&- >&- 2>&-", "<&-")):
        out = f"closed{number}"
        done = shell(redirections, train_words(out))
        expect(done.returncode == 0, f"heed train {redirections}: exit code {done.returncode}, {done.stderr[-300:]}")
        same_run(out, f"heed train {redirections}")
        lock = heed.directory / out / "checkpoint/lock"
        expect(not lock.exists() or b"training" not in lock.read_bytes(), f"heed train {redirections} wrote messages into a file")
        expect((heed.directory / out / "report.html").is_file(), f"heed train {redirections}: no report")


class Terminal:
    """A process in a session of its own whose standard error, and on request the other two, are a terminal."""

    def __init__(self, words, ignored=(), everything=False):
        self.master, slave = pty.openpty()

        def settle():
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            fcntl.ioctl(slave, 0x540E, 0)  # TIOCSCTTY
        self.process = subprocess.Popen(words, cwd=heed.directory, stdin=slave if everything else subprocess.DEVNULL,
                                        stdout=slave if everything else subprocess.DEVNULL, stderr=slave,
                                        start_new_session=True, preexec_fn=settle, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        self.seen = b""

    def read_until(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text not in self.seen and time.monotonic() < deadline:
            if not select.select([self.master], [], [], 1)[0]:
                continue
            try:
                self.seen += os.read(self.master, 4096)
            except OSError:  # the program has ended
                break
        return text in self.seen

    def close(self):
        os.close(self.master)
        return self.process.wait(timeout=TIMEOUT)


def check_lost_terminals():
    terminal = Terminal(train_words("bar"))
    expect(terminal.read_until(b"try: echo"), f"the training did not end: {terminal.seen[-300:]}")
    expect(b"\x1b[K" in terminal.seen and b"tokens/s" in terminal.seen, f"no progress bar on a terminal: {terminal.seen[-300:]}")
    expect(terminal.close() == 0, "a training on a terminal failed")
    same_run("bar", "a training on a terminal")

    terminal = Terminal(train_words("nohup"), ignored=(signal.SIGHUP,))
    expect(terminal.read_until(b"training pairs"), f"the training did not begin: {terminal.seen}")
    code = terminal.close()
    expect(code == 0, f"a training whose terminal went away, SIGHUP ignored: exit code {code}")
    same_run("nohup", "a terminal that went away")

    # A terminal that goes away sends SIGHUP; a shell sends it again, and a session manager SIGTERM too.
    for number, more in enumerate(((), (signal.SIGHUP, signal.SIGHUP), (signal.SIGTERM,))):
        out = f"hangup{number}"
        terminal = Terminal(train_words(out, "--epochs", 500))
        expect(terminal.read_until(b"valid: "), f"the training did not begin: {terminal.seen}")
        os.close(terminal.master)
        for signal_number in more:
            if terminal.process.poll() is None:
                terminal.process.send_signal(signal_number)
        code = terminal.process.wait(timeout=TIMEOUT)
        expect(code == 129 or (code == 143 and more == (signal.SIGTERM,)), f"a training whose terminal went away, then {more}: exit code {code}")
        expect((heed.directory / out / "checkpoint/latest.safetensors").is_file(), f"{out}: no checkpoint of the stop was saved")


def toml_string(value):
    return '"' + "".join(f"\\U{ord(c):08X}" if CONTROLS.match(c) else c for c in value) + '"'


def hidden(text):
    return CONTROLS.findall(text.decode("utf-8", "strict"))


def check_foreign_text(model):
    """No command lets text of others control the terminal, or prints it at any length."""
    def clean(what, output, most=20_000):
        expect(output and not hidden(output), f"{what} prints {hidden(output)}: {output[-500:]!r}")
        expect(max(map(len, output.split(b"\n"))) <= most, f"{what} prints a line of {max(map(len, output.split(bytes([10]))))} bytes")

    folder = heed.directory / f"d{HOSTILE}"
    folder.mkdir()
    metadata, entries, data = safetensors.read(heed.directory / model)
    for value in (HOSTILE, HOSTILE + "x" * 1_000_000):
        config = re.sub(r'^system = .*$', lambda _: "system = " + toml_string(value), metadata["heed.config"], flags=re.M)
        changed = {**metadata, "heed.config": config, "heed." + value: "key", "heed.value": value}
        path = folder / f"{len(value)}.safetensors"
        path.write_bytes(safetensors.pack(safetensors.header_of(changed, entries).encode(), data))
        for options in ([], ["--json"], ["--config"]):
            done = heed.works("info", path, *options)
            clean(f"heed info {options} of a hostile model", done.stdout, 3000 if options != ["--json"] else 20_000)
            if options == ["--json"] and done.returncode == 0:
                shown = json.loads(done.stdout)
                expect(shown["system"].startswith("␛]0;title"), f"heed info --json lost the system: {shown['system'][:100]}")
                if value == HOSTILE:
                    expect(shown["metadata"]["heed.value"] == HOSTILE, f"heed info --json changed {shown['metadata']}")
    hostile_model = folder / f"{len(HOSTILE)}.safetensors"
    entries = {"x" * 1_000_000 + HOSTILE: entries.popitem()[1], **entries}
    (folder / "tensor").write_bytes(safetensors.pack(safetensors.header_of(metadata, entries).encode(), data))
    for name in ("tensor", "none"):
        done = heed.run("info", folder / name)
        expect(done.returncode == 1, f"heed info of a bad model: exit code {done.returncode}")
        clean(f"heed info {name}", done.stderr, 1000)

    text = (HOSTILE + " dog\n") * 3
    (heed.directory / "h.en").write_text(text)
    (heed.directory / "h.de").write_text(text)
    done = launch(train_words("samples", "--valid-source", "h.en", "--valid-target", "h.de"), stderr=subprocess.PIPE)
    expect(done.returncode == 0, f"validation on hostile text: {done.stderr[-500:]}")
    clean("heed train with hostile validation text", done.stderr)
    clean("heed attend", heed.works("attend", model, HOSTILE + " dog").stdout)
    clean("heed data", heed.works("data", "h.en", "h.de", "--cases", 5).stdout)
    shutil.copy(heed.directory / "h.en", folder / "h.en")
    shutil.copy(heed.directory / "h.de", folder / "h.de")
    done = heed.works("data", folder / "h.en", folder / "h.de", "--clean", folder / "c")
    clean("heed data in a hostile folder", done.stdout + done.stderr)
    done = heed.works("compare", hostile_model, model, "--source", "p.valid.en", "--reference", "p.valid.de")
    clean("heed compare", done.stdout + done.stderr)

    for arguments in (["info", folder / "none"], ["translate", folder / "none"], ["score", folder / "none", folder / "none"],
                      ["tokenize", "--tokenizer", HOSTILE], ["train", "--set", f"system{HOSTILE}=1"], [HOSTILE],
                      ["tokenize", "--language", HOSTILE]):
        done = heed.run(*arguments)
        clean(heed.shown(arguments[:1]), done.stderr, 2000)

    for value in ("9" * 1_000_000, "\x00" + HOSTILE):
        changed = {**metadata, "heed.format": value}
        (folder / "format").write_bytes(safetensors.pack(safetensors.header_of(changed, entries).encode(), data))
        done = heed.run("info", folder / "format")
        expect(done.returncode == 1 and b"a newer heed is needed" in done.stderr, f"a hostile format: {done.stderr[-300:]}")
        clean("a hostile format", done.stderr, 1000)


def check_prompt(model):
    """heed translate MODEL on a terminal: editing keys, history, commands, Ctrl-C and Ctrl-D."""
    state = heed.directory / "state"
    os.environ["XDG_STATE_HOME"] = str(state)
    expected = heed.works("translate", model, "The old man sees a dog.").stdout.strip()
    other = heed.works("translate", model, "dog").stdout.strip()

    def talk(*steps, words=()):
        terminal = Terminal(heed.words(["translate", model, *words]), everything=True)
        expect(terminal.read_until(b"> "), f"no prompt: {terminal.seen!r}")

        def press(keys):
            # The prompt appears a moment before keys are read one by one.
            deadline = time.monotonic() + 20
            while termios.tcgetattr(terminal.master)[3] & termios.ICANON and time.monotonic() < deadline:
                time.sleep(0.01)
            os.write(terminal.master, keys)
        for keys, answer in steps:
            terminal.seen = b""
            press(keys)
            expect(terminal.read_until(answer, 20), f"{keys!r} does not give {answer!r}, but {terminal.seen!r}")
            if keys == b":quit\r":
                break
            expect(terminal.read_until(b"\r\n> ", 20), f"no prompt after {keys!r}: {terminal.seen!r}")
        else:
            press(b"\x04")
        try:
            while chunk := os.read(terminal.master, 4096):
                terminal.seen += chunk
        except OSError:
            pass
        code = terminal.close()
        expect(code == 0, f"the prompt ended with exit code {code}: {terminal.seen!r}")
        return terminal.seen
    answer = b"\n" + expected + b"\r\n"
    talk((b"The old man sees a dog.\r", answer),
         (b"xyzzy\x01\x0bThe old man sees a dig\x7f\x7fog.\r", answer),  # to the start, delete all; delete two
         (b"nonsense\x03", b"^C"), (b"dog\r", b"\n" + other + b"\r\n"),
         (b":beam 2\r", b"> "), (b":beam\r", b":beam 2"), (b":nbest 3\r", b"\n3. "), (b":beam\r", b":beam 3"), (b"dog\r", b"\n3. "),
         (b":nbest 1\r", b"> "), (b":attend\r", b"<eos>"), (b":help\r", b":quit"), (b":bema\r", b"did you mean ':beam'?"), (b":beam x\r", b"expected a whole number from 1 to 1000"),
         (b":beam 0\r", b"'0': expected a whole number from 1 to 1000"),
         (b"\r", b"> "), ("Grün \u202e dog\r".encode(), b"> "), (b":beam 5\r", b"> "), (b"The old man sees a dog.\r", answer))
    history = state / "heed/history"
    expect(history.is_file() and b"The old man sees a dog.\n" in history.read_bytes(), f"no history in {history}")
    expect(history.stat().st_mode & 0o077 == 0, "others can read the history")
    talk((b"\x1b[A\r", answer))  # the up arrow: the last line of the session before
    before = history.read_bytes()
    talk((b":quit\r", b"\n"))
    expect(history.read_bytes() == before + b":quit\n", f"the history is lost: {history.read_bytes()}")
    # A directory that cannot be written to: no history, no message.
    blocked = heed.directory / "blocked"
    blocked.write_text("a file")
    os.environ["XDG_STATE_HOME"] = str(blocked)
    seen = talk((b"dog\r", b"\n" + other + b"\r\n"))
    expect(b"heed:" not in seen and blocked.read_text() == "a file", f"a history that cannot be written: {seen!r}")
    # What is not typed is not prompted for.
    terminal = Terminal(heed.words(["translate", model, "dog"]), everything=True)
    expect(terminal.process.wait(timeout=TIMEOUT) == 0, "text from an argument failed on a terminal")
    expect(terminal.read_until(other) and b"> " not in terminal.seen, f"a prompt for text from an argument: {terminal.seen!r}")
    terminal.close()
    del os.environ["XDG_STATE_HOME"]


def check_narrow_terminal():
    """Lines of a training fit into 80 columns."""
    terminal = Terminal(train_words("narrow"))
    fcntl.ioctl(terminal.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    expect(terminal.read_until(b"try: "), f"the training did not end: {terminal.seen[-300:]}")
    expect(terminal.close() == 0, "a training on a narrow terminal failed")
    shown = re.sub(rb"\x1b\[K", b"", terminal.seen).decode().replace("\r\n", "\n")
    lines = [line.rpartition("\r")[2] for line in shown.split("\n")]
    valid = [line for line in lines if "perplexity" in line or "BLEU" in line]
    expect(valid and all(len(line) <= 80 for line in valid), f"lines of more than 80 columns: {[line for line in valid if len(line) > 80]}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-terminal-") as directory:
        heed.directory = Path(directory)
        heed.works("corpus", "pocket", "--pairs", 300, "--out", "p")
        for kind in ("en", "de"):
            short = (heed.directory / f"p.valid.{kind}").read_text().splitlines(True)[:10]
            (heed.directory / f"p.valid.{kind}").write_text("".join(short))
        done = launch(train_words("whole"), stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise SystemExit(f"training failed: {done.stderr.decode()}")
        model = "whole/model.safetensors"
        check_broken_errors()
        check_closed_descriptors(model)
        check_lost_terminals()
        check_narrow_terminal()
        check_prompt(model)
        check_foreign_text(model)
    return report("terminal")


if __name__ == "__main__":
    sys.exit(main())
