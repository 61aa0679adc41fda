#!/usr/bin/env python3
"""Clients that others have written, against heed serve: npm packages for LibreTranslate and DeepL, and curl.

    clients_test.py BUILD      BUILD holds the program heed

Their translations must be those of heed translate, and they must understand the server's errors. The packages, in exact
versions, are those of tests/clients/package.json."""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from npm import install_packages
from program import ROOT
from serve_test import MODEL, SENTENCES, Server, heed, offline, same

HTML = "<p>The <b>old man</b> sees a dog.</p>"
NO_KEY = "Please contact the server operator to get an API key"
PER_MINUTE = 40


def use(packages, client, server, *calls, key=""):
    """What a client answered to its calls: values, or texts of errors."""
    script = packages.parent / "clients.mjs"
    settings = {"url": f"http://127.0.0.1:{server.port}", "key": key, "calls": calls}
    done = subprocess.run(["node", script, client, json.dumps(settings)], capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"{client}: {done.stderr[-500:]}")
    return [answer["value"] if "value" in answer else answer["error"] for answer in json.loads(done.stdout or "[]")]


def check_libretranslate(packages, server, keyed):
    expected = offline(SENTENCES)
    all_sentences = [["translate", sentence, "en", "de"] for sentence in SENTENCES]
    for client in ("translate", "libretranslate-ts", "libretranslate", "anylang"):
        same(use(packages, client, server, *all_sentences), expected, client)
    same(use(packages, "translate", server, ["translate", "x", "zu", "de"]), ["zu is not supported"], "translate, unknown language")
    same(use(packages, "translate", keyed, all_sentences[0]), [NO_KEY], "translate without a key")
    same(use(packages, "translate", keyed, all_sentences[0], key="right"), expected[:1], "translate with a key")
    same(use(packages, "translate", keyed, all_sentences[0], key="wrong"), ["Invalid API key"], "translate with a wrong key")

    nbest = list(dict.fromkeys(line.split(" ||| ")[1] for line in offline(SENTENCES[:1], "--nbest", 4)))
    languages = [{"code": "de", "name": "German", "targets": ["de", "en"]}, {"code": "en", "name": "English", "targets": ["de", "en"]}]
    same(use(packages, "libretranslate-ts", server, ["alternatives", SENTENCES[0], "en", "de", 3], ["languages"], ["translate", "x", "zu", "de"]),
         [nbest[1:], languages, "zu is not supported"], "libretranslate-ts")
    same(use(packages, "libretranslate-ts", keyed, all_sentences[0], ["detect", SENTENCES[0]]), [NO_KEY] * 2, "libretranslate-ts without a key")
    same(use(packages, "libretranslate-ts", keyed, all_sentences[0], ["detect", SENTENCES[0]], key="right"), [expected[0], "en"], "libretranslate-ts with a key")

    same(use(packages, "libretranslate", server, ["translate", "x", "zu", "de"]), ["This language was not found/does not exist."], "libretranslate, unknown language")
    same(use(packages, "libretranslate", keyed, all_sentences[0], key="right"), [None], "libretranslate, which sends its key under another name")
    same(use(packages, "anylang", server, ["batch", SENTENCES[:3], "en", "de"]), [expected[:3]], "anylang, a batch")
    same(use(packages, "anylang", keyed, all_sentences[0], key="right"), expected[:1], "anylang with a key")
    found = use(packages, "anylang", keyed, all_sentences[0])[0]
    expect("Unexpected data" in found or "400" in found, f"anylang without a key: {found}")


