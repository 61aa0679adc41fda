"""`heed serve` with the small built-in model under overload, idle connections, slow attackers, signals and failing disks."""

import contextlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from harness import POCKET, ROOT, WORK, Process, Server, load, offline, on_core, record, run, write_requests

IDLE = 2000
ATTACKS = {"slow headers": ["-H", "-i", "5"], "slow bodies": ["-B", "-i", "5", "-s", "8192"],
           "slow reading": ["-X", "-w", "1", "-y", "8", "-n", "5", "-z", "1", "-k", "3"]}


def sentences():
    """Short and longer sentences of the kind that the model knows."""
    nouns, verbs, numbers = ("man", "woman", "child", "dog", "cat"), ("sees", "buys", "eats", "likes"), range(2, 12)
    lines = [f"The old {a} {b} a {c}." for a in nouns for b in verbs for c in nouns]
    return lines + [f"The {a} {b} {n} apples and the {c} sees us." for a in nouns for b in verbs for n in numbers for c in nouns[:2]]


class MemoryWatch(threading.Thread):
    """Samples the server's memory once per second."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.samples, self.done = server, [], threading.Event()
        self.start()

    def run(self):
        while not self.done.wait(1):
            with contextlib.suppress(OSError):
                self.samples.append((self.server.metric("heed_sentences_total"), self.server.resident_mb()))

    def growth(self, warm_up):
        """Returns the peak memory during the first `warm_up` answers, the memory at the end, and the number of answers."""
        early = [memory for answers, memory in self.samples if answers <= warm_up] or [self.samples[0][1]]
        return max(early), self.samples[-1][1], self.samples[-1][0]


def measure_overload(requests, quick):
    seconds = 8 if quick else 120
    with Server(POCKET) as server:
        capacity = load(server.port, requests, connections=64, seconds=2 if quick else 10)["per_second"]
        warm = load(server.port, requests, connections=600, rate=10 * capacity, seconds=2 if quick else 10)
        watch = MemoryWatch(server)
        warm_up = server.metric("heed_sentences_total") + 5000
        found = load(server.port, requests, connections=2000, rate=10 * capacity, seconds=seconds)
        for _ in range(0 if quick else 10):  # at most 10 times, so that this ends if the server is slow
            if server.metric("heed_sentences_total") < 200_000:
                load(server.port, requests, connections=64, seconds=20)
        watch.done.set()
        watch.join()
        before, after, answers = watch.growth(warm_up)
    statuses = found["statuses"]
    refused = sum(count for status, count in statuses.items() if status != "200")
    offered = found["issued"] / seconds
    record(f"overload for {seconds} s: answers", f"{offered:.0f} requests/s offered, {offered / capacity:.1f} times the capacity of {capacity:.0f}; {statuses.get('200', 0)} answered "
           f"correctly, {refused} refused, none lost, {found['per_second']:.0f} answers/s", "10 times the capacity; only 200 and 429; at least half the capacity answered",
           set(statuses) <= {"200", "429"} and found["per_second"] > 0.5 * capacity and offered > 9 * capacity and bool(warm))
    times = found["refused_ms"]
    record("overload: time to refuse", f"p99 {times['p99']:.1f} ms, longest {times['max']:.1f} ms", "p99 < 50 ms", refused > 0 and times["p99"] < 50)
    times = found["health_ms"]
    record("overload: /health", f"p99 {times['p99']:.1f} ms, longest {times['max']:.1f} ms", "p99 < 50 ms, none lost", times["p99"] < 50 and found["lost_probes"] == 0)
    record("overload: memory", f"{before:.1f} MB, then {after:.1f} MB after {answers:.0f} answers ({100 * (after / before - 1):+.1f}%)",
           "<= 5% growth, over 200,000 answers unless --quick", after <= 1.05 * before and (quick or answers >= 200_000))


def measure_sanitized(requests, program):
    """Load, overload and clients that leave, with two translating threads and a program that was built with sanitizers."""
    with tempfile.TemporaryFile(mode="w+") as log:
        with Process([program, "serve", f"en-de={POCKET}", "--port", "0", "--threads", "2", "--quiet", "--cache", "1"], stderr=log) as server:
            first = load(server.port, requests, connections=64, seconds=25)
            answered = first["statuses"]["200"]
            # Twice the capacity: the generator gives up 70 s after the last request.
            overloaded = load(server.port, requests, connections=600, rate=2 * first["per_second"], seconds=25)["statuses"]
            for _ in range(200):
                with socket.create_connection(("127.0.0.1", server.port)) as client:
                    client.sendall(b"GET /translate?q=We+see+a+dog.&source=en&target=de HTTP/1.1\r\nHost: x\r\n\r\n")
            code = server.end()
        log.seek(0)
        found = log.read()
    record(f"load on {program}", f"{answered} answered correctly, then under overload {overloaded}; exit code {code}, {len(found)} bytes of reports {found[:2000]}",
           "only 200 and 429; exit code 0; no report", set(overloaded) <= {"200", "429"} and answered > 0 and code == 0 and not found)


def attack(port, options, seconds):
    """Starts slowhttptest. Its own report is ignored: what counts is what other clients notice. Slow reading needs a long answer."""
    path = "/spec" if "-X" in options else "/translate"
    return subprocess.Popen(on_core("1", ["slowhttptest", "-c", "1000", "-r", "500", "-l", seconds, "-u", f"http://127.0.0.1:{port}{path}", "-p", "2", *options]),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure_attacks(requests, quick):
    seconds = 8 if quick else 25
    with Server(POCKET) as server:
        rate = load(server.port, requests, connections=64, seconds=2)["per_second"] / 4
        alone = load(server.port, requests, connections=64, rate=rate, seconds=seconds / 2)["answered_ms"]
        limit = max(3 * alone["p99"], alone["p99"] + 20)
        with contextlib.ExitStack() as stack:
            idle = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(IDLE)]
            for name, options in ATTACKS.items():
                attacker = attack(server.port, options, seconds)
                time.sleep(2.5)  # until its connections are open
                attackers = server.metric("heed_connections") - len(idle)
                found = load(server.port, requests, connections=64, rate=rate, seconds=seconds - 4)
                times = found["answered_ms"]
                attacker.terminate()
                attacker.wait()
                record(f"{len(idle)} idle connections and {attackers:.0f} of slowhttptest, {name}", f"p99 {times['p99']:.1f} ms, without them {alone['p99']:.1f} ms; {found['issued']} requests, "
                       "none refused or lost", f"all answered, p99 <= {limit:.1f} ms, at least 500 attackers",
                       set(found["statuses"]) == {"200"} and times["p99"] <= limit and attackers >= 500)


def measure_disturbances(quick):
    """Signals, replaced models, full disks and too few file descriptors: runs the system test several times."""
    test = str(ROOT / "tests/system/serve_stress_test.py")
    rounds = 1 if quick else 5
    start = time.monotonic()
    try:
        for _ in range(rounds):
            said = run([sys.executable, test, str(ROOT / "build")]).strip().splitlines()[-1]
    except RuntimeError as error:
        record("signals, replaced models, full disk for the log, 1,024 file descriptors", str(error), "nothing accepted is lost", False)
        return
    record("signals, replaced models, full disk for the log, 1,024 file descriptors",
           f"{said}, {rounds} times in {time.monotonic() - start:.0f} s", "nothing accepted is lost", True)


def make_requests():
    WORK.mkdir(parents=True, exist_ok=True)
    lines = sentences()
    return write_requests(WORK / "pocket.tsv", lines, offline(POCKET, lines)[0])
