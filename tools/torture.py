#!/usr/bin/env python3
"""Faults, hostile files and disturbances, drawn at random for as long as you like; nothing good may be lost.

    torture.py [--minutes N] [--heed PROGRAM] [--seed N] [--fresh]
    torture.py --only FAMILY [--trial N]

Each family of tools/torture/ gets the same time. The state is in build/torture: the next call goes on with other
trials, a new build of heed repeats those that failed, --fresh starts over. A trial is drawn from the seed, its
family and its number, so --only FAMILY --trial N repeats it. What a failed trial did is in build/torture/failures."""

import argparse
import hashlib
import json
import os
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from torture import aliases, descriptors, disk, faults, hostile, invariance, kills
from torture.world import PATIENCE, Stop, Trial, World

FAMILIES = {module.NAME: module for module in (kills, faults, disk, descriptors, aliases, hostile, invariance)}
KINDS = {"loss": "losses", "difference": "differences", "crash": "crashes", "hang": "hangs", "message": "messages"}
GRACE = PATIENCE + 5  # seconds that the last trial may take after the end
MOST_EVIDENCE = 200


class State:
    """What was done so far with this build of heed."""

    def __init__(self, directory, heed, seed, fresh):
        self.directory, self.path = directory, directory / "state.json"
        if fresh:
            shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True, exist_ok=True)
        parts = [heed, *sorted((ROOT / "tools/torture").glob("*.py"))]
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
        try:
            old = json.loads(self.path.read_text())
        except (OSError, ValueError):
            old = {}
        self.seed = seed if seed is not None else old.get("seed", 1)
        if old.get("seed") != self.seed:
            old = {}
        families = old.get("families", {})
        self.retry = old.get("retry", [])
        if old.get("heed") != digest:  # what was made with another build may differ; failed trials come first
            shutil.rmtree(directory / "world", ignore_errors=True)
            self.retry += [trial for trial in old.get("failed", []) if trial not in self.retry]
            families = {name: {"next": family["next"]} for name, family in families.items()}
            old["failed"] = []
        self.failed, self.heed, self.families = old.get("failed", []), digest, families
        for name in FAMILIES:
            family = self.families.setdefault(name, {})
            for key in ("next", "trials", "runs", *KINDS):
                family.setdefault(key, 0)

    def save(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"heed": self.heed, "seed": self.seed, "families": self.families, "failed": self.failed,
                                   "retry": self.retry}, indent=1))
        new.rename(self.path)

    def take(self, name):
        """The number of the family's next trial."""
        for trial in self.retry:
            if trial[0] == name:
                return trial[1]
        return self.families[name]["next"]

    def count(self, trial):
        family = self.families[trial.family]
        family["trials"] += 1
        family["runs"] += trial.runs
        for kind, _ in trial.problems:
            family[kind] += 1
        key = [trial.family, trial.number]
        if key in self.retry:
            self.retry.remove(key)
        else:
            family["next"] = max(family["next"], trial.number + 1)
        if trial.problems and key not in self.failed:
            self.failed.append(key)
        self.save()

    def problems(self):
        return sum(family[kind] for family in self.families.values() for kind in KINDS)


def keep_evidence(directory, trial):
    """The trial's files, commands and problems."""
    failures = directory / "failures"
    target = failures / f"{trial.family}-{trial.number}"
    shutil.rmtree(target, ignore_errors=True)
    if not trial.problems:
        return
    failures.mkdir(exist_ok=True)
    enough = len(list(failures.iterdir())) >= MOST_EVIDENCE
    for kind, words in trial.problems:
        print(f"torture: {trial.family} {trial.number}: {kind}: {words}", flush=True)
    if enough:
        return
    shutil.copytree(trial.folder, target, symlinks=True)
    (target / "PROBLEMS").write_text("".join(f"{kind}: {words}\n" for kind, words in trial.problems)
                                     + f"\nrepeat: tools/torture.py --only {trial.family} --trial {trial.number}\n")
    (target / "COMMANDS").write_text("\n".join(trial.commands) + "\n")


