#!/usr/bin/env python3
"""The command line from end to end: help, example and options of every command, and many kinds of bad input.

    cli_test.py BUILD      BUILD holds the program heed

A failure must print one sentence `heed: …` to standard error and nothing to standard output, with exit code 2 for wrong
usage and 1 otherwise. The option checks read `heed docs options`, so they cover new commands and options."""

import csv
import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, TIMEOUT, Program, replacing, sentence_problem

heed = Program(text=False)
run = heed.run


def fails(code, *arguments, says="", **settings):
    heed.fails(code, says, *arguments, **settings)


def prints(text, *arguments):
    done = run(*arguments)
    good = done.returncode == 0 and not done.stderr and text in done.stdout.decode()
    expect(good, f"{heed.shown(arguments)}: exit code {done.returncode}, {done.stderr.decode()[:300]}; expected {text!r}")
    return done.stdout.decode()


def command_names():
    return re.findall(r"^  (\S+(?: \S+)?)  +\S", run("help").stdout.decode(), re.M)


def check_shell():
    overview = prints("Usage: heed COMMAND", "help")
    expect(all(run(*words).stdout.decode() == overview for words in ([], ["--help"], ["-h"])), "heed, -h, --help, help differ")
    version = prints("heed ", "--version")
    expect(re.fullmatch(r"heed \d+\.\d+\.\d+ \((Release|Debug|RelWithDebInfo|MinSizeRel)[^()]*, (AVX-512|AVX2|SSE4|scalar)\)\n",
                        version), f"heed --version printed {version!r}")
    project = re.search(r"project\(heed VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    expect(f"heed {project} " in version, "heed --version and CMakeLists.txt differ")
    expect(all(run(word).stdout.decode() == version for word in ("version", "-V")), "heed version, -V and --version differ")
    parts = json.loads(run("version", "--json").stdout)
    expect(version == f"heed {parts['version']} ({parts['build']}, {parts['instruction_set']})\n", f"heed version --json: {parts}")

    fails(2, "hlep", says="did you mean 'help'?")
    fails(2, "verzion", says="did you mean 'version'?")
    fails(2, "HELP", says="did you mean 'help'?")
    fails(2, "help", "hlep", says="did you mean 'help'?")
    fails(2, "hlep", "--help", says="did you mean 'help'?")
    fails(2, "--hepl", says="did you mean '--help'?")
    fails(2, "--version=x")
    fails(2, "xyzzy", says="heed help")
    fails(2, "-x")
    fails(2, "-")
    fails(2, "--")
    fails(2, "")
    fails(2, "docs", says="options")
    fails(2, "docs", "optoins", says="did you mean 'options'?")
    fails(2, "version", "more", says="'more'")
    fails(2, "version", "--", "--help", says="'--help'")
    fails(2, "help", "a", "b", "c", says="there is no command 'a'")
    fails(2, "help", "", says="there is no command")
    fails(2, "help", "translate", "beam", "foo", says="the argument 'foo' is not expected")
    fails(2, "bench", says="bench needs a subcommand: train or translate")
    fails(2, "bench", "trian", says="did you mean 'train'?")
    fails(2, "presets", "bahdanau-lsmt", says="did you mean 'bahdanau-lstm'?")
    fails(2, "a\nb\x1b[31m\tc")
    fails(2, b"\xff\xfe")
    fails(2, "x" * 100_000)
    fails(2, "version", "--" + "x" * 100_000)
    fails(2, "version", "--\xe9\x00".replace("\x00", "\n"))
    fails(2, "version", b"--\xff=\xff")
    fails(2, *["help"] * 1000)


def check_output_streams():
    """Standard output on a full disk and in a closed pipe."""
    for arguments in (["help"], ["--version"], ["docs", "options"], ["docs", "man"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([heed.path, *arguments], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE)
        expect(done.returncode == 1 and re.fullmatch(rb"heed: cannot write [^\n]+ No space left on device\n", done.stderr),
               f"{heed.shown(arguments)} > /dev/full: exit code {done.returncode}, {done.stderr!r}")
        read_end, write_end = os.pipe()
        os.close(read_end)
        for ignored in (False, True):
            def handle_pipe():
                signal.signal(signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL)
            done = subprocess.run([heed.path, *arguments], stdin=subprocess.DEVNULL, stdout=write_end, stderr=subprocess.PIPE,
                                  preexec_fn=handle_pipe)
            expect(done.returncode in (1, -signal.SIGPIPE) and not done.stderr,
                   f"{heed.shown(arguments)} into a closed pipe: exit code {done.returncode}, {done.stderr!r}")
        os.close(write_end)


def check_pages():
    page = ROOT / "docs/options.md"
    now = run("docs", "options").stdout.decode()
    expect(page.is_file() and page.read_text() == now,
           "docs/options.md is out of date: run `build/heed docs options > docs/options.md`")
    page = ROOT / "docs/systems.md"
    done = run("docs", "systems", page)
    expect(done.returncode == 0 and page.read_text() == done.stdout.decode(),
           "docs/systems.md is out of date: run `build/heed docs systems docs/systems.md > new.md && mv new.md docs/systems.md`")
    expect(page.read_text().count("| `heed` | gru | true |") == 1, "docs/systems.md has no table of the presets")
    fails(1, "docs", "systems", ROOT / "docs/guide.md", says="guide.md' has no table of models")


def check_presets_in_help(directory):
    """Defaults in help and docs, and comments in a run's config.toml, are the preset's values."""
    def default(text, option):
        row = re.search(rf"^  {re.escape(option)}\s.*?\bdefault\s+(\S+?)[;)]", text, re.M | re.S)
        return row and row[1]
    default_help, dot = prints("Usage: heed train", "train", "--help-all"), ("--preset", "luong-dot")
    dot_help = prints("Usage: heed train", "train", *dot, "--help-all")
    for key, usual, other in (("encoder.hidden=N", "320", "256"), ("encoder.cell=NAME", "gru", "lstm"),
                              ("attention.score=NAME", "additive", "dot"), ("--epochs N", "14", "10")):
        expect(default(default_help, key) == usual, f"heed train --help: {key} is {default(default_help, key)}, expected {usual}")
        expect(default(dot_help, key) == other, f"heed train --preset luong-dot --help: {key} is {default(dot_help, key)}, expected {other}")
    expect(run("train", "--help-all", "--preset=luong-dot").stdout.decode() == dot_help, "--preset=NAME gives another help")
    short = prints("Usage: heed train", "train", *dot, "--help")
    expect(run("train", "-h", "--preset=luong-dot").stdout.decode() == short, "-h and --help differ")
    expect(run("help", "train", *dot).stdout.decode() == short, "heed help train --preset luong-dot is another help")
    expect(default(short, "encoder.hidden=N") == "256", "the short help does not show the preset's values")
    check_every_default(directory)
    bench = prints("Usage: heed bench train", "bench", "train", "--help-all")
    expect(default(bench, "encoder.hidden=N") == "512" and default(bench, "--tokenizer NAME") == "whitespace",
           f"heed bench train --help does not show the values it begins with: {bench[:500]}")
    fails(2, "train", "--preset", "luong-dott", "--help", says="did you mean 'luong-dot'?")
    page = run("docs", "options").stdout.decode()
    expect("| `encoder.hidden` | `320` |" in page, "docs/options.md does not show the default preset's values")
    repeated = [key for key in re.findall(r"^\|[^|]*\| `([a-z_]+\.[a-z_.]+)` \|", page, re.M) if page.count(f"| `{key}` |") > 1]
    expect(not repeated, f"docs/options.md lists keys twice: {repeated[:5]}")

    run("corpus", "pocket", "--pairs", "60", "--out", "few", cwd=directory)
    done = run("train", *dot, "--train-source", "few.train.en", "--train-target", "few.train.de", "--out", "dot", "--epochs",
               "1", "--batch", "16", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8", "--threads", "1", "--seed", "5",
               cwd=directory)
    expect(done.returncode == 0, f"heed train --preset luong-dot: {done.stderr.decode()[-500:]}")
    config = (Path(directory) / "dot/config.toml").read_text()
    for key, comment in (("hidden = 8", "preset: 256"), ("batch = 16", "preset: 1"), ("epochs = 1", "preset: 10"),
                         ("seed = 5", "preset: 1")):
        remark = re.search(rf"((?:^#.*\n)+){key}$", config, re.M)
        expect(remark and re.search(rf"[(;] ?{comment}[;)]", remark[1].replace("\n# ", " ")), f"config.toml does not say {comment} above {key}: {remark and remark[1]}")
    same = re.search(r"((?:^#.*\n)+)cell = \"lstm\"$", config, re.M)
    expect(same and "preset" not in same[1] and "default" not in same[1], f"config.toml comments on a value of the preset: {same}")


def check_every_default(directory):
    """For every preset and every key, the default in `heed train --help` is the value that training uses."""
    run("corpus", "pocket", "--pairs", "40", "--out", "tiny", cwd=directory)
    # If text is held out, as with the preset heed, the patience is another one.
    changed = {"data.target_prefixes", "training.updates", "training.threads", "validation.patience", "system"}
    files = {"train", "valid", "columns", "encoding", "train_source", "train_target", "train_tsv", "guided_alignment", "valid_source", "valid_target", "valid_tsv"}
    for preset in sorted(path.stem for path in (ROOT / "presets").glob("*.toml")):
        done = run("train", "--preset", preset, "--train-source", "tiny.train.en", "--train-target", "tiny.train.de", "--out", f"all-{preset}",
                   "--updates", "1", "--threads", "1", "--set", "data.target_prefixes=[]", cwd=directory)
        expect(done.returncode == 0, f"heed train --preset {preset}: {done.stderr.decode()[-300:]}")
        text = (Path(directory) / f"all-{preset}/config.toml").read_text()
        used = {f"{section}.{key}".lstrip("."): value for section, keys in {"": {}, **tomllib.loads(text)}.items()
                for key, value in (keys.items() if isinstance(keys, dict) else [])}
        help_text = prints("Usage: heed train", "train", "--preset", preset, "--help-all")
        # A row is a label, in some rows with a flag instead of the key, and a remark with the default and the key.
        rows = re.split(r"\n  (?=\S)", help_text.partition("Usage:")[2])
        shown = {}
        for row in (" ".join(row.split()) for row in rows):
            key = re.match(r"([a-z_]+\.[a-z0-9_.]+)=", row) or re.search(r"\bkey ([a-z_]+\.[a-z0-9_.]+)\)", row)
            if key:
                default = re.search(r"[(; ]default (.*?)(?:; short form [^;()]*)?(?:; key [^()]*)?\)(?: |$)", row)
                shown[key[1]] = default[1] if default else ""
        compared = [key for key in used if key not in changed and key.split(".")[1] not in files and not key.startswith(("vocabulary.", "run."))]
        expect(len(compared) > 60, f"{preset}: only {len(compared)} keys are compared")
        for key in compared:
            value = used[key]
            plain = ",".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)
            off = value is False and shown.get(key) == ""  # a flag without a value is off, which goes without saying
            expect(shown.get(key) == plain or off, f"heed train --preset {preset} --help: the default of {key} is {shown.get(key)!r}, but {plain!r} is used")
        # config.toml marks what differs from the preset, and nothing else.
        marked = set(re.findall(r"preset: [^\n]*\n(?:#[^\n]*\n)*([a-z0-9_]+) = ", text))
        sizes = {"source", "target"}  # of the vocabularies, which the text determines
        expect(marked - sizes - {"target_prefixes", "patience"} == {"updates", "threads"}, f"{preset}: config.toml marks {marked}")


def check_short_help():
    """A command with many options shows the usual ones, and how to see the others."""
    for name in ("train", "bench train"):
        short, everything = prints("Usage: heed", *name.split(), "--help"), prints("Usage: heed", *name.split(), "--help-all")
        rows = lambda text: set(re.findall(r"^  ((?:--|[a-z]+\.)[a-z_.-]+)", text, re.M))
        expect(10 < len(rows(short)) <= 32, f"heed {name} --help has {len(rows(short))} options")
        expect(len(rows(everything)) > 80 and rows(short) < rows(everything), f"heed {name} --help-all has {len(rows(everything))} options")
        expect(re.search(rf"^[5-9]\d more options and settings: heed {name} --help-all$", short, re.M), f"heed {name} --help does not name --help-all: {short[-300:]}")
        expect(len(short.splitlines()) <= 64, f"heed {name} --help has {len(short.splitlines())} lines")
    expect(prints("Usage", "tokenize", "--help") == prints("Usage", "tokenize", "--help-all"), "a short help is shortened")


def check_explanations():
    """heed help OPTION."""
    def explains(*words, parts):
        text = prints("", "help", *words)
        missing = [part for part in parts if part not in " ".join(text.split())]
        expect(not missing, f"heed help {words} lacks {missing}: {text}")
        expect(all(len(line) <= 100 for line in text.splitlines()), f"heed help {words} has lines past 100 columns")
        return text
    text = explains("attention.score", parts=["attention.score=NAME: score function", "scaled-dot e · h / √size", "none no attention",
                                              "additive (", "dot (", "luong-dot", "heed train, heed bench train", "--set attention.score="])
    expect(text == prints("", "help", "--attention.score"), "heed help --attention.score differs")
    explains("--preset", parts=["--preset NAME", "heed train", "heed import", "default: heed"])
    beam = explains("translate", "--beam", parts=["--beam N: beam size", "from 1 to 1000", "default: 5", "in: heed translate"])
    expect("evaluate" not in beam, f"heed help translate --beam speaks of other commands: {beam}")
    explains("hidden", parts=["encoder.hidden=N", "decoder.hidden=N", "320 (heed)"])
    explains("data.normalise", parts=["collapse-whitespace", "put a space before each of . ! ?", "data.normalize=NAME,…"])
    explains("--set", parts=["--set KEY=VALUE"])
    explains("-o", parts=["--out", "--output", "short form: -o"])
    explains("bench", "train", "--updates", parts=["default: 20", "in: heed bench train"])
    fails(2, "help", "attention.scroe", says="did you mean 'attention.score'?")
    fails(2, "help", "translate", "--baem", says="heed translate has no option '--baem'; did you mean '--beam'?")
    # Every value that help lists is explained, for every option.
    page = run("docs", "options").stdout.decode()
    keys = [row["key"] for row in read_options()["train"] if row.get("key") and " or " in row["allowed"] and not re.search(r"\d", row["allowed"])]
    expect(len(keys) > 10 and page, f"{keys}")
    for key in keys:
        prints(f"{key}", "help", key)


def check_experiments():
    """Every experiment names the first file of its corpora that is missing."""
    scripts = [path for path in sorted((ROOT / "tools/experiments").glob("*.sh")) if path.name not in ("needs.sh", "int8.sh")]  # int8.sh takes files as arguments
    expect(len(scripts) > 5, f"{len(scripts)} experiments")
    for script in scripts:
        done = subprocess.run(["sh", script], env=dict(os.environ, HEED_SHARED="/nonexistent"), capture_output=True, text=True)
        expect(done.returncode == 1 and "needs /nonexistent/data/" in done.stderr and done.stderr.count("\n") == 1, f"{script}: {done.stderr}")


def check_natural_attempts(directory):
    """What a newcomer types works, or the sentence has the words to type; the examples have trained `run`."""
    texts = ("pocket.train.en", "pocket.train.de")
    lines = [(directory / name).read_text().splitlines() for name in texts]
    (directory / "pairs.tsv").write_text("en\tde\n" + "".join(f"{a}\t{b}\n" for a, b in zip(*lines)))
    (directory / "pairs").write_text((directory / "pairs.tsv").read_text())
    (directory / "small.toml").write_text("[encoder]\nhidden = 8\n[decoder]\nhidden = 8\n")
    # small.toml comes later, and so overrides the size.
    (directory / "large.toml").write_text("[encoder]\nhidden = 16\n[data]\ntokenizer = \"words\"\n[training]\nlearning_rate = 0.1\n")
    small = ("--updates", "1", "--threads", "1", "--batch", "8")

    def model(out, *words):
        done = run("train", *words, *small, "--out", out, cwd=directory)
        expect(done.returncode == 0, f"{heed.shown(['train', *words])}: {done.stderr.decode()[-300:]}")
        path = directory / out / "model.safetensors"
        return path.read_bytes() if path.is_file() else None
    settings = ("--set", "encoder.hidden=8", "--set", "decoder.hidden=8")
    expected = model("natural", "--train-source", texts[0], "--train-target", texts[1], *settings, "--set", "data.tokenizer=words",
                     "--set", "training.learning_rate=0.1")
    natural = ("encoder.hidden=8", "--decoder.hidden", "8", "--tokenizer", "words", "--lr", "0.1")
    for number, words in enumerate(([*texts, *natural], ["pairs.tsv", *natural], ["pairs", *natural],
                                    ["small.toml", *texts, "--tokeniser", "words", "--learning-rate", "0.1"],
                                    ["pairs.tsv", "small.toml", "data.tokeniser=words", "training.learning_rate=0.1"],
                                    ["large.toml", "small.toml", "pairs.tsv"])):
        expect(model(f"natural{number}", *words) == expected, f"{heed.shown(['train', *words])} trains another model")

    # Files given in any way add up.
    for number, words in enumerate((["--train-tsv", "pairs.tsv", "--train-tsv", "pairs.tsv"], ["pairs.tsv", "--train-tsv", "pairs.tsv"], [*texts, "pairs.tsv"])):
        model(f"several{number}", *words, *settings, "--no-holdout", "--set", "data.tokenizer=words", "--set", "training.learning_rate=0.1")
        start = json.loads((directory / f"several{number}/metrics.jsonl").read_text().splitlines()[0])
        expect(start["train_pairs"] == 2 * len(lines[0]), f"heed train {words}: {start['train_pairs']} pairs of {2 * len(lines[0])}")

    def refuses(says, *words, code=2):
        fails(code, "train", *words, says=says, cwd=directory)
    refuses("write --set encoder.hidden=64 --set decoder.hidden=64", *texts, "--hidden", "64")
    refuses("write --set encoder.layers=2 --set decoder.layers=2 (", *texts, "--layers=2")
    refuses("write --set dropout.layers=0.5 (", *texts, "--layers", "0.5")
    refuses("did you mean '--batch'?", *texts, "--batch-size", "32")
    refuses("did you mean '--encoder.hidden' or '--decoder.hidden'?", *texts, "--hidden-size", "32")
    refuses("there is no preset 'bahdanau'; did you mean 'bahdanau-lstm'?", *texts, "--preset", "bahdanau")
    refuses("--out would overwrite 'run/model.safetensors', which --from reads", *texts, "--from", "run", "--out", "run", "--overwrite")
    fails(2, "evaluate", "run", texts[0], says="one plain file, but two are needed", cwd=directory)
    fails(2, "evaluate", "run", "--test", texts[0], says="did you mean '--source' or '--reference'?", cwd=directory)
    fails(2, "translate", "Hello", says="there is no model 'Hello'; the model", cwd=directory)
    fails(2, "show", "run", says="did you mean 'attend'?", cwd=directory)
    refuses("did you mean '--from'?", *texts, "--finetune", "run")
    refuses("did you mean 'additive'?", *texts, "attention.score=bahdanau")
    fails(2, "bench", "train", "--train", *texts, says="did you mean '--train-source' or '--train-target'?", cwd=directory)
    fails(1, "info", texts[0], says="looks like a text file", cwd=directory)
    refuses("dropout.source_embedding, dropout.target_embedding", *texts, "--dropout", "0.3")
    refuses("--batch was given twice: 32 and 64; give it once", *texts, "--batch", "32", "--batch", "64")
    refuses("encoder.hidden was given twice: 8 and 9", *texts, "encoder.hidden=8", "--set", "encoder.hidden=9")
    refuses("did you mean 'encoder.hidden'?", *texts, "encoder.hiden=8")
    refuses("--encoder.hidden: '5x' is not", *texts, "--encoder.hidden", "5x")
    refuses("there is no preset 'luong-dott'; did you mean 'luong-dot'?", *texts, "--preset", "luong-dott")
    refuses("heed train SOURCE TARGET", texts[0])
    refuses("set decoder.hidden to 16 (encoder.hidden in two directions), or attention.score to general", *texts, "attention.score=dot",
            "encoder.hidden=8", "decoder.hidden=8", "readout.size=256", "--out", "misfit", "data.tokenizer=words")

    refuses("'pairs.tsv' is a file; choose another name", *texts, "--out", "pairs.tsv", "data.tokenizer=words", code=1)
    refuses("allow any with --set 'data.source_prefixes=[]'", *texts, 'data.source_prefixes=["xyzzy"]', "--out", "misfit", code=1)
    refuses("raise attention.max_length, or skip such pairs", *texts, "--preset", "location-gru", "attention.max_length=3",
            "data.target_prefixes=[]", "data.max_length=0", "--out", "misfit2")

    # A run directory is a model wherever one is read.
    shown = lambda *words: run(*words, cwd=directory)
    test = ("--source", "pocket.test.en", "--reference", "pocket.test.de")
    for words in (["translate", "MODEL", "The old man sees a dog."], ["info", "MODEL", "--json"], ["attend", "MODEL", "A dog ."],
                  ["align", "MODEL", "--source", "pocket.test.en", "--target", "pocket.test.de"],
                  ["export", "MODEL", "--out", "exported"], ["attend", "MODEL", "A dog .", "--with", "MODEL"]):
        one, other = ([shown(*[path if word == "MODEL" else word for word in words]) for path in ("run", "run/model.safetensors")])
        expect(one.returncode == 0 and one.stdout == other.stdout, f"{heed.shown(words)} with a run directory: {one.stderr.decode()[:300]}")
    done = shown("compare", "run", "other/", *test, "--json")
    names = [model["model"] for model in json.loads(done.stdout)["models"]] if done.returncode == 0 else done.stderr
    expect(names == ["run", "other"], f"heed compare run other/: {names}")
    (directory / "copies").mkdir()
    shutil.copytree(directory / "run", directory / "copies/run")
    done = shown("compare", "run", "copies/run", *test, "--json")
    names = [model["model"] for model in json.loads(done.stdout)["models"]] if done.returncode == 0 else done.stderr
    expect(names == ["run", "copies/run"], f"heed compare run copies/run: {names}")
    done = shown("evaluate", "run", *test, "--json")
    expect(done.returncode == 0 and json.loads(done.stdout)["file_bytes"] > 1000, f"heed evaluate run: {done.stderr.decode()[:300]}")
    expect(shown("bench", "translate", "run", "--source", "pocket.test.en").returncode == 0, "heed bench translate run failed")
    # Translations as a table, of which only chosen columns can be translated.
    expect(shown("evaluate", "run", *test, "--out", "scored.csv").returncode == 0, "heed evaluate --out scored.csv failed")
    table = list(csv.reader((directory / "scored.csv").read_text().splitlines()))
    expect(table[0] == ["source", "reference", "translation"] and [row[0] for row in table[1:]] == (directory / "pocket.test.en").read_text().splitlines(),
           f"scored.csv: {table[:2]}")
    fails(2, "translate", "run", "scored.csv", says="choose the columns to translate", cwd=directory)
    # Little text for the preset, and what the note suggests.
    done = run("train", *texts, *small, "--out", "large", cwd=directory)
    note = re.search(r"parameters are a lot for [0-9,]+ training pairs?; .* with( --set .*)\n", done.stderr.decode())
    expect(done.returncode == 0 and note, f"no note about the size: {done.stderr.decode()[-600:]}")
    done = run("train", *texts, *small, *(note.group(1).split() if note else []), "--out", "small", cwd=directory)
    expect(done.returncode == 0 and b"are a lot for" not in done.stderr, f"the settings of the note: {done.stderr.decode()[-600:]}")
    (directory / "folder").mkdir()
    fails(2, "train", "--resume", "folder", says="train --resume --out folder", cwd=directory)
    fails(1, "info", "folder", says="'folder' is a directory without model.safetensors", cwd=directory)


def check_parity():
    """All golden files at once: those with an optimizer's losses are another kind."""
    golden = sorted((ROOT / "tests/model/golden").glob("*.safetensors"))
    done = run("parity", *golden)
    last = done.stdout.decode().splitlines()[-1:]
    skipped = [file for file in golden if file.name.startswith("trajectory-")]
    expect(done.returncode == 0 and skipped and last == [f"{len(golden) - len(skipped)} of {len(golden) - len(skipped)} files agree ({len(skipped)} skipped)"],
           f"heed parity golden/*: exit code {done.returncode}, {last}, {done.stderr.decode()[:300]}")
    result = json.loads(run("parity", "--json", golden[0], skipped[0]).stdout)
    expect(result["passed"] and len(result["files"]) == 1 and result["skipped"] == [str(skipped[0])], f"heed parity --json: {result}")
    fails(1, "parity", skipped[0], says="there is nothing to compare")


def check_manual():
    """heed docs man: every command and option, and no warnings from the formatter."""
    page = prints(".TH HEED 1", "docs", "man")
    for name in command_names():
        expect(f".SS heed {name}\n" in page, f"the manual has no section on heed {name}")
    for part in ("\\-\\-preset NAME", "encoder.hidden=N", "; default 320)", ".SH EXIT STATUS", ".EX\nheed presets\n"):
        expect(part in page, f"the manual lacks {part!r}")
    if not shutil.which("man") or not shutil.which("groff"):
        print("cli: skipped: no man and groff to check the manual with")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
        file.write(page)
        file.flush()
        environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFSEQ="")
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file.name], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
        expect(done.returncode == 0 and not done.stderr, f"man --warnings: {done.stderr.decode()[:500]}")


