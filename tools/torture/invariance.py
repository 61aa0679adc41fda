"""A line's translation depends on the line alone: not on the batch, the threads or the order of the lines."""

from pathlib import Path

NAME = "invariance"
PARTS = ["", " ", "\t", "é", "ß", "中文", "🙂", "\u200b", "\u2028", "\0", "\r", "İ", "a\u0301", "<eos>", "<unk>", "&amp;", "▁", "...", "10,000.5", "\ufeff"]
BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x99", b"\xed\xa0\x80", b"\xc0\x80"]
OPTIONS = [[], ["--beam", 1], ["--beam", 8, "--nbest", 8], ["--nbest", 3], ["--sample", "--seed", 5], ["--coverage", 0.3], ["--no-repeat", 2],
           ["--length-normalization", 0.5], ["--unknown", "copy"], ["--max-source-length", 9], ["--sample", "--top-k", 5]]

NEEDS_ATTENTION = {"--coverage", "--unknown"}


def attends(world, preset):
    config = world.remember(f"preset {preset}", lambda: world.must("presets", preset).decode())
    return 'score = "none"' not in config and 'score = "constant"' not in config


def draw_line(draw, words):
    way = draw.random()
    count = 0 if way < 0.05 else draw.randint(60, 200) if way < 0.1 else draw.randint(1, 12)
    line = b" ".join(draw.choice(words) for _ in range(count))
    for _ in range(draw.choice([0, 0, 0, 1, 3])):
        at = draw.randrange(len(line) + 1)
        line = line[:at] + draw.choice([draw.choice(PARTS).encode(), draw.choice(BROKEN)]) + line[at:]
    return line.removeprefix("\ufeff".encode())  # at the beginning of a text it is no part of it


def translate(trial, model, lines, options, what):
    """The line of JSON for each line, or None if there is a problem."""
    (trial.folder / "text").write_bytes(b"".join(line + b"\n" for line in lines))
    done = trial.heed("translate", model, "--json", *options, stdin="text")
    if not trial.judge(done, what, codes=(0,)):
        return None
    answers = done.out.split(b"\n")[:-1]
    if len(answers) != len(lines):
        trial.problem("loss", f"{what}: {len(answers)} lines for {len(lines)}")
        return None
    return answers


def trial(world, trial):
    draw = trial.draw
    presets = world.presets()
    preset = presets[trial.number % len(presets)]
    model = world.model(preset)
    words = Path(f"{world.text()}.train.en").read_bytes().split()
    lines = [draw_line(draw, words) for _ in range(draw.randint(1, 40))]
    options = draw.choice(OPTIONS)
    if not attends(world, preset):
        options = [] if NEEDS_ATTENTION & set(options) else options
    what = f"{preset} {' '.join(map(str, options))}".strip()
    expected = translate(trial, model, lines, [*options, "--batch", 1, "--threads", 1], what)
    if expected is None:
        return
    for _ in range(2):
        order = list(range(len(lines)))
        draw.shuffle(order)
        if draw.random() < 0.3:
            order = order[:draw.randint(1, len(order))]
        work = ["--batch", draw.choice([1, 2, 3, 7, 16, 64, 1000]), "--threads", draw.randint(1, 4)]
        trial.note(f"the lines are {order}")
        found = translate(trial, model, [lines[i] for i in order], [*options, *work], f"{what} {' '.join(map(str, work))}")
        if found is None:
            return
        wrong = [i for i, answer in zip(order, found) if answer != expected[i]]
        if wrong:
            trial.problem("difference", f"{what} {' '.join(map(str, work))}: {len(wrong)} lines of {len(order)} have other JSON, "
                          f"the first is {lines[wrong[0]][:80]!r}")
