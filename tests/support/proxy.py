"""A proxy in front of a server, which delays answers or replaces them: for tests of clients."""

import http.client
import select
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Proxy:
    """Forwards to 127.0.0.1:PORT; ends with the block. `rules` maps a path to a list of things to do to its next requests:
    a number delays the answer by so many seconds, a tuple (status, headers, body) replaces it, None does nothing.
    `seen` has (path, body) of every request, `gone` the bodies of those whose client did not wait for the delayed answer."""

    def __init__(self, port):
        self.rules, self.seen, self.gone = {}, [], []
        self.lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                path = self.path.split("?")[0]
                with proxy.lock:
                    proxy.seen.append((path, body.decode(errors="replace")))
                    waiting = proxy.rules.get(path, [])
                    rule = waiting.pop(0) if waiting else None
                if isinstance(rule, tuple):
                    return self.reply(*rule)
                if rule and self.left(rule):
                    proxy.gone.append(body.decode(errors="replace"))
                    self.close_connection = True
                    return None
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request(self.command, self.path, body or None, {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection")})
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                return self.reply(answer.status, dict(answer.getheaders()), content)

            do_POST = do_HEAD = do_GET

            def left(self, seconds):
                """Waits; whether the client closed its connection in the meantime."""
                end = time.monotonic() + seconds
                while (rest := end - time.monotonic()) > 0:
                    if select.select([self.connection], [], [], rest)[0]:
                        return self.connection.recv(1, socket.MSG_PEEK) == b""
                return False

            def reply(self, status, headers, content):
                content = content if isinstance(content, bytes) else content.encode()
                self.send_response(status)
                for name, value in headers.items():
                    if name.lower() not in ("connection", "content-length", "server", "date"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # clients that have gone
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def bodies(self, path):
        with self.lock:
            return [body for where, body in self.seen if where == path]
