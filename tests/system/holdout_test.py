#!/usr/bin/env python3
"""What heed train makes of a corpus without validation text, and how heed data splits and filters one.

    holdout_test.py BUILD      BUILD holds the program heed"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import Program

heed = Program()
SMALL = [word for setting in ("encoder.hidden=8", "decoder.hidden=8", "encoder.embedding=8", "decoder.embedding=8", "readout.size=8",
                              "validation.sentences=0", "validation.samples=1") for word in ("--set", setting)]
TEXT = ["--train-source", "p.train.en", "--train-target", "p.train.de"]


BPE = ["--set", "data.subwords=300"]
TUTORIAL = SMALL[:8] + SMALL[10:]  # whose presets have no readout layer


def train(out, *arguments, text=TEXT, small=SMALL, subwords=BPE, **settings):
    return heed.works("train", *text, *small, *subwords, "--threads", 1, "--out", out, *arguments, **settings)


def lines(*names):
    return [Path(heed.directory, name).read_text().splitlines() for name in names]


def setting(run, key):
    """The value of a key in a run's config.toml, as it is written there."""
    return re.search(rf"^{key} = (.*)$", Path(heed.directory, run, "config.toml").read_text(), re.M).group(1)


def model(run):
    return Path(heed.directory, run, "model.safetensors").read_bytes()


def folded(text):
    return re.sub(r"[\W_]", "", text).casefold()


def check_holdout():
    done = train("auto", "--epochs", 2)
    said = [line for line in done.stderr.splitlines() if "held out" in line]
    expect(len(said) == 1 and "held out 30 pairs" in said[0] and "--no-holdout" in said[0] and "5 validations" in said[0],
           f"the hold-out is not reported in one line: {done.stderr[:500]}")
    expect("validation pairs: 30" in done.stderr, f"the validation text: {done.stderr[:500]}")
    # 18 updates are too few; the advice is to have enough of them.
    note = re.search(r"only 18 updates: .*; use --batch 16 --epochs (\d+)\n", done.stderr)
    expect(note and 1500 <= 36 * int(note.group(1)) < 1600, f"the note about the updates: {done.stderr[:900]}")
    # With so few pairs, smaller batches do not help (10 pairs) or help less (20 pairs: two batches instead of one).
    for pairs, advice in ((10, "use --epochs 1500\n"), (20, "use --batch 16 --epochs 750\n")):
        for ending in ("en", "de"):
            Path(heed.directory, f"tiny.{ending}").write_text("\n".join(lines(f"p.train.{ending}")[0][:pairs]) + "\n")
        done = train(f"tiny{pairs}", "--epochs", 1, text=["--train", "tiny.en", "tiny.de"], subwords=["--set", "data.tokenizer=words"])
        expect(f"only 1 update: " in done.stderr and advice in done.stderr, f"{pairs} pairs: {done.stderr[:900]}")
    expect((setting("auto", "holdout"), setting("auto", "patience")) == ("true", "5"), "config.toml lacks the choice")
    expect(Path(heed.directory, "auto/metrics.jsonl").read_text().count('"bleu"') >= 2, "the run was not validated")

    # The parts of `heed data --split` are the same text, so they lead to the same model.
    heed.works("data", "p.train.en", "p.train.de", "--split", "s.train,s.valid")
    train("explicit", "--epochs", 2, "--valid-source", "s.valid.en", "--valid-target", "s.valid.de",
          text=["--train-source", "s.train.en", "--train-target", "s.train.de"])
    expect(model("explicit") == model("auto"), "the held-out text is not that of heed data --split")
    expect(setting("explicit", "holdout") == "false", "a run with validation text holds out more")
    # Standard input is read once, also for subwords, also compressed.
    pairs = "en\tde\n" + "".join(f"{s}\t{t}\n" for s, t in zip(*lines("p.train.en", "p.train.de")))
    source = Path(heed.directory, "p.train.en").read_bytes()
    Path(heed.directory, "p.source").write_bytes(source)
    train("nameless", "--epochs", 2, text=["--train", "p.source", "p.train.de"])  # does not record languages
    for name, content, text, same in (("stdin", pairs.encode(), ["--train-tsv", "-"], "auto"), ("gzip", gzip.compress(pairs.encode()), ["-"], "auto"),
                                      ("side", source, ["-", "p.train.de"], "nameless")):
        done = subprocess.run(heed.words(["train", *text, *SMALL, *BPE, "--threads", 1, "--epochs", 2, "--out", name]),
                              cwd=heed.directory, input=content, capture_output=True)
        expect(done.returncode == 0 and model(name) == model(same), f"{name}: another model: {done.stderr[-300:]}")
    # A configuration repeats its run.
    heed.works("train", "auto/config.toml", "--out", "again")
    expect(model("again") == model("auto"), "auto/config.toml leads to another model")


