#!/usr/bin/env python3
"""Builds Debian packages, or a tarball that can be unpacked anywhere, from a finished build.

    packages.py deb BUILD OUT        OUT/*.deb, as packaging/debian/packages.toml describes them
    packages.py tarball BUILD OUT    OUT/heed-VERSION-linux-MACHINE.tar.gz"""

import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAINTAINER = "heed developers <heed@localhost.localdomain>"
REVISION = "1"


def run(*words, **settings):
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE, **settings).stdout


def upstream_version():
    return re.search(r"^project\(heed VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def package_table():
    return tomllib.loads((ROOT / "packaging/debian/packages.toml").read_text())


def install(build, stage, component=None):
    arguments = ["--component", component] if component else []
    run("cmake", "--install", build, "--prefix", "/usr", *arguments, env=dict(os.environ, DESTDIR=str(stage)))


def binaries(stage):
    """The programs and libraries below a directory."""
    return [path for path in sorted(stage.rglob("*")) if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"]


def strip(stage):
    for path in binaries(stage):
        run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", path)


def shared_libraries(stage, work):
    """The packages whose libraries the binaries need, in the form of a Depends field."""
    (work / "debian").mkdir(exist_ok=True)
    (work / "debian/control").write_text("Source: heed\n\nPackage: heed\nArchitecture: any\n")
    output = run("dpkg-shlibdeps", "-O", *(f"-e{path}" for path in binaries(stage)), cwd=work, stderr=subprocess.DEVNULL)
    return output.strip().partition("=")[2]


def compress(path):
    with open(path, "rb") as plain, open(f"{path}.gz", "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        shutil.copyfileobj(plain, packed)
    path.unlink()


def add_documents(name, stage, version):
    docs = stage / "usr/share/doc" / name
    docs.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "packaging/debian/copyright", docs / "copyright")
    (docs / "LICENSE").unlink(missing_ok=True)  # the copyright file names it
    changelog = docs / "changelog.Debian"
    date = formatdate((ROOT / "CHANGELOG.md").stat().st_mtime)
    changelog.write_text(f"heed ({version}) unstable; urgency=medium\n\n  * Version {version.split('-')[0]}; see /usr/share/doc/heed/CHANGELOG.md.gz.\n\n"
                         f" -- {MAINTAINER}  {date}\n")
    compress(changelog)
    for page in [*stage.glob("usr/share/man/man*/*.?"), *docs.glob("CHANGELOG.md")]:
        compress(page)


def add_scripts(name, control):
    """What dpkg runs: the cache of libraries, and the bytecode of Python, which is not in the package."""
    if name == "libheed0":
        (control / "triggers").write_text("activate-noawait ldconfig\n")
        (control / "shlibs").write_text(f"libheed 0 libheed0 (>= {upstream_version()})\n")
    if name == "python3-heed":
        # Not for a system in another directory, whose Python this is not.
        (control / "postinst").write_text('#!/bin/sh\nset -e\nif [ -z "$DPKG_ROOT" ] && command -v py3compile > /dev/null 2>&1; then\n'
                                          '  py3compile -p python3-heed\nfi\n')
        (control / "prerm").write_text('#!/bin/sh\nset -e\nif [ -z "$DPKG_ROOT" ] && command -v py3clean > /dev/null 2>&1; then\n'
                                       '  py3clean -p python3-heed\nelse\n'
                                       '  find "$DPKG_ROOT/usr/lib/python3/dist-packages/heed" -name __pycache__ -prune -exec rm -r {} +\nfi\n')
    if name == "heed-server":
        (control / "postinst").write_text('#!/bin/sh\nset -e\nif [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then\n'
                                          '  systemctl --system daemon-reload > /dev/null || true\nfi\n')
        (control / "prerm").write_text('#!/bin/sh\nset -e\nif [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ] && [ "$1" = remove ]; then\n'
                                       '  systemctl stop heed-server.service heed-server.socket > /dev/null || true\nfi\n')
    for script in ("postinst", "prerm"):
        if (control / script).exists():
            (control / script).chmod(0o755)


def build_package(name, package, build, out, version, machine):
    with tempfile.TemporaryDirectory(prefix="heed-package-") as directory:
        work, stage = Path(directory), Path(directory) / "stage"
        install(build, stage, package["component"])
        strip(stage)
        add_documents(name, stage, version)
        values = {"@VERSION@": version, "@UPSTREAM@": version.split("-")[0]}
        if "@SHLIBS@" in package["depends"]:
            values["@SHLIBS@"] = shared_libraries(stage, work)
        for path in sorted(stage.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        control = stage / "DEBIAN"
        control.mkdir(mode=0o755)
        add_scripts(name, control)
        size = sum(path.stat().st_size for path in stage.rglob("*") if path.is_file() and not path.is_symlink()) // 1024 + 1
        fields = {"Package": name, "Source": "heed", "Version": version, "Architecture": package.get("architecture", machine), "Maintainer": MAINTAINER,
                  "Installed-Size": str(size), "Section": package["section"], "Priority": "optional", "Depends": package["depends"],
                  "Recommends": package.get("recommends", ""), "Suggests": package.get("suggests", ""),
                  "Description": "\n".join([package["summary"], *(f" {line}" for line in package["description"].splitlines())])}
        if name == "heed":
            del fields["Source"]
        text = "".join(f"{key}: {value}\n" for key, value in fields.items() if value)
        for key, value in values.items():
            text = text.replace(key, value)
        (control / "control").write_text(text)
        file = out / f"{name}_{version}_{package.get('architecture', machine)}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, file)
        return file


def make_debs(build, out):
    version, machine = f"{upstream_version()}-{REVISION}", run("dpkg", "--print-architecture").strip()
    for name, package in package_table().items():
        print(build_package(name, package, build, out, version, machine))


def make_tarball(build, out):
    """Everything of `make install` but the units of systemd, which name the prefix."""
    name = f"heed-{upstream_version()}-linux-{platform.machine()}"
    with tempfile.TemporaryDirectory(prefix="heed-package-") as directory:
        stage = Path(directory)
        for component in ("heed", "library", "develop", "python"):
            install(build, stage, component)
        strip(stage)
        (stage / "usr").rename(stage / name)
        file = out / f"{name}.tar.gz"
        run("tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-C", stage, "-czf", file, name)
        print(file)


def main():
    kinds = {"deb": make_debs, "tarball": make_tarball}
    if len(sys.argv) != 4 or sys.argv[1] not in kinds:
        raise SystemExit(__doc__)
    out = Path(sys.argv[3]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    kinds[sys.argv[1]](Path(sys.argv[2]).resolve(), out)


if __name__ == "__main__":
    main()
