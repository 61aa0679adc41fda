#!/usr/bin/env python3
"""Plants faults in the code, one at a time, and checks that the tests catch each of them.

usage: tools/sabotage.py [--only WORD] [--since COMMIT] [--part K/N] | --check

The faults of a module are in tests/MODULE/sabotage.toml:

    [[fault]]
    name = "what is wrong with the faulty code"
    file = "src/text/utf8.cpp"
    text = 'c <= 0x7f'
    replacement = 'c < 0x7f'
    tests = ["text", "cli"]    # ctest entries that may catch it, tried in this order; default: the module's own

The faults are planted in a copy of the tracked files, build-sabotage, which is kept for the next call; the checkout is not
changed. With --part, N processes can divide the work: each plants every Nth fault, in a copy of its own. The exit code is 1
if a fault is not caught or does not compile, or if its text does not occur exactly once in the file (then update the
table). --check only compares the tables with the source; it takes no time and is part of the tests.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build-sabotage"


def read_faults():
    """All faults of all tables; exits with an error if a table does not match the source."""
    faults = []
    for table in sorted(ROOT.glob("tests/*/sabotage.toml")):
        for fault in tomllib.loads(table.read_text())["fault"]:
            fault.setdefault("tests", [table.parent.name])
            source = ROOT / fault["file"]
            count = source.read_text().count(fault["text"]) if source.is_file() else 0
            if count != 1 or fault["text"] == fault["replacement"]:
                sys.exit(f"sabotage: '{fault['name']}': the text must occur once in {fault['file']}, and differ from its"
                         f" replacement; it occurs {count} times: {fault['text']}")
            faults.append(fault)
    missing = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} - {f["file"].split("/")[1] for f in faults}
    if missing:
        sys.exit(f"sabotage: no fault for {', '.join(sorted(missing))}: every module needs some")
    return faults


def older_faults(commit):
    """(file, text, replacement) of every fault in the tables of a commit."""
    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"sabotage: --since {commit}: {done.stderr.strip()}")
        return done.stdout

    tables = [name for name in git("ls-tree", "-r", "--name-only", commit, "tests").split("\n") if name.endswith("/sabotage.toml")]
    return {(fault["file"], fault["text"], fault["replacement"])
            for name in tables for fault in tomllib.loads(git("show", f"{commit}:{name}"))["fault"]}


def run(*command):
    return subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"HEED_FAIL_FAST": "1", "GTEST_FAIL_FAST": "1", "CCACHE_BASEDIR": str(COPY)})


def copy_sources():
    """Updates the copy; unchanged files keep their timestamps, so that little is recompiled."""
    COPY.mkdir(exist_ok=True)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    wanted = {name for name in tracked if name and (ROOT / name).is_file()}
    for name in wanted:
        target = COPY / name
        if not target.is_file() or target.read_bytes() != (ROOT / name).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    for folder in ("src", "apps", "tests"):
        for path in (COPY / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(COPY)) not in wanted:
                path.unlink()


def target_of(test):
    if test == "install":
        return "install_files"
    return f"test_{test}" if (COPY / "src" / test).is_dir() or test == "apps" else "heed"


def build(tests):
    return run("cmake", "--build", "build", "--target", *sorted({target_of(test) for test in tests}))


def failing_test(tests):
    """The first ctest entry that fails and what it printed, or None."""
    for test in tests:
        done = run("ctest", "--test-dir", "build", "--no-tests=error", "--output-on-failure", "--timeout", "300", "-R", f"^{test}$")
        if done.returncode != 0:
            return test, done.stdout
    return None


def part(text):
    """(K, N) of "K/N"."""
    number, parts = (int(word) for word in text.split("/"))
    if not 1 <= number <= parts:
        raise ValueError
    return number, parts


def main():
    global COPY
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="plant only the faults whose name or file contains this word")
    parser.add_argument("--since", metavar="COMMIT", help="plant only the faults that this commit's tables do not have")
    parser.add_argument("--part", metavar="K/N", type=part, default=(1, 1), help="plant only the faults K, K + N, K + 2N, …")
    parser.add_argument("--check", action="store_true", help="plant nothing; only check that the tables match the source")
    arguments = parser.parse_args()
    faults = read_faults()
    if arguments.check:
        print(f"sabotage: the texts of all {len(faults)} faults were found")
        return
    faults = [fault for fault in faults if arguments.only in fault["name"] or arguments.only in fault["file"]]
    if arguments.since:
        older = older_faults(arguments.since)
        faults = [fault for fault in faults if (fault["file"], fault["text"], fault["replacement"]) not in older]
    number, parts = arguments.part
    must_pass = list(dict.fromkeys(test for fault in faults for test in fault["tests"]))[number - 1::parts]
    faults = faults[number - 1::parts]
    if not faults:
        sys.exit("sabotage: there is no such fault")
    if parts > 1:
        COPY = ROOT / f"build-sabotage-{number}"
    copy_sources()
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []
    configured = run("cmake", "-S", ".", "-B", "build", *generator, *linker, "-DCMAKE_BUILD_TYPE=Debug",
                     "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DHEED_BENCH=OFF", "-DHEED_UNITY=OFF")
    built = build(must_pass + [test for fault in faults for test in fault["tests"]])
    if configured.returncode != 0 or built.returncode != 0:
        sys.exit(f"sabotage: the copy without a fault does not build:\n{built.stdout[-3000:]}")
    # The copies of all parts are alike, so each part runs only its share of the tests without a fault.
    if red := failing_test(must_pass):
        sys.exit(f"sabotage: the test {red[0]} fails on the copy without a fault:\n{red[1][-3000:]}")
    missed = 0
    for number, fault in enumerate(faults, 1):
        path, start = COPY / fault["file"], time.time()
        original = path.read_text()
        try:
            path.write_text(original.replace(fault["text"], fault["replacement"]))
            compiles = build(fault["tests"]).returncode == 0
            red = compiles and failing_test(fault["tests"])
        finally:
            path.write_text(original)
        missed += not red
        verdict = f"caught by {red[0]}" if red else "NOT CAUGHT" if compiles else "DOES NOT COMPILE"
        print(f"{number:3}/{len(faults)} {verdict:<22} {fault['file']}: {fault['name']} ({time.time() - start:.0f} s)", flush=True)
    print(f"{len(faults) - missed} of {len(faults)} faults caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