def check_completions():
    """heed docs completions bash: the words that bash offers."""
    script = prints("complete -o default -F _heed heed", "docs", "completions", "bash")
    fails(2, "docs", "completions", "tcsh", says="expected bash")
    fails(2, "docs", "completions", says="SHELL is missing")
    checked = subprocess.run(["bash", "-n"], input=script.encode(), stderr=subprocess.PIPE)
    expect(checked.returncode == 0 and not checked.stderr, f"bash -n: {checked.stderr.decode()[:500]}")

    def offered(*words):
        call = f"{script}\nCOMP_WORDS=({' '.join(repr(word) for word in words)})\nCOMP_CWORD={len(words) - 1}\n_heed\n" \
               'echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", call], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(not done.stderr, f"completing {words}: {done.stderr.decode()[:500]}")
        return done.stdout.decode().split()
    for words, expected in ((("heed", "tr"), ["train", "translate"]), (("heed", "bench", ""), ["train", "translate"]),
                            (("heed", "train", "--over"), ["--overwrite"]), (("heed", "train", "run.toml", "--resume-"), ["--resume-with-other-workers"]),
                            (("heed", "bench", "train", "--pre"), ["--preset"]), (("heed", "translate", ""), []),
                            (("heed", "train", "--set", "encoder.hid"), ["encoder.hidden="]),
                            (("heed", "train", "--out", "--"), []), (("heed", "tokenize", "--tokenizer", "wo"), ["words", "word-characters"])):
        got = offered(*words)
        expect(sorted(got) == sorted(expected), f"{' '.join(words)} offers {got}, expected {expected}")
    expect("--help" in offered("heed", "train", "--"), "--help is not offered")


