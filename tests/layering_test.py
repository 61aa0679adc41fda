#!/usr/bin/env python3
"""Reads every #include in src/ and apps/ against the table in src/modules.txt, and docs/architecture.md against it too.

A module may include its own headers, those of the modules its line lists, and the third-party headers that it owns.
A module that a line lists and no file of that line's module includes is a problem too. So is a message that bypasses say().
Before the real tree is looked at, planted mistakes must be caught."""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Who may see which third-party header: a module ("kernels/") or a single file ("base/json.h").
OWNERS = {
    "dnnl": "kernels/",
    "hwy/": "kernels/",
    "omp.h": "kernels/",
    "cpuid.h": "kernels/",
    "nlohmann/": "base/json.h",
    "toml++/": "base/toml.cpp",
    "xxhash.h": "base/checksum.cpp",
    "zlib.h": "base/",
    "zstd.h": "base/compress.cpp or base/decompress.cpp",
    "lzma.h": "base/compress.cpp or base/decompress.cpp",
    "libxml/": "base/xml_reader.cpp or document/xml_check.cpp",
    "gumbo.h": "document/",
    "unicode/": "text/",
    "sentencepiece": "text/",
    "librsvg/": "viz/",
    "cairo": "viz/",
    "boost/": "serve/",
    "cld2/": "serve/language_detector.cpp",
    "mpi.h": "heed/job_mpi.cpp",
    "histedit.h": "heed/line_editor.cpp",
}
# Headers of the system, and fmt, which every module uses for its sentences.
COMMON = re.compile(r"[a-z_]+|fmt/\w+\.h|(sys|arpa)/\w+\.h|(unistd|fcntl|strings|dlfcn|langinfo|malloc|netdb|sched|poll|pthread|signal|termios|immintrin)\.h")
# Streams on which a failed message throws, or blocks the ones after it.
STANDARD_ERROR = re.compile(r"\bstderr\b|\bstd::(?:cerr|clog)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def read_modules(root):
    """{module: set of modules it may use}, in the order of the table."""
    modules = {}
    for line in (root / "src/modules.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        module, _, uses = line.partition(":")
        unknown = [use for use in uses.split() if use not in modules]
        if unknown:
            raise SystemExit(f"src/modules.txt: {module} uses {', '.join(unknown)}, which is not a module above it")
        modules[module] = set(uses.split())
    return modules


def public_problem(header):
    fine = re.fullmatch(r"[a-z_]+|std(def|int)\.h", header)
    return None if fine else f"<{header}>: a public header includes only others and those of the language"


def third_party_problem(header, place):
    if COMMON.fullmatch(header):
        return None
    for prefix, owner in OWNERS.items():
        if header.startswith(prefix):
            ours = any(place.startswith(part) if part.endswith("/") else place == part for part in owner.split(" or "))
            return None if ours else f"<{header}> belongs to {owner}"
    return f"<{header}> is a third-party header that no module owns; add it to OWNERS in tests/layering_test.py"


def include_problem(root, modules, path, header):
    """What is wrong with a quoted include, or None. `path` is relative to the root."""
    in_app = path.parts[0] == "apps"
    if ".." in Path(header).parts or header.startswith(("./", "/")):
        return f'"{header}" leaves the module by a path; write "module/file.h"'
    target = header.split("/")[0]
    if path.parts[0] == "include":
        return None if target == "heed" else f'"{header}" is internal; a public header includes only others and those of the language'
    if target == "heed" and not in_app:
        # The modules below the public API know nothing of it, except that its error is theirs.
        fine = path.parts[1] == "api" or path.parts[1] == "base" and header == "heed/error.h"
        return None if fine else f'"{header}" is the public API, which only api implements'
    if in_app and "/" not in header and (root / path.parent / header).is_file():
        return None
    if target not in modules or "/" not in header:
        return f'"{header}" names no module; write "module/file.h"'
    module = path.parts[1]
    if in_app or target == module or target in modules[module]:
        return None
    return f'"{header}" is an include from {module} to {target} that src/modules.txt does not allow'


def find_problems(root):
    """(problems, number of includes read)"""
    modules, problems, count = read_modules(root), [], 0
    unused = {module: set(uses) for module, uses in modules.items()}
    files = [p for top in ("include", "src", "apps") for p in sorted((root / top).rglob("*")) if p.suffix in (".h", ".cpp")]
    for file in files:
        path = file.relative_to(root)
        if path.parts[0] == "src" and path.parts[1] not in modules:
            problems.append(f"{path}: {path.parts[1]} is not a module in src/modules.txt")
            continue
        text = file.read_text()
        for match in INCLUDE.finditer(text):
            count += 1
            quote, header = match.groups()
            if quote == "<":
                public = path.parts[0] == "include"
                problem = public_problem(header) if public else third_party_problem(header, str(path.relative_to(path.parts[0])))
            elif any(header.startswith(prefix) for prefix in OWNERS):
                problem = third_party_problem(header, str(path.relative_to(path.parts[0])))
            else:
                problem = include_problem(root, modules, path, header)
                if path.parts[0] == "src":
                    unused[path.parts[1]].discard(header.split("/")[0])
            if problem:
                problems.append(f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}: {problem}")
        for match in STANDARD_ERROR.finditer(text):
            problems.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]} instead of say() in base/terminal.h")
    for module, idle in unused.items():
        if idle:
            problems.append(f"src/modules.txt: {module} may use {', '.join(sorted(idle))}, but includes nothing of it")
    return problems, count


