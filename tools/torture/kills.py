"""Training runs that are killed at random times and resumed must end like undisturbed ones; other commands that are
killed must leave their inputs, and the old output or the complete new one."""

import signal
import time

from . import jobs
from .world import TINY, end_group, files, temporary, without_times

NAME = "kills"
BASE = [*TINY, "training.batch=16", "training.epochs=3", "training.learning_rate=0.01", "validation.updates=4",
        "validation.sentences=6", "validation.samples=2", "training.threads=1"]
WORDS = [*BASE, "data.tokenizer=words", "readout.size=6"]
KINDS = {
    "words": WORDS,
    "bpe-sampling": [*BASE, "readout.size=6", "data.subwords=120", "data.subword_sampling=0.2", "training.threads=2"],
    "ema-average": [*WORDS, "training.ema=0.8", "training.average=2", "dropout.recurrent=0.1", "training.accumulate=2"],
    "plateau": [*WORDS, "training.schedule=plateau", "training.schedule_warmup=3", "validation.metric=chrf",
                "validation.patience=4", "training.teacher_forcing_to=0.5", "training.teacher_forcing_updates=10"],
    "guided": [*WORDS, "training.guided_weight=0.5", "validation.metric=perplexity"],
    "diverging": [*WORDS, "training.learning_rate=4", "training.schedule_warmup=0", "training.ema=0",
                  "training.checkpoint_updates=2"],
    "lstm-stack": [*WORDS, "encoder.cell=lstm", "decoder.cell=lstm", "encoder.layers=2", "decoder.layers=2",
                   "dropout.layers=0.1", "encoder.residual=true"],
}
SIGNALS = [signal.SIGKILL] * 3 + [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def arguments(world, kind, out):
    guided = ["--guided-alignment", f"{world.text()}.train.align"] if kind == "guided" else []
    values = dict(setting.split("=", 1) for setting in KINDS[kind])  # of a key that occurs twice, the later one
    settings = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    return ["train", *world.corpus(), *guided, *settings, "--out", out]


def reference(world, kind):
    """The files of an undisturbed run, and how long it took."""
    if kind not in world.references:
        begin = time.monotonic()
        folder = world.keep("kills-" + kind, lambda folder: world.must(*arguments(world, kind, folder / "run")))
        took = folder / "seconds"
        if not took.exists():
            took.write_text(str(time.monotonic() - begin))
        found = files(folder / "run")
        if kind == "diverging" and b'"kind":"divergence"' not in found["metrics.jsonl"]:
            raise SystemExit("torture: the run that is meant to diverge did not; change its learning rate in kills.py")
        world.references[kind] = found, float(took.read_text())
    return world.references[kind]


def compare(trial, found, expected, what):
    for name in ("model.safetensors", "samples.jsonl", "metrics.jsonl"):
        if name not in found:
            trial.problem("loss", f"{what}: there is no {name}")
        elif name == "metrics.jsonl":
            try:
                same = without_times(found[name]) == without_times(expected[name])
            except ValueError:
                same = False
            if not same:
                trial.problem("difference", f"{what}: metrics.jsonl differs from that of the undisturbed run")
        elif found[name] != expected[name]:
            trial.problem("difference", f"{what}: {name} differs from that of the undisturbed run")
    if temporary(found):
        trial.problem("difference", f"{what}: {', '.join(temporary(found))} left behind")


def kill(trial, process, number, delay):
    """Sends a signal after a delay, unless the process has ended; returns whether it was sent."""
    try:
        time.sleep(delay)
        if process.poll() is not None:
            return False
        process.send_signal(number)
        trial.note(f"{number.name} after {delay:.3f} s")
        return True
    except BaseException:
        end_group(process)
        raise


def kill_command(world, trial):
    job = trial.draw.choice([job for job in jobs.JOBS if job.writes and not job.directory])
    expected = jobs.reference(world, trial, job)
    before = jobs.lay_out(world, trial, job, old=trial.draw.random() < 0.6)
    number = trial.draw.choice(SIGNALS)
    process = trial.start(job.arguments, stdin=job.stdin)
    kill(trial, process, number, trial.draw.uniform(0, 1.2 * expected.seconds))
    done = trial.finish(process)
    what = f"{job.name} with {number.name}"
    jobs.check_inputs(trial, before, what)
    jobs.check_untouched_or_complete(trial, job, expected, before, jobs.outputs(trial, job), what)
    if done.code in (-number, 128 + number) or trial.judge(done, what):
        again = trial.heed(*job.arguments, stdin=job.stdin)
        if trial.judge(again, what + ", again", codes=(0,)):
            found = jobs.outputs(trial, job)
            jobs.check_complete(trial, job, expected, {n: found[n] for n in found if not temporary([n])}, what + ", again")


def trial(world, trial):
    if trial.number % 8 < len(KINDS):
        kill_training(world, trial, list(KINDS)[trial.number % 8])
    else:
        for _ in range(5):
            if not trial.problems:
                trial.clear()
                kill_command(world, trial)


def kill_training(world, trial, kind):
    expected, duration = reference(world, kind)
    command = [*arguments(world, kind, "run"), "--resume"]
    if kind != "diverging" and trial.draw.random() < 0.5:  # a diverging run goes back to its last checkpoint
        command += ["--checkpoint-updates", "1"]
    kills, most = 0, trial.draw.randint(1, 8)
    while True:
        process = trial.start(command)
        if kills < most:
            number = trial.draw.choice(SIGNALS)
            kills += kill(trial, process, number, trial.draw.uniform(0.005, 0.7 * duration))
            done = trial.finish(process)
            if done.code in (-number, 128 + number):
                continue
        else:
            done = trial.finish(process)
        what = f"{kind} after {kills} kills"
        if trial.judge(done, what, codes=(0,)):
            compare(trial, files(trial.folder / "run"), expected, what)
        return