def check_help(name, directory):
    """The help of a command, both ways to ask for it, and its example."""
    text = prints("\nExample\n", "help", *name.split())
    expect(run(*name.split(), "--help").stdout.decode() == text, f"heed help {name} and heed {name} --help differ")
    expect(text.startswith(f"heed {name}: ") and f"Usage: heed {name}" in text, f"heed help {name} begins strangely")
    expect(all(len(line) <= 100 for line in text.splitlines()), f"heed help {name} has lines past 100 columns")
    example = text.partition("\nExample\n")[2]
    lines = [line[2:] for line in example.splitlines()]
    expect(lines and all(example.startswith("  ") for _ in lines), f"heed help {name} has no example")
    if name == "serve":  # until it is stopped
        lines = [f"{lines[0]} &", "until heed serve --check 5018 2> /dev/null; do sleep 0.1; done", "kill $!"]
    environment = dict(os.environ, PATH=f"{Path(heed.path).parent}{os.pathsep}{os.environ['PATH']}")
    Path(directory, "page.html").write_text("<p>We see a dog.</p>\n")
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
    expect(done.returncode == 0, f"the example of heed help {name} failed: {done.stdout.decode()[-1000:]}")


def check_train_settings(directory):
    """Settings of `heed train` that contradict each other or would do nothing; the examples have written the files."""
    text = ("train", "--train-source", "pocket.train.en", "--train-target", "pocket.train.de", "--out", "refused")
    def refuses(says, *more, code=2):
        fails(code, *text, *more, says=says, cwd=directory)
        expect(not (Path(directory) / "refused").exists(), f"{more} left a run directory")
    refuses("the setting system is 'luong-dot', but --preset is 'vanilla'", "--preset", "vanilla", "--set", "system=luong-dot")
    refuses("there is no preset 'luong-dott'; did you mean 'luong-dot'?", "--set", "system=luong-dott")
    refuses("vocabulary.source follows from the training text", "--set", "vocabulary.source=50")
    refuses("validation.patience has no effect without validation text; give some with --valid, or leave out --no-holdout", "--no-holdout", "--set", "validation.patience=3")
    refuses("training.schedule=plateau has no effect", "--no-holdout", "--set", "training.schedule=plateau")
    refuses("training.guided_shift has no effect", "--set", "training.guided_shift=true")
    refuses("data.subwords has no effect", "--set", "data.tokenizer=words", "--set", "data.subwords=100")
    refuses("--set data.normalize: 'foo' is not supported", "--set", "data.normalize=foo")
    refuses("data.train_tsv was given twice", "--train-tsv", "pocket.train.en", "--set", "data.train_tsv=pocket.train.de")
    done = run("train", "--train-source", "pocket.train.en", "--train-target", "pocket.train.de", "--out", "chosen", "--updates",
               "1", "--set", "system=luong-dot", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8", "--set",
               "data.source_language=german", cwd=directory)
    note = done.stderr.decode()
    expect(done.returncode == 0 and "did you mean 'de'?" in note, f"data.source_language=german: {note[-500:]}")
    config = (Path(directory) / "chosen/config.toml").read_text()
    expect('score = "dot"' in config, "the setting system does not choose the preset")
    again = run("train", "chosen/config.toml", "--out", "again", cwd=directory)
    same = [(Path(directory) / name / "model.safetensors").read_bytes() for name in ("chosen", "again")]
    expect(again.returncode == 0 and same[0] == same[1], f"config.toml does not repeat the run: {again.stderr.decode()[-500:]}")