def run_trial(world, state, name, number):
    trial = Trial(world, name, number, state.seed, state.directory / "scratch")
    try:
        try:
            FAMILIES[name].trial(world, trial)
        except Exception as error:
            trial.note(traceback.format_exc())
            trial.problem("message", f"the trial itself failed: {error!r}")
        keep_evidence(state.directory, trial)
    finally:
        shutil.rmtree(trial.folder, ignore_errors=True)
    return trial


def show_progress(state, left, shown):
    done = ", ".join(f"{name} {family['trials']}" for name, family in state.families.items() if family["trials"])
    left = max(left, 0)
    line = f"torture: {int(left) // 60}:{int(left) % 60:02} left; trials: {done}; problems: {state.problems()}"
    if sys.stdout.isatty():
        print("\r" + line + "\033[K", end="", flush=True)
    elif time.monotonic() - shown > 30:
        print(line, flush=True)
    else:
        return shown
    return time.monotonic()


def summary(state):
    print(f"{'family':<12}{'trials':>8}{'commands':>10}" + "".join(f"{words:>13}" for words in KINDS.values()))
    for name, family in state.families.items():
        if family["trials"]:
            print(f"{name:<12}{family['trials']:>8}{family['runs']:>10}" + "".join(f"{family[kind]:>13}" for kind in KINDS))


def stop(*_):
    raise Stop


def torture(world, state, names, minutes):
    """Trials until the time is up; the family that had the least time so far is next."""
    begin, shown = time.monotonic(), time.monotonic()
    end = begin + 60 * minutes
    signal.setitimer(signal.ITIMER_REAL, 60 * minutes + GRACE)
    used = dict.fromkeys(names, 0.0)
    while time.monotonic() < end:
        name = min(used, key=used.get)
        start = time.monotonic()
        trial = run_trial(world, state, name, state.take(name))
        state.count(trial)
        used[name] += time.monotonic() - start
        shown = show_progress(state, end - time.monotonic(), shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--heed", default=str(ROOT / "build/heed"), help="the program (default build/heed)")
    parser.add_argument("--directory", default=str(ROOT / "build/torture"), help="the state (default build/torture)")
    parser.add_argument("--seed", type=int, help="another seed draws other trials (default 1)")
    parser.add_argument("--fresh", action="store_true", help="forget what was done so far")
    parser.add_argument("--only", choices=FAMILIES, help="this family only")
    parser.add_argument("--trial", type=int, help="this trial only")
    options = parser.parse_args()
    heed = Path(options.heed).resolve()
    if options.trial is not None and not options.only:
        parser.error("--trial needs --only FAMILY")
    if not os.access(heed, os.X_OK):
        parser.error(f"there is no program {heed}; build it with `make`")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    state = State(Path(options.directory).resolve(), heed, options.seed, options.fresh)
    world = World(heed, state.directory / "world", ROOT)
    names = [options.only] if options.only else list(FAMILIES)
    missing = [reason for reason in (getattr(FAMILIES[name], "missing", lambda: None)() for name in names) if reason]
    if missing:
        print(f"torture: {'; '.join(missing)}", file=sys.stderr)
        return 2
    try:
        print(f"torture: seed {state.seed}; a full disk is {disk.describe()}; state in {state.directory}", flush=True)
        if options.trial is not None:
            trial = run_trial(world, state, options.only, options.trial)
            print("\n".join(trial.commands) + f"\n{len(trial.problems)} problems")
            return 1 if trial.problems else 0
        torture(world, state, names, options.minutes)
    except Stop:
        print("\ntorture: stopped; the next call goes on", flush=True)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    state.save()
    print()
    summary(state)
    if state.failed:
        print(f"torture: {len(state.failed)} trials failed; what they did is in {state.directory / 'failures'}")
    return 1 if state.problems() else 0


if __name__ == "__main__":
    sys.exit(main())
