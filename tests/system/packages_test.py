#!/usr/bin/env python3
"""The Debian packages and the tarball: their contents and dependencies, and that they work and leave nothing behind.

    packages_test.py BUILD      BUILD is a finished build

The packages are installed with dpkg into a directory of their own. Without dpkg, nothing is tested."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report
from program import ROOT, Program, has_sanitizer

BUILD = Path(Program().path).parent
NAMES = ["heed", "heed-server", "libheed-dev", "libheed0", "python3-heed"]
ADMIN = ["var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"]


def run(*words, **settings):
    done = subprocess.run([str(word) for word in words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings)
    return done.returncode, done.stdout


def field(file, name):
    return run("dpkg-deb", "-f", file, name)[1].strip()


def check_fields(files):
    for package in ("heed", "libheed0"):
        depends = field(files[package], "Depends")
        for library in ("libc6", "libdnnl", "libfmt", "libicu", "libsentencepiece", "libstdc++6"):
            expect(library in depends, f"{package} does not depend on {library}: {depends}")
    expect(re.fullmatch(r"libheed0 \(= \d+\.\d+\.\d+-1\)", field(files["libheed-dev"], "Depends")), field(files["libheed-dev"], "Depends"))
    expect("libheed0 (>=" in field(files["python3-heed"], "Depends"), "python3-heed does not depend on the library")
    expect("heed (>=" in field(files["heed-server"], "Depends"), "heed-server does not depend on the program")
    owned = {}
    for name, file in files.items():
        for line in run("dpkg-deb", "-c", file)[1].splitlines():
            path = line.split(maxsplit=5)[5].split(" -> ")[0]
            if not path.endswith("/"):
                expect(path not in owned, f"{path} is in {name} and in {owned.get(path)}")
                owned[path] = name
    expect(owned.get("./usr/bin/heed") == "heed" and owned.get("./usr/lib/libheed.so.0") == "libheed0" and owned.get("./usr/lib/libheed.so") == "libheed-dev"
           and owned.get("./usr/include/heed/heed.h") == "libheed-dev", "files are in the wrong packages")


def check_installed(root, directory):
    model = root / "usr/share/heed/models/pocket-en-de.safetensors"
    code, output = run(root / "usr/bin/heed", "translate", model, "We see a dog.", cwd=directory)
    expect(output == "Wir sehen einen Hund.\n", f"the packaged program: {code} {output}")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root / "usr/lib/python3/dist-packages")}
    code, output = run(sys.executable, ROOT / "tests/clients/installed/client.py", model, cwd=directory, env=environment)
    expect("Wir sehen einen Hund. " in output and f"{root}/usr/lib/" in output, f"the packaged Python module: {code} {output}")


def check_debs(directory):
    code, output = run(ROOT / "tools/packages.py", "deb", BUILD, directory / "packages")
    expect(code == 0, f"packages.py deb: {output[-1000:]}")
    files = {file.name.split("_")[0]: file for file in sorted((directory / "packages").glob("*.deb"))}
    expect(sorted(files) == NAMES, f"the packages are {sorted(files)}")
    if sorted(files) != NAMES:
        return
    check_fields(files)
    root = directory / "root"
    for name in ADMIN:
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    dpkg = ["dpkg", f"--root={root}", "--force-not-root,depends,script-chrootless,bad-path", f"--log={directory}/log"]
    code, output = run(*dpkg, "--install", *files.values())
    expect(code == 0, f"dpkg --install: {output[-1000:]}")
    check_installed(root, directory)
    code, output = run(*dpkg, "--purge", *NAMES)
    expect(code == 0, f"dpkg --purge: {output[-1000:]}")
    left = [str(path.relative_to(root)) for path in root.rglob("*") if not path.is_relative_to(root / "var")]
    expect(not left, f"left after the packages were removed: {left[:20]}")
    if not shutil.which("lintian"):
        print("packages: skipped: no lintian")
        return
    code, output = run("lintian", "--fail-on", "error", "--allow-root", *files.values())
    expect(code == 0, f"lintian: {output[-3000:]}")


def check_tarball(directory):
    code, output = run(ROOT / "tools/packages.py", "tarball", BUILD, directory / "packages")
    expect(code == 0, f"packages.py tarball: {output[-1000:]}")
    code, output = run("tar", "-C", directory, "-xzf", output.strip())
    expect(code == 0, f"tar: {output}")
    root = next(directory.glob("heed-*-linux-*"))
    code, output = run(root / "bin/heed", "translate", root / "share/heed/models/pocket-en-de.safetensors", "We see a dog.", cwd=directory)
    expect(output == "Wir sehen einen Hund.\n", f"the program of the tarball: {code} {output}")


def main():
    if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
        print("packages: skipped: no dpkg-deb or dpkg-shlibdeps")
        return 0
    if has_sanitizer(BUILD / "libheed.so.0"):
        print("packages: skipped: a build with sanitizers")
        return 0
    with tempfile.TemporaryDirectory(prefix="heed-packages-") as name:
        check_debs(Path(name))
        check_tarball(Path(name))
    return report("packages")


if __name__ == "__main__":
    sys.exit(main())