def check_bench_translate(directory):
    """The keys of `bench translate --json`; the examples have written the files."""
    for beam in ("1", "3"):
        done = run("bench", "translate", "run/model.safetensors", "--source", "pocket.train.en", "--beam", beam, "--json",
                   "--batch", "16", "--threads", "2", cwd=directory)
        expect(done.returncode == 0, f"bench translate --json: {done.stderr.decode()[:500]}")
        if done.returncode != 0:
            return
        result = json.loads(done.stdout)
        for key in ("target_tokens_per_second", "sentences_per_second", "peak_rss_mb", "parameters", "start_up_ms"):
            expect(result.get(key, 0) > 0, f"bench translate --json: {key} is {result.get(key)}")
        expect(0 < result["multiply_share"] < 1, f"bench translate --json: multiply_share {result['multiply_share']}")
        expect(result["sentences"] <= result["target_tokens"], f"bench translate --json: {result['target_tokens']} tokens")


def check_bench(directory):
    """The keys of `bench train --json`; the example has written the files."""
    done = run("bench", "train", "--train-source", "pocket.train.en", "--train-target", "pocket.train.de", "--json",
               "--updates", "3", "--batch", "8", "--threads", "2", "--set", "encoder.hidden=16", "--set",
               "decoder.hidden=16", cwd=directory)
    expect(done.returncode == 0, f"bench train --json: {done.stderr.decode()[:500]}")
    if done.returncode != 0:
        return
    result = json.loads(done.stdout)
    for key in ("target_tokens_per_second", "sentences_per_second", "peak_rss_mb", "parameters"):
        expect(result.get(key, 0) > 0, f"bench train --json: {key} is {result.get(key)}")
    expect(0 < result["multiply_share"] < 1, f"bench train --json: multiply_share is {result['multiply_share']}")
    phases = result["phases"]
    expect(abs(sum(phases.values()) - 1) < 1e-9 and min(phases.values()) > 0, f"bench train --json: phases {phases}")
    # 3 updates of 8 sentences: words and an end symbol each.
    sentences = result["sentences_per_second"] * result["seconds"]
    expect(abs(sentences - 24) < 1e-6, f"bench train --json: {sentences} sentences, expected 24")


