#!/usr/bin/env python3
"""The pages that heed serve sends, without a browser: their policies, their addresses, and that they can be turned off.

    serve_page_test.py BUILD      BUILD holds the program heed

page_test.py uses them in a browser."""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from serve_test import SENTENCES, Server, offline

LOOK = "/api/v1/look?source=en&target=de&q="


def check_policy(text, policy, name):
    """The policy permits the page's own scripts and styles by their hashes, and nothing else."""
    expect(policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy, f"{name}: the policy is {policy}")
    for element, directive in (("script", "script-src"), ("style", "style-src")):
        allowed = set(re.search(f"{directive}([^;]*)", policy)[1].split())
        blocks = re.findall(f"<{element}>(.*?)</{element}>", text, re.S)
        found = {"'sha256-" + base64.b64encode(hashlib.sha256(block.encode()).digest()).decode() + "'" for block in blocks}
        expect(blocks and found == allowed, f"{name}: {directive} permits {len(allowed)} of {len(found)} blocks")
    for part in ("https://", "onclick=", "src=", "href=", "innerHTML =", "eval("):
        expect(part not in re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.S), f"{name}: it has {part}")


def check_page(server):
    status, body, headers = server.request("GET", "/")
    policy = headers.get("Content-Security-Policy", "")
    expect(status == 200 and headers["Content-Type"] == "text/html; charset=utf-8" and headers["X-Content-Type-Options"] == "nosniff", f"page: status {status}, {headers}")
    expect(len(body) < 64_000, f"page: {len(body)} bytes")
    expect("; connect-src 'self'; " in policy and policy.endswith("; frame-ancestors 'none'"), f"page: the policy is {policy}")
    expect(f'content="{policy.rsplit("; ", 1)[0]}"' in body.decode(), "page: it states another policy itself")
    check_policy(body.decode(), policy, "page")
    expect(server.request("HEAD", "/")[:2] == (200, b""), "page: HEAD")
    expect(server.request("POST", "/")[0] == 405, "page: POST")
    status, body, headers = server.request("GET", "/favicon.ico")
    expect(status == 200 and headers["Content-Type"] == "image/svg+xml" and body.startswith(b"<svg"), "page: no icon")


def check_look(server):
    for query, says in ((LOOK + "+", "q is missing"), (LOOK + "a%0Ab", "one sentence"), (LOOK + "a+" * 501, "request (1002) exceeds text limit (1000)"),
                        ("/api/v1/look?q=x&source=en&target=fr", "no model")):
        status, body, _ = server.request("GET", query)
        expect(status == 400 and says in json.loads(body)["error"], f"{query[:60]}: {status}, {body[:100]}")
    status, body, headers = server.request("GET", LOOK + SENTENCES[0].replace(" ", "+"))
    page = json.loads(re.search(r'id="data">(.*?)</script>', body.decode(), re.S)[1])["page"]
    expect(status == 200 and page["models"][0]["hypotheses"][0]["text"] == offline(SENTENCES[:1])[0] and len(page["models"][0]["hypotheses"]) == 5, "look: not the translations")
    expect(headers["Content-Security-Policy"] == "frame-ancestors 'none'" and headers["Referrer-Policy"] == "no-referrer", f"look: {headers}")
    check_policy(body.decode(), re.search(r'Security-Policy" content="([^"]*)"', body.decode())[1], "look")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    expect(server.request("POST", "/api/v1/look", LOOK.split("?")[1] + SENTENCES[0].replace(" ", "+"), form)[1] == body, "look: POST gives another page")
    status, body, _ = server.request("GET", LOOK + "%3C%2Fscript%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E+dog")
    expect(status == 200 and b"<script>alert" not in body, "look: a script in the sentence")


def main():
    with Server() as server:
        check_page(server)
        check_look(server)
        server.end()
        noted = [json.loads(line) for line in server.read_log().splitlines()]
        expect([line.get("characters") for line in noted if line["path"] == "/api/v1/look" and line["status"] == 200][:2] == [len(SENTENCES[0])] * 2, "look: the log lacks the characters")
    with Server("--no-page", "--quiet") as hidden:
        expect([hidden.request("GET", path)[0] for path in ("/", "/favicon.ico", LOOK + "x", "/health")] == [404, 404, 404, 200], "page: --no-page")
    return report("serve_page_test")


if __name__ == "__main__":
    sys.exit(main())
