#!/usr/bin/env python3
"""heed translate from end to end: lines in and out, streams, signals, pipes, and bad input.

    translate_test.py BUILD      BUILD holds the program heed; the Big List of Naughty Strings is read where $HEED_SHARED (or
                           ../shared beside the repository) has it"""

import gzip
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, TIMEOUT, Program

NAUGHTY = [b"", b"The man sees a dog.", b"a\x00b", b"\xff\xfe\xfd", "a\u2028b\u2029c\u0085d".encode(), b"\t ", b"x\ry",
           "\u202e\ufeff\u200b".encode(), b"<eos> <sos> <unk>", b"word " * 3000, b"w" * 20000, "日本語。".encode() * 400]

heed = Program(text=False)
start = heed.start


def run(*arguments, text=b""):
    return heed.run(*arguments, input=text)


def fails(code, says, *arguments):
    heed.fails(code, says, "translate", *arguments)


def check_lines(model):
    """n lines in, n lines out."""
    naughty = list(NAUGHTY)
    shared = Path(os.environ.get("HEED_SHARED", ROOT / "../shared")) / "data/unicode/blns.txt"
    if shared.is_file():
        naughty += shared.read_bytes().split(b"\n")
    else:
        print(f"skipped: {shared} is not there")
    for end in (b"\n", b"\r\n"):
        text = b"".join(line + end for line in naughty)
        done = run("translate", model, "--beam", 1, "--unknown", "copy", "--length-extra", 2, text=text)
        expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr.decode()[:300]}")
        expect(done.stdout.count(b"\n") == len(naughty), f"{len(naughty)} lines in, {done.stdout.count(10)} out")
        expect(done.stdout.split(b"\n")[0] == b"", "an empty line became something")
        expect(re.search(rb"line 10 is longer than 500 tokens; translated in \d+ parts", done.stderr), f"the parts are not reported: {done.stderr.decode()[:300]}")
        expect(b"not valid UTF-8" in done.stderr, f"invalid bytes are not reported: {done.stderr.decode()[:300]}")
    for text, lines in ((b"", 0), (b"\n", 1), (b"a", 1), (b"a\nb", 2)):
        expect(run("translate", model, text=text).stdout.count(b"\n") == lines, f"{text}: not {lines} lines")


