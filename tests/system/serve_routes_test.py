#!/usr/bin/env python3
"""What heed serve offers besides plain translation: detection of languages, pivoting, documents,
glossaries, streaming, the service manager, proxies, admission.

    serve_routes_test.py BUILD      BUILD holds the program heed"""

import concurrent.futures
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from serve_test import MODEL, SENTENCES, Server, attempt, expect, heed, offline, report, same

GERMAN = "Der alte Mann sieht einen Hund."


def check_detection():
    """With several source languages the text decides; with one there is nothing to decide."""
    with Server("--quiet", models=(f"en-de={MODEL}", f"de-en={MODEL}")) as server:
        for text, code in ((SENTENCES[0], "en"), (GERMAN, "de")):
            status, found = server.json("/detect", {"q": text})
            expect(status == 200 and found[0]["language"] == code and 90 < found[0]["confidence"] <= 100, f"detected in {text!r}: {found}")
        same(server.json("/detect", {"q": "12345"}), (200, [{"confidence": 0.0, "language": "de"}]), "the language of a number")
        expect(server.json("/detect", {"q": "Привет, старый человек!"})[1][0]["confidence"] <= 25, "confidence in a language that the server does not have")
        expect(0 < server.json("/detect", {"q": "Gammel mann"})[1][0]["confidence"] <= 25, "confidence in a language that only resembles one of the server")
        status, answer = server.json("/translate", {"q": SENTENCES[0], "source": "auto", "target": "de"})
        same((status, answer["translatedText"], answer["detectedLanguage"]["language"]), (200, offline(SENTENCES[:1])[0], "en"), "auto")
        status, answer = server.json("/translate", {"q": [GERMAN, GERMAN], "source": "auto", "target": "de"})
        same((status, answer["translatedText"], [d["language"] for d in answer["detectedLanguage"]]), (200, [GERMAN] * 2, ["de"] * 2), "auto to the same language")
        status, answer = server.json("/translate", {"q": f"<p class='the and of the with'>{GERMAN}</p>", "source": "auto", "target": "de", "format": "html"})
        same(answer["detectedLanguage"]["language"], "de", "auto with HTML")
        status, answer = server.json("/v2/translate", {"text": [SENTENCES[0], GERMAN, SENTENCES[1]], "target_lang": "DE"})
        expected = offline(SENTENCES[:2])
        same([(t["detected_source_language"], t["text"]) for t in answer["translations"]], [("EN", expected[0]), ("DE", GERMAN), ("EN", expected[1])], "DeepL detects each text")
        same(json.loads(server.request("GET", "/frontend/settings")[1])["language"]["source"]["code"], "auto", "the source language of the settings")
    linked = subprocess.run(["ldd", heed.path], stdout=subprocess.PIPE, text=True).stdout
    expect("libc.so" in linked and "cld2" not in linked, "heed itself is linked with cld2, so every command loads it")


def check_pivot():
    with Server("--pivot", "de", models=(f"en-de={MODEL}", f"de-fr={MODEL}")) as server:
        languages = {item["code"]: item["targets"] for item in json.loads(server.request("GET", "/languages")[1])}
        same(languages, {"de": ["de", "fr"], "en": ["de", "en", "fr"], "fr": ["fr"]}, "languages with a pivot")
        expect([line for line in server.read_log().splitlines() if "records" in line] == ["heed: note: the model of de-fr records that it translates en-de"],
               f"a model with another name than its own: {server.read_log()[:300]}")
        # The second model does not read German, but it knows "am", so it writes something else instead of copying.
        sentence = "Who will the girl invite in the morning?"
        once = offline([*SENTENCES, sentence])
        expect(offline(once[-1:]) != once[-1:], "a sentence for which the second model matters")
        same(server.json("/translate", {"q": [*SENTENCES, sentence], "source": "en", "target": "fr"}), (200, {"translatedText": offline(once)}), "by way of German")
        status, answer = server.json("/translate", {"q": SENTENCES[0], "source": "en", "target": "fr", "alternatives": 2})
        same([answer["translatedText"], *answer["alternatives"]],
             list(dict.fromkeys(line.split(" ||| ")[1] for line in offline(once[:1], "--nbest", 3))), "alternatives by way of German")
        html = f"<p>The <b>old man</b> sees a dog. <i>{sentence}</i></p>"
        between = heed.works("translate", MODEL, "--format", "html", input=html).stdout
        same(server.json("/translate", {"q": html, "source": "en", "target": "fr", "format": "html"})[1]["translatedText"],
             heed.works("translate", MODEL, "--format", "html", input=between).stdout, "HTML by way of German")
        same(server.json("/v2/translate", {"text": SENTENCES[:1], "source_lang": "EN", "target_lang": "FR"})[1]["translations"][0]["text"], offline(once[:1])[0], "DeepL by way of German")
        same(server.json("/translate", {"q": "x", "source": "fr", "target": "de"})[0], 400, "a pair without a way")
        expect('"pair":"en-de-fr"' in server.read_log(), "the log lacks the way of a translation")
    heed.fails(2, "--pivot fr", "serve", f"en-de={MODEL}", f"de-fr={MODEL}", "--pivot", "fr")


