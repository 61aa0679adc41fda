#!/usr/bin/env python3
"""`make install`: what it installs, and that it works where it was put.

    install_test.py BUILD      BUILD is a finished build"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program

BUILD = Path(Program().path).parent
FILES = ["bin/heed", "share/man/man1/heed.1", "share/bash-completion/completions/heed", "share/heed/models/pocket-en-de.safetensors",
         "share/doc/heed/README.md", "share/doc/heed/LICENSE", "share/doc/heed/docs/guide.md", "share/doc/heed/docs/images/attention.svg",
         "share/doc/heed/models/README.md", "lib/systemd/system/heed-server.service", "lib/systemd/system/heed-server.socket"]


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
        install("/usr", DESTDIR=str(directory / "stage"))
        check_files(directory / "stage/usr")
        check_units("/usr", directory / "stage")
        check_make(directory)
    return report("install")


if __name__ == "__main__":
    sys.exit(main())