def check_resume():
    train("whole", "--updates", 12)
    train("parts", "--updates", 7)
    # The same command again, and one that only names the directory.
    train("parts", "--updates", 12, "--resume")
    expect(setting("parts", "holdout") == "true", "the resumed run changed its mind")
    # A complete run names the flag that it is counted by: now, not when it ended.
    for flag, value in (("--updates", 12), ("--updates", 3)):
        done = train("parts", flag, value, "--resume")
        expect(f"update 12, all {flag[2:]} done; to train longer, give a larger {flag}\n" in done.stderr, f"{flag} {value}: {done.stderr[-300:]}")
    done = train("auto", "--epochs", 2, "--resume")
    expect("all epochs done; to train longer, give a larger --epochs\n" in done.stderr, f"epochs: {done.stderr[-300:]}")
    done = train("auto", "--updates", 3, "--resume")
    expect("all updates done; to train longer, give a larger --updates\n" in done.stderr, f"another limit: {done.stderr[-300:]}")
    heed.fails(2, "data.holdout", "train", *TEXT, *SMALL, *BPE, "--threads", 1, "--out", "parts", "--updates", 14, "--resume", "--no-holdout")
    # A run from before there was a hold-out has no such key, whatever the preset says today.
    train("old", "--updates", 3, "--no-holdout")
    config = Path(heed.directory, "old/config.toml")
    config.write_text(re.sub(r"(?m)^holdout = .*\n", "", config.read_text()))
    done = train("old", "--preset", "heed", "--updates", 5, "--resume")
    expect("held out" not in done.stderr, f"an old run holds out text when it is resumed: {done.stderr[:300]}")
    config.write_text(re.sub(r"(?m)^holdout = .*\n", "", config.read_text()))
    done = heed.works("train", "old/config.toml", "--out", "old-again")
    expect("held out" not in done.stderr, "an old configuration leads to another run")