def read_options():
    """{command: rows of its tables in `heed docs options`}, a row {column: cell without backticks}"""
    commands, rows, header = {}, None, []
    for line in run("docs", "options").stdout.decode().splitlines():
        same = re.fullmatch(r"Also takes the settings of heed (.*) under (.*)\. heed help .*", line)
        if line.startswith("## heed "):
            rows, title = commands.setdefault(line[len("## heed "):], []), ""
        elif line.startswith("| "):
            cells = [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if cells[0] == "option":
                header = cells
            else:
                rows.append(dict(zip(header, cells), title=title))
        elif same:
            titles = same[2].split("; ")
            again = [row for row in commands[same[1]] if row["title"] in titles]
            expect({row["title"] for row in again} == set(titles), f"heed {same[1]} does not list all of {titles}")
            rows += again
        elif line.endswith(":"):
            title = line[:-1]
    return commands


def bad_values(row):
    """Values that the row's option must refuse."""
    name = row["option"].split()[-1]
    if name == "N":
        yield from ("x", "", "1.5", "1e9999", "99999999999999999999", "0x10", "1 ")
    if name == "X":
        yield from ("x", "", "nan", "inf", "1e9999", "0,5")
    if re.search(r"\w,? or \w", row["allowed"]) and not re.search(r"\d or (more|less)", row["allowed"]):
        yield "no-such-name"
    bounds = re.fullmatch(r"from (-?[\d.e+-]+) to (-?[\d.e+-]+)", row["allowed"])
    if bounds:
        yield str(int(float(bounds[1])) - 1)
        yield str(int(float(bounds[2])) + 1)


def check_options(name, rows):
    """Unknown options, missing and bad values of one command; none of it may start the work."""
    positionals = ["x" for row in rows if not row["option"].startswith("--") and row["option"] and row["default"] == "required"]
    words = [*name.split(), *positionals]
    fails(2, *words, "--no-such-option-anywhere", says="--no-such-option-anywhere")
    fails(2, *words, "--hlep", says="did you mean '--help'?")
    if positionals:
        fails(2, *name.split(), says="is missing")
    if any(row["option"].startswith("--") and row["default"] == "required" for row in rows):
        fails(2, *words, says="is missing")
    if any(row.get("key") for row in rows):
        check_settings(words, [row for row in rows if row.get("key")])
    for row in rows:
        flag, *value = row["option"].split()[:2] or [""]
        if not flag.startswith("--") or not value:
            continue
        fails(2, *words, flag, says=flag)
        fails(2, *words, flag[:-1] + flag[-1] * 3, "1", says="there is no option")
        for bad in bad_values(row):
            fails(2, *words, f"{flag}={bad}", says=f"{flag}: ")


def check_settings(words, rows):
    fails(2, *words, "--set", says="--set")
    fails(2, *words, "--set", "x", says="KEY=VALUE")
    fails(2, *words, "--set", "no.such.setting=1", says="no.such.setting")
    fails(2, *words, "--set", "=1", says="--set")
    fails(2, *words, "--set", rows[0]["key"] + "x=1", says=f"did you mean '{rows[0]['key']}'?")
    for row in rows:
        if "from" in row["allowed"] or "or more" in row["allowed"]:
            for bad in ("x", "", "nan", "1e9999", "[1]"):
                fails(2, *words, "--set", f"{row['key']}={bad}", says=f"--set {row['key']}: ")


FILE_WORDS = re.compile("FILE|MODEL|CONFIG|DIR|PREFIX")
OUTPUTS = {"--out", "--output", "--clean", "--split"}


def check_outputs_and_inputs(name, rows, directory):
    """No file that a command reads may be one that it writes, under any name, standard input and output included. Returns
    the number of pairs of options compared."""
    files = [row["option"] for row in rows if FILE_WORDS.search(row["option"]) and not row["option"].startswith("data.")]
    inputs = [option for option in files if option.split()[0] not in OUTPUTS and "DIR" not in option]
    outputs = [option for option in files if option.split()[0] in OUTPUTS and not re.search("DIR|PREFIX", option)]
    required = [row["option"] for row in rows if row["default"] == "required"]

    def words(**special):
        """The command with all required options, and those in `special` with their values."""
        chosen, flags, positionals = {**{option: None for option in required}, **special}, [], []
        for number, (option, value) in enumerate(chosen.items()):
            value = value or (f"file{number}" if FILE_WORDS.search(option) else "heed")
            if option.startswith("--"):
                flags += [option.split()[0], value]
            else:
                positionals.append(value)
        return [*name.split(), *positionals, *flags]

    def refused(arguments, says, **settings):
        for file in ("same", "file0", "file1", "file2", "file3"):
            (directory / file).write_text("precious\n")
        fails(2, *arguments, says=says, cwd=directory, **settings)
        expect((directory / "same").read_text() == "precious\n", f"{heed.shown(arguments)} changed its input")
        expect(not [file.name for file in directory.iterdir() if file.name.startswith(".heed-")],
               f"{heed.shown(arguments)} left a temporary file")

    for given in inputs:
        for option in outputs:
            refused(words(**{given: "./same", option: "same"}), f"{option.split()[0]} 'same' is the same file as {given.split()[0] if given.startswith('--') else 'the argument'}")
        with open(directory / "same", "ab") as out:
            done = run(*words(**{given: "same"}), cwd=directory, stdout=out)
        expect(done.returncode == 2 and b"standard output is the same file as" in done.stderr,
               f"heed {name} {given} >> its input: {done.returncode}, {done.stderr!r}")
    for option in outputs:
        (directory / "same").write_text("precious\n")
        with open(directory / "same", "rb") as standard_input:
            refused(words(**{option: "same"}), f"{option.split()[0]} 'same' is the same file as standard input",
                    stdin=standard_input)
    for option in files:
        if option.startswith("--") and not any(row["option"] == option and row.get("key") for row in rows):
            fails(2, *replacing(words(), option.split()[0], ""), says=f"{option.split()[0]} is empty", cwd=directory)
    return len(inputs) * len(outputs)


def check_derived_outputs(directory):
    """Files that follow from a prefix or belong to a run; the examples have trained `run` on `pocket`."""
    def refused(says, *arguments):
        before = {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}
        fails(2, *arguments, says=says, cwd=directory)
        changed = [path for path, content in before.items() if not path.is_file() or path.read_bytes() != content]
        expect(not changed, f"{heed.shown(arguments)} changed {changed}")
    texts = ("pocket.train.en", "pocket.train.de")
    refused("--clean would overwrite 'pocket.train.en', which the command reads; choose another name", "data", *texts, "--clean", "pocket.train")
    held_out = ("--valid-source", "pocket.valid.en", "--valid-target", "pocket.valid.de")
    refused("which --valid-source reads", "data", *texts, *held_out, "--clean", "./pocket.valid")
    for file in ("model.safetensors", "metrics.jsonl", "samples.jsonl", "config.toml", "checkpoint/good.safetensors"):
        refused(f"is the same file as 'run/{file}' of the argument 'run'", "report", "run", "--out", f"run/{file}")
    refused("--out report.pdf: the report is a page; choose a name that ends in .html", "report", "run", "--out", "report.pdf")
    expect(run("report", "run", "--out", "run/report.html", cwd=directory).returncode == 0, "the report of a run cannot be replaced")
    shutil.copy(directory / "pocket.train.de", directory / "target")
    os.link(directory / "run/metrics.jsonl", directory / "source")
    refused("--out would overwrite 'run/metrics.jsonl', which --train-source reads", "train", "--overwrite", "--out", "run",
            "--train-source", "source", "--train-target", "target")
    (directory / "settings.toml").write_text('[data]\ntrain_source = "source"\ntrain_target = "target"\n')
    refused("--out would overwrite 'run/metrics.jsonl', which --train-source reads", "train", "settings.toml", "--overwrite",
            "--out", "run")
    refused("--out is empty", "train", "--train-source", texts[0], "--train-target", texts[1], "--out", "")
    expect(not (directory / "checkpoint").exists(), "train --out '' made a directory")


def check_plain_words(directory):
    """Failures inside libraries are reported in heed's words."""
    os.symlink("loop", directory / "loop")
    texts = ("--train-source", "pocket.train.en", "--train-target", "pocket.train.de")
    for name in ("loop", "x" * 300):
        fails(1, "train", *texts, "--out", f"{name}/run", says=name[:40], cwd=directory)
        fails(1, "train", *texts, "--resume", "--out", f"{name}/run", says=name[:40], cwd=directory)
        fails(1, "report", f"{name}/run", says=name[:40], cwd=directory)
        fails(1, "info", f"{name}/model", says=name[:40], cwd=directory)
        fails(1, "corpus", "pocket", "--pairs", "20", "--out", f"{name}/pocket", says=name[:40], cwd=directory)
    fails(1, "data", "-", "pocket.train.de", says="set TMPDIR", cwd=directory, input=b"a\n",
          env=dict(os.environ, TMPDIR=str(directory / "no-such-directory")))
    (directory / "long").write_text(("word " * 1000 + "\n") * 20)
    (directory / "empty").write_text("\n" * 20)
    (directory / "letters").write_text("".join(f"{chr(0x4e00 + i)}{chr(0x5e00 + i)}\n" for i in range(500)))
    for kind in ("bpe", "unigram"):
        for text, says in (("long", "longer than 4192 bytes"), ("empty", "every line is empty"), ("letters", "raise data.subwords")):
            fails(1, "train", "--train-source", text, "--train-target", text, "--set", f"data.tokenizer={kind}", "--set",
                  "data.subwords=50", "--out", f"{kind}-{text}", says=says, cwd=directory)
    (directory / "no.spm").write_text("this is not a model")
    fails(1, "tokenize", "--tokenizer", "sentencepiece", "--subword-model", "no.spm", says="not a SentencePiece model", cwd=directory)


def check_lost_report(directory):
    """A report that cannot be written is neither an error nor announced."""
    (directory / "no-report/report.html").mkdir(parents=True)
    done = run("train", "--train-source", "pocket.train.en", "--train-target", "pocket.train.de", "--out", "no-report", "--epochs",
               "1", "--set", "encoder.hidden=8", "--set", "decoder.hidden=8", cwd=directory)
    expect(done.returncode == 0 and b"the report was not written: cannot write" in done.stderr and b"best model: " in done.stderr,
           f"no report: {done.returncode}, {done.stderr.decode()[-500:]}")
    expect(b"training report" not in done.stderr, "a report that does not exist is announced")


def check_long_line(directory):
    """One line of many megabytes, here from a small gzip file, is an error and not a memory problem."""
    with gzip.open(directory / "bomb.gz", "wb", 1) as file:
        file.write(b"a\n" + b"word " * 40_000_000)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    for arguments in (["translate", "run/model.safetensors", "--input", "bomb.gz", "--output", "translated"], ["data", "bomb.gz", "bomb.gz"],
                      ["score", "--hypothesis", "bomb.gz", "--reference", "bomb.gz"],
                      ["train", "--train-source", "bomb.gz", "--train-target", "bomb.gz", "--out", "long-line"]):
        fails(1, *arguments, says="bomb.gz:2: a line of more than 16 MiB; give a text file with one sentence per line", cwd=directory,
              preexec_fn=limit)


def check_standard_input_once(directory):
    for command, first, second in ((["score"], "--hypothesis", "--reference"),
                                   (["evaluate", "run/model.safetensors"], "--source", "--reference"),
                                   (["align"], "--source", "--target"),
                                   (["compare", "run/model.safetensors"], "--source", "--reference"),
                                   (["translate", "run/model.safetensors"], "--input", "--prefix-file")):
        fails(2, *command, first, "-", second, "-", says=f"{first} and {second} cannot both be standard input", input=b"a\nb\n",
              cwd=directory)


def self_test():
    """sentence_problem() must notice every kind of bad failure."""
    class Done:
        def __init__(self, code, error, output=b""):
            self.returncode, self.stderr, self.stdout = code, error, output
    good = Done(2, b"heed: there is no command 'x'\n")
    bad = [Done(1, good.stderr), Done(-6, good.stderr), Done(2, b""), Done(2, b"heed: a\nheed: b\n"), Done(2, b"oops\n"),
           Done(2, b"heed: a\tb\n"), Done(2, b"heed: std::bad_alloc\n"), Done(2, good.stderr, b"output"),
           Done(2, b"heed: " + b"x" * 2000 + b"\n")]
    if sentence_problem(good, 2) or not all(sentence_problem(done, 2) for done in bad):
        raise SystemExit("self-test: a bad failure is accepted")


def main():
    self_test()
    check_shell()
    check_output_streams()
    check_pages()
    check_manual()
    check_short_help()
    check_explanations()
    check_parity()
    check_completions()
    names, options = command_names(), read_options()
    expect(names and set(names) == set(options), f"heed help lists {names}, heed docs options {list(options)}")
    with tempfile.TemporaryDirectory(prefix="heed-cli-") as directory:
        for folder in ("models", "tests"):  # examples are meant for the top of the repository
            (Path(directory) / folder).symlink_to(ROOT / folder)
        for name in names:
            check_help(name, directory)
        check_presets_in_help(directory)
        check_train_settings(directory)
        check_experiments()
        check_natural_attempts(Path(directory))
        check_bench(directory)
        check_bench_translate(directory)
        check_derived_outputs(Path(directory))
        check_standard_input_once(directory)
        check_plain_words(Path(directory))
        check_lost_report(Path(directory))
        check_long_line(Path(directory))
        scratch = Path(directory) / "outputs"
        scratch.mkdir()
        pairs = sum(check_outputs_and_inputs(name, rows, scratch) for name, rows in options.items())
        expect(pairs > 20, f"only {pairs} pairs of an input and an output were compared")
    for name, rows in options.items():
        check_options(name, rows)
    return report("cli", f"{len(names)} commands")


if __name__ == "__main__":
    sys.exit(main())
