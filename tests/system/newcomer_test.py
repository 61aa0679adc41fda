#!/usr/bin/env python3
"""What newcomers do with the model of the repository: look something up, look at attention, score files, type words
that the model does not know.

    newcomer_test.py BUILD      BUILD holds the program heed"""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, TIMEOUT, Program

MODEL = ROOT / "models/pocket-en-de.safetensors"
heed = Program()


def check_help():
    """`heed help SECTION` lists the settings of a section."""
    for section, key in (("attention", "attention.score"), ("encoder", "encoder.hidden"), ("dropout", "dropout.readout"),
                         ("training", "training.guided_shift")):
        text = heed.works("help", section).stdout
        expect(f"\n  {key}\n" in text and "(default " in text, f"heed help {section}: {text[:300]}")
    expect("Settings of the section" not in heed.works("help", "train").stdout, "heed help train is a command")


def check_attend(directory):
    """Gold links may be those of a line of a file; several sentences and written files are noted."""
    gold = directory / "gold.txt"
    gold.write_text("9-9\n0-0 1-1 2-2 3-3\n")
    sentences = "The dog sleeps.\nThe cat sleeps.\n"
    one = heed.works("attend", MODEL, "--line", 2, "--gold", gold, "--out", "one.svg", input=sentences)
    heed.works("attend", MODEL, "The cat sleeps.", "--gold", "0-0 1-1 2-2 3-3", "--out", "other.svg")
    expect((directory / "one.svg").read_bytes() == (directory / "other.svg").read_bytes(), "--gold FILE draws other links")
    expect(one.stderr == "heed: wrote one.svg\n", f"--out: {one.stderr}")
    heed.fails(1, ["has only 2 lines", "--line is 3"], "attend", MODEL, "A dog.", "--line", 3, "--gold", gold)
    done = heed.works("attend", MODEL, "The dog sleeps. The cat sleeps.")
    expect("looks like 2 sentences" in done.stderr, f"two sentences: {done.stderr}")
    expect(heed.works("attend", MODEL, "The dog sleeps.").stderr == "", "a note about one sentence")


def check_files(directory):
    """evaluate and score take their two files as arguments too."""
    (directory / "a.en").write_text("The dog sleeps.\nThe cat sleeps.\n")
    (directory / "a.de").write_text("Der Hund schläft.\nDie Katze schläft.\n")
    (directory / "a.align").write_text("0-0 1-1 2-2 3-3\n" * 2)
    scores = [json.loads(heed.works("evaluate", MODEL, *words, "--json").stdout)["bleu"]
              for words in (("a.en", "a.de"), ("--source", "a.en", "--reference", "a.de"))]
    expect(scores[0] == scores[1], f"evaluate MODEL a.en a.de: {scores}")
    heed.fails(2, "give the files only once", "evaluate", MODEL, "a.en", "a.de", "--source", "a.en")
    scores = [heed.works("score", *words).stdout for words in (("a.en", "a.de"), ("--hypothesis", "a.en", "--reference", "a.de"))]
    expect(scores[0] == scores[1] != "", f"score a.en a.de: {scores}")
    heed.fails(2, "--reference FILE is missing", "score", "a.en")
    done = heed.works("align", MODEL, "--source", "a.en", "--target", "a.de", "--gold", "a.align", "--shift")
    expect("--shift is for models trained with training.guided_shift" in done.stderr, f"--shift: {done.stderr}")
    (directory / "a.pdf").write_text("%PDF-1.4\n")
    heed.fails(1, "save it as docx, odt, HTML or plain text", "translate", MODEL, "a.pdf")


def on_terminal(*arguments):
    """What a command writes to a terminal that is its standard error."""
    master, slave = pty.openpty()
    done = subprocess.run(heed.words(arguments), cwd=heed.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=slave, timeout=TIMEOUT)
    os.close(slave)
    text = b""
    try:
        while chunk := os.read(master, 4096):
            text += chunk
    except OSError:
        pass
    os.close(master)
    expect(done.returncode == 0, f"{heed.shown(arguments)}: exit code {done.returncode}")
    return text.decode()


