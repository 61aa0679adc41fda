#!/usr/bin/env python3
"""libheed.so and the Python package over it: exported symbols, and everything that docs/api/python.md promises.

    library_test.py BUILD      BUILD holds libheed.so.0
    library_test.py BUILD --write-symbols      writes tests/api/symbols.txt anew"""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = Path(sys.argv[1]).resolve() / "libheed.so.0"
os.environ["HEED_LIBRARY"] = str(LIBRARY)
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
MODEL = str(ROOT / "models/pocket-en-de.safetensors")
SYMBOLS = ROOT / "tests/api/symbols.txt"


def raised(kind, call, *says):
    """Whether the call raises this exception, with all of `says` in its text."""
    try:
        call()
    except kind as error:
        missing = [part for part in says if part not in str(error)]
        expect(not missing, f"{kind.__name__} lacks {missing}: {error}")
        return
    except Exception as error:
        expect(False, f"{type(error).__name__} instead of {kind.__name__}: {error}")
        return
    expect(False, f"{kind.__name__} was not raised")


def exported():
    """The exported symbols with their versions, without the version's own."""
    done = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], stdout=subprocess.PIPE, text=True, check=True)
    names = [line.split()[-1] for line in done.stdout.splitlines()]
    return sorted(name for name in names if not name.startswith("HEED_0"))


def check_symbols():
    known, found = SYMBOLS.read_text().split(), exported()
    gone, new = sorted(set(known) - set(found)), sorted(set(found) - set(known))
    expect(not gone, f"libheed.so no longer exports {gone}, so programs that use them would not start")
    expect(not new, f"libheed.so exports {new}, which tests/api/symbols.txt does not list; if that is intended: {Path(__file__).name} BUILD --write-symbols")
    foreign = [name for name in found if "heed" not in name]
    expect(not foreign, f"symbols of others: {foreign}")
    functions = set((ROOT / "include/heed/heed.h").read_text().replace("(", " ").replace("*", " ").split())
    missing = [name for name in found if name.startswith("heed_") and name.split("@")[0] not in functions]
    expect(not missing, f"not declared in heed.h: {missing}")
    done = subprocess.run(["readelf", "-d", str(LIBRARY)], stdout=subprocess.PIPE, text=True, check=True)
    expect("[libheed.so.0]" in done.stdout, "the soname is not libheed.so.0")


def check_translating(heed):
    translator = heed.Translator(MODEL, threads=2)
    expect((translator.system, translator.source_language, translator.target_language) == ("heed", "en", "de"), "the model's description")
    results = translator.translate(["We see a dog.", "", "The old man reads a book."], beam=3, nbest=2)
    expect(results[0].text == "Wir sehen einen Hund." and str(results[0]) == results[0].text, f"translation: {results[0]}")
    expect(results[1].text == "" and len(results) == 3 and len(results[0].translations) == 2, "one result per line")
    expect([link[:2] for link in results[0].alignment] == [(i, i) for i in range(4)], f"links: {results[0].alignment}")
    best = results[0].best
    expect([t.text for t in best.source_tokens[:4]] == ["We", "see", "a", "dog"] and best.source_tokens[3][1:] == (9, 12), f"{best.source_tokens}")
    matrix = best.attention
    expect(len(matrix) == len(best.target_tokens) and len(matrix[0]) == len(best.source_tokens), "the shape of the attention")
    expect(all(abs(sum(row) - 1) < 1e-3 for row in matrix), "rows of attention that do not sum to 1")
    expect(len(best.probabilities) == len(best.target_tokens) and best.score < 0, "probabilities and score")
    expect("<svg" in results[0].plot("Ä & B")._repr_svg_() and "Ä &amp; B" in results[0].plot("Ä & B").svg, "the picture")
    expect("<svg" in results[0]._repr_svg_(), "a result in a notebook")
    expect(translator.translate(["We see a dog."], attention=False, alignment=False)[0].attention is None, "attention that nobody wanted")
    expect(translator.translate("We see a dog.", plain=True, length_normalization=0.5)[0].text == "Wir sehen einen Hund.", "settings")
    expect(translator.translate(["x"], prefixes=["Ich"])[0].text.startswith("Ich"), "prefixes")
    expect(translator.translate(["We see a zzyzx."], warnings=True)[0].warnings[0].text == "zzyzx.", "warnings")
    copy = pickle.loads(pickle.dumps(results[0]))
    expect(copy.text == results[0].text, "a pickled result")
    raised(ValueError, copy.plot, "pickled")
    odd = translator.translate(["a\0b", "\ud800", "\n"])
    expect(len(odd) == 3, "text that is no text")
    scored = translator.score_pairs(["We see a dog."] * 2, ["Wir sehen einen Hund.", "Hund sehen Wir."])
    expect(scored[0].score > scored[1].score, "scores of known translations")
    expect(translator.align(["We see a dog."], ["Wir sehen einen Hund."])[0][0] == (0, 0, True), "links of a known translation")
    scores = translator.evaluate(["We see a dog."], ["Wir sehen einen Hund."])
    expect(scores.exact == 100 and scores.perplexity > 1 and round(scores.bleu) == 100, f"evaluation: {scores}")