def check_no_holdout():
    done = train("all", "--epochs", 1, "--no-holdout")
    expect("training pairs: 600, validation pairs: 0" in done.stderr and "held out" not in done.stderr, done.stderr[:300])
    expect((setting("all", "holdout"), setting("all", "patience")) == ("false", "0"), "config.toml of --no-holdout")
    heed.fails(2, ["validation.patience", "leave out --no-holdout"], "train", *TEXT, "--no-holdout", "--set", "validation.patience=3", "--out", "x")
    done = train("never", "--epochs", 1, "--set", "validation.patience=0")
    expect(setting("never", "patience") == "0" and "early stopping" not in done.stderr, "a patience that was set")
    done = train("stuck", "--epochs", 9, "--patience", 2, "--set", "training.learning_rate=1e-12")
    expect("early stopping: neither BLEU nor perplexity improved in the last 2 validations (--patience)" in done.stderr
           and "epoch   3 " in done.stderr and "epoch   4 " not in done.stderr, f"a model that does not learn: {done.stderr[-900:]}")
    expect("\nmodel: all/model.safetensors" in train("all", "--epochs", 1, "--no-holdout", "--overwrite").stderr, "a best model without validations")
    done = train("early", "--epochs", 5, "--patience", 1, "--set", "training.learning_rate=1e-12")
    expect("early stopping after 1 validation without" in done.stderr, f"a patience of 1: {done.stderr[:500]}")
    expect("early stopping: neither BLEU nor perplexity improved in the last validation (--patience)\n" in done.stderr, done.stderr[-500:])
    done = train("tutorial", "--epochs", 1, "--preset", "luong-dot", "--set", "training.batch=64", "--set", "data.pairs=500",
                 "--set", "data.tokenizer=words", small=TUTORIAL, subwords=[])
    expect("training pairs: 500" in done.stderr and "held out" not in done.stderr, f"a tutorial preset: {done.stderr[:500]}")
    # A tutorial preset keeps its batches, so the advice is to have more epochs.
    expect("only 8 updates: " in done.stderr and "; use --epochs 188\n" in done.stderr, f"a tutorial preset with few updates: {done.stderr[:900]}")
    said = [line for line in done.stderr.splitlines() if "data.pairs" in line]
    expect(len(said) == 1 and "first 500" in said[0] and "--set data.pairs=0" in said[0], f"data.pairs is not announced: {said}")
    # Too small to be split.
    for part in ("train.en", "train.de"):
        Path(heed.directory, f"tiny.{part}").write_text("".join(line + "\n" for line in lines(f"p.{part}")[0][:150]))
    tiny = ["--train-source", "tiny.train.en", "--train-target", "tiny.train.de"]
    done = train("tiny", "--epochs", 1, text=tiny)
    expect("training pairs: 150," in done.stderr and "at least 200" in done.stderr, f"a tiny corpus: {done.stderr[:300]}")
    # With links, which stay with their pairs: a link outside of its pair would be an error.
    done = train("guided", "--epochs", 1, "--guided-alignment", "p.train.align", "--set", "data.tokenizer=words", subwords=[])
    expect("held out 30" in done.stderr, f"with --guided-alignment: {done.stderr[:300]}")


def check_weights():
    """A weight of 2 is the text twice, but for its order; all weights of 1 change nothing."""
    rows = [f"{s}\t{t}" for s, t in zip(*lines("p.train.en", "p.train.de"))]
    for name, part in (("w.tsv", rows[:300]), ("v.tsv", rows[300:])):
        Path(heed.directory, name).write_text("".join(row + "\n" for row in part))
    options = ["--epochs", 1, "--no-holdout", "--set", "data.tokenizer=words", "--set", "training.batch=50"]
    updates = {}
    for name, text in (("plain", ["w.tsv", "v.tsv"]), ("ones", ["w.tsv:1", "v.tsv:1"]), ("thrice", ["w.tsv:3", "v.tsv"])):
        train(name, *options, text=["--train", *text], subwords=[])
        metrics = Path(heed.directory, name, "metrics.jsonl").read_text().splitlines()
        updates[name] = json.loads(metrics[-1])["update"]
    expect(model("ones") == model("plain"), "weights of 1 change the model")
    expect((updates["plain"], updates["thrice"]) == (12, 24), f"updates per epoch: {updates}")
    heed.fails(2, ["1001", "at most 1000"], "train", "--train", "w.tsv:1001", "--out", "x")


