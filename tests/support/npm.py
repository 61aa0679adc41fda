"""Installs the npm packages of tests/clients/package.json, for tests that need them."""

import shutil
import subprocess
from pathlib import Path

from program import ROOT


def install_packages(build):
    """The directory node_modules in the build folder, or None with a line that says why the tests of packages are skipped."""
    wanted, directory = ROOT / "tests/clients/package.json", Path(build).resolve() / "npm"
    stamp = directory / "installed.json"
    if stamp.exists() and stamp.read_bytes() == wanted.read_bytes():
        return directory / "node_modules"
    if not shutil.which("npm"):
        print("skipped: clients and rules from npm: there is no npm")
        return None
    directory.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(wanted, directory / "package.json")
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--fetch-retries=1"], cwd=directory,
                              capture_output=True, text=True, timeout=300)
        problem = "" if done.returncode == 0 else " ".join(done.stderr.split())[-200:]
    except subprocess.TimeoutExpired:
        problem = "it took too long"
    if problem:
        print(f"skipped: clients and rules from npm, which could not install them: {problem}")
        return None
    shutil.copyfile(wanted, stamp)
    return directory / "node_modules"
