#!/usr/bin/env python3
"""`make install`: what it installs, that it works where it was put and where it is moved to, and that programs in C++, C and
Python find and use it.

    install_test.py BUILD      BUILD is a finished build"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program, has_sanitizer

BUILD = Path(Program().path).parent
FILES = ["bin/heed", "share/man/man1/heed.1", "share/bash-completion/completions/heed",
         "share/zsh/vendor-completions/_heed", "share/fish/vendor_completions.d/heed.fish", "share/heed/models/pocket-en-de.safetensors",
         "share/doc/heed/README.md", "share/doc/heed/LICENSE", "share/doc/heed/docs/guide.md", "share/doc/heed/docs/images/attention.svg",
         "share/doc/heed/models/README.md", "lib/systemd/system/heed-server.service", "lib/systemd/system/heed-server.socket",
         "lib/libheed.so", "lib/libheed.so.0", "lib/pkgconfig/heed.pc", "lib/cmake/heed/heedConfig.cmake", "include/heed/heed.h",
         "include/heed/translator.h", "lib/python3/dist-packages/heed/__init__.py", "lib/python3/dist-packages/heed/py.typed"]
CLIENTS = ROOT / "tests/clients/installed"
GENERATOR = ["-G", "Ninja"] if shutil.which("ninja") else []


def run(*words, **settings):
    return subprocess.run([str(word) for word in words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **settings)


def install(prefix, **environment):
    done = run("cmake", "--install", BUILD, "--prefix", prefix, env=dict(os.environ, **environment))
    expect(done.returncode == 0, f"cmake --install: {done.stderr[-500:]}")


def check_files(prefix):
    for name in FILES:
        expect((prefix / name).is_file(), f"{name} is not installed below {prefix}")
    binaries = [path for path in (prefix / "share/doc").rglob("*") if path.suffix == ".safetensors"]
    expect(not binaries, f"models among the docs: {binaries}")


def check_program(prefix, directory):
    """The installed program, without anything else of the repository."""
    heed = prefix / "bin/heed"
    done = run(heed, "version", cwd=directory)
    expect(done.returncode == 0 and done.stdout.startswith("heed "), f"heed version: {done.stdout} {done.stderr}")
    done = run("bash", "-c", f"echo 'We see a dog.' | '{heed}' translate '{prefix}/share/heed/models/pocket-en-de.safetensors'", cwd=directory)
    expect(done.stdout == "Wir sehen einen Hund.\n", f"the installed model translates: {done.stdout} {done.stderr}")


def check_manual(prefix):
    page = prefix / "share/man/man1/heed.1"
    if shutil.which("mandoc"):
        done = run("mandoc", "-T", "lint", "-W", "error", page)
    elif shutil.which("man") and shutil.which("groff"):
        environment = dict(os.environ, LC_ALL="C.UTF-8", MANWIDTH="80", MANROFFSEQ="")
        done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page, env=environment)
    else:
        print("install: skipped: no mandoc, or man and groff, to check the manual with")
        return
    expect(done.returncode == 0 and not done.stderr, f"the manual page: {done.stdout[-300:]} {done.stderr[-300:]}")


def check_completions(prefix):
    script = prefix / "share/bash-completion/completions/heed"
    done = run("bash", "-c", f"source '{script}'; COMP_WORDS=(heed transl) COMP_CWORD=1; _heed; echo \"${{COMPREPLY[@]}}\"")
    expect(done.stdout == "translate\n", f"completions: {done.stdout} {done.stderr}")
    if shutil.which("fish"):
        script = prefix / "share/fish/vendor_completions.d/heed.fish"
        done = run("fish", "--no-config", "-c", f"source '{script}'; complete -C 'heed transl'; complete -C 'heed translate --segment '")
        words = [line.split("\t")[0] for line in done.stdout.splitlines()]
        expect("translate" in words and {"sentences", "lines", "never"} <= set(words), f"completions of fish: {done.stdout[:500]} {done.stderr[:500]}")
    else:
        print("install: skipped: no fish to complete in")
    if shutil.which("zsh"):
        script = prefix / "share/zsh/vendor-completions/_heed"
        done = run("zsh", "-n", script)
        expect(done.returncode == 0, f"completions of zsh: {done.stderr[:500]}")
    else:
        print("install: skipped: no zsh to check its completions with")


def check_units(prefix, stage=""):
    """The service starts the program and the model that were installed, with options that exist."""
    units = Path(f"{stage}{prefix}") / "lib/systemd/system"
    service = (units / "heed-server.service").read_text()
    expect(f"ExecStart={prefix}/bin/heed serve" in service and f"HEED_MODELS={prefix}/share/heed/models/pocket-en-de.safetensors" in service and "@" not in
           service.replace("@system-service", "").replace("@privileged @resources", ""), f"the service does not name what is installed below {prefix}: {service}")
    if not shutil.which("systemd-analyze"):
        print("install: skipped: no systemd-analyze to check the units with")
        return
    done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", units / "heed-server.service")
    expect(done.returncode == 0, f"the sandbox of the service is weaker than 2.0: {done.stdout[-200:]} {done.stderr[-200:]}")


def build_clients(prefix, directory):
    """Compiles the clients in C++, with CMake, and in C, with pkg-config."""
    for words in (["cmake", "-S", CLIENTS, "-B", directory / "cpp", *GENERATOR, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_STANDARD=17"],
                  ["cmake", "--build", directory / "cpp"]):
        done = run(*words)
        expect(done.returncode == 0, f"the client with CMake: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    done = run("bash", "-c", f"eval cc -std=c99 -Wall -Wextra -Werror -pedantic -Wno-missing-field-initializers '{CLIENTS}/client.c' "
               f"$(pkg-config --cflags --libs heed) -o '{directory}/c'", env=environment)
    expect(done.returncode == 0, f"the client with pkg-config: {done.stdout[-1000:]} {done.stderr[-1000:]}")


def check_clients(prefix, directory):
    model = prefix / "share/heed/models/pocket-en-de.safetensors"
    environment = dict(os.environ, LD_LIBRARY_PATH=str(prefix / "lib"), PYTHONPATH=str(prefix / "lib/python3/dist-packages"))
    environment.pop("HEED_LIBRARY", None)
    clients = [([directory / "cpp/client"], "Wir sehen einen Hund. 0-0 1-1 2-2 3-3\n"), ([directory / "c"], "Wir sehen einen Hund. 6 x 6\n"),
               ([sys.executable, CLIENTS / "client.py"], f"Wir sehen einen Hund. 6 x 6 {prefix}/lib/libheed.so.0\n")]
    for words, output in clients:
        done = run(*words, model, env=environment, cwd=directory)
        expect(done.returncode == 0 and done.stdout.endswith(": " + output), f"{words[-1]} below {prefix}: {done.returncode} {done.stdout} {done.stderr[-1000:]}")
        done = run(*words, directory / "missing", env=environment, cwd=directory)
        expect(done.returncode == 1 and done.stdout.startswith("error: ") and "missing" in done.stdout,
               f"{words[-1]} without a model: {done.returncode} {done.stdout} {done.stderr[-1000:]}")


def check_make(directory):
    """The Makefile passes PREFIX, made absolute, and DESTDIR on."""
    done = run("make", "-n", "install", "PREFIX=some/where", f"DESTDIR={directory}", cwd=ROOT)
    wanted = f'DESTDIR="{directory}" cmake --install build --prefix "{ROOT}/some/where"'
    expect(wanted in done.stdout, f"make -n install does not run {wanted}: {done.stdout[-500:]} {done.stderr[-300:]}")
    done = run("make", "-n", "install", cwd=ROOT)
    expect('--prefix "/usr/local"' in done.stdout, f"make -n install: {done.stdout[-500:]}")


def main():
    with tempfile.TemporaryDirectory(prefix="heed-install-") as name:
        directory = Path(name)
        prefix = directory / "pre fix"
        install(prefix)
        check_files(prefix)
        check_program(prefix, directory)
        check_manual(prefix)
        check_completions(prefix)
        clients = not has_sanitizer(BUILD / "libheed.so.0")
        if not clients:
            print("install: skipped: clients of a library with sanitizers")
        if clients:
            build_clients(prefix, directory)
            check_clients(prefix, directory)
        moved = directory / "moved"
        shutil.move(prefix, moved)
        check_program(moved, directory)
        if clients:
            check_clients(moved, directory)
            shutil.rmtree(directory / "cpp")
            build_clients(moved, directory)
            check_clients(moved, directory)
        install("/usr", DESTDIR=str(directory / "stage"))
        check_files(directory / "stage/usr")
        check_units("/usr", directory / "stage")
        check_make(directory)
    return report("install")


if __name__ == "__main__":
    sys.exit(main())
