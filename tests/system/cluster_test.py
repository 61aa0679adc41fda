#!/usr/bin/env python3
"""Training in several processes that Open MPI connects: `mpirun -n N heed train …`.

    cluster_test.py BUILD [--kills N]      BUILD contains heed and heed-mpi; N times a process is killed (default 4)

The same number of workers must give the same bytes, whether they are threads or processes, and however often a process is
killed and the job resumed. Processes that were started wrongly must be refused before they train."""

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report

TIMED = {"seconds", "tokens_per_second", "job"}
# Everything with a state, as in resume_test.py, and large batches, so that no worker is without work.
SETTINGS = """
[data]
tokenizer = "unigram"
subwords = 120
subword_sampling = 0.3
[encoder]
hidden = 12
embedding = 8
[decoder]
hidden = 12
embedding = 8
[readout]
size = 8
[dropout]
source_words = 0.1
[training]
batch = 16
accumulate = 2
epochs = 8
learning_rate = 0.01
schedule = "plateau"
ema = 0.8
average = 2
[validation]
updates = 5
sentences = 12
metric = "chrf"
"""
MPIRUN = ["mpirun", *(["--allow-run-as-root"] if os.getuid() == 0 else []), "--oversubscribe", "--bind-to", "none"]

# Otherwise mpirun shares a lock with its processes, and waits for it forever if one of them died with it.
os.environ["PMIX_MCA_gds"] = "hash"

heed = ""


def train(out, *more):
    return [heed, "train", "settings.toml", "--train-source", "p.train.en", "--train-target", "p.train.de", "--valid-source",
            "p.valid.en", "--valid-target", "p.valid.de", "--out", out, *more]


def job(ranks, threads, out, *more):
    return [*MPIRUN, "-n", str(ranks), *train(out, "--threads", str(threads), *more)]


def run(words, **settings):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
                          **settings)


def works(words, what, **settings):
    done = run(words, **settings)
    expect(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr[-1000:]}")
    return done.returncode == 0


def lines(out):
    """The lines of the log without what depends on the clock."""
    return [{k: v for k, v in json.loads(line).items() if k not in TIMED}
            for line in Path(out, "metrics.jsonl").read_text().splitlines()]


def compare(out, what, reference="threads"):
    for name in ("model.safetensors", "samples.jsonl"):
        same = Path(out, name).read_bytes() == Path(reference, name).read_bytes()
        expect(same, f"{what}: {name} differs from that of one process")
    expect(lines(out) == lines(reference), f"{what}: metrics.jsonl differs")


def refused(words, says, what, code=None, **settings):
    """The job must fail with one sentence that contains all of `says`, before the first update."""
    done = run(words, **settings)
    sentences = [line for line in done.stderr.splitlines() if line.startswith("heed: ")]
    expect(done.returncode != 0 and (code is None or done.returncode == code), f"{what}: exit code {done.returncode}")
    expect(len(sentences) == 1 and all(part in sentences[0] for part in says), f"{what}: {done.stderr[-1500:]}")


def check_same_bytes():
    if not works(train("threads", "--threads", "4"), "one process with four threads"):
        return False
    for ranks, threads in ((2, 2), (4, 1)):
        if works(job(ranks, threads, f"{ranks}x{threads}"), f"{ranks} processes"):
            compare(f"{ranks}x{threads}", f"{ranks} processes with {threads} threads each")
            jobs = [json.loads(line) for line in Path(f"{ranks}x{threads}/metrics.jsonl").read_text().splitlines()]
            speeds = [line["job"] for line in jobs if line["kind"] == "update"]
            expect(speeds and all(s["ranks"] == ranks and 0 < s["efficiency"] <= 1 and 0 <= s["slowest_rank"] < ranks and
                                  s["slowdown"] >= 1 for s in speeds), f"{ranks} processes: speeds {speeds[:3]}")
    return True


