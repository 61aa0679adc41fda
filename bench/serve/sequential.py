#!/usr/bin/env python3
"""A translation server that translates one sentence at a time, for comparison: `heed translate --stream` behind Python's HTTP server.

usage: bench/serve/sequential.py MODEL

It emulates two servers: marian-server handles one request after the other in one thread and never batches the sentences of
different clients, and LibreTranslate translates the texts of a request one by one. The engine and the model are heed's, so that
only the scheduling differs; the time that Python adds is small compared with that of a sentence. Prints its address."""

import http.server
import json
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

HEED = Path(__file__).resolve().parents[2] / "build/heed"


class Engine:
    def __init__(self, model):
        self.lock = threading.Lock()
        self.process = subprocess.Popen([HEED, "translate", model, "--stream", "--threads", "1"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def translate(self, text):
        with self.lock:
            self.process.stdin.write(text.encode() + b"\n")
            self.process.stdin.flush()
            return self.process.stdout.readline().decode().rstrip("\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def reply(self, value):
        body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply({"status": "ok"})

    def do_POST(self):
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["q"]
        translate = self.server.engine.translate
        self.reply({"translatedText": [translate(text) for text in texts] if isinstance(texts, list) else translate(texts)})

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 1024


def main():
    with Server(("127.0.0.1", 0), Handler) as server:
        server.engine = Engine(sys.argv[1])
        server.engine.translate("a")  # waits until the model is loaded
        print(f"sequential server on http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
