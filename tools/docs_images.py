#!/usr/bin/python3
"""Draws the pictures of README and docs again, with the model in models/.

    tools/docs_images.py [DIRECTORY]      default: docs/images

Needs build/heed (or $HEED_PROGRAM), and Chromium for the screenshot of the step page (`tools/setup.sh web`). The snippet
test compares attention.svg with what heed draws."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
from browser import Browser

HEED = os.environ.get("HEED_PROGRAM", str(ROOT / "build/heed"))
MODEL = ROOT / "models/pocket-en-de.safetensors"
SENTENCE = "Which ball did they bring along in winter?"
GOLD = "0-0 1-1 2-2 3-3 4-6 5-6 6-4 7-5 8-7"
WORD = "mitgebracht"  # the step page is shown when it has just been chosen


def attend(*options):
    subprocess.run([HEED, "attend", MODEL, SENTENCE, *options], check=True)


def take_step_picture(out):
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory) / "page.html"
        attend("--out", page)
        browser = Browser(out)
        try:
            browser.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            browser.open(page, width=1100, height=1100)
            slider = browser.find("input[type=range]")
            for position in range(int(slider.get_attribute("max")) + 1):
                browser.js("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", slider, position)
                if f"“{WORD}”, with probability" in browser.find("[role=status]").text:
                    break
            else:
                raise SystemExit(f"the step page never chooses the word {WORD}")
            time.sleep(1)  # until boxes have faded in
            browser.picture("step")
        finally:
            browser.driver.quit()


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/images").resolve()
    out.mkdir(parents=True, exist_ok=True)
    attend("--gold", GOLD, "--out", out / "attention.svg")
    take_step_picture(out)


if __name__ == "__main__":
    main()
