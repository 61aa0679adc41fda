#!/usr/bin/env python3
"""What newcomers do with the model of the repository: look something up, look at attention, score files, type words
that the model does not know.

    newcomer_test.py BUILD      BUILD holds the program heed"""

import json
import os
import pty
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
    heed.fails(1, "save it as docx, odt or plain text", "translate", MODEL, "a.pdf")


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
            (2, ["--cors 'example.com' is not an origin", "https://"], "serve", MODEL, "--cors", "example.com"),
            (2, ["--cors 'https://example.com/' is not an origin"], "serve", MODEL, "--cors", "https://example.com/"),
            (2, ["--filter has no effect without --clean"], "data", "a.en", "a.de", "--filter", "numbers"),
            (1, ["several files were given", "run it once per file"], "translate", MODEL, "a.en", "a.de"),
            (1, ["'a.en' is a file, but text was given too"], "translate", MODEL, "a.en", "hello"),
            (2, ["did you mean 'bahdanau-lstm'?"], *train, "--preset", "bahdanua"),
            (1, ["has 1 line, but the source has 2"], "evaluate", MODEL, "a.en", "a.de", "--translations", "one.de"),
            (1, ["'text.txt' is a file"], "demo", "--out", "text.txt"),
            (1, ["save it as docx, odt or plain text"], "translate", MODEL, "--input", "a.pdf")):
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


def check_help_texts():
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
        check_help_texts()
        info = heed.works("info", MODEL).stdout
        expect("{" not in info, f"heed info prints JSON: {info}")
    return report("newcomer")


if __name__ == "__main__":
    sys.exit(main())
