"""Model files, subwords and checkpoints of a stranger: any content, with the right checksum."""

import base64
import json
import re
import resource
import shutil
import struct
import unicodedata

from . import jobs, safetensors
from .jobs import SENTENCE, text
from .protobuf import fields, message, varint

NAME = "hostile"
CPU_SECONDS = 10
MEMORY = 3 << 30
LONGEST = 2000  # bytes of an error message
NUMBERS = [0, 1, -1, 2, 3, 7, 65536, 65537, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**63, 1e9, 1.5, -0.5,
           1e308, float("nan"), float("inf")]
TEXTS = ["", "x", " ", "\n", "\t", "\0", "\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\u202eabc", "\u2028", "é" * 200, "x" * 100_000, "../../x",
         "%s%n", "'\"\\", "<script>", "gru", "none", "true", "🙂", "\ufffd", "\ufeff", "a\r\nb"]


def odd(draw):
    return draw.choice([draw.choice(NUMBERS), draw.choice(TEXTS), None, True, [], {}, [1, "x"], {"a": 1}])


def odd_toml(draw):
    value = draw.choice([*map(str, NUMBERS), *map(json.dumps, TEXTS), "[]", "{}", "[1, 2]", '["embedding"]', "[[[[[]]]]]", "true", "false",
                         "1979-05-27", "0x10", "'", '"', '"""', "[" * 5000, "-nan", "1e400", '["feed", "feed"]', '["state", "state"]'])
    return value


def flip(draw, content, most=8):
    content = bytearray(content)
    for _ in range(draw.randint(1, most)):
        if content:
            content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


def splice(draw, content):
    """A part of the content removed, repeated or moved."""
    begin, end = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    at = draw.randrange(len(content) + 1)
    return draw.choice([content[:begin] + content[end:], content[:at] + content[begin:end] + content[at:], content[:at],
                        content[begin:end] * 2 + content[end:]])


def mutate_subwords(draw, blob):
    """Another SentencePiece model: bytes, pieces, settings, or a table of character replacements."""
    parts = fields(blob)
    way = draw.randrange(6)
    if way == 0:
        return flip(draw, blob)
    if way == 1:
        return splice(draw, blob)
    if way == 2:  # one piece: its text, score and type
        index = draw.choice([i for i, part in enumerate(parts) if part[0] == 1])
        piece = [(1, 2, draw.choice(TEXTS)[:1000].encode(errors="replace")),
                 (2, 5, struct.pack("<f", draw.choice([0.0, -1e38, 1e38, float("nan"), float("inf")]))),
                 (3, 0, varint(draw.choice([0, 1, 2, 3, 4, 5, 6, 7, 2**31, 2**63])))]
        parts[index] = (1, 2, message(draw.sample(piece, draw.randint(0, 3))))
    elif way == 3:  # the order and number of pieces
        draw.shuffle(parts)
        parts = parts[:draw.randint(0, len(parts))] + draw.choices(parts, k=draw.randint(0, 20))
    elif way == 4:  # a setting of the trainer, the normalizer or the denormalizer
        outer = draw.choice([2, 3, 5])
        inner = (draw.randint(1, 60), draw.choice([0, 2, 5]), b"")
        value = {0: varint(draw.choice([0, 1, 2, 3, 4, 100, 2**31, 2**63])), 2: draw.choice(TEXTS)[:1000].encode(errors="replace"),
                 5: struct.pack("<f", draw.choice([0.0, 1e38, float("nan")]))}[inner[1]]
        parts.append((outer, 2, message([(inner[0], inner[1], value)])))
    else:  # precompiled_charsmap: the size of a double array, the array and the replacements
        array = bytes(draw.randrange(256) for _ in range(4 * draw.choice([0, 1, 64, 256, 1024])))
        size = draw.choice([len(array), len(array), 0, 4, len(array) + 4, 2**32 - 1, 3])
        table = struct.pack("<I", size) + array + draw.choice([b"", b"a\0b\0", bytes(64), b"x" * 100])
        parts.append((draw.choice([3, 3, 5]), 2, message([(2, 2, draw.choice([table, array, table[:3]]))])))
    return message(parts)


