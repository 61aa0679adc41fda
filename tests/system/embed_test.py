#!/usr/bin/env python3
"""heed as part of another project, and its build system on its own:

- as a subdirectory of another CMake project, it builds only the library that the project links;
- -DHEED_TESTS=OFF configures, without tests;
- tools/setup.sh calls apt-get only if a package is missing."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report

ROOT = Path(__file__).resolve().parent.parent.parent
GENERATOR = ["-G", "Ninja"] if shutil.which("ninja") else []

PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(embedder LANGUAGES CXX)
add_subdirectory({ROOT} heed)
if(NOT TARGET heed::heed)
  message(FATAL_ERROR "there is no target heed::heed")
endif()
add_executable(embedder main.cpp)
target_link_libraries(embedder PRIVATE heed_metrics)
"""
PROGRAM = """
#include <iostream>

#include "base/version.h"
#include "metrics/metric.h"

int main() {
  std::cout << heed::kVersion << ' ' << heed::metrics::make_metric("bleu")->label() << '\\n';
}
"""


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def check_subdirectory(folder):
    (folder / "CMakeLists.txt").write_text(PROJECT)
    (folder / "main.cpp").write_text(PROGRAM)
    build = folder / "build"
    code, output = run("cmake", "-S", folder, "-B", build, *GENERATOR, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    expect(code == 0, f"a project with heed as a subdirectory does not configure:\n{output[-3000:]}")
    if code == 0:
        code, output = run("cmake", "--build", build, "--target", "embedder", "-j", "2")
        expect(code == 0, f"a project with heed as a subdirectory does not build:\n{output[-3000:]}")
    if code != 0:
        return
    code, output = run(build / "embedder")
    expect(code == 0 and output.endswith(" BLEU\n"), f"the program that links heed exits with {code} and prints: {output}")
    expect(not (build / "generated").exists(), "heed writes generated files outside its own part of the build folder")
    expect(not list(build.rglob("test_*")), "heed configures its tests as a subdirectory")


def check_without_tests(folder):
    code, output = run("cmake", "-S", ROOT, "-B", folder, *GENERATOR, "-DHEED_TESTS=OFF")
    expect(code == 0, f"-DHEED_TESTS=OFF does not configure:\n{output[-3000:]}")
    code, output = run("ctest", "-N", cwd=folder)
    expect("Total Tests: 0" in output, f"-DHEED_TESTS=OFF still has tests:\n{output[-1000:]}")


def check_setup(folder):
    """With stand-ins for Debian's tools: nothing or everything is installed."""
    log = folder / "log"

    def tool(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    tool("apt-get", f'echo "$@" >> {log}')
    tool("sudo", '"$@"')
    environment = dict(os.environ, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
    tool("dpkg-query", 'shift 3; for package; do echo "$package install ok installed"; done')
    code, output = run(ROOT / "tools/setup.sh", "build", env=environment)
    expect(code == 0 and not log.exists() and not output, f"setup.sh works although nothing is missing: {code}, {output}")
    tool("dpkg-query", 'shift 3; for package; do [ "$package" = cmake ] || echo "$package install ok installed"; done')
    code, output = run(ROOT / "tools/setup.sh", "build", env=environment)
    calls = log.read_text() if log.exists() else ""
    expect(code == 0 and "install" in calls and calls.split()[-1] == "cmake",
           f"setup.sh should install cmake alone; it exits with {code}, says {output!r} and calls apt-get with {calls!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-embed-") as name:
        for check in (check_subdirectory, check_without_tests, check_setup):
            folder = Path(name) / check.__name__
            folder.mkdir()
            check(folder)
    return report("embed")


if __name__ == "__main__":
    sys.exit(main())