def check_deepl(packages, server, keyed):
    expected = offline(SENTENCES)
    translated = heed.works("translate", MODEL, "--format", "html", input=HTML).stdout
    found = use(packages, "deepl-node", server, ["translate", SENTENCES, "en", "de"], ["detected", SENTENCES[0], "en", "de"], ["html", HTML, "en", "de"], ["languages"],
                ["translate", "x", "en", "zu"], ["usage"])
    same(found[:4], [expected, "en", translated, [["de", "German"], ["en", "English"]]], "deepl-node")
    expect("target_lang" in found[4] and "not supported" in found[4], f"deepl-node, unknown language: {found[4]}")
    expect(found[5] >= sum(map(len, SENTENCES)), f"deepl-node, usage: {found[5]}")
    wrong = use(packages, "deepl-node", keyed, ["translate", SENTENCES[0], "en", "de"], key="wrong")[0]
    expect(wrong.startswith("AuthorizationError"), f"deepl-node with a wrong key: {wrong}")
    same(use(packages, "deepl-node", keyed, ["translate", SENTENCES[0], "en", "de"], key="right"), expected[:1], "deepl-node with a key")
    # More requests than the key may make in a burst: the client waits as the server asks, and tries again.
    same(use(packages, "deepl-node", keyed, ["repeat", PER_MINUTE + 1, SENTENCES[0], "en", "de"], key="limited"), [expected[:1]], "deepl-node with many requests")
    statuses = [json.loads(line).get("status") for line in keyed.read_log().splitlines() if '"key":"limited"' in line]
    expect(429 in statuses and statuses[-1] == 200 and statuses.count(200) == PER_MINUTE + 1, f"deepl-node with many requests: {statuses}")


def check_curl(server, keyed):
    """The examples of LibreTranslate's and DeepL's documentation."""
    expected = offline(SENTENCES[:2])

    def curl(one, path, *arguments):
        done = subprocess.run(["curl", "-sS", f"http://127.0.0.1:{one.port}{path}", *arguments], capture_output=True, text=True, timeout=20)
        expect(done.returncode == 0, f"curl {path}: {done.stderr}")
        return json.loads(done.stdout)

    text = ["-d", f"q={SENTENCES[0]}", "-d", "source=en", "-d", "target=de"]
    same(curl(server, "/translate", *text), {"translatedText": expected[0]}, "curl with a form")
    same(curl(server, "/translate", "-H", "Content-Type: application/json", "-d", json.dumps({"q": SENTENCES[0], "source": "en", "target": "de"})),
         {"translatedText": expected[0]}, "curl with JSON")
    same(curl(server, "/translate", "-F", f"q={SENTENCES[0]}", "-F", "source=en", "-F", "target=de"), {"translatedText": expected[0]}, "curl with a multipart form")
    same(curl(server, "/translate", "--http1.0", *text), {"translatedText": expected[0]}, "curl with HTTP/1.0")
    same(curl(server, "/translate", "-d", "q=x", "-d", "source=zu", "-d", "target=de"), {"error": "zu is not supported"}, "curl, unknown language")
    same(curl(server, "/v2/translate", "-H", "Authorization: DeepL-Auth-Key x", "-d", f"text={SENTENCES[0]}", "-d", f"text={SENTENCES[1]}", "-d", "source_lang=EN", "-d", "target_lang=DE"),
         {"translations": [{"detected_source_language": "EN", "text": one} for one in expected]}, "curl, as DeepL")
    same(curl(keyed, "/translate", *text), {"error": NO_KEY}, "curl without a key")
    same(curl(keyed, "/translate", *text, "-d", "api_key=right"), {"translatedText": expected[0]}, "curl with a key")


def main():
    start = time.monotonic()
    packages = install_packages(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="heed-clients-") as directory:
        heed.directory = directory
        keys = Path(directory) / "keys"
        digest = lambda key: hashlib.sha256(key.encode()).hexdigest()
        keys.write_text(f"right {digest('right')}\nlimited {digest('limited')} {PER_MINUTE}\n")
        pairs = (f"en-de={MODEL}", f"de-en={MODEL}")
        with Server(models=pairs) as server, Server("--keys", keys) as keyed:
            check_curl(server, keyed)
            if packages:
                shutil.copyfile(ROOT / "tests/clients/clients.mjs", packages.parent / "clients.mjs")
                check_libretranslate(packages, server, keyed)
                check_deepl(packages, server, keyed)
    return report("clients_test", f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
