"""Throughput and latency of `heed serve` with a full-size model, compared with the offline program and a sequential server."""

import json
import sys
from pathlib import Path

from harness import CLIENT_CORE, HEED, SERVER_CORE, WORK, Process, Server, load, make_model, offline, on_core, record, run, write_requests

CLIENTS = (1, 8, 64)


def in_process_ms(model, lines):
    """The median time per sentence inside the program, without server and text layer."""
    path = WORK / "lines"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = json.loads(run(on_core(SERVER_CORE, [HEED, "bench", "translate", model, "--source", path, "--json", "--threads", 1, "--batch", 1, "--beam", 5])))
    return found["median_ms"]


def measure_throughput(model, lines, requests, quick):
    """Measures the offline program and the server alternately. With --quick, CPU times are compared instead of wall times."""
    best = {"offline": [], "server": []}
    rounds = 1 if quick else 3
    with Server(model) as server:
        load(server.port, requests, connections=64, count=128, seconds=60)  # warm-up: memory grows to its final size
        for _ in range(rounds):
            _, wall, cpu = offline(model, lines)
            best["offline"].append((len(lines) / wall, len(lines) / cpu))
            before = server.cpu_seconds()
            found = load(server.port, requests, connections=64, count=3 * len(lines), seconds=120)
            answered = found["statuses"]["200"]
            best["server"].append((found["per_second"], answered / (server.cpu_seconds() - before)))
        batch = server.metric("heed_step_sentences_total") / server.metric("heed_steps_total")
    offline_wall, offline_cpu = (max(values) for values in zip(*best["offline"]))
    server_wall, server_cpu = (max(values) for values in zip(*best["server"]))
    ratio, what = (server_cpu / offline_cpu, "processor time") if quick else (server_wall / offline_wall, "wall time")
    record("throughput at 64 clients against `heed translate --batch 64`",
           f"{100 * ratio:.0f}% by {what} ({server_wall:.1f} against {offline_wall:.1f} sentences/s; by processor time "
           f"{server_cpu:.1f} against {offline_cpu:.1f}; {batch:.1f} sentences per step)", ">= 80%", ratio >= 0.8)
    return server_wall


def measure_latency(model, lines, requests, capacity, quick):
    own = in_process_ms(model, lines)
    with Server(model) as server:
        load(server.port, requests, connections=1, count=10, seconds=60)
        found = load(server.port, requests, connections=1, count=len(lines), seconds=120)["answered_ms"]
        record("median latency of one client against the time of a sentence in the program", f"{found['p50'] / own:.2f} ({found['p50']:.1f} against {own:.1f} ms)",
               "<= 1.2", found["p50"] <= 1.2 * own)
        rate = capacity / 2
        found = load(server.port, requests, connections=512, rate=rate, seconds=10 if quick else 60)["answered_ms"]
        record(f"p99 against median at half load ({rate:.0f} sentences/s at random times)",
               f"{found['p99'] / found['p50']:.2f} ({found['p99']:.0f} against {found['p50']:.0f} ms)", "<= 4", found["p99"] <= 4 * found["p50"])


def compare_servers(model, lines, translations, requests, quick):
    """Returns the table of docs/results.md."""
    texts = [lines[i:i + 64] for i in range(0, len(lines) - 63, 64)]
    batches = write_requests(WORK / "batches.tsv", texts, [translations[i:i + 64] for i in range(0, len(lines) - 63, 64)])
    sequential = on_core(SERVER_CORE, [sys.executable, Path(__file__).with_name("sequential.py"), model])
    rows, gained = [], {}
    for name, start in (("`heed serve`", lambda: Server(model)), ("one sentence at a time", lambda: Process(sequential))):
        with start() as server:
            for clients in CLIENTS:
                found = load(server.port, requests, connections=clients, seconds=5 if quick else 20)
                gained.setdefault(clients, []).append(found["per_second"])
                times = found["answered_ms"]
                rows.append(f"| {name} | {clients} | {found['per_second']:.1f} | {times['p50']:.0f} | {times['p99']:.0f} |")
            found = load(server.port, batches, connections=1, count=len(texts), seconds=5 if quick else 20)
            times = found["answered_ms"]
            rows.append(f"| {name} | 1, requests of 64 sentences | {64 * found['per_second']:.1f} | {times['p50']:.0f} | {times['p99']:.0f} |")
    ours, theirs = gained[64]
    record("throughput at 64 clients against one sentence at a time", f"{ours / theirs:.1f} times as much", "> 1", ours > theirs)
    return ["", "| server | clients | sentences/s | median, ms | p99, ms |", "|---|---|---|---|---|", *rows]


def measure(quick):
    model, lines = make_model()
    lines = lines[:128 if quick else 1000]
    translations, _, _ = offline(model, lines)
    words = sum(map(len, map(str.split, translations))) / len(lines)
    print(f"model: {model}; {len(lines)} sentences of {sum(map(len, map(str.split, lines))) / len(lines):.1f} words, translations of {words:.1f}; "
          f"server on core {SERVER_CORE}, clients on core {CLIENT_CORE}", flush=True)
    requests = write_requests(WORK / "requests.tsv", lines, translations)
    capacity = measure_throughput(model, lines, requests, quick)
    measure_latency(model, lines, requests, capacity, quick)
    return compare_servers(model, lines, translations, requests, quick)