def mutate_lines(draw, content):
    """Another vocabulary."""
    lines = content.split("\n")
    at = draw.randrange(len(lines))
    way = draw.randrange(7)
    if way == 0:
        lines[at] = draw.choice(TEXTS)
    elif way == 1:
        lines.insert(at, draw.choice(lines))
    elif way == 2:
        del lines[at:at + draw.randint(1, 5)]
    elif way == 3:
        draw.shuffle(lines)
    elif way == 4:
        lines = lines[:draw.randint(0, 3)]
    elif way == 5:
        lines += [str(i) for i in range(draw.choice([1, 1000, 200_000]))]
    else:
        lines[at] += draw.choice(["\r", "\0", "\x1b[2J", " ", "\u0085", "x" * 1_000_000])
    return "\n".join(lines)


def mutate_toml(draw, content):
    lines = content.split("\n")
    places = [i for i, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    at = draw.choice(places)
    key = lines[at].split(" = ")[0]
    way = draw.randrange(8)
    if way < 4:
        lines[at] = f"{key} = {odd_toml(draw)}"
    elif way == 4:
        del lines[at]
    elif way == 5:
        lines.insert(at, draw.choice([lines[at], "unknown = 1", "[encoder]", "[[encoder]]", "a.b.c = 1", "\x1b[2J", "=", "[" * 10000]))
    elif way == 6:
        lines[at] = lines[draw.choice(places)]
    else:
        return splice(draw, content)
    return "\n".join(lines)


def mutate_json(draw, content):
    """A value of a JSON object replaced, removed or added."""
    try:
        value = json.loads(content)
    except ValueError:
        return splice(draw, content)
    key = draw.choice(list(value))
    way = draw.randrange(5)
    if way < 3:
        value[key] = odd(draw)
    elif way == 3:
        del value[key]
    else:
        return splice(draw, content)
    return json.dumps(value)


def mutate_log(draw, content):
    """One line of a log changed, or one of a configuration."""
    lines = content.split("\n")
    at = draw.randrange(len(lines))
    lines[at] = draw.choice([mutate_json, splice])(draw, lines[at]) if lines[at].startswith("{") else draw.choice(TEXTS)
    return "\n".join(lines)


def mutate_metadata(draw, metadata):
    key = draw.choice([key for key, value in metadata.items() if key != "heed.checksum" and isinstance(value, str)])
    value = metadata[key]
    if draw.random() < 0.15:
        metadata[draw.choice([key, "new", "\x1b[2J", "x" * 5000])] = draw.choice([odd(draw), draw.choice(TEXTS), "x" * 15_000_000])
    elif draw.random() < 0.05:
        del metadata[key]
    elif key.startswith("heed.subwords"):
        metadata[key] = base64.b64encode(mutate_subwords(draw, base64.b64decode(value))).decode()
    elif key.startswith("heed.vocabulary"):
        metadata[key] = mutate_lines(draw, value)
    elif key in ("heed.config", "heed.text"):
        metadata[key] = mutate_toml(draw, value)
    elif value.startswith("{"):
        metadata[key] = mutate_json(draw, value)
    else:
        metadata[key] = str(odd(draw))
    return key


def mutate_entries(draw, entries):
    name = draw.choice(list(entries))
    entry = entries[name]
    way = draw.randrange(8)
    if way == 0:
        entries[draw.choice(TEXTS) if draw.random() < 0.7 else name + "x" * 100] = entries.pop(name)
    elif way == 1:
        del entries[name]
    elif way == 2:
        entry["dtype"] = draw.choice(["F64", "F16", "BF16", "I64", "I32", "U8", "BOOL", "F8_E4M3", odd(draw)])
    elif way == 3:
        entry["shape"] = [draw.choice(NUMBERS[:18]) for _ in range(draw.randint(0, 4))]
    elif way == 4:
        entry["shape"] = draw.choice([entry["shape"][::-1], [*entry["shape"], 1], [1, *entry["shape"]], [2**32, 2**32], [0], odd(draw)])
    elif way == 5:
        entry["data_offsets"] = draw.choice([[draw.choice(NUMBERS[:18]), draw.choice(NUMBERS[:18])], entry["data_offsets"][::-1], [0, 0],
                                             odd(draw)])
    elif way == 6:
        entry[draw.choice(["dtype", "shape", "data_offsets", "extra"])] = odd(draw)
    else:
        entries[draw.choice(["extra", "x" * 100_000, "__metadata__", name + "2"])] = draw.choice([dict(entry), odd(draw)])
    return name


def mutate_file(draw, path):
    """A new content for a file of heed, and what was changed."""
    metadata, entries, data = safetensors.read(path)
    way = draw.choice(["metadata"] * 5 + ["entries"] * 3 + ["numbers", "header", "bytes"])
    changed = way
    if way == "metadata":
        for _ in range(draw.choice([1, 1, 2])):
            changed = "metadata " + mutate_metadata(draw, metadata)[:40]
    elif way == "entries":
        changed = "tensor " + mutate_entries(draw, entries)
    elif way == "numbers":
        values = bytearray(data)
        special = struct.pack("<f", draw.choice([float("nan"), float("inf"), float("-inf"), 3e38, 1e-45, -3e38]))
        for _ in range(draw.choice([1, 10, 1000])):
            at = 4 * draw.randrange(len(values) // 4)
            values[at:at + 4] = special
        data = bytes(values)
    header = safetensors.header_of(metadata, entries).encode(errors="surrogatepass")
    length = None
    if way == "header":
        rest = header[len(safetensors.PREFIX) + 16:]
        rest = draw.choice([flip(draw, rest), splice(draw, rest), rest[:-1] + b',"deep":' + b"[" * 1_000_000, rest + b"\0", rest * 2])
        header = header[:len(safetensors.PREFIX) + 16] + rest
        length = draw.choice([None, None, None, 0, 1, 2**63, 2**64 - 1, 100_000_001, len(header) - 1])
    content = safetensors.pack(header, data, length)
    if way == "bytes":
        content = draw.choice([flip, splice])(draw, content)
    return content, changed


def control_characters(content):
    """Characters that a terminal acts on, except for line ends and tabs."""
    shown = content.decode(errors="replace")
    return sorted({f"U+{ord(c):04X}" for c in shown if unicodedata.category(c) == "Cc" and c not in "\n\t"
                   or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"})


READERS = [
    ["info", "hostile"], ["info", "hostile", "--json"], ["info", "hostile", "--config"],
    ["vocab", "hostile"], ["vocab", "hostile", "--json", "--top", 5], ["vocab", "hostile", "--search", SENTENCE],
    ["train", *jobs.CORPUS, "--from", "hostile", "--extend-vocabulary", 5, "--updates", 1, "--threads", 1, "--out", "tuned"],
    ["attend", "hostile", SENTENCE, "--out", "a.svg"], ["attend", "hostile", SENTENCE, "--out", "a.html"], ["attend", "hostile", SENTENCE],
    ["align", "hostile", "--source", text("test", "en"), "--target", text("test", "de"), "--threads", 1],
    ["evaluate", "hostile", "--source", text("test", "en"), "--reference", text("test", "de"), "--threads", 1],
    ["export", "hostile", "--out", "w.safetensors"], ["parity", "hostile"], ["translate", "hostile", "in/model.safetensors", "--threads", 1],
    ["compare", "hostile", "in/model.safetensors", "--source", text("test", "en"), "--reference", text("test", "de"), "--samples", 5,
     "--trials", 5, "--threads", 1, "--out", "c.html"],
    ["import", "--preset", "heed", "--weights", "hostile", "--out", "m.safetensors"],
    ["bench", "translate", "hostile", "--source", text("test", "en"), "--threads", 1],
]


def check(trial, arguments, what, stdin=None, codes=(0, 1, 2)):
    limits = [(resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, CPU_SECONDS)]
    done = trial.heed(*arguments, stdin=stdin, limits=limits)
    what = f"{arguments[0]} of {what}"
    if done.code in (-24, -9):  # SIGXCPU, or the hard limit's SIGKILL
        done.code = None
    if not trial.judge(done, what, codes):
        return
    sentences = done.sentences()
    if done.code != 0 and len(sentences) != 1:
        trial.problem("message", f"{what} failed with {len(sentences)} error messages")
    if any(len(sentence.encode()) > LONGEST for sentence in sentences):
        trial.problem("message", f"{what}: the error message has {max(map(len, sentences))} characters")
    if any("please report" in sentence or "json.exception" in sentence for sentence in sentences):
        trial.problem("message", f"{what}: {sentences[0][:300]}")
    if control_characters(done.err):
        trial.problem("message", f"{what}: {' '.join(control_characters(done.err))} on standard error")
    if arguments[0] in ("info", "vocab") and control_characters(done.out):
        trial.problem("message", f"{what}: {' '.join(control_characters(done.out))} on standard output")


def trial(world, trial):
    source = jobs.inputs(world)
    draw, hostile = trial.draw, trial.folder / "hostile"
    shutil.copytree(source, trial.folder / "in")
    target = draw.choice(["model"] * 7 + ["checkpoint"] * 2 + ["subwords"] * 2 + ["logs", "settings", "vocabulary"])
    if target == "logs":
        path = trial.folder / "in/run" / draw.choice(["metrics.jsonl", "samples.jsonl", "config.toml"])
        path.write_text(mutate_log(draw, path.read_text()))
        check(trial, ["report", "in/run", "--out", "report.html"], f"a run with another {path.name}")
    elif target == "settings":
        path = trial.folder / "in/run/config.toml"
        path.write_text(mutate_toml(draw, path.read_text()), errors="replace")
        check(trial, ["train", path, "--updates", 1, "--out", "new"], "other settings")
        check(trial, ["train", "--resume", "--out", "in/run"], "a run with other settings")
    elif target == "vocabulary":
        path = trial.folder / f"in/{draw.choice(['source', 'target'])}.txt"
        path.write_bytes(draw.choice([flip(draw, path.read_bytes()), mutate_lines(draw, path.read_text()).encode()]))
        check(trial, ["import", "--preset", "heed", "--tokenizer", "whitespace", "--weights", "in/weights.safetensors", "--source-vocabulary", "in/source.txt",
                      "--target-vocabulary", "in/target.txt", "--out", "imported"], "another vocabulary")
        if (trial.folder / "imported").exists():
            check(trial, ["translate", "imported", "--threads", 1], "what was imported", text("test", "en"), codes=(0,))
    elif target == "subwords":
        hostile.write_bytes(mutate_subwords(draw, (source / "subwords.model").read_bytes()))
        check(trial, ["tokenize", "--tokenizer", "sentencepiece", "--subword-model", "hostile"], "a subword model", text("test", "en"))
    elif target == "checkpoint":
        path = trial.folder / "in/run/checkpoint/good.safetensors"
        content, changed = mutate_file(draw, path)
        path.write_bytes(content)
        hostile.write_bytes(content)
        check(trial, ["train", "--resume", "--out", "in/run", "--epochs", 3], f"a checkpoint with another {changed}")
        check(trial, ["info", "hostile"], f"a checkpoint with another {changed}")
    else:
        path = draw.choice([world.model(), source / "model.safetensors", source / "other.safetensors"])
        content, changed = mutate_file(draw, path)
        hostile.write_bytes(content)
        what = f"a model with another {changed}"
        check(trial, ["info", "hostile"], what)
        check(trial, ["translate", "hostile", "--threads", 1, *draw.choice([[], ["--json"], ["--nbest", 2]])], what, text("test", "en"))
        check(trial, draw.choice(READERS), what, text("test", "en"))
