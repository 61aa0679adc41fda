#!/usr/bin/env python3
"""heed serve over loopback: the API of LibreTranslate, HTTP rules, limits, overload, disconnected clients, shutdown.

    serve_test.py BUILD      BUILD holds the program heed"""

import concurrent.futures
import hashlib
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

MODEL = str(ROOT / "models/pocket-en-de.safetensors")
SENTENCES = ["The old man sees a dog.", "We drink milk.", "The cat sees us.", "The woman buys 42 apples.", "A child sleeps."]
WAIT = 20  # seconds for anything that must happen

heed = Program()


class Server:
    """A running `heed serve`; ends with the block."""

    def __init__(self, *arguments, models=(MODEL,), port=0):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([heed.path, "serve", *map(str, models), "--port", str(port), *map(str, arguments)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        ready, _, _ = select.select([self.process.stdout], [], [], WAIT)
        self.line = self.process.stdout.readline().decode() if ready else ""
        found = re.search(r"http://127\.0\.0\.1:(\d+)$", self.line.strip())
        if not found:
            self.process.kill()
            raise SystemExit(f"heed serve printed {self.line!r}; its log: {self.read_log()[-500:]}")
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def read_log(self):
        """The complete lines so far. The server writes at the offset of the same open file, so reading must not move it."""
        text = os.pread(self.log.fileno(), os.fstat(self.log.fileno()).st_size, 0).decode()
        return text[:text.rfind("\n") + 1]

    def end(self, sent=signal.SIGTERM):
        """Asks the server to stop; returns its exit code and the time it took."""
        start = time.monotonic()
        self.process.send_signal(sent)
        return self.process.wait(WAIT), time.monotonic() - start

    def request(self, method, path, body=None, headers=None, timeout=WAIT):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def json(self, path, value, **settings):
        status, body, _ = self.request("POST", path, json.dumps(value), {"Content-Type": "application/json"}, **settings)
        return status, json.loads(body)

    def form(self, path, **fields):
        status, body, _ = self.request("POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})
        return status, json.loads(body)

    def metric(self, name):
        page = self.request("GET", "/metrics")[1].decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.M))

    def raw(self, *parts, timeout=WAIT, end=False):
        """Everything that the server sends for these bytes until it closes the connection; None if it does not."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            try:
                for part in parts:
                    connection.sendall(part)
                if end:
                    connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            received = b""
            try:
                while part := connection.recv(65536):
                    received += part
            except socket.timeout:
                return None
            except ConnectionResetError:
                pass
            return received


def offline(lines, *arguments):
    return heed.works("translate", MODEL, *arguments, input="".join(f"{line}\n" for line in lines)).stdout.splitlines()


def same(found, expected, what):
    expect(found == expected, f"{what}: {found!r}, expected {expected!r}")


def check_libretranslate(server):
    expected = offline(SENTENCES)
    one = {"q": SENTENCES[0], "source": "en", "target": "de"}
    same(server.json("/translate", one), (200, {"translatedText": expected[0]}), "one text")
    same(server.json("/translate", {**one, "q": SENTENCES}), (200, {"translatedText": expected}), "an array")
    same(server.json("/translate", {**one, "format": "text", "api_key": None, "apiKey": "x", "unknown": [1]}), (200, {"translatedText": expected[0]}),
         "unknown fields, api_key null")
    same(server.form("/translate", **one), (200, {"translatedText": expected[0]}), "a form")
    same(json.loads(server.request("POST", "/translate?" + urllib.parse.urlencode(one))[1]), {"translatedText": expected[0]}, "a query")
    boundary = "----WebKitFormBoundary1"
    parts = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n' for k, v in one.items()) + f"--{boundary}--\r\n"
    same(json.loads(server.request("POST", "/translate", parts, {"Content-Type": f"multipart/form-data; boundary={boundary}"})[1]),
         {"translatedText": expected[0]}, "multipart")
    same(server.json("/translate", {**one, "source": "auto"}),
         (200, {"detectedLanguage": {"confidence": 100.0, "language": "en"}, "translatedText": expected[0]}), "auto")
    status, answer = server.json("/translate", {**one, "q": SENTENCES[:2], "source": "auto"})
    same(answer["detectedLanguage"], [{"confidence": 100.0, "language": "en"}] * 2, "auto with an array")
    same(server.json("/translate", {**one, "source": "AUTO"})[1].get("detectedLanguage"), {"confidence": 100.0, "language": "en"}, "AUTO")
    same(server.json("/translate", {**one, "source": "EN", "target": "de-AT"})[1], {"translatedText": expected[0]}, "other spellings of codes")
    same(server.json("/translate", {**one, "target": "en"})[1], {"translatedText": SENTENCES[0]}, "the same language")
    same(server.json("/translate", {**one, "q": "\n".join(SENTENCES) + "\n"})[1], {"translatedText": "\n".join(expected) + "\n"}, "several lines")

    status, answer = server.json("/translate", {**one, "alternatives": 3})
    nbest = [line.split(" ||| ")[1] for line in offline(SENTENCES[:1], "--nbest", 4)]
    same([answer["translatedText"], *answer["alternatives"]], list(dict.fromkeys(nbest)), "alternatives")
    status, answer = server.json("/translate", {**one, "q": SENTENCES[:2], "alternatives": 1})
    expect(status == 200 and len(answer["alternatives"]) == 2 and isinstance(answer["alternatives"][0], list), f"alternatives of an array: {answer}")
    same(server.form("/translate", **one, alternatives="x"), (400, {"error": "Invalid request: alternatives parameter is not a number"}), "alternatives=x")
    same(server.form("/translate", **one, alternatives="11"), (400, {"error": "Invalid request: alternatives parameter must be <= 10"}), "alternatives=11")
    same(server.form("/translate", **one, alternatives="-3"), (200, {"translatedText": expected[0]}), "alternatives=-3")

    same(server.json("/translate", {**one, "q": "a" * 100001}), (400, {"error": "Invalid request: request (100001) exceeds text limit (100000)"}), "a line that is too long")

    html = "<p>The <b>old man</b> sees a dog.</p><script>x < 1</script>"
    translated = heed.works("translate", MODEL, "--format", "html", input=html).stdout
    expect("<b>alte Mann</b>" in translated and translated.endswith("<script>x < 1</script>"), f"heed translate --format html: {translated}")
    same(server.json("/translate", {**one, "q": html, "format": "html", "alternatives": 2}), (200, {"alternatives": [], "translatedText": translated}), "HTML")
    same(server.json("/translate", {**one, "q": [html, "We drink milk."], "format": "html"})[1], {"translatedText": [translated, offline(["We drink milk."])[0]]}, "an array of HTML")
    same(server.json("/v2/translate", {"text": [html], "target_lang": "DE", "tag_handling": "html"})[1]["translations"][0]["text"], translated, "HTML for DeepL")

    for name in ("q", "source", "target"):
        for value in ({k: v for k, v in one.items() if k != name}, {**one, name: ""}, {**one, name: None}):
            same(server.json("/translate", value), (400, {"error": f"Invalid request: missing {name} parameter"}), f"without {name}")
    same(server.json("/translate", {**one, "q": []}), (400, {"error": "Invalid request: missing q parameter"}), "q=[]")
    same(server.json("/translate", {**one, "source": "zz"}), (400, {"error": "zz is not supported"}), "source zz")
    same(server.json("/translate", {**one, "target": "zz"}), (400, {"error": "zz is not supported"}), "target zz")
    same(server.json("/translate", {**one, "source": "de", "target": "en"}),
         (400, {"error": "English (en) is not available as a target language from German (de)"}), "a pair without a model")
    same(server.json("/translate", {**one, "format": "pdf"}), (400, {"error": "pdf format is not supported"}), "format pdf")
    # Of several errors, LibreTranslate reports that of the languages before that of the format.
    same(server.json("/translate", {**one, "target": "zz", "format": "pdf"}), (400, {"error": "zz is not supported"}), "target zz and format pdf")
    same(server.json("/translate", [1]), (400, {"error": "Invalid JSON format"}), "JSON that is not an object")
    expect(server.request("POST", "/translate", "{", {"Content-Type": "application/json"})[0] == 400, "bad JSON")
    same(server.json("/suggest", {"q": "a", "s": "b"}), (403, {"error": "Suggestions are disabled on this server."}), "suggest")

    same(server.json("/detect", {"q": "Hello", "api_key": None}), (200, [{"confidence": 100.0, "language": "en"}]), "detect")
    same(server.form("/detect"), (400, {"error": "Invalid request: missing q parameter"}), "detect without q")
    languages = [{"code": "de", "name": "German", "targets": ["de"]}, {"code": "en", "name": "English", "targets": ["de", "en"]}]
    for body, headers in ((None, {}), ("", {}), ("api_key=x", {"Content-Type": "application/x-www-form-urlencoded"})):
        status, answer, _ = server.request("GET", "/languages", body, headers)
        same((status, json.loads(answer)), (200, languages), f"languages with the body {body!r}")
    settings = json.loads(server.request("GET", "/frontend/settings")[1])
    same(sorted(settings), sorted(["apiKeys", "charLimit", "filesTranslation", "frontendTimeout", "keyRequired", "language", "suggestions",
                                   "supportedFilesFormat"]), "keys of the settings")
    same(settings["language"], {"source": {"code": "auto", "name": "Auto Detect"}, "target": {"code": "de", "name": "German"}}, "the settings' languages")
    same(json.loads(server.request("GET", "/health")[1]), {"status": "ok"}, "health")
    spec = json.loads(server.request("GET", "/spec")[1])
    expect("post" in spec["paths"]["/translate"] and spec["swagger"] == "2.0", "the description lacks /translate")


def check_deepl(server):
    expected = offline(SENTENCES)
    one = {"text": SENTENCES[:2], "target_lang": "DE"}
    same(server.json("/v2/translate", {**one, "formality": "default", "context": "x"}),
         (200, {"translations": [{"detected_source_language": "EN", "text": text} for text in expected[:2]]}), "DeepL")
    status, body, _ = server.request("POST", "/v2/translate", urllib.parse.urlencode([("text", SENTENCES[0]), ("text", SENTENCES[1]), ("source_lang", "en-GB"),
                                     ("target_lang", "de"), ("show_billed_characters", "1"), ("tag_handling", "xml")]),
                                     {"Content-Type": "application/x-www-form-urlencoded", "Authorization": "DeepL-Auth-Key x"})
    same((status, json.loads(body)), (200, {"translations": [{"detected_source_language": "EN", "text": text, "billed_characters": len(source)}
                                                             for source, text in zip(SENTENCES, expected[:2])]}), "a form for DeepL")
    for change, says in (({"text": []}, "Parameter 'text' not specified."), ({"target_lang": ""}, "Parameter 'target_lang' not specified."),
                         ({"target_lang": "ZZ"}, "Value for 'target_lang' not supported."), ({"source_lang": "DE", "target_lang": "EN"}, "Value for 'target_lang' not supported."),
                         ({"source_lang": "ZZ"}, "Value for 'source_lang' not supported."), ({"formality": "less"}, "Value for 'formality' not supported."),
                         ({"glossary_id": "x"}, "Value for 'glossary_id' not supported.")):
        same(server.json("/v2/translate", {**one, **change}), (400, {"message": says}), f"DeepL with {change}")
    same(json.loads(server.request("GET", "/v2/languages")[1]), [{"language": "EN", "name": "English"}], "DeepL's source languages")
    same(json.loads(server.request("GET", "/v2/languages?type=target")[1]), [{"language": "DE", "name": "German", "supports_formality": False}], "DeepL's target languages")
    usage = json.loads(server.request("GET", "/v2/usage")[1])
    expect(usage["character_count"] >= len(SENTENCES[0]) and usage["character_limit"] > 10 ** 9, f"usage {usage}")


def check_native(server):
    """heed's own API answers what `heed translate --json` prints."""
    lines = SENTENCES[:3] + ["The man sees a zebra and %s."]
    expected = [json.loads(line) for line in offline(lines, "--json", "--nbest", 2)]
    status, answer = server.json("/api/v1/translate", {"q": lines, "nbest": 2, "attention": True})
    same((status, answer["source"], answer["target"]), (200, "en", "de"), "the languages of heed's own API")
    same(answer["translations"], expected, "heed's own API")
    status, answer = server.json("/api/v1/translate", {"q": lines[0], "source": "en", "target": "de", "alignment": True, "prefix": "Der Mann"})
    text = answer["translations"][0]
    expect(status == 200 and "attention" not in text and text["translation"].startswith("Der Mann") and re.fullmatch(r"\d+-\d+( \d+-\d+)*", text["alignment"]),
           f"alignment and prefix: {text}")
    for change, says in (({"q": ""}, "q is missing"), ({"nbest": 0}, "nbest is 0, expected 1 to 11"), ({"beam": 101}, "beam is 101"), ({"target": "fr"}, "source is missing; /api/v1/models lists"),
                         ({"source": "en", "target": "fr"}, "no model"), ({"prefix": "xyzzy"}, "which the model does not know"), ({"q": "a\nb"}, "several lines"),
                         ({"q": "a" * 20001}, "exceeds text limit (20000)"), ({"attention": "x"}, "not true or false")):
        status, answer = server.json("/api/v1/translate", {"q": lines[0], **change})
        expect(status == 400 and says in answer["error"], f"{str(change)[:80]}: {status}, {str(answer)[:200]}")
    same(json.loads(server.request("GET", "/api/v1/models")[1]), [{"source": "en", "target": "de", "attention": True}], "the models")


def check_http(server):
    for method, path, allowed in (("GET", "/translate", "POST, OPTIONS"), ("GET", "/detect", "POST, OPTIONS"), ("POST", "/languages", "GET, HEAD, OPTIONS"),
                                  ("DELETE", "/health", "GET, HEAD, OPTIONS")):
        status, body, headers = server.request(method, path)
        same((status, headers.get("Allow"), json.loads(body)), (405, allowed, {"error": "Method Not Allowed"}), f"{method} {path}")
    same(server.request("GET", "/nothing")[:2], (404, b'{"error":"Not Found"}\n'), "an unknown path")
    same(server.request("GET", "/v2/glossaries")[:2], (404, b'{"message":"Not Found"}\n'), "an unknown path of DeepL")
    same(server.request("GET", "/v2/translate")[:2], (405, b'{"message":"Method Not Allowed"}\n'), "a wrong method for DeepL")
    status, body, headers = server.request("HEAD", "/health")
    same((status, body, headers["Content-Length"]), (200, b"", str(len('{"status":"ok"}\n'))), "HEAD")
    for method, path in (("OPTIONS", "/translate"), ("GET", "/languages")):
        status, _, headers = server.request(method, path, headers={"Origin": "https://example.org"})
        same((headers.get("Access-Control-Allow-Origin"), headers.get("Access-Control-Allow-Methods")), ("*", "GET, POST"), f"CORS of {method}")

    get, host = b"GET /health HTTP/1.1\r\n", b"Host: x\r\n"
    post = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    refused = {
        "no Host": (400, get + b"\r\n"), "an empty Host": (400, get + b"Host:\r\n\r\n"), "two Hosts": (400, get + host + host + b"\r\n"),
        "two lengths": (400, post + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
        "a length with a sign": (400, post + b"Content-Length: +2\r\n\r\n{}"),
        "a list of lengths": (400, post + b"Content-Length: 2, 2\r\n\r\n{}"),
        "length and chunks": (400, post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "chunks and length": (400, post + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"),
        "chunks in HTTP/1.0": (400, post.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "another coding": (501, post + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        "two codings": (400, post + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        "xchunked": (501, post + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        "a space before the colon": (400, get + b"Host : x\r\n\r\n"), "a bare line feed": (400, b"GET / HTTP/1.1\nHost: x\n\n"),
        "a bad chunk": (400, post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "no HTTP": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"), "HTTP/2.0": (400, b"GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
        "a relative target": (400, b"GET health HTTP/1.1\r\nHost: x\r\n\r\n"),
        "a long header": (431, get + host + b"X: " + b"y" * 20000 + b"\r\n\r\n"),
        "a long body": (413, post + b"Content-Length: 99999999\r\n\r\n"), "another Expect": (417, post + b"Expect: x\r\nContent-Length: 2\r\n\r\n"),
    }
    for name, (status, request) in refused.items():
        answer = server.raw(request)
        expect(answer is not None and re.match(rb"HTTP/1\.1 %d " % status, answer) and answer.count(b"HTTP/1.1 ") == 1 and b"JSON" not in answer,
               f"{name}: {answer[:200] if answer is not None else 'the connection stays open'}, expected status {status} alone")
    # One connection: two requests at once, then chunks, then an absolute address and the wish to close.
    body = json.dumps({"q": "We drink milk.", "source": "en", "target": "de"}).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    answer = server.raw(get + host + b"\r\n" + get + host + b"\r\n", post + b"Transfer-Encoding: chunked\r\n\r\n", chunks,
                        b"GET http://x/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    expect(answer.count(b"HTTP/1.1 200 OK") == 4 and b"translatedText" in answer, f"four requests on one connection: {answer[:300]}")
    answer = server.raw(post + b"Expect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body), body)
    expect(answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), f"Expect: {answer[:200]}")
    expect(b"Connection: close" in server.raw(b"GET /health HTTP/1.0\r\n\r\n"), "HTTP/1.0 without Host")
    curl = shutil.which("curl")
    if curl:
        done = subprocess.run([curl, "-s", "-m", "10", f"http://127.0.0.1:{server.port}/translate", "-d", "q=We drink milk.", "-d", "source=en", "-d", "target=de"],
                              stdout=subprocess.PIPE)
        expect(b"translatedText" in done.stdout, f"curl: {done}")


def check_log(server):
    server.raw(b"GET /\xff\x1b[2J\"\\evil HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    server.json("/translate", {"q": "SECRET text", "source": "en", "target": "de"})
    code, _ = server.end()
    same(code, 0, "exit code after SIGTERM")
    log = server.read_log()
    lines = [json.loads(line) for line in log.splitlines()]
    last = lines[-1]
    same((last["method"], last["path"], last["status"], last["pair"], last["texts"], last["characters"]), ("POST", "/translate", 200, "en-de", 1, 11), "the last line of the log")
    expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", last["time"]), f"time {last['time']}")
    expect("SECRET" not in log and "\x1b" not in log, "text of a client in the log")
    with Server("--log-text") as asked:
        asked.json("/translate", {"q": ["SECRET\x1b text", "two\nlines"], "source": "en", "target": "de"})
        asked.end()
        log = asked.read_log()
        same(json.loads(log.splitlines()[-1])["text"], ["SECRET\u241b text", "two\u240alines"], "the texts in a log that has them")
        expect("\x1b" not in log, "a control character in the log")
    heed.fails(2, "--log-text has no effect with --quiet", "serve", MODEL, "--log-text", "--quiet")


def check_load(expected):
    """Many clients at once get the translations of `heed translate`; a large request does not hold up small ones."""
    with Server("--quiet", "--threads", 2) as server:
        def client(number):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT)
            found = []
            for i in range(6):
                text = (number + i) % len(SENTENCES)
                connection.request("POST", "/translate", json.dumps({"q": SENTENCES[text], "source": "en", "target": "de"}), {"Content-Type": "application/json"})
                found.append(json.loads(connection.getresponse().read())["translatedText"] == expected[text])
            connection.close()
            return all(found)
        with concurrent.futures.ThreadPoolExecutor(33) as pool:
            many = [f"The old man sees {i} dogs and a cat." for i in range(3000)]
            big = pool.submit(server.json, "/translate", {"q": many, "source": "en", "target": "de"}, timeout=60)
            small = [pool.submit(client, number) for number in range(32)]
            expect(all(one.result() for one in small), "a translation under load differs from that of heed translate")
            expect(not big.done(), "the large request was done first, so the test shows nothing")
            expect(server.metric("heed_step_sentences_total") > 4 * server.metric("heed_steps_total"), "sentences do not share steps")
            # A client that leaves stops costing anything.
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                body = json.dumps({"q": many, "source": "en", "target": "de"}).encode()
                connection.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                deadline = time.monotonic() + WAIT
                while server.metric("heed_running_requests") < 2 and time.monotonic() < deadline:
                    time.sleep(0.01)
            while server.metric("heed_cancelled_total") < 1 and time.monotonic() < deadline:
                time.sleep(0.01)
            while server.metric("heed_running_requests") > 1 and time.monotonic() < deadline:
                time.sleep(0.01)
            same((server.metric("heed_cancelled_total"), server.metric("heed_running_requests")), (1, 1), "cancelled and running requests")
            expect(server.metric("heed_stopped_sentences_total") > 1000, "the sentences of a client that left were translated")
            # SIGTERM: what was accepted is answered.
            code, _ = server.end()
            same(code, 0, "exit code after SIGTERM under load")
            status, answer = big.result()
            expect(status == 200 and len(answer["translatedText"]) == len(many), f"the request that was running at SIGTERM: status {status}")


def check_overload():
    with Server("--quiet", "--threads", 1, "--max-requests", 4, "--timeout", 1.5, "--max-texts", 4000) as server:
        slow = {"q": ["The old man sees a dog and the cat sees us."] * 4000, "source": "en", "target": "de"}
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            running = [pool.submit(server.json, "/translate", slow) for _ in range(4)]
            deadline = time.monotonic() + WAIT
            while server.metric("heed_running_requests") + server.metric("heed_waiting_requests") < 4 and time.monotonic() < deadline:
                time.sleep(0.01)
            start = time.monotonic()
            status, body, headers = server.request("POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "de"}), {"Content-Type": "application/json"})
            refused = time.monotonic() - start
            health = server.request("GET", "/health")
            asked = time.monotonic() - start - refused
            same((status, json.loads(body)), (429, {"error": "Too many requests; try again later"}), "a request too many")
            expect(1 <= int(headers.get("Retry-After", 0)) <= 60, f"Retry-After {headers.get('Retry-After')}")
            expect(refused < 0.5 and asked < 0.5 and health[0] == 200, f"refused after {refused:.3f} s, health after {asked:.3f} s")
            for one in running:
                same(one.result()[0], 504, "status of a request after its time")
        while server.metric("heed_running_requests") > 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        same(server.json("/translate", {"q": "We drink milk.", "source": "en", "target": "de"})[0], 200, "status after the overload")
        same(server.json("/translate", {"q": ["a"] * 4001, "source": "en", "target": "de"}),
             (400, {"error": "Invalid request: request (4001) exceeds text limit (4000)"}), "too many texts")


def check_connections():
    """Idle connections make room for new ones."""
    with Server("--quiet", "--max-connections", 8, "--max-characters", 10, "--cors", "https://example.org") as server:
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(30)]
        for i in range(20):
            idle[i].sendall(b"GET /hea")
        start = time.monotonic()
        status, _, headers = server.request("GET", "/health")
        expect(status == 200 and time.monotonic() - start < 2, "idle connections keep others out")
        same(headers.get("Access-Control-Allow-Origin"), "https://example.org", "--cors")
        expect(server.metric("heed_connections") <= 8, "more connections than allowed")
        same(server.json("/translate", {"q": "é" * 11, "source": "en", "target": "de"}),
             (400, {"error": "Invalid request: request (11) exceeds text limit (10)"}), "a text that is too long")
        same(server.json("/translate", {"q": "é" * 10, "source": "en", "target": "de"})[0], 200, "a text of just the right length")
        # With a client that never finishes its request, the server ends after the grace time at the latest.
        code, seconds = server.end(signal.SIGINT)
        expect(code == 0 and seconds < 15, f"exit code {code} after {seconds:.1f} s")
        for connection in idle:
            connection.close()


def check_command_line():
    heed.fails(2, "no model to serve", "serve")
    heed.fails(1, "nothing.safetensors", "serve", "nothing.safetensors")
    heed.fails(2, "is not a pair of languages", "serve", f"english={MODEL}")
    heed.fails(2, "two models translate en-de", "serve", MODEL, f"en-de={MODEL}")
    heed.fails(2, "--cors", "serve", MODEL, "--cors", "a\r\nb: c")
    heed.fails(1, "is not a valid address", "serve", MODEL, "--host", "no.such.host.invalid")
    heed.fails(2, "expected a port", "serve", "--check", "http://x")
    with Server("--quiet", models=(f"en-de={MODEL}", f"en-fr={MODEL}", f"de_en={MODEL}")) as server:
        same(server.line, f"serving en-de, en-fr, de-en on http://127.0.0.1:{server.port}\n", "what the server prints")
        for address in (server.port, f"127.0.0.1:{server.port}", f"http://127.0.0.1:{server.port}/"):
            heed.works("serve", "--check", address)
        languages = {item["code"]: item["targets"] for item in json.loads(server.request("GET", "/languages")[1])}
        same(languages, {"de": ["de", "en"], "en": ["de", "en", "fr"], "fr": ["fr"]}, "languages of three models")
        heed.fails(1, ["cannot listen on port", "--port"], "serve", MODEL, "--port", server.port)
        port = server.port
        same(server.end()[0], 0, "exit code after SIGTERM")
    heed.fails(1, "no server answers at 127.0.0.1", "serve", "--check", port)


def check_keys(directory):
    keys = Path(directory) / "keys"
    keys.write_text(f"# clients\nfirst {hashlib.sha256(b'k1').hexdigest()}\nsecond {hashlib.sha256(b'k2').hexdigest()} 2\n")
    with Server("--keys", keys) as server:
        one = {"q": "We drink milk.", "source": "en", "target": "de"}
        for path in ("/translate", "/detect"):
            same(server.json(path, one), (400, {"error": "Please contact the server operator to get an API key"}), f"{path} without a key")
            same(server.json(path, {**one, "api_key": "k3"}), (403, {"error": "Invalid API key"}), f"{path} with a wrong key")
            same(server.json(path, {**one, "api_key": "k1"})[0], 200, f"{path} with a key")
        same(server.json("/v2/translate", {"text": ["x"], "target_lang": "DE"})[0], 403, "DeepL without a key")
        same(server.json("/api/v1/translate", one)[0], 403, "heed's own API without a key")
        for path in ("/v2/usage", "/v2/languages"):
            same(server.request("GET", path)[0], 403, f"{path} without a key")
            same(server.request("GET", path, None, {"Authorization": "DeepL-Auth-Key k1"})[0], 200, f"{path} with a key")
        for headers in ({"Authorization": "DeepL-Auth-Key k1"}, {"Authorization": "Bearer k1"}, {"Authorization": "bearer k1"}, {"Authorization": "deepl-auth-key k1"}):
            for path, body in (("/v2/translate", "text=x&target_lang=DE"), ("/api/v1/translate", "q=x")):
                same(server.request("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded", **headers})[0], 200, f"{path} with {headers}")
        found = [server.form("/translate", **one, api_key="k2") for _ in range(3)]
        same([status for status, _ in found], [200, 200, 429], "three requests with a key for two per minute")
        same(found[2][1], {"error": "Slowdown: 2 per 1 minute"}, "the answer to the third")
        settings = json.loads(server.request("GET", "/frontend/settings")[1])
        expect(settings["apiKeys"] and settings["keyRequired"], f"settings with keys: {settings}")
        server.end()
        log = server.read_log()
        expect('"key":"second"' in log and not re.search("k[123]", log), "the log lacks the name of a key or has a key")
    keys.write_text("first x\n")
    heed.fails(1, ["keys:1:", "SHA-256"], "serve", MODEL, "--keys", keys)


def check_reload(directory):
    """SIGHUP loads a new model; no request is lost, and one that cannot be loaded changes nothing."""
    model = Path(directory) / "model.safetensors"
    shutil.copyfile(MODEL, model)
    fixture = ROOT / "tests/fixtures/format-1/run/model.safetensors"
    expected = [offline(SENTENCES[:1])[0], heed.works("translate", fixture, SENTENCES[0]).stdout.rstrip("\n")]
    expect(expected[0] != expected[1], "both models translate alike, so the test shows nothing")

    def events(server):
        return [line.get("event", "") for line in map(json.loads, server.read_log().splitlines()) if "event" in line]

    with Server(models=(f"en-de={model}",)) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        def client():
            found = []
            while not found or (found[-1] != expected[1] and time.monotonic() < deadline):
                found.append(server.json("/translate", {"q": SENTENCES[0], "source": "en", "target": "de"})[1].get("translatedText"))
            return found
        deadline = time.monotonic() + WAIT
        clients = [pool.submit(client) for _ in range(4)]
        new = Path(directory) / "new.safetensors"
        for source, says in ((os.devnull, "not loaded"), (fixture, "loaded again")):
            shutil.copyfile(source, new)
            os.replace(new, model)
            server.process.send_signal(signal.SIGHUP)
            while not any(says in event for event in events(server)) and time.monotonic() < deadline:
                time.sleep(0.02)
            expect(any(says in event for event in events(server)), f"the log lacks the event {says}")
        for one in clients:
            found = one.result()
            expect(found[-1] == expected[1] and set(found) <= set(expected), f"answers while models are replaced: {set(found)}")
        same(server.end()[0], 0, "exit code after SIGHUP and SIGTERM")


def attempt(check, *arguments):
    """A check that ends early does not hide what the others find."""
    try:
        check(*arguments)
    except (OSError, http.client.HTTPException, ValueError, LookupError, subprocess.TimeoutExpired) as error:
        expect(False, f"{check.__name__}: {type(error).__name__}: {error}")


def main():
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heed-serve-") as directory:
        heed.directory = directory
        expected = offline(SENTENCES)
        with Server() as server:
            for check in (check_libretranslate, check_deepl, check_native, check_http, check_log):
                attempt(check, server)
        attempt(check_load, expected)
        for check in (check_overload, check_connections, check_command_line):
            attempt(check)
        attempt(check_keys, directory)
        attempt(check_reload, directory)
    return report("serve_test", f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