def check_split():
    english, german = lines("p.train.en", "p.train.de")
    rows = [f"{s}\t{t}" for s, t in zip(english, german)]
    rows += [f"{s.upper()}!\t{t}" for s, t in zip(english[::5], german[::5])]
    Path(heed.directory, "c.tsv").write_text("".join(row + "\n" for row in rows))
    Path(heed.directory, "d").mkdir()
    done = heed.works("data", "c.tsv", "--split", "d/train,d/valid,d/test", "--split-size", "40,60", "--json")
    counts = [(part["files"], part["pairs"]) for part in json.loads(done.stdout)["split"]]
    parts = lines("d/train.tsv", "d/valid.tsv", "d/test.tsv")
    expect([len(part) for part in parts] == [n for _, n in counts] and counts[1:] == [(["d/valid.tsv"], 40), (["d/test.tsv"], 60)],
           f"the sizes: {counts}")
    expect(all(set(part) <= set(rows) for part in parts), "pairs that the corpus does not have")
    sources = [{folded(row.split("\t")[0]) for row in part} for part in parts]
    expect(not (sources[0] & sources[1] or sources[0] & sources[2] or sources[1] & sources[2]), "parts share a source")
    left_out = int(re.search(r"left out (\d+)", done.stderr).group(1))
    expect(sum(map(len, parts)) + left_out == len(rows) and left_out > 0, f"{left_out} left out of {len(rows)}")
    # In another order, the same sentences are held out.
    Path(heed.directory, "r.tsv").write_text("".join(row + "\n" for row in reversed(rows)))
    heed.works("data", "r.tsv", "--split", "d/train2,d/valid2,d/test2", "--split-size", "40,60")
    again = lines("d/valid2.tsv", "d/test2.tsv")
    expect([set(part) for part in again] == [set(part) for part in parts[1:]], "the split depends on the order")
    heed.works("data", "-", "p.train.de", "--split", "d/a,d/b", "--split-size", "10%", input="\n".join(english) + "\n")
    expect([len(part) for part in lines("d/a.source", "d/b.target")] == [540, 60], "a fraction, from standard input")
    # A row without a target is an error, unless the cleaned copy leaves it out.
    Path(heed.directory, "short.tsv").write_text("".join(row + "\n" for row in ["no target", *rows]))
    heed.fails(1, "--clean", "data", "short.tsv", "--split", "d/e,d/f")
    heed.works("data", "short.tsv", "--split", "d/e,d/f", "--clean", "d/clean")
    expect("no target" not in Path(heed.directory, "d/e.tsv").read_text(), "a row without a target in the training part")
    # Files of several formats, in the direction that the languages say.
    Path(heed.directory, "l.jsonl").write_text("".join(json.dumps({"de": t, "en": s}) + "\n" for s, t in zip(english, german)))
    direction = ["--source-language", "en", "--target-language", "de"]
    heed.works("data", "l.jsonl", "c.tsv", *direction, "--split", "d/g,d/h", "--split-size", "50")
    (header, *train_rows), (same_header, *valid_rows) = lines("d/g.tsv", "d/h.tsv")
    expect(set(train_rows + valid_rows) <= set(rows) and len(valid_rows) == 50, "a mix of formats")
    expect(header == same_header == "en\tde", f"the languages in the first line: {header!r}, {same_header!r}")
    heed.works("data", "p.train.de", "p.train.en", *direction, "--split", "d/i,d/j", "--split-size", "50")
    expect(set(lines("d/j.en")[0]) <= set(english) and set(lines("d/j.de")[0]) <= set(german), "swapped files and their endings")
    content = Path(heed.directory, "c.tsv").read_bytes()
    heed.fails(2, "c.tsv", "data", "c.tsv", "--split", "c,v")
    heed.fails(2, "twice", "data", "c.tsv", "--split", "v,v")
    heed.fails(2, "--split is empty", "data", "c.tsv", "--split", "")
    heed.fails(2, "2 to 10 names", "data", "c.tsv", "--split", "v")
    heed.fails(2, "--split-size", "data", "c.tsv", "--split", "a,b", "--split-size", "x")
    heed.fails(2, "--split-size", "data", "c.tsv", "--split", "a,b", "--split-size", "5,5")
    heed.fails(2, "--split", "data", "c.tsv", "--split-size", "5")
    heed.fails(1, ["'a'", "smaller"], "data", "c.tsv", "--split", "a,b", "--split-size", "100000")
    expect(Path(heed.directory, "c.tsv").read_bytes() == content, "the corpus was changed")