def check_unknown_words(directory):
    """Someone who types words that the model does not know is told so; a file or another program is not."""
    shown = on_terminal("translate", MODEL, "The zebra sees the dog.", "The quagga sleeps.")
    expect("unknown to this model: zebra, quagga\r\n" in shown, f"unknown words: {shown!r}")
    expect("unknown" not in on_terminal("translate", MODEL, "The dog sleeps."), "a note about known words")
    (directory / "zebra.txt").write_text("The zebra sleeps.\n")
    expect("unknown" not in on_terminal("translate", MODEL, "zebra.txt"), "a note about a file")
    expect(heed.works("translate", MODEL, "The zebra sleeps.").stderr == "", "a note that nobody sees")


def check_messages(directory):
    """What someone who mixes up files is told: what was expected, and what to do."""
    (directory / "text.txt").write_text("hello\n")
    (directory / "array.json").write_text('[{"en": "a", "de": "b"}]\n')
    (directory / "one.de").write_text("Der Hund schläft.\n")
    (directory / "number.jsonl").write_text('{"en": "a", "de": 5}\n')
    (directory / "quote.csv").write_text('en,de\n"Hello,Hallo\nBye,"Tschüss"\n')
    (directory / "twice.toml").write_text("encoder.hidden = 16\nencoder.hidden = 32\n")
    (directory / "rules.tsv").write_text("dog\tHund\tcase any\n")
    train = ("train", "a.en", "a.de", "--out", "run")
    for code, says, *words in (
            (2, ["is a model, not text", "--from"], "train", MODEL),
            (2, ["is a model, not text", "--from"], "train", "--train", MODEL, "a.de", "--out", "run"),
            (2, ["is a model, not text", "heed info"], "data", MODEL, "a.de"),
            (2, ["--gold 'none.align' is neither a file nor links"], "attend", MODEL, "A dog.", "--gold", "none.align"),
            (1, ["looks like a text file", "safetensors.torch.save_file"], "import", "--preset", "heed", "--weights", "text.txt", "--out", "x"),
            (1, ["looks like a text file", "golden file"], "parity", "text.txt"),
            (1, ["there is no file 'none.txt'", "standard input"], "tokenize", "none.txt"),
            (1, ["JSON Lines: one object per line"], "data", "array.json"),
            (1, ["JSON Lines: one object per line"], "train", "array.json", "--out", "run"),
            (1, ["--shard-dir needs a file to translate, but there is no file 'hello'"], "translate", MODEL, "hello", "--shard-dir", "d"),
            (2, ["--shard-dir needs one file", "2 texts"], "translate", MODEL, "hello", "dog", "--shard-dir", "d"),
            (2, ["--shard 1/2 needs a file"], "translate", MODEL, "hello", "--shard", "1/2"),
            (1, ["--host '300.1.1.1' is not a valid address; use 127.0.0.1"], "serve", MODEL, "--host", "300.1.1.1"),
            (2, ["--pivot en needs a model into en and one from en, but there is none into it"], "serve", MODEL, "--pivot", "english"),
            (2, ["but there is neither"], "serve", MODEL, "--pivot", "fr"),
            (2, ["--cors 'example.com': expected * (all web pages), none, or an origin such as https://"], "serve", MODEL, "--cors", "example.com"),
            (2, ["--cors 'https://example.com/': expected"], "serve", MODEL, "--cors", "https://example.com/"),
            (2, ["--filter has no effect without --clean"], "data", "a.en", "a.de", "--filter", "numbers"),
            (2, ["several files were given", "run it once per file"], "translate", MODEL, "a.en", "a.de"),
            (2, ["'a.en' is a file, but text was given too"], "translate", MODEL, "a.en", "hello"),
            (2, ["--unknown: 'foo' is not keep, names or copy"], "translate", MODEL, "hello", "--unknown", "foo"),
            (2, ["'a.en' is neither parallel text nor a TOML configuration", "give two files"], "train", "a.en", "--out", "run"),
            (2, ["--lowercase has no effect with --sentences"], "tokenize", "a.en", "--sentences", "--lowercase"),
            (2, ["--split-hyphens has no effect with --sentences"], "tokenize", "a.en", "--sentences", "--split-hyphens"),
            (2, ["--columns 1,2 chooses columns of tables, but no file is one"], *train, "--columns", "1,2"),
            (2, ["--columns 1,2 chooses columns of tables, but no file is one"], "data", "a.en", "a.de", "--columns", "1,2"),
            (2, ["--columns 1,2 chooses columns"], "evaluate", MODEL, "--pairs", "a.en", "a.de", "--columns", "1,2"),
            (1, ["cannot read 'none': No such file"], *train, "--valid", "none"),
            (1, ["cannot read 'none': No such file"], "train", "--train", "none", "--out", "run"),
            (1, ["cannot read 'none': No such file"], "shortlist", MODEL, "--train", "none", "--out", "listed"),
            (2, ["there is no setting 'foo' and no file 'foo=3' ("], *train, "foo=3"),
            (2, ["there is no setting 'hidden' and no file 'hidden=3'; did you mean 'encoder.hidden'?"], *train, "hidden=3"),
            (1, ["number.jsonl:1: the value of 'de' is a number; expected text"], "data", "number.jsonl"),
            (1, ["quote.csv:3: text follows a closing quote", "(the cell began in line 2; is its closing quote missing?)"], "data", "quote.csv"),
            (2, ["heed: the weight '0' of 'a.en' is not"], "data", "a.en:0", "a.de"),
            (1, ["twice.toml:2: 'encoder.hidden' is set twice; remove one of them"], "train", "twice.toml", "a.en", "a.de", "--out", "run"),
            (2, ["--clean would overwrite 'a.en', which the command reads; choose another name"], "data", "a.en", "a.de", "--clean", "a"),
            (2, ["give either --pairs, or --source and --reference, not both"], "evaluate", MODEL, "--pairs", "a.en", "a.de", "--source", "a.en"),
            (2, ["give either --pairs, or --source and --target, not both"], "align", MODEL, "--pairs", "a.en", "a.de", "--source", "a.en", "--target", "a.de"),
            (1, ["'a.en' is a file; give the directory of --shard-dir"], "gather", "a.en"),
            (1, ["there is no directory 'none'; give the directory of a training run"], "report", "none"),
            (1, ["create the directory first"], "corpus", "pocket", "--out", "none/pocket"),
            (1, ["'a.en' has 2 lines, 'a.de' has 2 lines and 'one.de' has 1 line"], "score", "a.en", "a.de", "--compare", "one.de"),
            (1, ["rules.tsv:1: the rules case and any contradict each other"], "translate", MODEL, "dog", "--glossary", "rules.tsv"),
            (2, ["did you mean 'bahdanau-lstm'?"], *train, "--preset", "bahdanua"),
            (1, ["has 1 line, but the source has 2"], "evaluate", MODEL, "a.en", "a.de", "--translations", "one.de"),
            (1, ["'text.txt' is a file"], "demo", "--out", "text.txt"),
            (1, ["save it as docx, odt, HTML or plain text"], "translate", MODEL, "--input", "a.pdf")):
        heed.fails(code, says, *words)
    for words in (["info", "none"], ["serve", "none"], ["compare", MODEL, "none", "--source", "a.en", "--reference", "a.de"],
                  ["vocab", "none"], ["attend", "none", "dog"], ["evaluate", "none", "a.en", "a.de"], [*train, "--from", "none"]):
        heed.fails(1, "there is no model 'none'; give a model file or the directory of a training run", *words)
    (directory / "terms.tsv").write_text("Xperia\n")
    done = heed.works("translate", MODEL, "--glossary", "terms.tsv", "The dog sleeps.")
    expect("the only term has no translation, so it is kept as written; " in done.stderr, f"one term: {done.stderr}")
    (directory / "terms.tsv").write_text("")
    done = heed.works("translate", MODEL, "--glossary", "terms.tsv", "The dog sleeps.")
    expect("terms.tsv: the glossary has no terms\n" in done.stderr, f"no terms: {done.stderr}")
    (directory / "terms.tsv").write_text("Xperia\nPixel\n")
    done = heed.works("translate", MODEL, "--glossary", "terms.tsv", "The dog sleeps.")
    expect("none of the 2 terms has a translation, so they are kept as written; " in done.stderr, f"two terms: {done.stderr}")
    expect(heed.works("tokenize", "a.en").stdout == "The dog sleeps .\nThe cat sleeps .\n", "heed tokenize FILE")