def check_bf16():
    half = ["--set", "training.gradient_exchange=bf16"]
    if not works(job(2, 2, "bf16", *half), "bf16 gradients"):
        return
    expect(Path("bf16/model.safetensors").read_bytes() != Path("threads/model.safetensors").read_bytes(), "bf16 changed nothing")
    losses = [next(line["loss"] for line in reversed(lines(out)) if line["kind"] == "update") for out in ("bf16", "threads")]
    expect(abs(losses[0] - losses[1]) < 0.1 * losses[1], f"bf16: the losses are far apart: {losses}")
    interrupt("bf16-resumed", *half)
    if works(job(2, 2, "bf16-resumed", *half, "--resume"), "a resumed job with bf16"):
        compare("bf16-resumed", "bf16, stopped and resumed", "bf16")


def rank_pids(mpirun):
    """The processes of heed that this mpirun started on this machine."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == mpirun and b"heed" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except (OSError, ValueError, IndexError):
            continue
    return sorted(found)


def finish(process):
    """What a job wrote to standard error. One that hangs is ended: a problem."""
    try:
        return process.communicate(timeout=200)[1]
    except subprocess.TimeoutExpired:
        expect(False, f"the job hung: {' '.join(process.args)}; processes: {rank_pids(process.pid)}")
        for pid in (*rank_pids(process.pid), process.pid):
            os.kill(pid, signal.SIGKILL)
        return process.communicate()[1]


def wait_for(condition, process):
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline and not condition():
        time.sleep(0.005)


def check_kills(kills, draw):
    """A process dies at a random time; the job ends with a sentence about it, and is resumed."""
    out, died = "killed", 0
    for _ in range(10 * kills):
        process = subprocess.Popen(job(2, 2, out, "--resume", "--checkpoint-updates", "1"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(rank_pids(process.pid)) == 2, process)
        time.sleep(draw.uniform(0, 1.5))
        pids = rank_pids(process.pid)
        if died < kills and process.poll() is None and pids:
            try:
                os.kill(draw.choice(pids), signal.SIGKILL)
                died += 1
            except ProcessLookupError:
                pass
        elif died < kills and process.poll() is None:
            process.terminate()
        error = finish(process)
        if process.returncode == 0:
            if died >= kills:
                break
            shutil.rmtree(out)  # complete before it could be killed: once more
            continue
        expect("signal 9 (Killed)" in error or "exited" in error, f"a killed process: {error[-1000:]}")
        expect("a bug in heed" not in error, f"a killed process: {error[-1000:]}")
    expect(died == kills and process.returncode == 0, f"killed {died} times, then exit code {process.returncode}: {error[-500:]}")
    if process.returncode == 0:
        compare(out, f"killed {died} times")
    print(f"cluster: killed {died} times")


def interrupt(out, *more):
    """Stops a job after its first checkpoint with SIGUSR1, which mpirun passes on."""
    process = subprocess.Popen(job(2, 2, out, *more), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(f"{out}/checkpoint/good.safetensors"), process)
    process.send_signal(signal.SIGUSR1)
    error = finish(process)
    expect(process.returncode == 128 + signal.SIGUSR1 and "checkpoint saved; resume with" in error,
           f"SIGUSR1: {process.returncode} {error[-500:]}")


def check_stop():
    interrupt("stopped")
    if works(train("stopped", "--threads", "4", "--resume"), "a stopped job, resumed as one process"):
        compare("stopped", "stopped as two processes and resumed as one")


def check_resume_with_other_workers():
    interrupt("other")
    refused(job(3, 1, "other", "--resume"), ["4 threads", "another number of processes"], "other workers", 2)
    refused(train("other", "--threads", "3", "--resume"), ["--threads 4", "--resume-with-other-workers"], "other threads", 2)
    if not works(job(3, 1, "other", "--resume-with-other-workers"), "--resume-with-other-workers"):
        return
    changes = [line for line in lines("other") if line["kind"] == "workers"]
    expect(len(changes) == 1 and changes[0]["threads_before"] == 4 and changes[0]["threads"] == 3, f"recorded: {changes}")
    expect(lines("other")[-1]["kind"] == "end", "the run with other workers did not end")


def check_wrong_launches():
    both = lambda *second, first=train("wrong", "--threads", "1"): [*MPIRUN, "-n", "1", *first, ":", "-n", "1", *second]
    good = train("wrong", "--threads", "1")
    refused(both(*good, "--set", "training.learning_rate=0.02"), ["configuration", "rank 1", "learning_rate = 0.02"], "another setting")
    Path("other.en").write_text(Path("p.train.en").read_text().replace("the", "these", 1))
    refused(both(*[word.replace("p.train.en", "other.en") for word in good]), ["training text", "rank 1"], "other text")
    refused(both("env", "HEED_CPU=scalar", *good), ["instruction set", "rank 1", "HEED_CPU"], "another processor")
    refused(both(*good, first=["env", "HEED_CPU=scalar", *good]), ["instruction set", "rank 1"], "another processor of rank 0")
    refused(both(*[word.replace("p.train.en", "missing.en") for word in good]), ["rank 1", "missing.en"], "a missing file")
    refused(both(*good, "--from", "bf16", first=[*good, "--from", "2x2"]), ["model of --from", "rank 1"], "another parent")
    refused([*MPIRUN, "-n", "2", *good, "--no-such-option"], ["--no-such-option"], "an unknown option", 2)
    refused([*MPIRUN, "-n", "2", heed, "train", "--train", "-", "--out", "wrong"], ["standard input"], "standard input", 2)
    os.makedirs("alone/changed")
    for directory in ("alone", "alone/changed"):
        shutil.copy(heed, f"{directory}/heed")
    refused([*MPIRUN, "-n", "2", "alone/heed", *good[1:]], ["heed-mpi", "make mpi"], "no heed-mpi", 1)
    shutil.copy(Path(heed).with_name("heed-mpi"), "alone/changed/heed-mpi")
    with open("alone/changed/heed-mpi", "ab") as program:
        program.write(b"x")
    refused(both("alone/changed/heed", *good[1:]), ["program", "rank 1"], "another program")
    expect(not os.path.exists("wrong/model.safetensors"), "a refused job trained")
    works(job(2, 2, "2x2", "--resume"), "a complete run")
    refused(job(2, 2, "2x2"), ["--resume", "already contains a run"], "a directory with a run", 2)


def check_translation():
    """mpirun also starts the processes that share a text; they need no MPI library."""
    single = run([heed, "translate", "threads", "--input", "p.train.en"])
    expect(single.returncode == 0 and single.stdout.count("\n") > 100, f"translation: {single.stderr}")
    shared = [*MPIRUN, "-n", "3", heed, "translate", "threads", "--input", "p.train.en"]
    if works([*shared, "--shard-dir", "shards", "--chunk-lines", "20", "--output", "shared.de.gz"], "mpirun heed translate"):
        expect(gzip.decompress(Path("shared.de.gz").read_bytes()).decode() == single.stdout, "mpirun heed translate: another text")
    done = run([*shared, "--shard", "auto"])
    expect(done.returncode == 0 and sorted(done.stdout.splitlines()) == sorted(single.stdout.splitlines()), f"--shard auto: {done.stderr[-500:]}")
    done = run([*shared, "--output", "whole.de"])
    notes = [line for line in done.stderr.splitlines() if "--shard-dir" in line]
    expect(len(notes) == 1 and "each of the 3 processes" in notes[0], f"mpirun heed translate without shards: {done.stderr[-500:]}")


def network_namespaces(rate, ranks=2):
    """Hosts with network interfaces of their own, connected by a bridge: the mpirun command that starts one process on each, or
    None and why not."""
    if os.getuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
        return None, "needs root, ip and tc"
    hosts = {"heedt0": "10.99.7.100", **{f"heedt{i}": f"10.99.7.{i}" for i in range(1, ranks + 1)}}  # mpirun is on the first
    commands = ["ip link add heedbr type bridge", "ip link set heedbr up"]
    for i, (name, address) in enumerate(hosts.items()):
        commands += [f"ip netns add {name}", f"ip link add heedv{i} type veth peer name eth0 netns {name}",
                     f"ip link set heedv{i} master heedbr up", f"ip -n {name} addr add {address}/24 dev eth0",
                     f"ip -n {name} link set eth0 up", f"ip -n {name} link set lo up",
                     f"ip netns exec {name} tc qdisc add dev eth0 root tbf rate {rate} burst 256kb latency 5ms"]
    for command in commands:
        done = subprocess.run(command.split(), stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            return None, f"`{command}` failed: {done.stderr.strip()}"
    # In the place of ssh: each host has a namespace and a name, by which Open MPI tells machines apart.
    agent = Path("agent.sh")
    agent.write_text('#!/bin/sh\nhost=heedt${1##*.}; shift\n'
                     'exec ip netns exec $host unshare --uts sh -c "hostname $host; exec sh -c \'$*\'"\n')
    agent.chmod(0o755)
    words = ["ip", "netns", "exec", "heedt0", "unshare", "--uts", "sh", "-c", 'hostname heedt0; exec "$@"', "sh", "mpirun",
             "--allow-run-as-root", "--host", ",".join(list(hosts.values())[1:]), "-n", str(ranks), "--bind-to", "none", "--wdir", os.getcwd(),
             "--mca", "plm_rsh_agent", str(agent.resolve()), "--mca", "plm_rsh_no_tree_spawn", "1",
             "--mca", "oob_tcp_if_include", "10.99.7.0/24", "--mca", "btl_tcp_if_include", "10.99.7.0/24",
             "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]
    return words, ""


def remove_network_namespaces():
    if os.getuid() == 0 and shutil.which("ip"):
        listed = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True).stdout.split()
        for name in listed:
            if name.startswith("heedt"):
                subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "del", "heedbr"], stderr=subprocess.DEVNULL)


def check_network():
    """Two machines with a network between them that is slower than the processes."""
    try:
        words, problem = network_namespaces("100mbit")
        if words is None:
            print(f"cluster: skipped: training over a slow network ({problem})")
            return
        if works([*words, *train("network", "--threads", "2")], "two machines"):
            compare("network", "two machines")
    finally:
        remove_network_namespaces()


def main():
    global heed
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build")
    arguments.add_argument("--kills", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=0, help="of the times and processes of the kills; 0: drawn")
    given = arguments.parse_args()
    heed = str(Path(given.build).resolve() / "heed")
    if not Path(heed).with_name("heed-mpi").exists() or not shutil.which("mpirun"):
        raise SystemExit("cluster_test.py needs BUILD/heed-mpi and mpirun: make mpi")
    seed = given.seed or random.randrange(1, 1000000)
    print(f"cluster: --seed {seed}")
    with tempfile.TemporaryDirectory(prefix="heed-cluster-") as directory:
        os.chdir(directory)
        os.environ["OMPI_MCA_orte_tmpdir_base"] = directory
        Path("settings.toml").write_text(SETTINGS)
        subprocess.run([heed, "corpus", "pocket", "--pairs", "150", "--out", "p"], check=True, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        if check_same_bytes():
            check_kills(given.kills, random.Random(seed))
            for check in (check_bf16, check_stop, check_resume_with_other_workers, check_wrong_launches, check_translation, check_network):
                check()
                print(f"cluster: {check.__name__}: {time.monotonic() - start:.0f} s", flush=True)
        os.chdir("/")
    return report("cluster")


if __name__ == "__main__":
    sys.exit(main())