def check_errors(heed):
    translator = heed.Translator(MODEL)
    raised(heed.InputError, lambda: heed.Translator("no-such-model"), "no-such-model")
    raised(heed.UsageError, lambda: heed.Translator([]), "at least one model")
    raised(heed.UsageError, lambda: translator.translate(["x"], bem=3), "beam")
    raised(heed.UsageError, lambda: translator.translate(["x"], beam=-1), "beam")
    raised(heed.UsageError, lambda: translator.translate(["x"], prefixes=["a", "b"]), "2 prefixes for 1 lines")
    raised(heed.UsageError, lambda: translator.align(["a"], []), "1 and 0 lines")
    raised(heed.UsageError, lambda: translator.translate("We see.", attention=False)[0].plot(), "attention")
    raised(heed.UsageError, lambda: heed.score(["a"], ["a", "b"]), "1 translations and 2 references")
    raised(TypeError, lambda: translator.translate([3]), "int")
    raised(ValueError, lambda: translator.translate(["x"], nonsense=1))
    translator.close()
    translator.close()
    raised(heed.UsageError, lambda: translator.translate(["x"]), "closed")


def check_callbacks(heed):
    translator, lines = heed.Translator(MODEL), ["The old man reads a book. He sees a dog."] * 300
    results = translator.translate(lines, progress=lambda done, every: False)
    expect(not all(result.done for result in results), "a progress callback that returns False stops nothing")
    raised(ValueError, lambda: next(r for r in results if not r.done).text, "stopped")

    def interrupt(done, every):
        raise KeyboardInterrupt
    raised(KeyboardInterrupt, lambda: translator.translate(lines, progress=interrupt))


def check_threads(heed):
    """Another thread runs during a call, and eight threads use one translator."""
    translator = heed.Translator(MODEL, threads=1)
    expected = [r.text for r in translator.translate(["We see a dog.", "The man sleeps."])]
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)
    counter = threading.Thread(target=count)
    counter.start()
    before = counted[0]
    translator.translate(["The old man reads a book. He sees a dog."] * 200, attention=False, alignment=False)
    ran = counted[0] - before
    stop.set()
    counter.join()
    expect(ran >= 3, f"a call keeps the lock of the interpreter: another thread ran {ran} times during it")
    wrong = []

    def work():
        for _ in range(5):
            if [r.text for r in translator.translate(["We see a dog.", "The man sleeps."])] != expected:
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(not wrong, f"{len(wrong)} of 40 translations by 8 threads differ")