def page_problems(root):
    """Where the table in docs/architecture.md and src/modules.txt differ."""
    page = root / "docs/architecture.md"
    if not page.is_file():
        return ["docs/architecture.md is missing"]
    modules, seen, problems = read_modules(root), {}, []
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.match(r"`(\w+)`", cells[0])
        if not name or len(cells) < 3 or name[1] not in modules:
            continue
        uses = cells[2].replace("`", "")
        if uses == "all above":
            seen[name[1]] = set(seen)
        else:
            seen[name[1]] = set() if uses in ("-", "–", "—") else {use.strip() for use in uses.split(",")}
    for module, uses in modules.items():
        if module not in seen:
            problems.append(f"docs/architecture.md: no row for `{module}`")
        elif seen[module] != uses:
            problems.append(
                f"docs/architecture.md: `{module}` may use {', '.join(sorted(seen[module])) or '-'}; "
                f"src/modules.txt says {', '.join(sorted(uses)) or '-'}")
    if list(seen) != list(modules) and not problems:
        problems.append("docs/architecture.md: the modules stand in another order than in src/modules.txt")
    return problems


GOOD_PAGE = "| module | holds | may use |\n|---|---|---|\n| `base` | x | - |\n| `text` | x | base |\n| `train` | x | all above |\n"


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
        ("src/base/x.cpp", '#include "text/a.h"', "include from base to text"),
        ("src/base/x.cpp", '  #  include "text/a.h"', "include from base to text"),
        ("src/text/a.cpp", '#include "../base/x.h"', "leaves the module"),
        ("apps/heed/main.cpp", '#include "../../src/base/x.h"', "leaves the module"),
        ("src/text/a.cpp", '#include "a.h"', "names no module"),
        ("src/text/a.cpp", '#include "text/generated_by_the_build.h"', None),
        ("src/base/x.cpp", "#include <nlohmann/json.hpp>", "belongs to base/json.h"),
        ("src/base/x.cpp", '#include "nlohmann/json.hpp"', "belongs to base/json.h"),
        ("src/text/a.cpp", "#include <toml++/toml.h>", "belongs to base/toml.cpp"),
        ("src/text/a.cpp", "#include <zlib.h>", "belongs to base/"),
        ("src/base/x.cpp", "#include <hwy/highway.h>", "belongs to kernels/"),
        ("apps/heed/main.cpp", "#include <dnnl.h>", "belongs to kernels/"),
        ("src/base/x.cpp", "#include <boost/any.hpp>", "belongs to serve/"),
        ("src/base/x.cpp", "#include <curl/curl.h>", "no module owns"),
        ("apps/heed/main.cpp", "  say(text);  // STDERR_FILENO", None),
        ("apps/heed/main.cpp", '  fmt::print(stderr, "x");', "stderr instead of say()"),
        ("src/text/a.cpp", "  std::cerr << x;", "std::cerr instead of say()"),
        ("src/other/x.cpp", "#include <vector>", "not a module in src/modules.txt"),
        ("include/heed/x.h", '#include "heed/error.h"', None),
        ("include/heed/x.h", "#include <stdint.h>", None),
        ("include/heed/x.h", '#include "base/x.h"', "is internal"),
        ("include/heed/x.h", "#include <fmt/format.h>", "a public header"),
        ("src/text/a.cpp", '#include "heed/translator.h"', "is the public API"),
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
        (root / "src/modules.txt").write_text("# modules\nbase:\ntext: base\ntrain: base text\n")
        (root / "src/text/uses.h").write_text('#include "base/x.h"\n')
        (root / "src/train/uses.cpp").write_text('#include "base/x.h"\n#include "text/a.h"\n')
        for name, line, expected in includes:
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"// a file\n{line}\n")
            problems, _ = find_problems(root)
            file.unlink()
            fine = not problems if expected is None else len(problems) == 1 and expected in problems[0]
            if not fine:
                raise SystemExit(f"self-test: {name} with {line!r} gave {problems}, expected {expected}")
        unused = [  # file, its includes, part of the complaint
            ("src/train/uses.cpp", '#include "base/x.h"\n', "train may use text, but"),
            ("src/train/uses.cpp", '// #include "base/x.h"\n', "train may use base, text, but"),
            ("src/text/uses.h", '#include "text/a.h"\n', "text may use base, but"),
        ]
        for name, text, expected in unused:
            file = root / name
            before = file.read_text()
            file.write_text(text)
            problems, _ = find_problems(root)
            file.write_text(before)
            if len(problems) != 1 or expected not in problems[0]:
                raise SystemExit(f"self-test: {name} with {text!r} gave {problems}, expected {expected}")
        for page, expected in pages:
            (root / "docs/architecture.md").write_text(page)
            problems = page_problems(root)
            fine = not problems if expected is None else any(expected in problem for problem in problems)
            if not fine:
                raise SystemExit(f"self-test: the page\n{page}gave {problems}, expected {expected}")
    return len(includes) + len(unused) + len(pages)


def main():
    planted = self_test()
    problems, count = find_problems(ROOT)
    problems += page_problems(ROOT)
    for problem in problems:
        print(problem)
    print(f"layering: {count} includes read, {planted} planted cases, {len(problems)} problems")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
