#!/usr/bin/python3
"""The pages in a real browser: headless Chromium, driven through Selenium (`tools/setup.sh web` installs both).

    web_test.py BUILD [--keep DIR]     BUILD holds the program heed; pages and screenshots are kept in DIR

A tiny model is trained on the built-in corpus; its pages are opened at 375 and 1440 pixels, light and dark, played,
slid and hovered over."""

import json
import sys
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from browser import Browser
from checks import expect, report
from program import Program

HOSTILE = "The <script>document.title='owned'</script> & <img src=x onerror=alert(1)> dog ."


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def expect_quiet(browser, name):
    entries = [entry for entry in browser.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    expect(not entries, f"{name}: the console says {entries}")


def check_shape(browser, path, name):
    """Both widths, both schemes: no console message, nothing wider than the screen, colors that follow the scheme."""
    pages = {}
    for width in (375, 1440):
        for scheme in ("light", "dark"):
            browser.open(path, width, scheme)
            where = f"{name} at {width} px, {scheme}"
            expect(browser.find("h1").text != "", f"{where}: no heading")
            across = browser.js("return document.documentElement.scrollWidth")
            expect(across <= width, f"{where}: the page is {across} px wide")
            pages[scheme] = browser.background(browser.find("body"))
            expect_quiet(browser, where)
            browser.picture(f"{name}-{width}-{scheme}")
    expect(pages["light"] != pages["dark"], f"{name}: light and dark look the same, {pages}")


def light_turns_dark(browser, path, name):
    """A cell's color follows when the scheme changes while the page is open."""
    browser.open(path)
    cell = browser.all("table.map td[data-weight]")[0]
    before = browser.background(cell)
    browser.look(1440, "dark")
    expect(wait_for(lambda: browser.background(cell) != before, 3), f"{name}: a cell stays {before} in the dark")
    browser.look(1440, "light")


def target_words(browser):
    return [item.text for item in browser.all("ol.words[aria-label='Target words'] button") if item.is_displayed()]


def check_step_page(browser, path, data):
    browser.open(path)
    model = data["models"][0]
    words = [step["word"] for step in model["hypotheses"][0]["steps"]]
    expect(target_words(browser) == [], "step: words are shown before any was written")
    browser.js("arguments[0].value = '16'", browser.find("select[aria-label='Speed']"))
    browser.find("button.primary").click()
    expect(browser.find("button.primary").text == "Pause", "step: play does not turn into pause")
    finished = wait_for(lambda: browser.js("return document.body.dataset.finished") == "true", 30)
    expect(finished, "step: playing does not reach the end")
    expect(target_words(browser) == words, f"step: {target_words(browser)} instead of {words}")
    expect(wait_for(lambda: browser.find("button.primary").text == "Play", 2), "step: still playing at the end")
    status = browser.find("[role=status]").text
    expect(words[-1] in status, f"step: the last sentence is {status!r}, without {words[-1]!r}")

    # Hovering both ways, by pointer and by keyboard.
    source = browser.all("ol.words[aria-label='Source words'] button")
    target = browser.all("ol.words[aria-label='Target words'] button")
    weights = model["hypotheses"][0]["map"]["weights"]
    browser.hover(target[0])
    lit = [browser.background(item) for item in source]
    best = max(range(len(source)), key=lambda s: weights[0][s])
    expect(source[best].get_attribute("data-weight") == str(weights[0][best]).rstrip("0").rstrip("."),
           f"step: hovering target word 0 gives source word {best} {source[best].get_attribute('data-weight')}")
    expect(len(set(lit)) > 1, "step: hovering a target word lights up nothing")
    browser.hover(source[0])
    expect(all(item.get_attribute("data-weight") is not None for item in target), "step: hovering a source word lights up nothing")
    browser.hover(browser.find("h1"))
    expect(source[0].get_attribute("data-weight") is None, "step: a word stays lit")
    browser.js("arguments[0].focus()", target[1])
    expect(source[0].get_attribute("data-weight") is not None, "step: focus lights up nothing")

    # The slider, single steps and keys.
    browser.js("arguments[0].value = 2; arguments[0].dispatchEvent(new Event('input'))", browser.find("input[type=range]"))
    expect("encoder" in browser.find("[role=status]").text, "step: the slider does not go back to the encoder")
    expect(target_words(browser) == [], "step: words are still shown after sliding back")
    browser.find("body").send_keys(Keys.ARROW_RIGHT)
    expect(browser.find("input[type=range]").get_attribute("value") == "3", "step: → does not step")
    browser.find("body").send_keys(Keys.END)
    expect(target_words(browser) == words, "step: End does not go to the end")

    # Other candidates of the beam.
    others = browser.all(".alternatives button")
    expect(len(others) == len(model["hypotheses"]) > 1, f"step: {len(others)} alternatives")
    others[1].click()
    browser.find("body").send_keys(Keys.END)
    expect(target_words(browser) == [step["word"] for step in model["hypotheses"][1]["steps"]], "step: the alternative is not played")
    # Attention before and after the cell are distinguished.
    order = [item.text for item in browser.all("ol.flow h3")]
    attention, cell = order.index("Attention: softmax"), order.index("Cell")
    expect((attention < cell) == (model["place"] == "before"), f"step: the boxes stand in the order {order}")
    expect(f"attention {model['place']} the cell" in browser.find(".badge").text, "step: no badge says where attention sits")
    expect_quiet(browser, "step")


def check_hostile(browser, path):
    browser.open(path)
    shown = browser.find("main").text
    expect("document.title" in shown and "onerror" in shown, f"hostile: the sentence is not shown: {shown[:300]!r}")
    expect(browser.driver.title != "owned", "hostile: the sentence's script ran")
    expect(len(browser.all("main script, main img")) == 0, "hostile: the sentence became elements")
    browser.js("const s = document.createElement('script'); s.textContent = \"document.title = 'owned'\"; document.body.append(s)")
    expect(browser.driver.title != "owned", "hostile: the policy lets a foreign script run")
    browser.driver.get_log("browser")  # contains the refusal


def check_report(browser, path):
    browser.open(path)
    expect(len(browser.all(".chart svg path.line")) >= 3, "report: fewer than three curves")
    smoothed, forced = "label_smoothing = 0.1" in page_data(path)["config"], "teacher_forcing = 0.5" not in page_data(path)["config"]
    first = browser.find(".chart").text
    expect(("label-smoothed" in first) == smoothed and ("not comparable" in first) == (smoothed or not forced),
           f"report: the loss chart says {first!r}")
    slider = browser.find("#validation-slider")
    before = browser.find("output").text
    cells = lambda: [cell.get_attribute("data-weight") for cell in browser.all("table.map tbody td")]
    last = cells()
    browser.js("arguments[0].value = 0; arguments[0].dispatchEvent(new Event('input'))", slider)
    expect(browser.find("output").text != before, "report: the slider moves nothing")
    expect(cells() != last, "report: the attention stays the same on the slider")
    browser.find(".slide button").click()
    expect(wait_for(lambda: browser.find("output").text == before), "report: playing does not reach the last validation")
    browser.hover(browser.find("div.chart > svg"))
    expect(wait_for(lambda: browser.find(".reading").text.startswith("update"), 3), "report: pointing at a curve reads nothing")
    browser.hover(browser.all("table.map tbody td")[1])
    expect(len(browser.all("table.map th.lit")) == 2, "report: hovering a cell marks no words")
    expect_quiet(browser, "report")


def check_compare(browser, path):
    browser.open(path)
    expect(len(browser.all("table.results tbody tr")) == 2, "compare: the table has not two models")
    rows = browser.all("table.results tbody tr")
    expect("baseline" in rows[0].text and "baseline" not in rows[1].text, "compare: the baseline is not labeled")
    weights = [[int(browser.js("return getComputedStyle(arguments[0]).fontWeight", cell)) for cell in row.find_elements(By.CSS_SELECTOR, "td")]
               for row in rows]
    scores = [[float(cell.text.strip("*")) for cell in row.find_elements(By.CSS_SELECTOR, "td")[:3]] for row in rows]
    for column, better in enumerate((max, max, min)):
        bold = [row[column] >= 600 for row in weights]
        expect(bold == [score[column] == better(s[column] for s in scores) and scores[0][column] != scores[1][column] for score in scores],
               f"compare: bold {bold}, scores {scores}")
    metrics = browser.all("table.metric")
    expect(len(metrics) == 3 and metrics[0].text.count("[") == 3 and "nrefs:1|case:lc" in browser.find("main").text, "compare: no intervals or signatures")
    cards = browser.all("section[aria-label^=Sentence]")
    expect(len(cards) > 1 and len(cards[0].find_elements(By.CSS_SELECTOR, "table.map")) == 2, "compare: not two maps per sentence")
    for card in cards[:3]:
        lefts = [[round(browser.js("return arguments[0].getBoundingClientRect().left", cell)) for cell in
                  table.find_elements(By.CSS_SELECTOR, "tbody tr:first-child td")] for table in card.find_elements(By.CSS_SELECTOR, "table.map")]
        expect(lefts[0] and lefts[0] == lefts[1], f"compare: the columns of the maps do not line up: {lefts}")
    browser.hover(cards[0].find_elements(By.CSS_SELECTOR, "table.map tbody td")[1])
    lit = [len(table.find_elements(By.CSS_SELECTOR, "thead th.lit")) for table in cards[0].find_elements(By.CSS_SELECTOR, "table.map")]
    expect(lit == [1, 1], f"compare: a source word is highlighted in {lit} maps")
    everything = len(cards)
    browser.find("input[type=checkbox]").click()
    differing = browser.all("section[aria-label^=Sentence]")
    expect(all(card.find_elements(By.CSS_SELECTOR, "mark") for card in differing), "compare: no difference is marked")
    expect(len(differing) <= everything, "compare: the filter adds sentences")
    browser.open(path, 375)
    outside = [cell.text for cell in browser.all("table.results td, table.metric td") if cell.rect["x"] + cell.rect["width"] > 375]
    expect(not outside and browser.all("table.results td")[2].is_displayed(), f"compare: figures outside of a narrow screen: {outside}")
    expect_quiet(browser, "compare")


def check_runs(browser, path):
    browser.open(path)
    rows = browser.all("table.runs tbody tr")
    expect(len(rows) == 4, f"runs: {len(rows)} rows for a group of two seeds and a run")
    expect("±" in rows[0].text and "2 seeds" in rows[0].text, f"runs: the first row is {rows[0].text!r}")
    charts = browser.all(".charts div.chart")
    expect(len(charts) == 4, f"runs: {len(charts)} charts")
    for chart in charts:
        lines = chart.find_elements(By.CSS_SELECTOR, "path.line")
        colors = [browser.js("return getComputedStyle(arguments[0]).stroke", line) for line in lines]
        expect(len(colors) == 3 and colors[0] == colors[1] != colors[2], f"runs: the curves have the colors {colors}")
        labels = chart.find_elements(By.CSS_SELECTOR, "text.label")
        expect(sorted(label.text for label in labels) == ["exp", "run <b>"], "runs: the curves have no labels")
    keys = [browser.js("return getComputedStyle(arguments[0]).stroke", key) for key in browser.all("table.runs svg path")]
    expect(len(set(keys)) == 2, f"runs: the table shows the colors {keys}")
    browser.hover(charts[1].find_element(By.CSS_SELECTOR, ":scope > svg"))
    reading = charts[1].find_element(By.CSS_SELECTOR, ".reading")
    expect(wait_for(lambda: reading.text.startswith("update"), 3) and "exp/seed-2" in reading.text, f"runs: a curve reads {reading.text!r}")
    for width in (375, 1440):
        browser.open(path, width)
        for label in browser.all("text.label"):
            room = browser.js("return arguments[0].closest('svg').getBoundingClientRect().right - arguments[0].getBoundingClientRect().right", label)
            expect(room >= 0, f"runs at {width} px: {room} px of the label {label.text!r} are cut off")
    expect_quiet(browser, "runs")


def page_data(path):
    text = path.read_text()
    start = text.index('id="data">') + len('id="data">')
    return json.loads(text[start:text.index("</script>", start)])["page"]


def write_run(directory):
    """A run directory as heed train writes it, with attention that gradually becomes sharp."""
    directory.mkdir(exist_ok=True)
    source, target = ["the", "<b>dog</b>", "sleeps", "<eos>"], ["der", "Hund", "schläft", "<eos>"]
    metrics = [{"kind": "start", "system": "luong-general", "parameters": 1234, "train_pairs": 300, "valid_pairs": 20,
                "source_words": 90, "target_words": 110, "updates": 80, "metric": "bleu", "threads": 2, "processor": "a processor"}]
    samples = []
    for n in range(1, 9):
        update = {"update": 10 * n, "epoch": n, "loss": 4 / n, "learning_rate": 0.001, "seconds": 2.0 * n}
        metrics.append({"kind": "update", **update, "gradient_norm": 1 / n, "tokens_per_second": 4000 + n})
        metrics.append({"kind": "validation", **update, "best": True, "perplexity": 50 / n, "bleu": 9.0 * n, "chrf": 10.0 * n})
        rows = [[1 / 4 + (n / 8) * (3 / 4 if t == s else -1 / 4) for s in range(4)] for t in range(4)]
        sample = {"text": "The <b>dog</b> sleeps.", "reference": "Der Hund schläft.", "translation": " ".join(target[:1 + n // 3]),
                  "source": source, "target": target, "attention": rows}
        samples.append({"kind": "validation", "update": 10 * n, "epoch": n, "samples": [sample]})
    metrics.append({"kind": "end", "update": 80, "reason": "epochs", "best": 72.0, "seconds": 16.0})
    for name, lines in (("metrics.jsonl", metrics), ("samples.jsonl", samples)):
        (directory / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (directory / "config.toml").write_text("[encoder]\nhidden = 24\n[training]\nlabel_smoothing = 0.1\n")


def make_pages(directory):
    heed = Program()
    heed.directory, run = directory, heed.works
    run("corpus", "pocket", "--pairs", "300", "--out", "pocket")
    for name, preset in (("before", "bahdanau-lstm"), ("after", "luong-general")):
        heed.train(name, "--preset", preset, "--valid-source", "pocket.valid.en", "--valid-target", "pocket.valid.de", "--epochs", 3,
                   "--set", "training.batch=16", hidden=24)
    run("attend", "before/model.safetensors", "The old man sees a dog.", "--with", "after/model.safetensors", "--beam", "3", "--out", "step.html")
    run("attend", "after/model.safetensors", HOSTILE, "--out", "hostile.html")
    write_run(directory / "run")
    run("report", "run", "--out", "report.html")
    for name in ("exp/seed-1", "exp/seed-2", "run <b>"):
        (directory / "runs" / name).parent.mkdir(parents=True, exist_ok=True)
        write_run(directory / "runs" / name)
    run("runs", "runs", "--out", "runs.html")
    run("compare", "before/model.safetensors", "after/model.safetensors", "--source", "pocket.test.en", "--reference", "pocket.test.de",
        "--out", "compare.html")
    pages = {name: directory / f"{name}.html" for name in ("step", "hostile", "report", "compare", "runs")}
    pages["trained"] = directory / "before" / "report.html"  # as training writes it
    return pages


def main():
    keep = Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--keep"] else None
    with tempfile.TemporaryDirectory() as directory:
        where = keep or Path(directory)
        where.mkdir(parents=True, exist_ok=True)
        pages = make_pages(where)
        browser = Browser(keep)
        try:
            for name, path in pages.items():
                check_shape(browser, path, name)
            for name in ("step", "report"):
                light_turns_dark(browser, pages[name], name)
            check_step_page(browser, pages["step"], page_data(pages["step"]))
            check_hostile(browser, pages["hostile"])
            check_report(browser, pages["report"])
            check_report(browser, pages["trained"])
            check_compare(browser, pages["compare"])
            check_runs(browser, pages["runs"])
        finally:
            browser.driver.quit()
    return report("web", f"{len(pages)} pages")


if __name__ == "__main__":
    sys.exit(main())