def check_training(heed, directory):
    text = directory / "text.tsv"
    text.write_text("".join(f"a{i % 7} b\tx{i % 7} y\n" for i in range(40)))
    settings = {"encoder.hidden": 8, "decoder.hidden": 8, "training.batch": 10}
    options = dict(settings=settings, epochs=3, valid=[text])
    whole = heed.train([text], out=directory / "whole", **options)
    expect(not whole.stopped and whole.update == 12 and whole.best is not None and len(whole.validations) == 3, f"a run: {whole}")
    part = heed.train([text], out=directory / "part", on_update=lambda update: update.update < 5, **options)
    expect(part.stopped and part.update == 5, f"a stopped run: {part}")
    heed.train(out=directory / "part", resume=True)
    expect(Path(part.model).read_bytes() == Path(whole.model).read_bytes(), "a resumed run has another model")
    expect(len(whole.translator().translate(["a1 b"])) == 1, "the trained model translates")

    def fail(update):
        raise KeyError("mine")
    raised(KeyError, lambda: heed.train([text], out=directory / "fail", on_update=fail, **options), "mine")
    raised(heed.UsageError, lambda: heed.train([text], out=directory / "x", settings={"training.epoch": 1}), "training.epochs")
    raised(heed.HeedError, lambda: heed.train([directory / "none.tsv"], out=directory / "x"), "none.tsv")


def check_state_dicts(heed, directory):
    out, model = directory / "copy.safetensors", directory / "model.safetensors"
    heed.from_state_dict(heed.to_state_dict(MODEL, "python"), like=MODEL, out=model)  # with the settings as this version writes them
    for framework in ("python", "numpy", "torch"):
        if framework != "python":
            try:
                __import__(framework)
            except ImportError:
                print(f"library: skipped: no {framework}")
                continue
        heed.from_state_dict(heed.to_state_dict(model, framework), like=model, out=out)
        expect(out.read_bytes() == model.read_bytes(), f"a state dict of {framework} changes the model")
    state = heed.to_state_dict(MODEL, "python")
    same = heed.to_state_dict(model, "python")
    expect(list(state) == list(same) and all(state[key] == same[key] for key in state), "the tensors of a written model")
    name = next(iter(state))
    flat = memoryview(bytearray(state[name].nbytes)).cast("f", state[name].shape)
    heed.from_state_dict({**state, name: flat}, like=MODEL, out=out)
    expect(max(map(abs, heed.to_state_dict(out, "python")[name].cast("B"))) == 0, "a changed tensor is not in the file")
    raised(heed.InputError, lambda: heed.from_state_dict({name: flat}, like=MODEL, out=out))
    raised(heed.InputError, lambda: heed.to_state_dict(__file__, "python"), "not a model file")
    raised(heed.UsageError, lambda: heed.to_state_dict(MODEL, "jax"), "jax")


def check_scores(heed):
    scores = heed.score(["The cat sat on a mat."], ["The cat sat on the mat."], metrics=["bleu", "chrf"])
    expect(list(scores) == ["bleu", "chrf"] and "tok:13a" in scores["bleu"].signature and scores.bleu == float(scores["bleu"]), f"{scores}")
    both = heed.score(["a b c d"], [["x y z w"], ["a b c d"]])
    expect(round(both.bleu) == 100, f"several references: {both}")
    links = heed.align(["the house", "the book", "a book"] * 20, ["das Haus", "das Buch", "ein Buch"] * 20)
    expect(links[0] == [(0, 0, True), (1, 1, True)], f"learned links: {links[0]}")


def main():
    if "--write-symbols" in sys.argv:
        SYMBOLS.write_text("\n".join(exported()) + "\n")
        return 0
    check_symbols()
    import heed
    expect(heed.library_path() == str(LIBRARY) and heed.__version__ in LIBRARY.resolve().name, f"{heed.library_path()} {heed.__version__}")
    with tempfile.TemporaryDirectory(prefix="heed-library-") as name:
        check_translating(heed)
        check_errors(heed)
        check_callbacks(heed)
        check_threads(heed)
        check_scores(heed)
        check_training(heed, Path(name))
        check_state_dicts(heed, Path(name))
    done = subprocess.run([sys.executable, "-c", "import heed"], env={"PYTHONPATH": str(ROOT / "python"), "HEED_LIBRARY": "/nowhere/libheed.so.0"},
                          stderr=subprocess.PIPE, text=True)
    expect("HEED_LIBRARY" in done.stderr and "/nowhere/libheed.so.0" in done.stderr, f"without a library: {done.stderr[-300:]}")
    return report("library")


if __name__ == "__main__":
    sys.exit(main())
