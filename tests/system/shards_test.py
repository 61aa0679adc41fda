#!/usr/bin/env python3
"""Bulk translation shared by many processes: heed translate --shard-dir and --shard, heed gather.

    shards_test.py BUILD [LINES [WORKERS]]      BUILD holds the program heed; LINES lines (3,000) are translated by WORKERS
                                                (10) processes, which are killed at random; with more than 100,000
                                                lines this is the only test, and takes about 15 minutes per million"""

import gzip
import json
import lzma
import os
import random
import resource
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

MODEL = ROOT / "models/pocket-en-de.safetensors"
LINES = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
WORKERS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
STOPPED = 75
WAIT = max(TIMEOUT, LINES // 150)  # seconds for all lines

heed = Program(text=False)


def translate(*more):
    return ["translate", MODEL, "--beam", 1, "--threads", 1, *more]


def shared(directory, *more, source="text.gz"):
    return translate("--input", source, "--shard-dir", directory, *more)


def gathered(directory):
    return heed.works("gather", directory).stdout


def start(*arguments, **settings):
    return subprocess.Popen(heed.words(arguments), cwd=heed.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **settings)


def ended(process):
    """Exit code and standard error."""
    _, error = process.communicate(timeout=TIMEOUT)
    return process.returncode, error.decode()


def write_texts(directory):
    heed.works("corpus", "pocket", "--out", "pocket")
    lines = [line for line in (directory / "pocket.train.en").read_bytes().split(b"\n")[:-1] if len(line) < 30]
    text = [lines[i % len(lines)] for i in range(LINES)]
    text[1], text[7] = b"", b"a\rb \x00 c \r"  # an empty line, and bytes that must not end a line
    with gzip.open(directory / "text.gz", "wb", compresslevel=1) as file:
        file.write(b"".join(line + b"\n" for line in text))
    (directory / "small").write_bytes(b"".join(line + b"\n" for line in text[:60]))
    (directory / "odd").write_bytes((directory / "small").read_bytes().replace(b"\x00", b"\xff") + b"no line end")


def check_killed(expected):
    """Workers that are killed at any point lose no line and repeat none."""
    rng = random.Random(7)
    chunk = max(min(LINES // 60, 2000), 20)
    pause = max(LINES / 50_000, 1)
    command = shared("killed", "--chunk-lines", chunk, "--lease", 2)
    running, started, deadline = [], 0, time.monotonic() + WAIT
    kills = 3 * WORKERS
    while time.monotonic() < deadline:
        running = [process for process in running if process.poll() is None]
        if kills == 0 and started and not running:
            break
        while kills > 0 and len(running) < max(WORKERS // 3, 2):
            running.append(start(*command))
            started += 1
        if kills > 0:
            time.sleep(pause * rng.choice((0.002, 0.02, 0.1, 0.3)))
            victim = rng.choice(running)
            victim.kill()
            victim.communicate()
            kills -= 1
            if kills == 0:
                running += [start(*command) for _ in range(2)]
        else:
            time.sleep(0.05)
    for process in running:
        process.kill()
    expect(not running, "the workers did not end")
    done = len(list(Path(heed.directory, "killed/output").glob("*.zst")))
    print(f"shards: {started} workers started, {3 * WORKERS} killed, {done} chunks")
    result = heed.run("gather", "killed")
    expect(result.returncode == 0, f"gather after kills: {result.stderr.decode()}")
    expect(result.stdout == expected, f"killed workers: {result.stdout.count(10)} lines, expected {expected.count(10)}, or others")


def check_together(expected):
    """All workers at once; the last one writes the output, compressed as its name says."""
    workers = [start(*shared("together", "--chunk-lines", 100, "--output", "all.de.gz")) for _ in range(4)]
    results = [ended(worker) for worker in workers]
    expect(all(code == 0 and not error for code, error in results), f"workers ended with {results}")
    expect(gzip.decompress(Path(heed.directory, "all.de.gz").read_bytes()) == expected, "all.de.gz is not the translation")
    heed.works("gather", "together", "--output", "all.de.xz")
    expect(lzma.decompress(Path(heed.directory, "all.de.xz").read_bytes()) == expected, "all.de.xz is not the translation")
    expect(gathered("together") == expected, "gather gives another text than the last worker")
    expect(not list(Path(heed.directory, "together/claims").iterdir()), "claims are left over")


def check_forms():
    """n-best lists, JSON, links and prefixes are the same as in a single run; so are parts of it."""
    Path(heed.directory, "prefixes").write_bytes(b"Der\n\n" * 30 + b"Der")
    for number, options in enumerate((["--nbest", 3], ["--json"], ["--alignment"], ["--prefix-file", "prefixes"], ["--sample"])):
        whole = heed.works("translate", MODEL, "--input", "odd", *options).stdout
        heed.works("translate", MODEL, "--input", "odd", *options, "--shard-dir", f"form{number}", "--chunk-lines", 7)
        expect(gathered(f"form{number}") == whole, f"{options}: the shards differ from a single run")
        if options[0] not in ("--nbest", "--prefix-file"):  # lines are numbered, or come from two files
            continue
        parts = [heed.works("translate", MODEL, "--input", "odd", *options, "--shard", f"{k}/3").stdout for k in (1, 2, 3)]
        expect(b"".join(parts) == whole, f"{options}: the parts of --shard differ from a single run")
    whole = heed.works(*translate("--input", "small")).stdout
    for k in (2, 1):
        error = heed.works(*shared("array", "--shard", f"{k}/2", "--chunk-lines", 9, source="small")).stderr
        expect((b"is done, but the others are not yet" in error) == (k == 2), f"--shard {k}/2 with a directory: {error}")
    expect(gathered("array") == whole, "the parts of an array in a directory differ from a single run")
    parts = [heed.works(*translate("--input", "small", "--shard", "auto"), env=os.environ | variables).stdout for variables in (
        {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "3"}, {"PMI_RANK": "1", "PMI_SIZE": "3"},
        {"SLURM_ARRAY_TASK_ID": "14", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "3"})]
    expect(b"".join(parts) == whole, "--shard auto differs from a single run")
    many = heed.works(*translate("--input", "small", "--shard", "61/100")).stdout
    expect(many.count(b"\n") <= 1, "a part of more parts than lines")
    Path(heed.directory, "nothing").write_bytes(b"")
    heed.works(*shared("empty", source="nothing"))
    expect(gathered("empty") == b"", "an empty text")


def check_align_and_evaluate():
    """heed align in a shard directory and in parts; heed evaluate with gathered translations."""
    for side in ("en", "de"):
        lines = Path(heed.directory, f"pocket.test.{side}").read_bytes().splitlines(keepends=True)
        Path(heed.directory, f"test.{side}").write_bytes(b"".join(lines[:100]))
    texts = ["--source", "test.en", "--target", "test.de"]
    heed.works("train", "--train-source", "test.de", "--train-target", "test.en", "--no-holdout", "--updates", 1, "--threads", 1,
               "--out", "back", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8")
    for number, more in enumerate(([], ["--reverse", "back", "--symmetrize", "union"])):
        whole = heed.works("align", MODEL, *texts, *more).stdout
        heed.works("align", MODEL, *texts, *more, "--shard-dir", f"links{number}", "--chunk-lines", 30, "--out", "links.zst")
        expect(gathered(f"links{number}") == whole, f"align {more}: the shards differ from a single run")
    expect(Path(heed.directory, "links.zst").read_bytes().startswith(b"\x28\xb5\x2f\xfd"), "links.zst is not compressed")
    parts = [heed.works("align", MODEL, *texts, *more, "--shard", f"{k}/3").stdout for k in (1, 2, 3)]
    expect(b"".join(parts) == whole, "align: the parts of --shard differ from a single run")
    heed.fails(2, "need a MODEL", "align", *texts, "--shard-dir", "none")
    heed.fails(2, "--gold", "align", MODEL, *texts, "--gold", "pocket.test.align", "--shard", "1/2")
    heed.fails(2, "the command translate, but this process has align", "align", MODEL, *texts, "--shard-dir", "together")

    texts = ["--source", "test.en", "--reference", "test.de", "--json"]
    heed.works("translate", MODEL, "--plain", "--input", "test.en", "--shard-dir", "test", "--output", "gathered.gz")
    one, two = (json.loads(heed.works("evaluate", MODEL, *texts, *more).stdout) for more in ([], ["--translations", "gathered.gz"]))
    for key in ("seconds", "sentences_per_second", "target_tokens_per_second"):
        expect(one.pop(key) > 0 and not two.pop(key), f"evaluate: {key}")
    expect(one == two, f"evaluate --translations: {two}, expected {one}")
    # Together: each process translates a part, and one of them prints the scores; later calls print them again.
    together = ["evaluate", MODEL, *texts, "--shard-dir", "scores", "--chunk-lines", 9, "--threads", 1]
    workers = [start(*together) for _ in range(3)]
    printed = [worker.communicate(timeout=TIMEOUT) for worker in workers]
    scores = [out for out, _ in printed if out]
    expect(len(scores) == 1 and sum(b"another process writes the result" in error for _, error in printed) == 2, f"evaluate in three processes: {printed}")
    for out in (*scores, heed.works(*together, "--out", "scored.gz").stdout):
        three = json.loads(out)
        for key in ("seconds", "sentences_per_second", "target_tokens_per_second"):
            expect(not three.pop(key), f"evaluate --shard-dir: {key}")
        expect(three == one, f"evaluate --shard-dir: {three}, expected {one}")
    expect(Path(heed.directory, "scored.gz").read_bytes()[10:] and gathered("scores") == gzip.decompress(Path(heed.directory, "scored.gz").read_bytes()), "evaluate --shard-dir --out")
    heed.fails(2, "--beam", "evaluate", MODEL, *texts, "--shard-dir", "scores", "--chunk-lines", 9, "--beam", 2)
    heed.fails(2, "only a whole test set has scores", "evaluate", MODEL, *texts, "--shard", "1/2")
    heed.fails(2, "leave out either it or --shard-dir", *together, "--translations", "gathered.gz")
    heed.fails(1, "60 lines", "evaluate", MODEL, *texts, "--translations", "small")
    heed.fails(2, "--beam", "evaluate", MODEL, *texts, "--translations", "small", "--beam", 3)


def check_refused():
    """A worker whose results would differ is refused, with one sentence that says what differs."""
    heed.works(*shared("refused", "--chunk-lines", 20, source="small"))

    def refuses(says, *command, **settings):
        heed.fails(2, ["'refused' was started with", says], *command, **settings)

    base = shared("refused", "--chunk-lines", 20, source="small")
    refuses("--beam 1, but this process has 2", *[2 if word == 1 and base[i - 1] == "--beam" else word for i, word in enumerate(base)])
    refuses("--json false", *base, "--json")
    refuses("another input", *[("text.gz" if word == "small" else word) for word in base])
    refuses("--chunk-lines 20", *[(30 if word == 20 else word) for word in base])
    refuses("the instruction set", *base, env=os.environ | {"HEED_CPU": "scalar"})
    Path(heed.directory, "terms.tsv").write_text("dog\tKöter\n")
    refuses("--glossary", *base, "--glossary", "terms.tsv")
    model = Path(heed.directory, "other.safetensors")
    heed.works("train", "--train-source", "small", "--train-target", "small", "--no-holdout", "--updates", 1, "--threads", 1,
               "--out", "other", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8")
    shutil.copy(Path(heed.directory, "other/model.safetensors"), model)
    refuses("another MODEL", *[(model if word == MODEL else word) for word in base])
    heed.works(*base, "--batch", 3)  # what affects only the speed may differ
    for says, *more in (("standard input", "--shard-dir", "new"), ("K/N", "--input", "small", "--shard", "0/3"),
                        ("K/N", "--input", "small", "--shard", "4/3"), ("needs a file", "--shard", "1/3"),
                        ("--shard-dir", "--input", "small", "--lease", 3), ("auto", "--input", "small", "--shard", "auto")):
        heed.fails(2, says, *translate(*more))


def check_dead_and_foreign(whole):
    """Claims of dead workers, foreign files and torn files."""
    base = Path(heed.directory)
    command = shared("stale", "--chunk-lines", 20, "--lease", 1, source="small")
    heed.works(*command)
    for chunk in (0, 2):
        (base / f"stale/output/0000000{chunk}.zst").unlink()
    claims = base / "stale/claims"
    (claims / "0.0").write_text("elsewhere boot/pid:[1] 4711 99 0000000007\n")  # of another machine: waits for the lease
    (claims / "2.0").write_text("")  # killed before it wrote its name
    (claims / "notes.txt").write_text("mine")
    (base / "stale/output/.heed-1-2.tmp").write_text("torn")
    (base / "stale/output/0000000x.zst").write_text("foreign")
    (base / "stale/README").write_text("foreign")
    began = time.monotonic()
    heed.works(*command)
    expect(time.monotonic() - began > 1, "the claim of another machine was taken over before its lease ended")
    expect(gathered("stale") == whole, "after stale claims")
    expect(sorted(p.name for p in claims.iterdir()) == ["notes.txt"], f"claims are left over: {sorted(claims.iterdir())}")

    # A worker that is alive keeps its claim, however old.
    (base / "stale/output/00000001.zst").unlink()
    holder = claims / "1.0"
    holder.write_text("elsewhere boot/pid:[1] 4711 99 0000000001\n")
    waiting = start(*command)
    for beat in range(2, 12):
        time.sleep(0.2)
        holder.write_text(f"elsewhere boot/pid:[1] 4711 99 {beat:010}\n")
    expect(waiting.poll() is None and not (base / "stale/output/00000001.zst").exists(), "a live worker lost its chunk")
    holder.unlink()
    expect(ended(waiting)[0] == 0 and gathered("stale") == whole, "a released chunk was not taken")

    # What gather must not use, it names.
    output = base / "stale/output/00000001.zst"
    good = output.read_bytes()
    for name, bad in (("torn", good[:-9]), ("empty", b""), ("changed", good[:-20] + b"x" + good[-19:]), ("text", b"Hallo\n"),
                      ("another chunk", (base / "stale/output/00000002.zst").read_bytes())):
        output.write_bytes(bad)
        heed.fails(1, ["chunk 00000001 ", "00000001.zst", "remove the file"], "gather", "stale")
        heed.fails(1, "chunk 00000001 ", "gather", "stale", "--output", "never.de")
    expect(not (base / "never.de").exists(), f"gather wrote a file in spite of a damaged chunk")
    output.unlink()
    heed.fails(1, "1 of 3 chunks in 'stale' is not done (chunk 00000001); run the same command with --shard-dir again to finish it", "gather", "stale")
    heed.works(*command)
    expect(gathered("stale") == whole, "after a chunk was removed")
    job = base / "stale/job.json"
    text = job.read_text()
    for bad in (text[:50], "", "[]", text.replace("shard directory 1", "shard directory 9")):
        job.write_text(bad)
        heed.fails(1, "job.json", "gather", "stale")
        heed.fails(1, "job.json", *command)
    job.write_text(text)
    heed.fails(1, "no directory", "gather", "missing")
    heed.fails(1, "job.json", "gather", ".")


def check_split():
    """A worker that is killed while it splits the text, and a text that changes in the meantime."""
    base = Path(heed.directory)
    command = shared("split", "--chunk-lines", 20, "--lease", 1, source="small")
    heed.works(*command)
    whole = gathered("split")
    for path in ("split.json", "input/00000001.zst", "output/00000002.zst"):
        (base / "split" / path).unlink()
    heed.works(*command)
    expect(gathered("split") == whole, "the text was not split again")
    damaged = base / "split/input/00000000.zst"
    damaged.write_bytes(damaged.read_bytes()[:-5])
    (base / "split/output/00000000.zst").unlink()
    heed.fails(1, ["00000000.zst", "remove it and", "split.json"], *command)


def check_stop():
    """SIGTERM: exit code 75, nothing is left claimed, and the same command goes on."""
    for number in (signal.SIGTERM, signal.SIGINT):
        worker = start(*shared("stopped", "--chunk-lines", LINES // 3, "--lease", 5))
        while not list(Path(heed.directory).glob("stopped/claims/[0-9]*")) and worker.poll() is None:
            time.sleep(0.005)
        worker.send_signal(number)
        code, error = ended(worker)
        expect(code == STOPPED and "start the same command again" in error, f"{number.name}: exit code {code}: {error}")
        expect(not list(Path(heed.directory, "stopped/claims").iterdir()), f"{number.name}: the claim was not released")


def check_bad_directories():
    base = Path(heed.directory)
    (base / "file").write_text("")
    heed.fails(1, "'file' is a file", *shared("file", source="small"))
    heed.fails(1, "/proc/none", *shared("/proc/none", source="small"))
    heed.fails(1, "no-such-text", *shared("new", source="no-such-text"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
    heed.fails(1, "cannot write 'full/", *shared("full", source="small"), preexec_fn=limit)
    worker = start(*shared("gone", "--chunk-lines", 20, "--lease", 0.5))
    while not list(base.glob("gone/output/*.zst")) and worker.poll() is None:
        time.sleep(0.005)
    (base / "gone").rename(base / "elsewhere")
    code, error = ended(worker)
    expect(code == 1 and "the shard directory 'gone' has disappeared" in error and error.count("\n") == 1, f"a directory that vanished: {code}: {error}")


def main():
    with tempfile.TemporaryDirectory() as directory:
        heed.directory = directory
        write_texts(Path(directory))
        expected = heed.works(*translate("--input", "text.gz"), timeout=WAIT).stdout
        expect(expected.count(b"\n") == LINES, f"{expected.count(10)} lines")
        whole = heed.works(*translate("--input", "small")).stdout
        if LINES > 100_000:
            check_killed(expected)
            return report("shards", f"{LINES} lines", f"{WORKERS} workers")
        for check in (lambda: check_killed(expected), lambda: check_together(expected), check_forms, check_align_and_evaluate, check_refused,
                      lambda: check_dead_and_foreign(whole), check_split, check_stop, check_bad_directories):
            began = time.monotonic()
            check()
            if "HEED_TIMES" in os.environ:
                print(f"{time.monotonic() - began:6.1f} s", file=sys.stderr)
    return report("shards", f"{LINES} lines", f"{WORKERS} workers")


if __name__ == "__main__":
    sys.exit(main())