def check_forms(model, directory):
    text = b"The man sees a dog.\n\nWe drink milk and the cat sees us.\n" * 4
    plain = run("translate", model, text=text).stdout
    for options in (["--batch", 1], ["--threads", 4, "--batch", 3], ["--stream"], ["--threads", 1]):
        expect(run("translate", model, *options, text=text).stdout == plain, f"{options} gave another translation")
    best = run("translate", model, "--nbest", 6, text=text).stdout.decode().splitlines()
    expect(len(best) == 6 * 12, f"--nbest 6 of 12 lines gave {len(best)} lines")
    fields = [line.split(" ||| ") for line in best]
    expect([int(f[0]) for f in fields] == [i // 6 for i in range(72)], "--nbest numbers its lines wrongly")
    scores = [float(f[2]) for f in fields[:6]]
    expect(scores == sorted(scores, reverse=True), f"--nbest is not sorted: {scores}")

    objects = [json.loads(line) for line in run("translate", model, "--json", text=text).stdout.splitlines()]
    expect([o["translation"] for o in objects] == plain.decode().splitlines(), "--json has other translations")
    first = objects[0]
    expect(first["source"] == "The man sees a dog." and len(first["attention"]) == len(first["tokens"]), "--json: no map")
    expect(all(len(row) == len(first["source_tokens"]) and abs(sum(row) - 1) < 1e-4 for row in first["attention"]),
           "--json: rows of attention do not sum to 1")
    expect([first["source"][a:b] for a, b in first["source_spans"]][:2] == ["The", "man"], "--json: spans are off")
    expect(all(first["translation"][a:b] == token for token, (a, b) in
               list(zip(first["tokens"], first["target_spans"]))[:-1]), "--json: target spans are off")
    expect(objects[1]["attention"] is None and objects[1]["translation"] == "", "--json of an empty line")
    long = json.loads(run("translate", model, "--json", "--beam", 1, "--length-ratio", 0.05, "--max-source-length", 50,
                          text=b"the " * 120 + b"\n").stdout)
    expect(len(long["pieces"]) == 3 and long["attention"] is None, "--json of a long line")
    expect(long["pieces"][2]["source_spans"][0] == [400, 403], "--json: the pieces' spans are off")

    aligned = run("translate", model, "--alignment", text=text).stdout
    expect([line.partition(b" |||")[0] for line in aligned.splitlines()] == plain.splitlines(), "--alignment changes the words")
    expect(all(b" ||| " in line for line in aligned.splitlines()), "--alignment appends nothing")
    for line, given in zip(aligned.decode().splitlines(), text.split(b"\n")):
        words, _, links = line.partition(" |||")
        pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
        expect(all(s < len(given.split()) and t < len(words.split()) for s, t in pairs), f"--alignment: {line}")
    expect("alignment" in json.loads(run("translate", model, "--alignment", "--json", text=b"a\n").stdout), "no alignment")

    out, source = directory / "out.txt", directory / "in.txt"
    source.write_bytes(text)
    done = run("translate", model, "--input", source, "--output", out)
    expect(done.returncode == 0 and not done.stdout and out.read_bytes() == plain, "--input and --output")
    sampled = [run("translate", model, "--sample", "--seed", seed, text=text).stdout for seed in (1, 1, 2)]
    expect(sampled[0] == sampled[1] != sampled[2], "--seed does not determine the samples")
    prefixes = directory / "prefixes"
    prefixes.write_bytes(b"Der Mann\n\nDer\n" * 4)
    begun = run("translate", model, "--prefix-file", prefixes, text=text).stdout.decode().splitlines()
    expect(begun[0].startswith("Der Mann") and begun[1] == "" and begun[2].startswith("Der"), f"--prefix-file: {begun[:3]}")
    one = run("translate", model, model, text=text).stdout
    expect(one == plain, "an ensemble of a model with itself translates differently")


def check_spans(*models):
    """Protected spans survive any model; --no-protect and --plain leave them to it."""
    lines = {"The man sees {name} and %1$s at www.example.org.": ["{name}", "%1$s", "www.example.org"],
             "We <b>see</b> 1,234.5 kg. It is `a. B! c` 😀": ["<b>", "</b>", "`a. B! c`", "😀"],
             "{n, plural, one {# dog} other {# dogs}} see me@example.org": ["{n, plural, one {# dog} other {# dogs}}", "me@example.org"]}
    text = "".join(line + "\n" for line in lines).encode()
    for model in models:
        results = [json.loads(line) for line in run("translate", model, "--json", text=text).stdout.decode().splitlines()]
        plain = run("translate", model, text=text).stdout.decode().splitlines()
        for (line, spans), result, words in zip(lines.items(), results, plain, strict=True):
            expect(result["translation"] == words, f"{model}: {words!r} is not what --json has")
            for span in spans:
                expect(words.count(span) == 1, f"{model}: {span} is {words.count(span)} times in {words!r}")
            for kept in result["protected"]:
                there = [result[side][slice(*kept[key])] for side, key in (("source", "source_span"), ("translation", "target_span"))]
                expect(there[0] == kept["text"], f"{model}: {kept} of {line!r}")
                expect(there[1] == kept["text"] or kept["kind"] == "quantity", f"{model}: {kept} in {words!r}")
    for flag in ("--no-protect", "--plain"):
        expect(b"{name}" not in run("translate", models[0], flag, text=text).stdout, f"{flag}: the spans are protected")


def check_stream(model):
    """A pipe gets each answer before the next line is written, also that of an empty first line."""
    process = start("translate", model, "--stream")
    process.stdin.write(b"\n")
    process.stdin.flush()
    expect(select.select([process.stdout], [], [], 60)[0] and process.stdout.readline() == b"\n", "an empty first line waits")
    for _ in range(3):
        process.stdin.write(b"The man sees a dog.\n")
        process.stdin.flush()
        expect(process.stdout.readline() != b"", "no answer")
    process.send_signal(signal.SIGINT)  # while it waits
    expect(process.wait(TIMEOUT) == 130, f"Ctrl-C while waiting: exit code {process.returncode}")
    process.communicate()


def check_changed_file(model, directory):
    """A model that another program overwrites while it is in use: no line is translated with it. If it is replaced by
    renaming, the old one stays in use."""
    bytes_ = Path(model).read_bytes()

    def after(change):
        used = directory / "used"
        used.write_bytes(bytes_)
        process = start("translate", used, "--stream")
        process.stdin.write(b"The man sees a dog.\n")
        process.stdin.flush()
        expect(process.stdout.readline() != b"", "no answer")
        change(used)
        output, error = process.communicate(b"The cat drinks milk.\n", timeout=TIMEOUT)
        return process.returncode, output, error.decode()

    def rename(used):
        (directory / "new").write_bytes(b"something else")
        os.rename(directory / "new", used)

    code, output, error = after(lambda used: used.open("r+b").write(bytes_[:1]))
    expect(code == 1 and not output and "written to while it was in use" in error, f"written to: {code}, {output}, {error!r}")
    code, output, error = after(lambda used: os.truncate(used, 0))
    expect(code == 1 and not output and "heed: a file in use was truncated" in error, f"truncated: {code}, {output}, {error!r}")
    code, output, error = after(rename)
    expect(code == 0 and output.count(b"\n") == 1, f"replaced by renaming: {code}, {output}, {error!r}")


def check_interrupt(model):
    """Ctrl-C during translation: the finished lines are written, in order."""
    lines = [b"The man sees a dog and the cat drinks milk .", b""] * 3000
    whole = run("translate", model, "--beam", 1, text=b"\n".join(lines[:2]) + b"\n").stdout.splitlines()
    process = start("translate", model, "--beam", "1", "--batch", "4", "--input", "/dev/stdin")
    os.set_blocking(process.stdin.fileno(), False)
    text = b"\n".join(lines)
    at = 0
    while at < len(text) and not process.poll():
        try:
            at += os.write(process.stdin.fileno(), text[at:at + 4096])
        except BlockingIOError:
            break  # the pipe is full: it has begun to work
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    output, error = process.communicate(timeout=TIMEOUT)
    expect(process.returncode == 130, f"Ctrl-C: exit code {process.returncode}, {error.decode()[:300]}")
    done = output.splitlines()
    expect(not output or output.endswith(b"\n"), "Ctrl-C: half a line was written")
    expect(all(line == whole[i % 2] for i, line in enumerate(done)), "Ctrl-C: other lines than without")


def check_pipe(model):
    """A reader that closes the pipe ends the program silently."""
    script = f"yes 'The man sees a dog.' | head -n 3000 | {heed.path} translate {model} --beam 1 --batch 8 | head -n 1"
    done = subprocess.run(["bash", "-c", script + "; echo ${PIPESTATUS[2]}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT)
    expect(done.stdout.splitlines()[-1] == b"141" and not done.stderr, f"a closed pipe: {done.stdout} {done.stderr}")


def check_output(model, directory):
    """--output replaces its file only when every line is translated; --stream and pipes are written to at once."""
    out, prefixes, text = directory / "precious", directory / "few", directory / "three"
    text.write_bytes(b"a\nb\nc\n")
    plain = run("translate", model, "--input", text).stdout
    prefixes.write_bytes(b"der\n")
    damaged = directory / "damaged.gz"
    damaged.write_bytes(gzip.compress(b"The man sees a dog.\n" * 5000)[:-20])

    def keeps(code, says, *arguments):
        out.write_bytes(b"precious\n")
        fails(code, says, model, *arguments, "--output", out)
        expect(out.read_bytes() == b"precious\n", f"{arguments} changed the output of an earlier run")
        expect(not list(directory.glob(".heed-*")), f"{arguments} left a temporary file")

    keeps(1, "no-such-file", "--prefix-file", directory / "no-such-file", "--input", text)
    keeps(1, "ends after line 1", "--prefix-file", prefixes, "--input", text)
    keeps(1, "ends after line 1", "--prefix-file", prefixes, "--input", text, "--beam", "1", "--batch", "1")
    keeps(1, "truncated", "--input", damaged, "--beam", "1")
    keeps(1, "no-such-file", "--input", directory / "no-such-file", "--stream")
    out.write_bytes(b"precious\n")
    done = run("translate", model, "--input", text, "--output", out)
    expect(done.returncode == 0 and out.read_bytes() == plain, "--output did not replace its file")

    # Text that would be translated without end: the output of one line is the next input.
    for redirect in (f"--output {out} < {out}", f"< {out} >> {out}", f"--input {out} >> {out}", f"--stream --output {out} < {out}"):
        out.write_bytes(b"The man sees a dog.\n")
        done = subprocess.run(["bash", "-c", f"exec timeout 60 {heed.path} translate {model} {redirect}"], stderr=subprocess.PIPE)
        expect(done.returncode == 2 and b"is the same file as" in done.stderr, f"{redirect}: {done.returncode}, {done.stderr!r}")
        expect(out.read_bytes() == b"The man sees a dog.\n", f"{redirect} changed its input")

    # A stream is seen while it grows, in a file and in a pipe.
    pipe, grown = directory / "pipe", directory / "grown"
    os.mkfifo(pipe)
    for target in (grown, pipe):
        process = start("translate", model, "--output", str(target), *(["--stream"] if target is grown else []))
        process.stdin.write(b"a\n")
        process.stdin.flush()
        if target is grown:
            for _ in range(600):
                if target.exists() and target.read_bytes().endswith(b"\n"):
                    break
                time.sleep(0.1)
            expect(target.read_bytes() == plain.splitlines(True)[0], f"--stream: {target.read_bytes()!r} after the first line")
            process.communicate(timeout=TIMEOUT)
        else:
            process.stdin.close()
            expect(pipe.read_bytes() == plain.splitlines(True)[0], "--output to a pipe")
            process.wait(timeout=TIMEOUT)
    expect(pipe.is_fifo(), "--output replaced a pipe by a file")

    # Ctrl-C while the input is open: the old file stays, and nothing else.
    out.write_bytes(b"precious\n")
    process = start("translate", model, "--output", str(out))
    process.stdin.write(b"a\n" * 4000)
    process.stdin.flush()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    expect(process.returncode == 130 and out.read_bytes() == b"precious\n", f"Ctrl-C: {process.returncode}, {out.read_bytes()!r}")
    expect(not list(directory.glob(".heed-*")), "Ctrl-C left a temporary file")


def check_failures(model, other, vanilla, directory):
    fails(1, "no-such-model", directory / "no-such-model")
    fails(1, "cannot form an ensemble", model, other)
    fails(2, "--beam", model, "--nbest", "6", "--beam", "5")
    fails(2, "--sample", model, "--sample", "--nbest", "2")
    fails(2, "--sample", model, "--sample", "--beam", "3")
    fails(2, "without --sample", model, "--temperature", "0.5")
    fails(2, "standard input", model, "--prefix-file", "-")
    fails(2, "--unknown needs attention", vanilla, "--unknown", "copy")
    fails(2, "--coverage needs attention", vanilla, "--coverage", "1")
    fails(2, "--alignment needs attention", vanilla, "--alignment")
    fails(2, "no-such-file", model, "--unknown", directory / "no-such-file")
    fails(2, "'cpy' is not keep, names or copy, and there is no dictionary file of that name; did you mean 'copy'?", model, "--unknown", "cpy")
    fails(1, "no-such-file", model, "--input", directory / "no-such-file")
    fails(1, "cannot write", model, "--output", directory / "no" / "such" / "file")
    text = directory / "text"
    text.write_bytes(b"a\nb\n")
    fails(2, "another", model, "--input", text, "--output", text)
    expect(text.read_bytes() == b"a\nb\n", "the input was overwritten")
    words = directory / "words"
    words.write_bytes(b"dog\tHund\nno-translation\n")
    fails(1, "words:2", model, "--unknown", words)
    prefixes = directory / "prefixes"
    prefixes.write_bytes(b"Der\n")
    fails(1, "ends after line 1", model, "--prefix-file", prefixes, "--input", text)
    prefixes.write_bytes(b"Der\nxyzzy\n")
    fails(1, "'xyzzy'", model, "--prefix-file", prefixes, "--input", text)
    damaged = directory / "damaged"
    damaged.write_bytes(Path(model).read_bytes()[:-5])
    fails(1, "damaged", damaged)


def check_arguments(model, other, directory):
    """heed translate MODEL… [FILE | TEXT…]: models first, then a file or text."""
    def printed(*arguments, text=b""):
        done = heed.works("translate", *arguments, cwd=directory, input=text)
        return done.stdout.decode().splitlines()
    lines = ["The man sees a dog.", "We drink milk.", "dog"]
    (directory / "in.txt").write_text("".join(line + "\n" for line in lines))
    with gzip.open(directory / "in.txt.gz", "wb") as file:
        file.write((directory / "in.txt").read_bytes())
    (directory / "page.html").write_text("<p>The man sees a dog.</p>\n")
    (directory / "page.pdf").write_text("%PDF\n")
    (directory / "word").mkdir()
    shutil.copy(model, directory / "weights")  # a model by its content
    expected = printed(model, text="".join(line + "\n" for line in lines).encode())
    run_directory = Path(model).parent
    for first in (model, run_directory, f"{run_directory}/", "weights"):
        for arguments in (["in.txt"], ["./in.txt"], ["in.txt.gz"], lines, ["--", *lines], ["--", "in.txt"], ["\n".join(lines)],
                          ["\n".join(lines) + "\n"], ["--input", "in.txt"]):
            expect(printed(first, *arguments) == expected, f"translate {first} {arguments}: not as from standard input")
    (directory / "wide").write_bytes("\ufeffdog\n".encode("utf-16-le") + b"d")
    done = heed.works("translate", model, "wide", cwd=directory, input=b"")
    expect(b"reading it as UTF-16" in done.stderr and b"line 2 is not valid UTF-16" in done.stderr, f"half a character: {done.stderr}")
    expect(printed(model, "-", text=b"dog\n") == printed(model, "dog"), "- is not standard input")
    expect(printed(model, "") == [""] and printed(model, "dog", "") == [*printed(model, "dog"), ""], "an empty argument is not a line")
    expect(len(printed(model, "word")) == 1, "a directory is not a word")
    expect(printed(model, "dog", "-o", "out.txt") == [] and (directory / "out.txt").read_text().splitlines() == expected[2:], "-o is not --output")

    both = printed(model, other, "--json", text=b"We drink milk.\n")
    for arguments in ([model, other, "We drink milk."], [run_directory, Path(other).parent, "--", "We drink milk."]):
        expect(printed("--json", *arguments) == both, f"{arguments} is not an ensemble")
    expect(both != printed(model, "--json", "We drink milk."), "the second model of an ensemble changes nothing")

    def refused(code, says, *arguments):
        before = (directory / "in.txt").read_bytes()
        heed.fails(code, says, "translate", *arguments, cwd=directory)
        expect((directory / "in.txt").read_bytes() == before, f"{arguments} changed its input")
    refused(1, "there is no file 'no.txt'", model, "no.txt")
    refused(1, "there is no file 'no/such'", model, "no/such")
    refused(1, "there is no file 'pocket.tset.en'", model, "pocket.tset.en")
    refused(1, "there is no file 'no.safetensors'", model, "no.safetensors", "dog")
    refused(2, "run it once per file", model, "in.txt", "in.txt.gz")
    (directory / "pairs.csv").write_text('"Hello, you.",Hallo.\n')
    refused(1, "'page.pdf' is a PDF, which heed cannot read; save it as docx", model, "page.pdf")
    refused(2, "'pairs.csv' is a table: choose the columns to translate", model, "pairs.csv")
    refused(2, "--input in.txt and 'dog' are both text", model, "dog", "--input", "in.txt")
    refused(2, "--input was given twice: in.txt and in.txt.gz; give it once", model, "--input", "in.txt", "--input", "in.txt.gz")
    refused(2, "is the same file as the argument 'in.txt'", model, "in.txt", "-o", "./in.txt")
    refused(2, "of the argument", run_directory, "dog", "-o", model)
    refused(1, "'word' is a directory without model.safetensors", "word", "dog")
    (directory / "begun/checkpoint").mkdir(parents=True)
    refused(1, "the run in 'begun' has no model.safetensors yet", "begun", "dog")
    (directory / "begun/metrics.jsonl").write_text('{"kind":"start"}\n{"kind":"end"}\n')
    refused(1, "the run in 'begun' is complete, but its model.safetensors is missing", "begun", "dog")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-translate-") as name:
        directory = Path(name)
        run("corpus", "pocket", "--pairs", 150, "--out", directory / "pocket")
        train = lambda name, *settings: heed.train(directory / name, "--epochs", 1, *settings, corpus=directory / "pocket")
        model = train("run", "--set", "data.tokenizer=words")
        subwords = train("bpe", "--set", "data.tokenizer=bpe", "--set", "data.subwords=150")
        vanilla = train("vanilla", "--preset", "vanilla", "--set", "encoder.embedding=12", "--set", "decoder.embedding=12")
        for each in (model, subwords):
            check_lines(each)
        check_spans(model, subwords, vanilla, train("masked", "--set", "data.placeholders=true", "--set", "data.tokenizer=bpe",
                                                    "--set", "data.subwords=150"))
        check_forms(model, directory)
        check_stream(model)
        check_changed_file(model, directory)
        check_interrupt(model)
        check_pipe(model)
        check_output(model, directory)
        check_arguments(model, train("second", "--set", "data.tokenizer=words", "--seed", 2), directory)
        check_failures(model, subwords, vanilla, directory)
    return report("translate")


if __name__ == "__main__":
    sys.exit(main())
