#!/usr/bin/env python3
"""heed serve under disturbance: signals, replaced model files, logs that cannot be written, too few file descriptors. Whatever
was accepted is answered.

    serve_stress_test.py BUILD      BUILD holds the program heed"""

import concurrent.futures
import contextlib
import json
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from serve_test import MODEL, SENTENCES, WAIT, Server, attempt, heed, offline, same

CLIENTS = 60


def request_bytes(text):
    body = json.dumps({"q": text, "source": "en", "target": "de"}).encode()
    return b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def answer_of(connection):
    """The status and the translation; status 0 if the connection ended without a whole answer."""
    received = b""
    with contextlib.suppress(OSError):
        while part := connection.recv(65536):
            received += part
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"Content-Length: (\d+)", head)
    if not length or len(body) != int(length[1]):
        return 0, None
    return int(head.split()[1]), json.loads(body).get("translatedText")


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT)


class Port(Server):
    """A server on a port of its own choice, whose standard error goes to `stderr`, after `setup` in its process."""

    def __init__(self, *arguments, model=MODEL, port=0, stderr=subprocess.DEVNULL, setup=None):
        self.process = subprocess.Popen([heed.path, "serve", f"en-de={model}", "--port", str(port), *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=stderr, preexec_fn=setup)
        ready, _, _ = select.select([self.process.stdout], [], [], WAIT)
        self.line = self.process.stdout.readline().decode() if ready else ""
        if "http://" not in self.line:
            self.process.kill()
            raise OSError(f"heed serve printed {self.line!r}")
        self.port = int(self.line.rpartition(":")[2])


def expect_translations(connections, expected, what, allowed=()):
    """Every connection gets the translation of its sentence, or an answer with an allowed status."""
    found = [answer_of(connection) for connection in connections]
    lost = sum(status == 0 for status, _ in found)
    wrong = sum(status == 200 and text != expected[i % len(expected)] for i, (status, text) in enumerate(found))
    other = {status for status, _ in found} - {0, 200, *allowed}
    expect(lost == 0 and wrong == 0 and not other, f"{what}: {lost} of {len(found)} requests lost, {wrong} answers wrong, other statuses {other}")
    return found


def send_all(port, stack):
    """Connections with a request each."""
    connections = []
    for i in range(CLIENTS):
        connection = stack.enter_context(connect(port))
        connection.sendall(request_bytes(SENTENCES[i % len(SENTENCES)]))
        connections.append(connection)
    return connections


def check_terminate(expected):
    """SIGTERM: everything that was sent before is answered, then the server ends with 0."""
    for _ in range(3):
        with Port("--threads", 1) as server, contextlib.ExitStack() as stack:
            connections = send_all(server.port, stack)
            server.process.send_signal(signal.SIGTERM)
            expect_translations(connections, expected, "SIGTERM")
            same(server.process.wait(WAIT), 0, "exit code after SIGTERM")
    # A second signal ends the grace time: what is not done is answered with 503.
    slow = ["The old man sees a dog and the cat sees us."] * 9000
    with Port("--threads", 1) as server, connect(server.port) as connection:
        connection.sendall(request_bytes(slow))
        deadline = time.monotonic() + WAIT
        while server.metric("heed_running_requests") < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        server.process.send_signal(signal.SIGTERM)
        same(answer_of(connection)[0], 503, "status of a request that the second SIGTERM ends")
        same(server.process.wait(WAIT), 0, "exit code after two SIGTERM")


def check_kill(expected):
    """After SIGKILL the next server gets the same port at once."""
    with Port("--quiet") as server, connect(server.port) as connection:
        connection.sendall(request_bytes(SENTENCES[0]))
        same(answer_of(connection), (200, expected[0]), "before SIGKILL")
        held = connect(server.port)
        server.process.kill()
        server.process.wait()
        with Port("--quiet", port=server.port) as next_server, connect(next_server.port) as again:
            again.sendall(request_bytes(SENTENCES[1]))
            same(answer_of(again), (200, expected[1]), "after SIGKILL, on the same port")
        held.close()


def check_model_files(directory, expected):
    """A model file that is overwritten, truncated or deleted does no harm, until SIGHUP reads it."""
    model = Path(directory) / "model.safetensors"
    shutil.copyfile(MODEL, model)
    log = tempfile.TemporaryFile()
    with Port(model=model, stderr=log) as server, concurrent.futures.ThreadPoolExecutor(4) as pool:
        server.log = log
        ends = time.monotonic() + 1.5

        def client(number):
            wrong = 0
            while time.monotonic() < ends:
                with connect(server.port) as connection:
                    connection.sendall(request_bytes(SENTENCES[number % len(SENTENCES)]))
                    wrong += answer_of(connection) != (200, expected[number % len(SENTENCES)])
            return wrong
        clients = [pool.submit(client, number) for number in range(4)]
        for content in (b"", b"x" * 100_000, Path(MODEL).read_bytes()[:200_000], None):
            if content is None:
                model.unlink()
            else:
                model.write_bytes(content)  # in place
            for _ in range(5):
                server.process.send_signal(signal.SIGHUP)
                time.sleep(0.02)
            time.sleep(0.1)
        shutil.copyfile(MODEL, model)
        same(sum(one.result() for one in clients), 0, "wrong or lost answers while the model file is written to")
        deadline = time.monotonic() + WAIT
        while "models loaded again" not in server.read_log() and time.monotonic() < deadline:
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        events = [line for line in map(json.loads, server.read_log().splitlines()) if "event" in line]
        expect(any("not loaded" in line["event"] and "failure" in line for line in events), f"no event says that a model was not loaded: {events}")
        expect(events and events[-1]["event"] == "models loaded again", f"the last event is {events[-1:]}")
        same(server.end()[0], 0, "exit code after many SIGHUP")


def check_log(expected):
    """A log that cannot be written is counted, and neither answers nor the end of the server wait for it."""
    full = os.open("/dev/full", os.O_WRONLY)
    reading, writing = os.pipe()  # nobody reads
    closed_reading, closed = os.pipe()
    os.close(closed_reading)
    for name, stderr in (("a full disk", full), ("a reader that has stopped", writing), ("a reader that is gone", closed)):
        with Port("--threads", 2, stderr=stderr) as server, contextlib.ExitStack() as stack:
            if stderr == writing:
                os.set_blocking(writing, False)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        os.write(writing, bytes(65536))
                os.set_blocking(writing, True)
            expect_translations(send_all(server.port, stack), expected, f"log to {name}")
            deadline = time.monotonic() + WAIT
            dropped = 0
            while stderr != writing and dropped < CLIENTS and time.monotonic() < deadline:
                dropped = server.metric("heed_dropped_log_lines_total")
            expect(stderr == writing or dropped >= CLIENTS, f"log to {name}: {dropped} lines counted as dropped")
            code, seconds = server.end()
            expect(code == 0 and seconds < WAIT, f"log to {name}: exit code {code} after {seconds:.1f} s")
    for descriptor in (full, reading, writing, closed):
        os.close(descriptor)


def check_descriptors(expected):
    """2,000 connections to a server that may have 1,024 files open: new ones replace idle ones."""
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
    own, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        with Port("--quiet", "--threads", 1, setup=few_files) as server, contextlib.ExitStack() as stack:
            count = min(2000, most - 200)
            busy = send_all(server.port, stack)  # not idle: may not be replaced
            for _ in range(count):
                stack.enter_context(connect(server.port))
            expect_translations(busy, expected, f"{count} idle connections")
            start = time.monotonic()
            expect_translations(send_all(server.port, stack), expected, "after the idle connections")
            expect(server.request("GET", "/health")[0] == 200 and time.monotonic() - start < WAIT, "idle connections keep others out")
            open_now = len(os.listdir(f"/proc/{server.process.pid}/fd"))
            expect(800 < open_now <= 1024, f"{open_now} files are open")
            expect(server.metric("heed_evicted_connections_total") >= count - 1024, "no idle connection was closed to make room")
            same(server.end()[0], 0, "exit code with many connections")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (own, most))


def check_slow_clients(expected):
    """Clients that send or read slowly hold up nobody."""
    with Port("--quiet", "--threads", 1, "--grace", 2) as server, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect(server.port)) for _ in range(300)]
        for i, connection in enumerate(slow):
            connection.sendall((b"GET /hea", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nq", b"GET /spec HTTP/1.1\r\nHost: x\r\n\r\n" * 50)[i % 3])
        start = time.monotonic()
        expect_translations(send_all(server.port, stack), expected, "beside slow clients")
        expect(time.monotonic() - start < 2 * WAIT, "slow clients hold up others")
        code, seconds = server.end(signal.SIGINT)
        expect(code == 0 and seconds < WAIT, f"slow clients: exit code {code} after {seconds:.1f} s")


def main():
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="heed-serve-") as directory:
        heed.directory = directory
        expected = offline(SENTENCES)
        for check in (check_terminate, check_kill, check_log, check_descriptors, check_slow_clients):
            attempt(check, expected)
        attempt(check_model_files, directory, expected)
    return report("serve_stress_test", f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