def upload(server, name, content, path="/translate_file", **fields):
    boundary = "----x1"
    parts = b"".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'.encode() for k, v in fields.items())
    if name is not None:
        parts += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode() + content + b"\r\n"
    status, body, _ = server.request("POST", path, parts + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"})
    return status, json.loads(body)


def download(server, answer):
    base = f"http://127.0.0.1:{server.port}"
    expect(answer.get("translatedFileUrl", "").startswith(base + "/download_file/"), f"the address of a file: {answer}")
    return server.request("GET", answer["translatedFileUrl"][len(base):])


def check_files(directory):
    """Documents get the translation of `heed translate FILE`, byte by byte."""
    html = "<html><body><p>The <b>old man</b> sees a dog.</p></body></html>"
    files = {"a.html": html.encode(), "b.txt": "\n".join(SENTENCES).encode() + b"\r\n", "c.srt": b"1\n00:00:01,000 --> 00:00:02,000\nWe drink milk.\n",
             "d.JSON": b'{"a": "We drink milk."}', "e.md": "# The old man sees a dog.\n\nWe *drink* milk.\n".encode(),
             "f.txt": "The caf\xe9 sees a dog.".encode("cp1252")}
    both = {"source": "en", "target": "de"}
    with Server("--max-file", 1, "--file-memory", 1) as server:
        settings = json.loads(server.request("GET", "/frontend/settings")[1])
        expect(settings["filesTranslation"] is True and {".txt", ".html", ".docx", ".odt", ".srt", ".po"} <= set(settings["supportedFilesFormat"]), f"settings: {settings}")
        for name, content in files.items():
            path = Path(directory) / name
            path.write_bytes(content)
            expected = heed.works("translate", MODEL, path).stdout
            status, answer = upload(server, name, content, **both)
            expect(status == 200, f"{name}: {answer}")
            status, body, headers = download(server, answer)
            body = body.decode()
            same((status, body.rstrip("\r\n")), (200, expected.rstrip("\r\n")), f"the translation of {name}")
            stem, ending = name.split(".")
            same((headers["Content-Type"], headers["Content-Disposition"], headers["X-Content-Type-Options"]),
                 ("application/octet-stream", f'attachment; filename="{stem}_de.{ending}"', "nosniff"), f"headers of {name}")
            expect(body.endswith("\r\n") == content.endswith(b"\r\n"), f"the end of {name}: {body[-5:]!r}")
        table = f"id,text\n7,{SENTENCES[1]}\n"
        for columns in ("text", "2", "text,2"):
            same(download(server, upload(server, "t.csv", table.encode(), columns=columns, **both)[1])[1].decode(), table.replace(SENTENCES[1], offline(SENTENCES[1:2])[0]) if columns != "2" else
                 table.replace(SENTENCES[1], offline(SENTENCES[1:2])[0]).replace("text", offline(["text"])[0]), f"the columns {columns} of a table")
        same(download(server, upload(server, "x.txt", GERMAN.encode(), source="de", target="de")[1])[1].decode(), GERMAN, "a file in the target language")
        for fields, name, content, says in (
                ({"target": "de"}, "a.txt", b"x", "Invalid request: missing source parameter"), ({"source": "en"}, "a.txt", b"x", "Invalid request: missing target parameter"),
                (both, None, b"", "Invalid request: missing file parameter"), ({}, None, b"", "Invalid request: missing file parameter"), (both, "a.exe", b"x", "Invalid request: file format not supported"),
                ({**both, "source": "zz"}, "a.txt", b"x", "zz is not supported"), (both, "a.xml", b"<a>x", "Invalid request: a.xml:1"),
                (both, "a.txt", b"\x1f\x8b\x08", "Invalid request: the file is compressed"), (both, "a.docx", b"PK", "Invalid request: 'a.docx'"),
                (both, "a.csv", b"x,y\n", "Invalid request: 'a.csv' is a table: choose the columns to translate by name or number, such as columns=2; its first row"),
                ({**both, "columns": "z"}, "a.csv", b"x,y\n", "Invalid request: columns: 'a.csv' has no column 'z'; its first row")):
            status, answer = upload(server, name, content, **fields)
            expect(status == 400 and answer["error"].startswith(says), f"{name} with {fields}: {status} {answer}")
        for path in ("/download_file/../../etc/passwd", "/download_file/", "/download_file/a%2fb", "/download_file/.x"):
            same((server.request("GET", path)[0]), 400, f"status of {path}")
        same(server.request("GET", "/download_file/0123456789abcdef0123456789abcdef.a.txt")[0], 404, "a file that does not exist")
        # The store holds 1 MB: the third of three files of 400 KB replaces the first, and a larger file is refused.
        large = ("We drink milk.\n" + " " * 80_000 + "\n") * 5
        answers = [upload(server, "l.txt", large.encode(), **both) for _ in range(3)]
        same([download(server, answer)[0] for _, answer in answers], [404, 200, 200], "three files of 400 KB in 1 MB")
        same(server.request("POST", "/translate_file", b"x" * 1_100_000, {"Content-Type": "multipart/form-data; boundary=x"})[0], 413, "a file over --max-file")
        expect("/download_file/" in server.read_log() and "_de." not in server.read_log(), "the log has the names of files")
    with Server("--quiet", "--max-file", 0) as server:
        same(upload(server, "a.txt", b"x", **both), (403, {"error": "Files translation are disabled on this server."}), "files that are turned off")


def check_own_api():
    """Glossaries of requests; unknown parameters are named."""
    with Server("--quiet") as server:
        text = "The old man sees a dog and the dogs see us."
        plain = offline([text])[0]
        glossary = Path(heed.directory) / "terms.tsv"
        for match in ("exact", "inflected"):
            glossary.write_text("dog\tKöter\nman\tHerr\texact\n")
            expected = offline([text], "--glossary", glossary, "--glossary-match", match)[0]
            expect("Köter" in expected and expected != plain, f"the glossary changes nothing: {expected}")
            for terms in ([{"source": "dog", "target": "Köter"}, {"source": "man", "target": "Herr", "exact_case": True}], [["dog", "Köter"], {"source": "man", "target": "Herr", "exact_case": True}]):
                status, answer = server.json("/api/v1/translate", {"q": text, "glossary": terms, "glossary_match": match})
                expect(status == 200, f"a glossary: {answer}")
                same(answer["translations"][0]["translation"], expected, f"a glossary, {match}")
                expect({term["text"] for term in answer["translations"][0]["terms"]} >= {"Köter", "Herr"}, "the terms of the answer")
        same(server.json("/api/v1/translate", {"q": text})[1]["translations"][0]["translation"], plain, "without a glossary")
        for change, says in (({"glossary": {"dog": "x"}}, "not an array"), ({"glossary": [["a", "b", "c"]]}, "the term 1"), ({"glossary": [["a", "b"], {"source": "x", "zz": 1}]}, "the term 2 has 'zz'"),
                             ({"glossary": [[1, 2]]}, "not a string"), ({"glossary": [["dog", "a"], ["dog", "b"]]}, "dog"), ({"glossary": [["", "x"]]}, "glossary"),
                             ({"glossary_match": "x"}, "expected exact or inflected"), ({"temprature": 1}, "'temprature' is not a parameter of /api/v1/translate; it has q, "), ({"glossary": [["a\tb", "c"]]}, "tab")):
            status, answer = server.json("/api/v1/translate", {"q": text, **change})
            expect(status == 400 and says in answer["error"], f"{change}: {status} {answer}")
        # Word confidences are the products over the tokens of a word, and the score is the mean log-probability.
        line = server.json("/api/v1/translate", {"q": text, "attention": True, "alignment": True, "nbest": 2})[1]["translations"][0]
        expect(abs(line["score"] - line["log_probability"] / len(line["tokens"])) < 1e-4, f"score {line['score']} of {line['log_probability']}")
        same([word["text"] for word in line["words"]], line["translation"].split(), "the words")
        expect(all(abs(sum(row) - 1) < 1e-3 for row in line["attention"]) and len(line["attention"]) == len(line["tokens"]), "rows of attention")
        expect(len(line["nbest"]) == 2 and line["nbest"][0]["score"] >= line["nbest"][1]["score"] and isinstance(line["warnings"], list), "n-best and warnings")
        links = [tuple(map(int, link.split("-"))) for link in line["alignment"].split()]
        expect(links and max(t for _, t in links) < len(line["words"]) and max(s for s, _ in links) < len(text.split()), f"links {links}")


def check_deepl_tags():
    with Server("--quiet") as server:
        def deepl(text, **fields):
            status, answer = server.json("/v2/translate", {"text": [text], "target_lang": "DE", **fields})
            return answer["translations"][0]["text"] if status == 200 else (status, answer)
        same(deepl("The <b>old man</b> sees a dog.", tag_handling="xml"), "Der <b>alte Mann</b> sieht einen Hund.", "XML")
        same(deepl("We drink <x>milk &amp; tea</x>.", tag_handling="xml", ignore_tags=["x"]).count("<x>milk &amp; tea</x>"), 1, "an ignored element")
        expect("milk" not in deepl("We drink <x>milk</x>.", tag_handling="xml"), "an element that is not ignored")
        same(deepl("We drink <x>milk</x> and <y>milk</y>.", tag_handling="xml", ignore_tags="x,y").count("milk"), 2, "ignored elements with commas")
        for text in ("a <b> c", "a & b", "</text><text>", "<!DOCTYPE a>"):
            same(deepl(text, tag_handling="xml"), (400, {"message": "Tag handling parsing failed, please check input."}), f"XML {text}")
        for fields, name in (({"tag_handling": "md"}, "tag_handling"), ({"split_sentences": "2"}, "split_sentences"), ({"splitting_tags": ["p"]}, "splitting_tags")):
            same(deepl("x", **fields), (400, {"message": f"Value for '{name}' not supported."}), f"{fields}")
        two = "We drink milk. The cat sees us."
        one_by_one = offline([two])[0]
        together = offline([two], "--segment", "lines")[0]
        expect(one_by_one != together, "both ways to split give the same translation, so the test shows nothing")
        same((deepl(two), deepl(two, split_sentences="1"), deepl(two, split_sentences="0")), (one_by_one, one_by_one, together), "split_sentences")
        for tags in ("html", "xml"):
            same((deepl(two, tag_handling=tags), deepl(two, tag_handling=tags, split_sentences="0")), (one_by_one, together), f"split_sentences with {tags}")
        lines = two.replace(". ", ".\n")
        same((deepl(lines), deepl(lines, split_sentences="nonewlines"), deepl(lines, split_sentences="0")), ("\n".join(offline(lines.split("\n"))), one_by_one, together), "split_sentences with lines")
        same(server.json("/v2/translate", {"text": ["x"] * 10001, "target_lang": "DE"})[0], 413, "too many texts for DeepL")


def read_events(server, body, headers=None, version="1.1"):
    """The events of a stream, as (name, data), and the head of the answer."""
    sent = json.dumps(body).encode()
    more = "".join(f"{k}: {v}\r\n" for k, v in (headers or {}).items())
    answer = server.raw(f"POST /api/v1/translate HTTP/{version}\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n{more}Content-Length: {len(sent)}\r\n\r\n".encode() + sent)
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b"Transfer-Encoding: chunked" in head:
        data = b""
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            data, rest = data + rest[:int(size, 16)], rest[int(size, 16) + 2:]
            if size == b"0":
                break
        rest = data
    events = [(part.split("\n")[0][7:], json.loads(part.split("\n")[1][6:])) for part in rest.decode().split("\n\n") if part]
    return head.decode(), events


def check_streaming():
    lines = [SENTENCES[0], "The old man sees a dog and the cat sees us, and the woman buys apples in the garden. We drink milk."]
    with Server("--threads", 1) as server:
        for beam in (1, 5):
            body = {"q": lines, "beam": beam, "nbest": 1}
            plain = server.json("/api/v1/translate", body)[1]
            for head, events in (read_events(server, {**body, "stream": True}), read_events(server, body, {"Accept": "text/event-stream"}), read_events(server, {**body, "stream": True}, version="1.0")):
                expect("Content-Type: text/event-stream" in head and "HTTP/1.1 200" in head and "Access-Control-Allow-Origin" in head, f"head of a stream: {head}")
                same([name for name, _ in events if name != "partial"], ["result"], "events that are not partial")
                same((events[-1][0], events[-1][1]), ("result", plain), f"the result of a stream with beam {beam}")
                grown = [data["text"] for name, data in events if name == "partial" and data["index"] == 0]
                final = plain["translations"][0]["translation"]
                expect(grown and all(final.startswith(text) for text in grown) and grown == sorted(grown, key=len), f"beam {beam}: {grown} is not how {final!r} grows")
                same({data["sentence"] for name, data in events if name == "partial" and data["index"] == 1} | {0, 1}, {0, 1}, "numbers of sentences")
        same(server.json("/api/v1/translate", {"q": "x", "stream": True, "nbest": 0})[0], 400, "an error before the stream")
        # On one connection another request follows a stream.
        sent = json.dumps({"q": SENTENCES[1], "stream": True}).encode()
        answer = server.raw(b"POST /api/v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(sent) + sent,
                            b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        expect(answer.count(b"HTTP/1.1 200 OK") == 2 and answer.endswith(b'{"status":"ok"}\n'), f"a request after a stream: {answer[-200:]}")
        # A client that leaves in the middle stops the work.
        many = json.dumps({"q": ["The old man sees a dog and the cat sees us."] * 400, "stream": True, "beam": 5}).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"POST /api/v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(many) + many)
            received = b""
            while b"partial" not in received and (part := connection.recv(65536)):
                received += part
            expect(b"partial" in received and b"result" not in received, f"the stream before its client leaves: {received[-200:]}")
        deadline = time.monotonic() + 20
        while (server.metric("heed_cancelled_total") < 1 or server.metric("heed_running_requests") > 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        same((server.metric("heed_cancelled_total"), server.metric("heed_running_requests")), (1, 0), "a stream whose client left: cancelled and running")
        expect(server.metric("heed_stopped_sentences_total") > 100, "the sentences of a stream whose client left were translated")
    with Server("--quiet", "--threads", 1, "--timeout", 0.5) as server:
        head, events = read_events(server, {"q": ["The old man sees a dog and the cat sees us."] * 400, "stream": True, "beam": 100})
        same((events[-1][0], "not done within" in str(events[-1][1])), ("error", True), "the last event of a stream that takes too long")


def check_service_manager():
    """The protocols of systemd: a socket that is passed, notifications, the watchdog."""
    with tempfile.TemporaryDirectory(prefix="heed-notify-") as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified, socket.socket() as listening:
        path = f"{directory}/notify"
        notified.bind(path)
        notified.settimeout(20)
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]

        def next_state():
            while (state := notified.recv(4096).decode()) == "WATCHDOG=1":
                pass
            return state
        # The shell becomes heed, so that LISTEN_PID is its process id.
        script = f'export LISTEN_PID=$$ LISTEN_FDS=1 NOTIFY_SOCKET={path} WATCHDOG_USEC=200000; exec "$@" 3<&{listening.fileno()} {listening.fileno()}<&-'
        process = subprocess.Popen(["bash", "-c", script, "sh", heed.path, "serve", MODEL, "--quiet", "--port", "1"], pass_fds=[listening.fileno()], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            same(next_state(), "READY=1", "the first notification")
            same(process.stdout.readline().decode(), f"serving en-de on http://127.0.0.1:{port}\n", "the port of the passed socket")
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                expect(b"200 OK" in connection.recv(4096), "the passed socket does not answer")
            start = time.monotonic()
            seen = [notified.recv(4096) for _ in range(4)]
            expect(seen == [b"WATCHDOG=1"] * 4 and 0.25 < time.monotonic() - start < 10, f"the watchdog: {seen}")
            process.send_signal(signal.SIGHUP)
            state = next_state()
            expect(re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=\d+", state), f"after SIGHUP: {state!r}")
            same(next_state(), "READY=1", "the notification after loading again")
            process.send_signal(signal.SIGTERM)
            same(next_state(), "STOPPING=1", "the notification after SIGTERM")
            same(process.wait(20), 0, "exit code")
        finally:
            process.kill()
            process.wait()
            process.stdout.close(), process.stderr.close()
        with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname()) as connected:
            script = f'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@" 3<&{connected.fileno()}'
            done = subprocess.run(["bash", "-c", script, "sh", heed.path, "serve", MODEL], pass_fds=[connected.fileno()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=20)
            expect(done.returncode == 1 and "not a listening TCP socket" in done.stderr, f"a connected socket: {done}")
        script = 'export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@" 3< /dev/null'
        done = subprocess.run(["bash", "-c", script, "sh", heed.path, "serve", MODEL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=20)
        expect(done.returncode == 1 and "not a listening TCP socket" in done.stderr, f"a passed file: {done}")


def check_clients():
    """X-Forwarded-For counts only if a trusted proxy has sent it."""
    for arguments, client, scheme in ((("--trusted-proxy", "127.0.0.0/8"), "192.0.2.7", "https"), ((), "127.0.0.1", "http")):
        with Server(*arguments) as server:
            server.request("GET", "/health", headers={"X-Forwarded-For": "198.51.100.1, 192.0.2.7"})
            body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nWe drink milk.\r\n--x--\r\n'
            answer = server.request("POST", "/translate_file?source=en&target=de", body,
                                    {"Content-Type": "multipart/form-data; boundary=x", "Host": "translate.example:8443", "X-Forwarded-Proto": "https"})[1]
            expect(json.loads(answer)["translatedFileUrl"].startswith(f"{scheme}://translate.example:8443/download_file/"), f"address of a file: {answer}")
            server.end()
            same(json.loads(server.read_log().splitlines()[0])["client"], client, f"the client with {arguments}")
    heed.fails(2, "--trusted-proxy", "serve", MODEL, "--trusted-proxy", "example.org")


def check_admission():
    """While too many tokens wait, more are refused at once; what needs no model is answered."""
    with Server("--quiet", "--threads", 1, "--max-tokens", 5000, "--timeout", 120) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        big = pool.submit(server.json, "/translate", {"q": ["The old man sees a dog and the cat sees us."] * 1000, "source": "en", "target": "de"}, timeout=60)
        deadline = time.monotonic() + 20
        while server.metric("heed_queued_tokens") <= 5000 and time.monotonic() < deadline and not big.done():
            time.sleep(0.005)
        start = time.monotonic()
        status, body, headers = server.request("POST", "/translate", json.dumps({"q": "a", "source": "en", "target": "de"}), {"Content-Type": "application/json"})
        refused = time.monotonic() - start
        ready = [server.request("GET", path)[0] for path in ("/health", "/ready")]
        same((status, json.loads(body), ready), (429, {"error": "Too many requests; try again later"}, [200, 200]), "a request while 5000 tokens wait")
        expect(1 <= int(headers["Retry-After"]) <= 60 and refused < 0.5, f"refused after {refused:.3f} s, Retry-After {headers['Retry-After']}")
        page = server.request("GET", "/metrics")[1].decode()
        expect('heed_refused_total{reason="tokens"} 1\n' in page and 0 < server.metric("heed_batch_fill") <= 1, f"metrics: {[line for line in page.splitlines() if 'refused' in line or 'fill' in line]}")
        same(big.result()[0], 200, "the large request")
        same((server.metric("heed_words_total"), server.metric("heed_work_seconds_count"), server.metric("heed_queued_tokens")), (11000, 1, 0), "words, works and waiting tokens")
        # The request got its thread at once, but its sentences waited for the only worker.
        times = [server.metric(f"heed_sentence_{what}_seconds_{value}") for what in ("wait", "decode") for value in ("count", "sum")]
        same((times[0], times[2]), (1000, 1000), "sentences whose times were counted")
        expect(times[1] > times[3] / 2 and times[1] > 100 * server.metric("heed_wait_seconds_sum") and times[3] > 0, f"times of sentences: {times}")


def check_trace():
    """The trace is that of a greedy search; changes do what they say."""
    with Server("--quiet") as server:
        text = "The old man sees a dog."
        def trace(**fields):
            status, answer = server.json("/api/v1/trace", {"q": text, **fields})
            expect(status == 200, f"trace with {fields}: {answer}")
            return answer["hypotheses"][0]
        plain = trace()
        steps = plain["steps"]
        out = Path(heed.directory) / "attend.json"
        heed.works("attend", MODEL, text, "--beam", 1, "--out", out)
        expected = json.loads(out.read_text())
        same((plain["text"], plain["score"]), (expected["translation"], expected["score"]), "the translation of a trace")
        words = [step["word"] for step in steps]
        same(trace(words={str(t): word for t, word in enumerate(words)}), plain, "a trace with the words that the model chooses anyway")
        changed = trace(words={"2": "Hund"})
        same(([s["word"] for s in changed["steps"]][:3], changed["steps"][3]["input"]), (words[:2] + ["Hund"], "Hund"), "a forced word")
        size = len(steps[0]["scores"])
        one_hot = trace(weights={"0": [0] * (size - 2) + [1, 0]})
        expect(one_hot["steps"][0]["context"] != steps[0]["context"], "weights without effect")
        answer = server.json("/api/v1/trace", {"q": text, "weights": {"0": [0] * (size - 2) + [1, 0]}})[1]
        same(one_hot["steps"][0]["context"], answer["encoder"][size - 2], "the context of one-hot weights is that state")
        expect(trace(masked=[0])["steps"][0]["context"] != steps[0]["context"], "a mask without effect")
        expect(trace(temperature=3)["steps"][0]["probability"] < steps[0]["probability"], "a temperature without effect")
        for fields, says in (({"words": {"0": "xyzzy"}}, "no token 'xyzzy'"), ({"words": {"x": "Hund"}}, "'x' is not a step"), ({"words": [1]}, "not an object"),
                             ({"weights": {"0": [1]}}, "1 weights, expected"), ({"masked": [99]}, "99 is masked"), ({"beam": 0}, "beam is 0"), ({"q": "  "}, "with words"), ({"zz": 1}, "'zz' is not a parameter")):
            status, answer = server.json("/api/v1/trace", {"q": text, **fields})
            expect(status == 400 and says in answer["error"], f"trace with {fields}: {status} {answer}")


def check_cache():
    """The same bits with and without a cache, and the second time from the cache."""
    lines = SENTENCES + ["We drink milk. The cat sees us.", SENTENCES[0]]
    request = {"q": lines, "nbest": 2, "attention": True}
    with Server("--quiet") as server, Server("--quiet", "--cache", 1) as cached:
        expected = server.json("/api/v1/translate", request)
        for turn in range(2):
            same(cached.json("/api/v1/translate", request), expected, f"answer {turn + 1} with a cache")
        expect(cached.metric("heed_cache_hits_total") >= len(lines) and cached.metric("heed_cache_misses_total") >= len(SENTENCES), "hits and misses")
        sentences = cached.metric("heed_sentences_total")
        same(cached.json("/api/v1/translate", request), expected, "the third answer")
        same(cached.metric("heed_sentences_total"), sentences, "sentences that were translated for the third answer")
        same(cached.json("/api/v1/translate", {**request, "beam": 7}), server.json("/api/v1/translate", {**request, "beam": 7}), "other options with a cache")
        expect(0 < cached.metric("heed_cache_bytes") <= 1 << 20, "bytes of the cache")
        # A stream has the words of sentences in the cache, too.
        certain = [{(data["index"], data["sentence"]): data["text"] for name, data in read_events(one, {"q": lines, "stream": True})[1] if name == "partial"}
                   for one in (server, cached, cached)]
        expect(len(certain[0]) == len(lines) + 1 and certain[0] == certain[1] == certain[2], f"streams with a cache: {certain}")
        same(server.metric("heed_cache_bytes"), 0, "without a cache")


def main():
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heed-serve-") as directory:
        heed.directory = directory
        for check in (check_detection, check_pivot, check_own_api, check_deepl_tags, check_streaming, check_service_manager, check_clients, check_admission, check_trace, check_cache):
            attempt(check)
        attempt(check_files, directory)
    return report("serve_routes_test", f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