def check_notes(directory):
    """What works, but is probably not what was meant, is noted once."""
    reversed_files = "'a.de' is given as the source, but the model translates from English (en) to German (de)\n"
    for words in (["evaluate", MODEL, "a.de", "a.en"], ["evaluate", MODEL, "--source", "a.de", "--reference", "a.en"],
                  ["compare", MODEL, MODEL, "--source", "a.de", "--reference", "a.en"],
                  ["align", MODEL, "--source", "a.de", "--target", "a.en"]):
        expect(heed.works(*words).stderr.count(reversed_files) == 1, f"{heed.shown(words)}: no note about the order")
    for words in (["evaluate", MODEL, "a.en", "a.de"], ["align", MODEL, "--source", "a.en", "--target", "a.de"]):
        expect("is given as the source" not in heed.works(*words).stderr, f"{heed.shown(words)}: a note about the order")
    for sentence, read in (("THE OLD MAN SEES A DOG.", "The old man sees a dog."), ("I see {name}.", "I see XY.")):
        note = f"heed translate passes '{read}' to the model; heed attend passes the sentence as it is\n"
        expect(note in heed.works("attend", MODEL, sentence).stderr, f"attend: {sentence}")
    expect(heed.works("attend", MODEL, "THE DOG SLEEPS.", "--target", "Der Hund schläft.").stderr == "", "a note about --target")
    heed.works("corpus", "pocket", "--pairs", 200, "--out", "few")
    done = heed.works("shortlist", MODEL, "--train", "few.train.en", "few.train.de", "--out", "listed")
    expect("most lists are longer than a quarter of the vocabulary, so the whole vocabulary is used" in done.stderr, f"shortlist: {done.stderr}")
    done = heed.works("translate", MODEL, "--input", "a.en", "--shard-dir", "shards")
    expect("everything is done; join the results with `heed gather shards`\n" in done.stderr, f"--shard-dir: {done.stderr}")
    done = heed.run("translate", MODEL, "dog", "--prefix-file", "a.de")
    expect(done.returncode == 1 and "--prefix-file 'a.de' has more lines than the text, which has 1; give one prefix per line" in done.stderr,
           f"--prefix-file: {done.stderr}")


