#!/usr/bin/env python3
"""Reads every #include in src/ and apps/ against the table in src/rooms.txt, and docs/architecture.md against it too.

A room may include its own headers, those of the rooms its line lists, and the third-party headers that it owns.
Before the real tree is looked at, planted mistakes must be caught."""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Who may see which third-party header: a room ("kernels/") or a single file ("base/json.h").
OWNERS = {
    "dnnl": "kernels/",
    "hwy/": "kernels/",
    "omp.h": "kernels/",
    "nlohmann/": "base/json.h",
    "toml++/": "base/toml.cpp",
    "CLI/": "base/options.cpp",
    "zlib.h": "base/",
    "unicode/": "text/",
    "sentencepiece": "text/",
    "librsvg/": "viz/",
    "cairo": "viz/",
}
# Headers of the system, and fmt, which every room uses for its sentences.
COMMON = re.compile(r"[a-z_]+|fmt/\w+\.h|sys/\w+\.h|(unistd|fcntl|dlfcn|malloc|sched|poll|pthread|signal|termios|immintrin)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def read_rooms(root):
    """{room: set of rooms it may use}, in the order of the table."""
    rooms = {}
    for line in (root / "src/rooms.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        room, _, uses = line.partition(":")
        unknown = [use for use in uses.split() if use not in rooms]
        if unknown:
            raise SystemExit(f"src/rooms.txt: {room} uses {', '.join(unknown)}, which is no room above it")
        rooms[room] = set(uses.split())
    return rooms


def third_party_problem(header, place):
    if COMMON.fullmatch(header):
        return None
    for prefix, owner in OWNERS.items():
        if header.startswith(prefix):
            ours = place.startswith(owner) if owner.endswith("/") else place == owner
            return None if ours else f"<{header}> belongs to {owner}"
    return f"<{header}> is a third-party header that no room owns; add it to OWNERS in tests/doors_test.py"


def door_problem(root, rooms, path, header):
    """What is wrong with a quoted include, or None. `path` is relative to the root."""
    in_app = path.parts[0] == "apps"
    if ".." in Path(header).parts or header.startswith(("./", "/")):
        return f'"{header}" leaves the room by a path; write "room/file.h"'
    target = header.split("/")[0]
    if in_app and "/" not in header and (root / path.parent / header).is_file():
        return None
    if target not in rooms or "/" not in header:
        return f'"{header}" names no room; write "room/file.h"'
    room = path.parts[1]
    if in_app or target == room or target in rooms[room]:
        return None
    return f'"{header}" is a door from {room} to {target} that src/rooms.txt does not have'


def find_problems(root):
    """(problems, number of includes read)"""
    rooms, problems, count = read_rooms(root), [], 0
    files = [p for top in ("src", "apps") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cpp")]
    for file in files:
        path = file.relative_to(root)
        if path.parts[0] == "src" and path.parts[1] not in rooms:
            problems.append(f"{path}: {path.parts[1]} is no room in src/rooms.txt")
            continue
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            count += 1
            quote, header = match.groups()
            if quote == "<":
                problem = third_party_problem(header, str(path.relative_to(path.parts[0])))
            elif any(header.startswith(prefix) for prefix in OWNERS):
                problem = third_party_problem(header, str(path.relative_to(path.parts[0])))
            else:
                problem = door_problem(root, rooms, path, header)
            if problem:
                problems.append(f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}: {problem}")
    return problems, count


def page_problems(root):
    """Where the table in docs/architecture.md and src/rooms.txt differ."""
    page = root / "docs/architecture.md"
    if not page.is_file():
        return ["docs/architecture.md is missing"]
    rooms, seen, problems = read_rooms(root), {}, []
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.match(r"`(\w+)`", cells[0])
        if not name or len(cells) < 3 or name[1] not in rooms:
            continue
        uses = cells[2].replace("`", "")
        if uses == "all above":
            seen[name[1]] = set(seen)
        else:
            seen[name[1]] = set() if uses in ("-", "–", "—") else {use.strip() for use in uses.split(",")}
    for room, uses in rooms.items():
        if room not in seen:
            problems.append(f"docs/architecture.md: no row for `{room}`")
        elif seen[room] != uses:
            problems.append(
                f"docs/architecture.md: `{room}` may use {', '.join(sorted(seen[room])) or '-'}; "
                f"src/rooms.txt says {', '.join(sorted(uses)) or '-'}")
    if list(seen) != list(rooms) and not problems:
        problems.append("docs/architecture.md: the rooms stand in another order than in src/rooms.txt")
    return problems


GOOD_PAGE = "| room | holds | may use |\n|---|---|---|\n| `base` | x | - |\n| `text` | x | base |\n| `train` | x | all above |\n"


def self_test():
    """Plants one mistake at a time in a small tree; each must be found, and the tree without one must be clean."""
    includes = [  # file, line, part of the complaint (None: fine)
        ("src/text/a.cpp", '#include "base/x.h"', None),
        ("src/text/a.cpp", '#include "text/a.h"', None),
        ("src/text/a.cpp", "#include <vector>", None),
        ("src/text/a.cpp", "#include <unicode/uchar.h>", None),
        ("src/base/json.h", "#include <nlohmann/json.hpp>", None),
        ("apps/heed/main.cpp", '#include "command.h"', None),
        ("apps/heed/main.cpp", '#include "train/t.h"', None),
        ("src/base/x.cpp", '#include "text/a.h"', "door from base to text"),
        ("src/base/x.cpp", '  #  include "text/a.h"', "door from base to text"),
        ("src/text/a.cpp", '#include "../base/x.h"', "leaves the room"),
        ("apps/heed/main.cpp", '#include "../../src/base/x.h"', "leaves the room"),
        ("src/text/a.cpp", '#include "a.h"', "names no room"),
        ("src/text/a.cpp", '#include "text/generated_by_the_build.h"', None),
        ("src/base/x.cpp", "#include <nlohmann/json.hpp>", "belongs to base/json.h"),
        ("src/base/x.cpp", '#include "nlohmann/json.hpp"', "belongs to base/json.h"),
        ("src/text/a.cpp", "#include <CLI/CLI.hpp>", "belongs to base/options.cpp"),
        ("src/text/a.cpp", "#include <zlib.h>", "belongs to base/"),
        ("src/base/x.cpp", "#include <hwy/highway.h>", "belongs to kernels/"),
        ("apps/heed/main.cpp", "#include <dnnl.h>", "belongs to kernels/"),
        ("src/base/x.cpp", "#include <boost/any.hpp>", "no room owns"),
        ("src/other/x.cpp", "#include <vector>", "no room in src/rooms.txt"),
    ]
    pages = [
        (GOOD_PAGE, None),
        (GOOD_PAGE.replace("| base |\n", "| - |\n"), "`text` may use -"),
        (GOOD_PAGE.replace("| - |", "| text |"), "`base` may use text"),
        (GOOD_PAGE.replace("`text`", "`txt`"), "no row for `text`"),
    ]
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name in ("src/base/x.h", "src/text/a.h", "src/train/t.h", "apps/heed/command.h", "docs/architecture.md"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("#pragma once\n")
        (root / "src/rooms.txt").write_text("# rooms\nbase:\ntext: base\ntrain: base text\n")
        for name, line, expected in includes:
            file = root / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"// a file\n{line}\n")
            problems, _ = find_problems(root)
            file.unlink()
            fine = not problems if expected is None else len(problems) == 1 and expected in problems[0]
            if not fine:
                raise SystemExit(f"self-test: {name} with {line!r} gave {problems}, expected {expected}")
        for page, expected in pages:
            (root / "docs/architecture.md").write_text(page)
            problems = page_problems(root)
            fine = not problems if expected is None else any(expected in problem for problem in problems)
            if not fine:
                raise SystemExit(f"self-test: the page\n{page}gave {problems}, expected {expected}")
    return len(includes) + len(pages)


def main():
    planted = self_test()
    problems, count = find_problems(ROOT)
    problems += page_problems(ROOT)
    for problem in problems:
        print(problem)
    print(f"doors: {count} includes read, {planted} planted cases, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