def check_filters():
    good = "".join(f"Haus Nummer {i} am {word}see.\tHouse number {i} by lake {word}.\n"
                   for i, word in enumerate("".join(chr(97 + (n // 26 ** k) % 26) for k in range(3)) for n in range(300)))
    bad = ("Im Jahr 1990.\tIn 1991.\n" "Gleich ist gleich.\tGleich ist gleich.\n" "Привет, мир.\tHello, world.\n"
           "Kurz.\t" + "very long " * 40 + "\n" "HAUS Nummer 7 am aaasee\thouse NUMBER 7 by lake aaa\n"
           "Haus Nummer 3 am daasee.\tHouse number 3 by lake daa.\n")
    Path(heed.directory, "f.tsv").write_text(good + bad)
    names = ["length-ratio", "identical", "script", "numbers", "near-duplicates"]
    json_names = ["length_ratio", "identical", "other_script", "numbers", "near_duplicate"]
    found = json.loads(heed.works("data", "f.tsv", "--json").stdout)["findings"]
    expect({name: found[name]["count"] for name in json_names} == dict.fromkeys(json_names, 1), f"findings: {found}")
    done = heed.works("data", "f.tsv", "--clean", "clean", "--filter", ",".join(names))
    expect("wrote 300 of 306" in done.stderr and "1 pair with different numbers" in done.stderr, f"--filter: {done.stderr}")
    heed.works("data", "f.tsv", "--clean", "plain")
    expect(len(lines("plain.tsv")[0]) == 302, "--clean without --filter drops different numbers or near-duplicates")
    done = train("filtered", "--epochs", 1, "--set", "data.filters=" + ",".join(names), "--no-holdout", text=["--train-tsv", "f.tsv"])
    expect("training pairs: 300," in done.stderr and "1 pair with different numbers (data.filters)" in done.stderr, done.stderr[:600])
    # The text is examined once, for the filters and for warnings about what they leave.
    expect("warning:" not in done.stderr, f"warnings about filtered pairs: {done.stderr[:600]}")
    done = train("less", "--epochs", 1, "--set", "data.filters=identical", "--no-holdout", text=["--train-tsv", "f.tsv"])
    expect("warning: 1 pair with an unusual length ratio (first: line 304)" in done.stderr and "untranslated pair (first" not in done.stderr, done.stderr[:900])
    train("clean", "--epochs", 1, "--no-holdout", text=["--train-tsv", "clean.tsv"])
    expect(model("filtered") == model("clean"), "filtered training differs from training on the cleaned copy")
    heed.fails(2, "near-duplicates", "train", *TEXT, "--set", "data.filters=nonsense", "--out", "x")


def anonymous_memory(pairs):
    """The most memory, apart from mapped files, that training for one update takes."""
    with open(Path(heed.directory, "big.tsv"), "w") as file:
        for i in range(pairs):
            sentence = " ".join(f"w{(i * 31 + k * k) % 199}" for k in range(60))
            file.write(f"s{i % 997} {sentence}\tt{i % 991} {sentence}\n")
    process = subprocess.Popen(heed.words(["train", "--preset", "luong-dot", "--train-tsv", "big.tsv", "--set", "data.tokenizer=whitespace",
                                           "--set", "data.pairs=0", "--set", "encoder.hidden=4", "--set", "decoder.hidden=4",
                                           "--updates", 1, "--threads", 1, "--overwrite", "--out", "big"]),
                               cwd=heed.directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            most = max(most, int((re.search(r"RssAnon:\s+(\d+)", status) or [0, 0])[1]))
        except OSError:
            pass
        time.sleep(0.005)
    expect(process.returncode == 0, f"training on {pairs} pairs failed")
    Path(heed.directory, "big.tsv").unlink()
    return most * 1024


def check_memory():
    """Shuffling needs an index, not the text: these pairs have about 600 bytes of text and 480 bytes of token ids."""
    few, many = 30_000, 150_000
    per_pair = (anonymous_memory(many) - anonymous_memory(few)) / (many - few)
    print(f"holdout: {per_pair:.0f} bytes of memory per pair")
    expect(per_pair < 200, f"training takes {per_pair:.0f} bytes of memory per pair")


def main():
    with tempfile.TemporaryDirectory() as temporary:
        heed.directory = temporary
        heed.works("corpus", "pocket", "--pairs", 600, "--out", "p")
        check_holdout()
        check_resume()
        check_no_holdout()
        check_weights()
        check_split()
        check_filters()
        check_memory()
    sys.exit(report("holdout"))


main()
