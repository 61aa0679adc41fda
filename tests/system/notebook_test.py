#!/usr/bin/env python3
"""The notebooks in examples/: every cell runs, in jupyter-nbconvert if it is installed, and in plain Python in any case.

    notebook_test.py BUILD      BUILD holds heed and libheed.so.0"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from checks import expect, report

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(sys.argv[1]).resolve()


def environment():
    return dict(os.environ, HEED_LIBRARY=str(BUILD / "libheed.so.0"), PYTHONPATH=str(ROOT / "python"), PYTHONDONTWRITEBYTECODE="1",
                PATH=f"{BUILD}{os.pathsep}{os.environ['PATH']}")


def code_cells(notebook):
    return ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


def as_script(cells):
    """The cells as one program, which prints the value of a cell's last line as a notebook would."""
    lines = []
    for cell in cells:
        tree = ast.parse(cell)
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.unparse(tree.body.pop())
            lines += [ast.unparse(tree), f"_ = {last}", "print(_._repr_svg_() if hasattr(_, '_repr_svg_') else '' if _ is None else repr(_))"]
        else:
            lines.append(ast.unparse(tree))
    return "\n".join(lines)


def check(notebook, directory):
    expect(not any(cell.get("outputs") for cell in json.loads(notebook.read_text())["cells"]), f"{notebook.name} was saved with outputs")
    done = subprocess.run([sys.executable, "-c", as_script(code_cells(notebook))], cwd=directory, env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 0, f"{notebook.name} as a program: {done.stderr[-1500:]}")
    for part in ("epoch 4: perplexity", "TrainResult", "BLEU", "<svg", "links are right"):
        expect(part in done.stdout, f"{notebook.name} does not show {part}: {done.stdout[-500:]}")
    if not shutil.which("jupyter-nbconvert"):
        print("notebook: skipped: no jupyter-nbconvert")
        return
    done = subprocess.run(["jupyter-nbconvert", "--execute", "--to", "html", "--output-dir", directory, notebook], cwd=directory, env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, f"nbconvert {notebook.name}: {done.stdout[-1500:]}")
    page = Path(directory, notebook.stem + ".html")
    text = page.read_text() if page.is_file() else ""
    for part in ("epoch 4: perplexity", "<svg", "links are right"):
        expect(part in text, f"the page of {notebook.name} does not show {part}")


def main():
    notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
    expect(notebooks, "there is no notebook")
    for notebook in notebooks:
        with tempfile.TemporaryDirectory(prefix="heed-notebook-") as directory:
            check(notebook, directory)
    return report("notebook")


if __name__ == "__main__":
    sys.exit(main())
