#!/usr/bin/env python3
"""One BLEU with one meaning: validation, heed evaluate, compare and score agree; and what heed compare prints and writes.

    compare_test.py BUILD      BUILD holds the program heed"""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

heed = Program()
works, fails = heed.works, heed.fails


def read_json(*arguments):
    return json.loads(works(*arguments, "--json").stdout)


def write(name, *lines):
    (heed.directory / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return name


def check_one_bleu():
    """Validation, evaluate and compare give one model on one text the same scores, to the last digit, whatever its preset
    normalizes; references are never changed, and case is ignored only for models that write lower case."""
    pairs = [pair for pair in zip(*((heed.directory / f"pocket.train.{language}").read_text().splitlines() for language in ("en", "de")))
             if all(len(line.split()) <= 7 for line in pair)][:60]
    text = [write(f"short.{language}", *(pair[side] for pair in pairs)) for side, language in enumerate(("en", "de"))]
    test = ["--source", text[0], "--reference", text[1], "--beam", 1, "--threads", 1]
    extra = {"heed": ["data.subwords=150", "encoder.embedding=32", "decoder.embedding=32", "readout.size=32", "training.ema=0"],
             "location-gru": ["data.target_prefixes=[]", "training.optimizer=adam"]}
    scored, found = 0, {}
    for preset in sorted(path.stem for path in (ROOT / "presets").glob("*.toml")):
        settings = ["validation.sentences=0", "training.batch=4", "training.learning_rate=0.01", "training.teacher_forcing=1", "encoder.hidden=32",
                    "decoder.hidden=32", "dropout.source_embedding=0", "dropout.target_embedding=0", "data.min_frequency=1"]
        works("train", "--preset", preset, "--train-source", text[0], "--train-target", text[1], "--valid-source", text[0], "--valid-target",
              text[1], "--threads", 1, "--epochs", 12, "--out", f"one-{preset}",
              *(word for setting in settings + extra.get(preset, []) for word in ("--set", setting)))
        log = [json.loads(line) for line in (heed.directory / f"one-{preset}/metrics.jsonl").read_text().splitlines()]
        expect(log[0]["valid_pairs"] == len(pairs), f"{preset}: {log[0]['valid_pairs']} validation pairs")
        best = [line for line in log if line["kind"] == "validation" and line["best"]][-1]
        model = f"one-{preset}/model.safetensors"
        one, both = read_json("evaluate", model, *test), read_json("compare", model, *test, "--samples", 10, "--trials", 10)
        compared = both["models"][0]
        for key in ("bleu", "chrf"):
            expect(best[key] == one[key]["score"] == compared[key]["score"],
                   f"{preset}: {key} is {best[key]} in validation, {one[key]['score']} by evaluate, {compared[key]['score']} by compare")
        expect(best["exact"] == one["exact"] / len(pairs) == compared["exact"] / len(pairs), f"{preset}: exact {best['exact']}, {one['exact']}")
        lower = "lowercase" in normalization_of(preset)
        signature = "|case:lc|" if lower else "|case:mixed|"
        expect(signature in log[0]["bleu_signature"] and all(signature in one[key]["signature"] for key in ("bleu", "chrf")) and
               signature in one["exact_signature"] and "|case:lc|" in one["ter"]["signature"], f"{preset}: {one}")
        # The same as `heed score` on the files, which no model has touched.
        works("evaluate", model, *test, "--out", "one.out")
        alone = read_json("score", "--hypothesis", "one.out", "--reference", text[1], *(["--lowercase"] if lower else []))
        expect(alone["bleu"]["score"] == one["bleu"]["score"], f"{preset}: {alone['bleu']} by score, {one['bleu']} by evaluate")
        cased = read_json("evaluate", model, *test, "--cased")
        expect(cased["bleu"]["score"] <= one["bleu"]["score"] and "|case:mixed|" in cased["bleu"]["signature"], f"{preset} --cased: {cased}")
        note = works("evaluate", model, *test).stderr
        expect(("--cased" in note) == lower and ("letters-only" in note) == (preset == "location-gru"), f"{preset}: {note}")
        scored += one["bleu"]["score"] > 5
        found[preset] = one["bleu"]["score"]
    expect(scored > 6, f"most presets translate nothing, so their scores say nothing: {found}")
    check_mixed_case(test)


def normalization_of(preset):
    return re.search(r"^normalize = (.*)$", (heed.directory / f"one-{preset}/config.toml").read_text(), re.M)[1]


def check_mixed_case(test):
    """compare ignores case for all models as soon as one of them writes lower case only; an explicit flag wins."""
    cased, lower = "one-heed/model.safetensors", "one-luong-dot/model.safetensors"
    few = [*test, "--samples", 20, "--trials", 20]
    for models, flags, signature in (([cased, lower], [], "lc"), ([lower, cased], [], "lc"), ([cased, cased], [], "mixed"),
                                     ([cased, lower], ["--cased"], "mixed"), ([cased, cased], ["--lowercase"], "lc")):
        both = read_json("compare", *models, *few, *flags)["models"]
        expect(all(f"|case:{signature}|" in model[key]["signature"] for model in both for key in ("bleu", "chrf")) and
               all(f"|case:{signature}|" in model["exact_signature"] for model in both), f"compare {models} {flags}: {both}")
        shown = works("compare", *models, *few, *flags).stdout
        expect(("writes lower case only" in shown) == (lower in models and not flags), f"compare {models} {flags}: {shown}")
    for command in (["evaluate", cased], ["compare", cased, lower]):
        fails(2, ["--lowercase", "--cased"], *command, *test, "--lowercase", "--cased")


def check_comparison(first, second):
    """What compare prints and writes: labeled intervals, the baseline, tables."""
    test = ["--source", "short.en", "--reference", "short.de", "--samples", 100, "--trials", 100]
    found = read_json("compare", first, second, *test, "--out", "compared.csv", "--out", "compared.tex", "--out", "compared.html")
    bleu = [model["bleu"] for model in found["models"]]
    intervals = [model["intervals"]["bleu"] for model in found["models"]]
    for own in intervals:
        expect(own["low"] - 1e-9 <= own["mean"] <= own["high"] + 1e-9, f"{own}")
    paired = bleu[1]["against_first"]
    expect(paired["difference_interval"]["low"] <= paired["difference"] <= paired["difference_interval"]["high"], f"{paired}")
    with open(heed.directory / "compared.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expect([row["model"] for row in rows] == [first, second] and [row["baseline"] for row in rows] == ["yes", "no"], f"{rows}")
    for row, own, interval in zip(rows, bleu, intervals):
        expect(float(row["bleu"]) == own["score"] and float(row["bleu_high"]) == interval["high"], f"{row}")
    expect(float(rows[1]["bleu_difference_low"]) == paired["difference_interval"]["low"] and rows[0]["bleu_difference"] == "", f"{rows}")
    latex = (heed.directory / "compared.tex").read_text()
    expect(latex.count("\\\\\n") == 3 and "\\textbf{" in latex, f"{latex}")
    shown = works("compare", first, second, *test).stdout
    low, high = (paired["difference_interval"][end] for end in ("low", "high"))
    expect(f"[{low:+.2f}, {high:+.2f}]" in shown and shown.count("95% interval") == 6 and "1 baseline" in shown and f"1  {first} " in shown
           and ", baseline\n" in shown, f"{shown}")
    expect("\x1b" not in shown, "escapes in a pipe")
    for width in (40, 80, 200):
        lines = in_terminal(width, "compare", first, second, *test).splitlines()
        table = lines[3:[i for i, line in enumerate(lines) if line.startswith("*")][0]]
        expect(all(len(line) <= width for line in map(without_styles, table)), f"{width} columns: {table}")
        expect(any("\x1b[1m" in line for line in table), f"nothing is bold: {table}")
    expect("\x1b" not in in_terminal(80, "compare", first, second, *test, NO_COLOR="1"), "NO_COLOR is ignored")
    fails(2, [".html", ".csv", ".tex"], "compare", first, *test, "--out", "compared.txt")
    fails(2, ["--sentences"], "compare", first, *test, "--out", "compared.csv", "--sentences", 3)
    # A bad second model is reported before anything is translated or written.
    fails(1, ["short.de"], "compare", first, "short.de", *test, "--out", "never.csv")
    expect(not (heed.directory / "never.csv").exists(), "a failed comparison wrote its table")
    alone = works("compare", first, *test).stdout
    expect("difference" not in alone and "95% interval" in alone, f"one model: {alone}")


def without_styles(line):
    return re.sub("\x1b\\[[0-9]*m", "", line)


def in_terminal(width, *arguments, **variables):
    """Standard output as a terminal of this width shows it."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"} | variables
    process = subprocess.Popen(heed.words(arguments), cwd=heed.directory, stdin=subprocess.DEVNULL, stdout=other, stderr=subprocess.DEVNULL,
                               env=environment)
    os.close(other)
    output = b""
    try:
        while block := os.read(main, 65536):
            output += block
    except OSError:  # how Linux reports the end of a terminal
        pass
    os.close(main)
    expect(process.wait() == 0, f"{arguments} fails in a terminal")
    return output.decode().replace("\r\n", "\n")


def main():
    with tempfile.TemporaryDirectory() as directory:
        heed.directory = Path(directory)
        works("corpus", "pocket", "--pairs", 500, "--out", "pocket")
        check_one_bleu()
        check_comparison("one-heed/model.safetensors", "one-luong-dot/model.safetensors")
    return report("compare_cli")


if __name__ == "__main__":
    sys.exit(main())
