#!/usr/bin/env python3
"""The speed of the C++, C and Python APIs relative to the command line, for 1,000 lines.

    api.py BUILD [MODEL] [ROUNDS]      BUILD holds heed and libheed.so.0

All translate the same lines with the same options and one thread, in turns, and must give the same translations. The figures
are the best of all rounds; a start of each without lines is subtracted. A ratio below 1 is slower than the command line."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CPP = r"""
#include <heed/translator.h>
#include <fstream>
#include <iostream>
int main(int, char** argv) {
  std::ifstream file(argv[2]);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  const heed::Translator translator(argv[1], {1, false});
  for (const auto& line : translator.translate(lines)) std::cout << line.text() << '\n';
}
"""
C = r"""
#include <heed/heed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  char buffer[65536];
  const char* lines[100000];
  size_t count = 0, i;
  FILE* file = fopen(argv[argc - 1], "r");
  heed_translator* translator = NULL;
  heed_results* results = NULL;
  heed_translator_options options = {sizeof options, 1, 0};
  while (fgets(buffer, sizeof buffer, file)) {
    buffer[strcspn(buffer, "\n")] = 0;
    lines[count++] = strdup(buffer);
  }
  if (heed_translator_open(argv[1], &options, &translator, NULL) || heed_translate(translator, lines, count, NULL, &results, NULL)) return 1;
  for (i = 0; i < count; ++i) {
    heed_translation best = {sizeof best};
    heed_results_get(results, i, 0, &best, NULL);
    puts(best.text);
  }
  return 0;
}
"""
PYTHON = """
import sys
import heed
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
for result in heed.Translator(sys.argv[1], threads=1).translate(lines, attention=False, alignment=False):
    print(result.text)
"""


def main():
    build = Path(sys.argv[1]).resolve()
    model = sys.argv[2] if len(sys.argv) > 2 else ROOT / "models/pocket-en-de.safetensors"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory(prefix="heed-bench-") as name:
        directory = Path(name)
        subprocess.run([build / "heed", "corpus", "pocket", "--pairs", "1300", "--out", directory / "text"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = (directory / "text.train.en").read_text().splitlines()[:1000]
        (directory / "lines").write_text("\n".join(lines) + "\n")
        (directory / "none").touch()
        for ending, code, compiler in (("cpp", CPP, "c++ -O2 -std=c++17"), ("c", C, "cc -O2")):
            (directory / f"client.{ending}").write_text(code)
            subprocess.run([*compiler.split(), f"-I{ROOT}/include", directory / f"client.{ending}", build / "libheed.so.0", f"-Wl,-rpath,{build}",
                            "-o", directory / ending], check=True)
        (directory / "client.py").write_text(PYTHON)
        environment = dict(os.environ, HEED_LIBRARY=str(build / "libheed.so.0"), PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1")
        ways = {"command line": [build / "heed", "translate", model, "--threads", "1", "--input"], "C++": [directory / "cpp", model],
                "C": [directory / "c", model], "Python": [sys.executable, directory / "client.py", model]}
        best, outputs = {}, {}
        for _ in range(rounds):
            for way, words in ways.items():
                for text in ("lines", "none"):
                    start = time.perf_counter()
                    done = subprocess.run([*map(str, words), str(directory / text)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
                    best[way, text] = min(best.get((way, text), 1e9), time.perf_counter() - start)
                    if text == "lines":
                        outputs[way] = done.stdout
        if len(set(outputs.values())) != 1 or len(outputs["C"].splitlines()) != len(lines):
            raise SystemExit("the translations differ")
        reference = best["command line", "lines"] - best["command line", "none"]
        print(f"{len(lines)} lines, best of {rounds} rounds\n{'':<14}{'seconds':>9}{'start':>9}{'ratio':>8}")
        for way in ways:
            seconds = best[way, "lines"] - best[way, "none"]
            print(f"{way:<14}{seconds:>9.3f}{best[way, 'none']:>9.3f}{reference / seconds:>8.3f}")


if __name__ == "__main__":
    main()
