#!/usr/bin/env python3
"""Runs the commands in README.md and docs/**/*.md and compares their output with what the pages show.

    snippets_test.py BUILD      BUILD holds the program heed

Fences are handled in order, with a fresh directory per page that looks like the top of the repository: it has models/ and
tests/, and an empty docs/images/. What a page draws there must equal the picture in the repository.
  ```sh          run by bash, with heed on the PATH; any command that fails is a failure. A line `make …` is not run: its
                 targets must be in the Makefile.
  ```sh shortened   the same, but every `heed train` ends after a few updates: for commands that take minutes
  ```sh no-run   not run; the line before must be a comment <!-- no-run: reason -->
  ```cpp run     a program in C++, compiled with the headers and the library of the build, and run; also ```c run
  ```python run  a program in Python, with the package of the repository
  ```output      what the block before it prints, both streams. A line `…` stands for any lines, a … inside a line for
                 any text.
Other fences are ignored. No snippet at all is a failure."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from program import has_sanitizer

ROOT = Path(__file__).resolve().parent.parent.parent
TIMEOUT = 900
SHORTENED = 'heed() { if [ "$1" = train ]; then command heed "$@" --updates 3; else command heed "$@"; fi; }\n'
FENCE = re.compile(r"^( *)(`{3,})(.*)$")


class Block:
    def __init__(self, info, line, text, before):
        self.info, self.line, self.text, self.before = info, line, text, before


def read_blocks(page):
    """The fenced blocks of a page with their line numbers and the line before each."""
    blocks, lines, i = [], page.splitlines(), 0
    while i < len(lines):
        start = FENCE.match(lines[i])
        i += 1
        if not start:
            continue
        indent, ticks, first, body = len(start[1]), start[2], i, []
        while i < len(lines) and lines[i].strip() != ticks:
            body.append(lines[i][indent:] if lines[i][:indent].isspace() or indent == 0 else lines[i])
            i += 1
        if i == len(lines):
            raise ValueError(f"line {first}: this fence is never closed")
        before = next((line for line in reversed(lines[:first - 1]) if line.strip()), "")
        blocks.append(Block(start[3].strip(), first, "\n".join(body) + "\n", before))
        i += 1
    return blocks


def matches(expected, actual):
    """Whether the output is the expected one, with … as a wildcard for lines or for text inside a line."""
    pattern = ""
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None


def make_targets():
    return set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.M))


class Page:
    """Runs one page; complaints are in problems, what was done in the counts."""

    def __init__(self, name, text, build):
        self.name, self.build, self.problems = name, build, []
        self.run = self.skipped = self.compared = self.makes = 0
        self.sanitized = False  # the library has sanitizers, so programs that use it are not run
        self.drawn = set()
        with tempfile.TemporaryDirectory(prefix="heed-snippets-") as directory:
            (Path(directory) / "docs/images").mkdir(parents=True)
            for folder in ("models", "tests"):
                (Path(directory) / folder).symlink_to(ROOT / folder)
            try:
                self.check(read_blocks(text), directory)
                self.check_pictures(Path(directory) / "docs/images")
            except ValueError as error:
                self.problems.append(f"{name}: {error}")

    def complain(self, block, words):
        self.problems.append(f"{self.name}:{block.line}: {words}")

    def check(self, blocks, directory):
        output = None  # of the previous block, if it ran
        for block in blocks:
            kind, *marks = block.info.split() or [""]
            if kind == "sh" and marks == ["no-run"]:
                self.skipped += 1
                output = None
                if not re.fullmatch(r"\s*<!-- no-run: .+ -->\s*", block.before):
                    self.complain(block, "a no-run block needs a reason: <!-- no-run: why --> on the line before")
            elif kind == "sh" and marks in ([], ["shortened"]):
                output = self.run_block(block, directory, SHORTENED if marks else "")
            elif kind == "sh":
                self.complain(block, f"unknown mark on a sh block: {' '.join(marks)}")
            elif kind in ("cpp", "c", "python") and marks == ["run"]:
                self.sanitized = has_sanitizer(self.build / "libheed.so.0")
                output = None if self.sanitized else self.run_program(block, directory, kind)
            elif kind == "output":
                self.compare(block, output)
                output = None

    def check_pictures(self, directory):
        for picture in sorted(directory.iterdir()):
            self.drawn.add(picture.name)
            kept = ROOT / "docs/images" / picture.name
            if not kept.is_file() or kept.read_bytes() != picture.read_bytes():
                self.problems.append(f"{self.name}: docs/images/{picture.name} is not what the page's command draws: run `make pictures`")

    def run_program(self, block, directory, kind):
        """Compiles and runs a block in another language than the shell."""
        (Path(directory) / f"snippet.{kind}").write_text(block.text)
        compiler = {"cpp": "c++ -std=c++20", "c": "cc -std=c99"}.get(kind)
        command = f"{compiler} -Wall -Wextra -I'{ROOT}/include' snippet.{kind} -o snippet '{self.build}/libheed.so.0' -Wl,-rpath,'{self.build}' && ./snippet"
        command = command if compiler else f"'{sys.executable}' snippet.{kind}"
        environment = f"export HEED_LIBRARY='{self.build}/libheed.so.0' PYTHONPATH='{ROOT}/python' PYTHONDONTWRITEBYTECODE=1\n"
        return self.run_block(Block("sh", block.line, command, ""), directory, environment)

    def run_block(self, block, directory, before):
        lines, targets = [], make_targets()
        for line in block.text.splitlines():
            words = line.split("#")[0].split()
            if words[:1] != ["make"]:
                lines.append(line)
                continue
            self.makes += 1
            for word in words[1:]:
                if "=" not in word and not word.startswith("-") and word not in targets:
                    self.complain(block, f"`{line.strip()}`: the Makefile has no target {word}")
        script = "\n".join(lines) + "\n"
        if not script.strip():
            return None
        self.run += 1
        environment = dict(os.environ, PATH=f"{self.build}{os.pathsep}{os.environ['PATH']}")
        try:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", before + script], cwd=directory, env=environment, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            self.complain(block, f"still running after {TIMEOUT} s")
            return None
        text = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0:
            self.complain(block, f"exit code {done.returncode} from\n{block.text}which printed\n{text[-2000:]}")
            return None
        return text

    def compare(self, block, output):
        if output is None and self.sanitized:
            return
        if output is None:
            self.complain(block, "an output block must follow a sh block that runs")
            return
        self.compared += 1
        if not matches(block.text, output):
            self.complain(block, f"the page says\n{block.text}but the command printed\n{output}")


def self_test(build):
    """Small pages with and without a mistake; each mistake must be found."""
    cases = [  # page, part of the complaint (None: fine)
        ("```sh\necho hi\n```\n```output\nhi\n```\n", None),
        ("```sh\necho hi; echo there >&2\n```\n\nprints\n\n```output\n…\nth…e\n```\n", None),
        ("```sh\nprintf 'a\\nb\\nc\\n'\n```\n```output\na\n…\nc\n```\n", None),
        ("```sh\necho x > file\n```\n```sh\ncat file\n```\n```output\nx\n```\n", None),
        ("```sh\nmake test\n```\n", None),
        ("<!-- no-run: needs the network -->\n```sh no-run\nfalse\n```\n", None),
        ("```text\nnot looked at\n```\n", None),
        ("```python run\nimport heed\nprint('hi')\n```\n```output\nhi\n```\n", None),
        ("```python run\nraise ValueError\n```\n", "exit code 1"),
        ("```cpp\nnot a program\n```\n", None),
        ("```c run\nnot a program\n```\n", "exit code 1"),
        ("```sh shortened\nheed corpus pocket --pairs 50 --out p\nheed train --train-source p.train.en --train-target p.train.de "
         "--set encoder.hidden=8 --set decoder.hidden=8 --batch 1 --epochs 1 --out run\n"
         "grep -c '\"update\":4' run/metrics.jsonl || true\n```\n```output\n…\n0\n```\n", None),
        ("```sh\nhead -c 99 models/pocket-en-de.safetensors > docs/images/attention.svg\n```\n", "is not what"),
        ("```sh\necho hi\n```\n```output\nho\n```\n", "the page says"),
        ("```sh\nprintf 'a\\nb\\n'\n```\n```output\na\n```\n", "the page says"),
        ("```sh\necho hi\n```\n```output\nhi\nmore\n```\n", "the page says"),
        ("```sh\nfalse\necho on\n```\n", "exit code 1"),
        ("```sh\nfalse | true\n```\n", "exit code 1"),
        ("```sh\nmake no-such-target\n```\n", "no target no-such-target"),
        ("```sh no-run\nfalse\n```\n", "needs a reason"),
        ("```sh maybe\ntrue\n```\n", "unknown mark"),
        ("```output\nhi\n```\n", "must follow"),
        ("```sh\necho hi\n", "never closed"),
    ]
    for text, expected in cases:
        problems = Page("planted", text, build).problems
        fine = not problems if expected is None else any(expected in problem for problem in problems)
        if not fine:
            raise SystemExit(f"self-test: the page\n{text}gave {problems}, expected {expected}")


def main():
    build = Path(sys.argv[1]).resolve() if len(sys.argv) == 2 else None
    if not build or not (build / "heed").is_file() or not (build / "libheed.so.0").exists():
        raise SystemExit("usage: snippets_test.py BUILD, where BUILD/heed is the program, and BUILD/libheed.so.0 the library")
    self_test(build)
    names = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [Page(str(name.relative_to(ROOT)), name.read_text(), build) for name in names if name.is_file()]
    problems = [problem for page in pages for problem in page.problems]
    drawn = {picture for page in pages for picture in page.drawn}
    for picture in sorted((ROOT / "docs/images").iterdir()):
        # A screenshot depends on the browser and its fonts, so only `make pictures` takes it.
        if picture.name not in drawn and (picture.suffix == ".svg" or f'"{picture.stem}"' not in (ROOT / "tools/docs_images.py").read_text()):
            problems.append(f"no command draws docs/images/{picture.name}")
    if not (ROOT / "README.md").is_file():
        problems.append("README.md is missing")
    for problem in problems:
        print(problem)
    total = {key: sum(getattr(page, key) for page in pages) for key in ("run", "compared", "makes", "skipped")}
    print(f"snippets: {len(pages)} pages, {total['run']} blocks run, {total['compared']} outputs compared, "
          f"{total['makes']} make lines checked, {total['skipped']} not run, {len(problems)} problems")
    if total["run"] == 0:
        print("no snippet was run: is anything left to check?")
        return 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