def check_training(directory):
    """A run that is not resumed, a size that is too small, advice that would change nothing."""
    train = ("train", "few.train.en", "few.train.de", "--epochs", 1)
    heed.works(*train, "--preset", "vanilla", "--set", "encoder.hidden=24", "--set", "decoder.hidden=24", "--out", "small")
    heed.fails(2, ["was started with encoder.hidden = 24 and cannot be resumed with 32"], "train", "--resume", "--out", "small",
               "--set", "encoder.hidden=32")
    done = heed.run(*train, "--subwords", 3, "--out", "run")
    found = re.search(r"raise data\.subwords to at least (\d+)\n", done.stderr)
    expect(done.returncode == 1 and found, f"--subwords 3: {done.stderr}")
    least = int(found[1]) if found else 0
    sizes = ("--set", "encoder.hidden=16", "--set", "decoder.hidden=16")
    heed.works(*train, "--subwords", least, *sizes, "--out", "run")
    expect(heed.run(*train, "--subwords", least - 1, *sizes, "--out", "none").returncode == 1, f"--subwords {least - 1} is enough")
    sizes = ("--set", "encoder.hidden=160", "--set", "decoder.hidden=160")
    for subwords, advised in ((2400, False), (8000, True)):
        text = heed.works(*train, "--subwords", subwords, *sizes, "--out", f"run-{subwords}").stderr
        expect("parameters are a lot for" in text and ("data.subwords=2000" in text) == advised, f"--subwords {subwords}: {text}")


def check_help_texts():
    for name in ("no-protect", "--no-restore-case", "--no-stop-repetition"):
        expect(heed.works("help", name).stdout == heed.works("help", name.replace("no-", "")).stdout, f"heed help {name}")
    heed.fails(2, "there is no command, option or setting '--no-beam'", "help", "--no-beam")
    text = heed.works("serve", "--help-all").stdout
    expect("repeated (may be repeated)" not in " ".join(text.split()), "--trusted-proxy may be repeated twice")
    text = " ".join(heed.works("train", "--help-all").stdout.split())
    expect("short form --lr" in text, "--lr is not documented")
    expect("Vocabulary (set by training, cannot be changed)" in text, "vocabulary.* looks like a setting")


def main():
    with tempfile.TemporaryDirectory() as name:
        heed.directory = directory = Path(name)
        check_help()
        check_attend(directory)
        check_files(directory)
        check_unknown_words(directory)
        check_messages(directory)
        check_notes(directory)
        check_training(directory)
        check_help_texts()
        info = heed.works("info", MODEL).stdout
        expect("{" not in info, f"heed info prints JSON: {info}")
    return report("newcomer")


if __name__ == "__main__":
    sys.exit(main())
