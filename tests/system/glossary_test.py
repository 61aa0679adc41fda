#!/usr/bin/env python3
"""heed translate --glossary from end to end, with the model of the repository.

    glossary_test.py BUILD      BUILD holds the program heed"""

import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

MODEL = ROOT / "models/pocket-en-de.safetensors"
LINES = ["The old man sees a dog.", "A dog sees the dog. We drink milk!", "", "The cat sleeps.", "12 dogs and https://a.org/dog"]
heed = Program(text=True)


def translate(*arguments):
    done = heed.run("translate", MODEL, *arguments, input="".join(line + "\n" for line in LINES))
    expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr[:300]}")
    lines = done.stdout.split("\n")[:-1]
    return lines


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        glossary = directory / "terms.tsv"
        glossary.write_text("dog\tKöter\nold man\tGreis\nmilk\t\n", encoding="utf-8")
        plain = translate()
        for options in ((), ("--beam", 1), ("--sample",), ("--batch", 1, "--threads", 2), ("--no-protect",)):
            lines = translate("--glossary", glossary, *options)
            expect(len(lines) == len(LINES), f"{len(LINES)} lines in, {len(lines)} out")
            expect("Greis" in lines[0] and "Köter" in lines[0], f"{options}: a term is missing: {lines[0]}")
            expect(len(re.findall(r"\bKöter\b", lines[1])) == 2 and "milk" in lines[1], f"{options}: {lines[1]}")
            expect("--sample" in options or lines[3] == plain[3], f"a line without terms changed: {lines[3]}")
        expect("https://a.org/dog" in translate("--glossary", glossary)[4], "a protected address was changed")
        same = translate("--glossary", glossary)
        expect(translate("--glossary", glossary, "--batch", 1, "--threads", 1) == same, "the batch changes translations")
        inflected = translate("--glossary", glossary, "--glossary-match", "inflected")
        expect("Köter" in inflected[4] and "Köter" not in same[4], f"inflected: {inflected[4]}, exact: {same[4]}")
        objects = [json.loads(line) for line in translate("--glossary", glossary, "--json", "--nbest", 2)]
        expect("terms" not in objects[3], "terms where there are none")
        for line in (objects[0], *objects[0]["nbest"]):
            cut = lambda text, span: text[span[0]:span[1]]
            found = {cut(LINES[0], t["source_span"]): cut(line["translation"], t["target_span"]) for t in line["terms"]}
            expect(found == {"old man": "Greis", "dog": "Köter"}, f"terms in JSON: {found}")
        heed.fails(2, "--glossary", "translate", MODEL, "--plain", "--glossary", glossary, "x")
        heed.fails(2, "give one with --glossary FILE", "translate", MODEL, "--glossary-match", "inflected", "x")
        glossary.write_text("dog\tHund\nDog\tKatze\n", encoding="utf-8")
        heed.fails(1, f"{glossary}:2: 'Dog' is translated as 'Katze' here", "translate", MODEL, "--glossary", glossary, "x")
        for text in ("dog = Köter\ncat = Kater\n", "dog -> Köter\n", "dog   Köter\n"):
            glossary.write_text(text, encoding="utf-8")
            heed.fails(1, [f"{glossary}:1: no line has a translation", "by a tab"], "translate", MODEL, "--glossary", glossary, "x")
        glossary.write_text("dog\nold man\n", encoding="utf-8")
        done = heed.works("translate", MODEL, "--glossary", glossary, LINES[0])
        expect("none of the 2 terms has a translation" in done.stderr and "dog" in done.stdout, f"terms to keep: {done.stderr}{done.stdout}")
        heed.fails(2, "did you mean '--glossary'?", "translate", MODEL, "--terms", glossary, "x")
        heed.fails(1, "missing.tsv", "translate", MODEL, "--glossary", directory / "missing.tsv", "x")
    return report("glossary")


if __name__ == "__main__":
    sys.exit(main())
