#!/usr/bin/python3
"""The web page of `heed serve` in a real browser, against the real server.

    page_test.py BUILD [--keep DIR]     BUILD holds the program heed; screenshots of every state are kept in DIR

`tools/setup.sh serve` installs the browser and npm, and npm the rules of axe-core, which the page must follow."""

import hashlib
import http.client
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from browser import Browser
from checks import expect, report
from npm import install_packages
from proxy import Proxy
from serve_test import MODEL, Server, heed, offline

PAIRS = (f"en-de={MODEL}", f"de-en={MODEL}")
FIRST, SECOND = "The old man sees a dog.", "We drink milk."
DOUBTFUL = "The woman sees a zebra with Anna."
HOSTILE = "<img src=x onerror=\"document.title='owned'\"> sees <script>document.title='owned'</script> a dog & <b>bold</b>."


class Translator:
    """The page and what people do with it."""

    def __init__(self, browser, rules):
        self.browser, self.address, self.rules = browser, None, rules

    def open(self, address, width=1440, scheme="light", query=""):
        self.address = address
        self.browser.look(width, scheme)
        self.browser.driver.get(address + query)
        self.browser.js("localStorage.clear()")
        self.browser.driver.get(address + query)
        self.wait("the languages", lambda: self.browser.all("#source option") or self.problem())

    def wait(self, what, condition, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if condition():
                    return True
            except StaleElementReferenceException:
                pass
            time.sleep(0.03)
        expect(False, f"page: no {what} after {seconds} s; the translation is {self.output()[:200]!r}, the problem {self.problem()!r}")
        return False

    def output(self):
        return "\n".join(self.browser.js("return [...document.querySelectorAll('#translation p')].map(p => p.textContent.replace('\\u200b', ''))"))

    def problem(self):
        box = self.browser.find(".problem")
        return box.text if box.is_displayed() else ""

    def type(self, text):
        self.browser.find("#text").send_keys(text)

    def set(self, text):
        """Replaces the text at once, as pasting does."""
        self.browser.js("const area = document.getElementById('text'); area.value = arguments[0]; area.dispatchEvent(new InputEvent('input', {bubbles: true}))", text)

    def shows(self, expected, seconds=20):
        if self.wait(f"translation {expected[:80]!r}", lambda: self.output() == expected and not self.browser.all(".busy.on"), seconds):
            expect(True, "")

    def words(self):
        return self.browser.all("#translation .word")

    def weights(self, where):
        return [float(value) if value else None for value in
                self.browser.js(f"return [...document.querySelectorAll('{where} .sentence .word')].map(word => word.dataset.weight || '')")]

    def active(self):
        return self.browser.js("const e = document.activeElement; return e.id || e.getAttribute('aria-label') || e.textContent")

    def pictures(self, name, rules=True, allowed=()):
        """The state at two widths, light and dark: nothing is wider than the screen, axe finds nothing, the console is silent."""
        for width in (1440, 375):
            for scheme in ("light", "dark"):
                self.browser.look(width, scheme)
                across = self.browser.js("return document.documentElement.scrollWidth")
                expect(across <= width, f"page, {name} at {width} px: {across} px wide")
                self.browser.picture(f"{name}-{width}-{scheme}")
                if rules and self.rules and width == 1440:
                    self.check_rules(f"{name}, {scheme}")
        self.browser.look(1440, "light")
        expect_silence(self.browser, name, allowed)

    def check_rules(self, where):
        driver = self.browser.driver
        if not self.browser.js("return !!window.axe"):
            driver.execute_cdp_cmd("Runtime.evaluate", {"expression": self.rules})  # the page's policy lets no script of a test in
        # Colors must have arrived before their contrast is measured.
        found = driver.execute_async_script(
            "const done = arguments[0]; Promise.all(document.getAnimations().map(a => a.effect.getComputedTiming().iterations === Infinity ? 0 : a.finished.catch(() => 0)))"
            ".then(() => axe.run(document, {resultTypes: ['violations']})).then(r => done(r.violations.map(v => [v.impact, v.id, v.nodes[0].html, v.nodes[0].failureSummary])), e => done([['error', String(e)]]))")
        bad = [item for item in found if item[0] in ("serious", "critical", "error")]
        expect(not bad, f"axe, {where}: {bad}")


def expect_silence(browser, where, allowed=()):
    entries = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    entries = [entry for entry in entries if not any(part in entry for part in allowed)]
    expect(not entries, f"page, {where}: the console says {entries}")


def check_typing(page, proxy):
    page.open(proxy.address)
    expect(page.active() == "text" and page.browser.find(".empty").is_displayed(), "page: the text is not ready to be typed")
    page.pictures("empty")
    page.type(FIRST)
    page.shows(offline([FIRST])[0])
    asked = [json.loads(body)["q"] for body in proxy.bodies("/api/v1/translate") if "nbest" not in body]
    expect(asked[-1] == [FIRST] and len(asked) < len(FIRST) / 2, f"page: {len(asked)} requests for {len(FIRST)} letters: {asked}")
    page.type(Keys.ENTER + Keys.ENTER + SECOND)
    page.shows("\n".join(offline([FIRST, "", SECOND])))
    asked = [json.loads(body)["q"] for body in proxy.bodies("/api/v1/translate") if "nbest" not in body]
    expect(asked[-1] == [SECOND], f"page: the second line asked for {asked[-1]}")
    expect(page.browser.find("#count").text == f"{len(FIRST) + len(SECOND) + 2} characters", f"page: it counts {page.browser.find('#count').text}")
    page.wait("announcement", lambda: page.browser.find("[role=status]").get_attribute("textContent").startswith("Translation: Der alte Mann"))
    page.pictures("two-lines")
    page.browser.find("[aria-label='Clear the text']").click()
    expect(page.output() == "" and page.active() == "text" and page.browser.find(".empty").is_displayed(), "page: clearing")
    page.browser.find(".example").click()
    page.shows(offline([FIRST])[0])


def check_stale(page, proxy):
    """Answers that come late: the request is aborted, and nothing older replaces what is shown."""
    page.open(proxy.address)
    proxy.rules["/api/v1/translate"] = [15]
    before = len(proxy.bodies("/api/v1/translate"))
    page.set("The cat")
    page.wait("first request", lambda: len(proxy.bodies("/api/v1/translate")) > before)
    page.pictures("waiting", rules=False)
    page.set(SECOND)
    page.shows(offline([SECOND])[0])
    page.wait("abort", lambda: any("The cat" in body for body in proxy.gone))
    # An answer that comes although nobody waits for it any more.
    page.browser.js("const real = fetch; window.fetch = (path, options) => real(path, {...options, signal: undefined})")
    proxy.rules["/api/v1/translate"] = [1.5]
    page.set("A child sleeps.")
    page.wait("third request", lambda: any("A child" in body for body in proxy.bodies("/api/v1/translate")))
    page.set(SECOND)
    page.shows(offline([SECOND])[0])
    time.sleep(1.7)
    page.shows(offline([SECOND])[0])


def check_languages(page, server, proxy):
    page.open(proxy.address)
    texts = lambda name: [option.text for option in page.browser.all(f"#{name} option") if option.get_attribute("value") != "auto"]
    expect(texts("source") == ["German", "English"] and texts("target") == ["German"], f"page: languages {texts('source')}, {texts('target')}")
    page.type(FIRST)
    page.shows(offline([FIRST])[0])
    page.browser.find("[aria-label='Swap the languages']").click()
    german = offline([FIRST])[0]
    page.wait("swapped text", lambda: page.browser.find("#text").get_attribute("value") == german)
    chosen = [page.browser.js(f"return document.getElementById('{name}').value") for name in ("source", "target")]
    expect(chosen == ["de", "en"], f"page: swapping chose {chosen}")
    page.shows(server.json("/translate", {"q": german, "source": "de", "target": "en"})[1]["translatedText"])
    expect(page.browser.find("#text").get_attribute("lang") == "de" and page.browser.find("#translation p").get_attribute("lang") == "en", "page: languages of the elements")
    page.browser.driver.refresh()
    page.wait("languages after loading again", lambda: page.browser.js("return document.getElementById('source').value") == "de")
    page.open(proxy.address, query="?source=en&target=de&q=" + SECOND.replace(" ", "+"))
    page.shows(offline([SECOND])[0])
    automatic = page.browser.all("#source option[value=auto]")
    if automatic:
        automatic[0].click()
        page.shows(offline([SECOND])[0])
        expect(page.browser.all("#source option")[0].text == "English · auto", f"page: it detects {page.browser.all('#source option')[0].text}")
        page.set("Der alte Mann sieht einen Hund und die Katze.")
        page.wait("detected German", lambda: page.browser.all("#source option")[0].text == "German · auto" and page.browser.js("return document.getElementById('target').value") == "en")
        page.pictures("detected")
    else:
        print("skipped: detected languages on the page, which this server cannot detect")
    with Server("--quiet", "--pivot", "en", models=(f"de-en={MODEL}", f"en-fr={MODEL}")) as third:
        page.open(f"http://127.0.0.1:{third.port}/", query="?source=de&target=fr")
        page.set(FIRST)
        page.shows(third.json("/translate", {"q": FIRST, "source": "de", "target": "fr"})[1]["translatedText"])
        expect(not page.browser.find("#alternatives").is_displayed(), "page: alternatives by way of a third language")
        page.browser.driver.get_log("browser")  # the first request was refused
    with Server("--quiet") as one:
        page.open(f"http://127.0.0.1:{one.port}/")
        button = page.browser.find("[aria-label='Swap the languages']")
        expect(not button.is_enabled() and "no model from German to English" in button.get_attribute("title"), "page: swapping without a model")


def check_copy(page, proxy):
    page.open(proxy.address)
    page.browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": proxy.address})
    expect(not page.browser.find("#copy").is_enabled(), "page: nothing can be copied")
    page.type(FIRST + Keys.ENTER + SECOND)
    page.shows("\n".join(offline([FIRST, SECOND])))
    for way in ("clipboard", "command"):
        if way == "command":
            page.browser.js("navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))")
        page.browser.driver.execute_async_script("navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['-'], {type: 'text/plain'})})]).then(arguments[0], arguments[0])")
        page.browser.find("#copy").click()
        page.wait("word that it was copied", lambda: page.browser.find("#copy").text == "Copied")
        copied = page.browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], e => arguments[0](String(e)))")
        expect(copied == "\n".join(offline([FIRST, SECOND])), f"page: by {way} it copied {copied!r}")
        page.wait("button as before", lambda: page.browser.find("#copy").text == "Copy")


def check_alternatives(page, server, proxy):
    page.open(proxy.address)
    page.type(f"{FIRST} {SECOND}")
    page.shows(offline([f"{FIRST} {SECOND}"])[0])
    for at, sentence in ((0, FIRST), (-2, SECOND)):
        page.words()[at].click()
        nbest = [one["translation"] for one in server.json("/api/v1/translate", {"q": [sentence], "source": "en", "target": "de", "nbest": 5})[1]["translations"][0]["nbest"]]
        page.wait(f"alternatives of {sentence}", lambda: [button.text for button in page.browser.all("#alternatives button")] == nbest)
        expect(page.browser.find(".quote").text == sentence, f"page: it quotes {page.browser.find('.quote').text!r}")
        pressed = [button.get_attribute("aria-pressed") for button in page.browser.all("#alternatives button")]
        expect(pressed == ["true"] + ["false"] * (len(nbest) - 1), f"page: pressed {pressed}")
    page.browser.all("#alternatives button")[1].click()
    page.shows(f"{offline([FIRST])[0]} {nbest[1]}")
    page.browser.hover(page.words()[-2])
    page.wait("weights of an alternative", lambda: sum(weight or 0 for weight in page.weights(".copy")) > 0.9)
    page.pictures("alternatives")
    page.type(" ")  # another request: the choice stays
    page.wait("translation of the longer text", lambda: not page.browser.all(".busy.on"))
    expect(nbest[1] in page.output(), f"page: the choice is lost: {page.output()!r}")


def check_attention(page, server, proxy):
    """Pointing at a word shows the weights that the API has, in both directions, with mouse, keyboard and cursor."""
    page.open(proxy.address)
    page.type(FIRST)
    page.shows(offline([FIRST])[0])
    answer = server.json("/api/v1/translate", {"q": [FIRST], "source": "en", "target": "de", "attention": True})[1]["translations"][0]
    rows, sources = answer["attention"][:-1], len(answer["source_tokens"]) - 1
    expect([word.text for word in page.words()] == answer["tokens"][:-1], "page: its words are not the tokens of this model")
    page.wait("words of the source", lambda: len(page.browser.all(".copy .word")) == sources)

    def agrees(found, expected, what):
        close = len(found) == len(expected) and all(f is not None and abs(f - e) < 1e-3 for f, e in zip(found, expected))
        expect(close, f"page, {what}: {found}, expected {expected}")

    for t in range(len(rows)):
        page.browser.hover(page.words()[t])
        page.wait("weights", lambda: page.weights(".copy")[0] is not None)
        agrees(page.weights(".copy"), rows[t][:sources], f"weights of {answer['tokens'][t]}")
    page.browser.hover(page.words()[5])
    reading = page.browser.find("#reading").text
    expect("“Hund”" in reading and "“dog”" in reading and "confidence" in reading, f"page: it reads {reading!r}")
    colors = [page.browser.background(word) for word in page.browser.all(".copy .word")]
    expect(len(set(colors)) > 1, f"page: the colors are {colors}")
    page.pictures("attention")
    page.browser.hover(page.browser.all(".copy .word")[5])  # the pointer meets the text area, which lies above
    page.wait("weights in the translation", lambda: page.weights("#translation")[0] is not None)
    agrees(page.weights("#translation"), [row[5] for row in rows], "weights of dog")
    expect("in “Hund”" in page.browser.find("#reading").text, f"page: it reads {page.browser.find('#reading').text!r}")
    page.browser.hover(page.browser.find("h1"))
    page.wait("end of the weights", lambda: page.weights("#translation")[0] is None and page.browser.find("#reading").text == "Point at a word to see where it comes from.")

    page.browser.find("#text").click()
    page.browser.find("#text").send_keys(Keys.HOME)
    page.wait("weights at the cursor", lambda: page.weights("#translation")[0] is not None)
    agrees(page.weights("#translation"), [row[0] for row in rows], "weights at the cursor")
    page.browser.js("document.querySelector('#translation .word').focus()")
    active = lambda: page.browser.driver.switch_to.active_element
    for key, at in ((Keys.ARROW_RIGHT, 1), (Keys.END, len(rows) - 1), (Keys.ARROW_LEFT, len(rows) - 2), (Keys.HOME, 0)):
        active().send_keys(key)
        expect(active() == page.words()[at], f"page: the keys lead to {active().text!r}, not to word {at}")
        agrees(page.weights(".copy"), rows[at][:sources], f"weights of focused word {at}")
    stops = [word for word in page.words() if word.get_attribute("tabindex") == "0"]
    expect(len(stops) == 1, f"page: the tab key stops at {len(stops)} words")


def check_doubts(page, server, proxy):
    page.open(proxy.address)
    page.type(DOUBTFUL)
    page.shows(offline([DOUBTFUL])[0])
    answer = server.json("/api/v1/translate", {"q": [DOUBTFUL], "source": "en", "target": "de"})[1]["translations"][0]
    doubts = [float(value) for value in page.browser.js("return [...document.querySelectorAll('#translation .word')].map(word => word.style.getPropertyValue('--doubt'))")]
    expect(len(doubts) == len(answer["tokens"]) - 1 and all(abs(1 - d - c) < 2e-3 for d, c in zip(doubts, answer["confidences"])), f"page: doubts {doubts}, confidences {answer['confidences']}")
    plain = page.browser.background(page.words()[-2])
    page.browser.find("#confidence").click()
    page.wait("colors of doubts", lambda: page.browser.background(page.words()[-2]) != plain)
    remarks = page.browser.find(".remarks").text
    expect("Words that the model has not learned: zebra, Anna" in remarks, f"page: the remarks are {remarks!r}")
    page.pictures("doubts")
    page.set(SECOND)
    page.shows(offline([SECOND])[0])
    expect(not page.browser.find("#remarks").is_displayed(), "page: remarks about a sentence without doubts")


def check_glossary(page, server, proxy):
    fields = json.loads(server.request("GET", "/spec")[1])["paths"]["/api/v1/translate"]["post"]["parameters"][0]["schema"]["properties"]
    page.open(proxy.address)
    box = page.browser.find("#glossary-box")
    expect(box.is_displayed() == ("glossary" in fields), f"page: the glossary is shown: {box.is_displayed()}")
    if "glossary" not in fields:
        return print("skipped: a glossary on the page, which the API of this server does not have")
    page.type(FIRST)
    page.shows(offline([FIRST])[0])
    box.find_element(By.TAG_NAME, "summary").click()
    page.browser.find("#glossary").send_keys("dog = Vierbeiner")
    page.wait("term of the glossary", lambda: "Vierbeiner" in page.output())
    page.pictures("glossary")
    page.browser.find("#glossary").clear()
    page.browser.find("#glossary").send_keys(" ")
    page.shows(offline([FIRST])[0])


def check_colors(page, proxy):
    page.open(proxy.address)
    color = lambda: page.browser.background(page.browser.find("body"))
    light = color()
    page.browser.look(1440, "dark")
    page.wait("dark colors of the system", lambda: color() != light)
    dark = color()
    page.browser.find("#theme").click()
    expect(color() == light and page.browser.find("#theme").get_attribute("aria-label") == "Dark colors", "page: the button does not make it light")
    page.browser.driver.refresh()
    page.wait("light colors after loading again", lambda: page.browser.all("#theme") and color() == light)
    page.browser.find("#theme").click()
    page.browser.look(1440, "light")
    page.wait("colors of the system again", lambda: color() == light)
    page.browser.find("#theme").click()
    expect(color() == dark, "page: the button does not make it dark")
    page.browser.js("localStorage.clear()")


def check_keyboard(page, proxy):
    """Everything that the mouse can do."""
    page.open(proxy.address)
    active = lambda: page.browser.driver.switch_to.active_element
    active().send_keys(FIRST)
    page.shows(offline([FIRST])[0])
    page.wait("alternatives", lambda: len(page.browser.all("#alternatives button")) > 1)
    page.browser.js("document.activeElement.blur(); window.getSelection().removeAllRanges()")
    page.browser.js("document.querySelector('#theme').focus()")
    order, unseen = ["theme"], []
    for _ in range(20):
        active().send_keys(Keys.TAB)
        if active().tag_name == "body":
            break
        order.append(page.active())
        ring = page.browser.js("const e = document.activeElement, s = getComputedStyle(e), p = e.closest('.pane'); return s.outlineStyle !== 'none' || (p && getComputedStyle(p).boxShadow !== 'none')")
        if not ring:
            unseen.append(page.active())
    order = [name for name in order if name != "choose-file"]  # not every server has it
    expected = ["theme", "source", "Swap the languages", "target", "text", "Clear the text", "Der", "confidence", "copy"]
    expect(order[:len(expected)] == expected and "look" in order, f"page: the tab key goes {order}")
    expect(not unseen, f"page: focus cannot be seen on {unseen}")
    page.browser.js("document.querySelector('[aria-label=\"Swap the languages\"]').focus()")
    active().send_keys(Keys.ENTER)
    page.wait("swapped languages", lambda: page.browser.js("return document.getElementById('source').value") == "de")
    expect_silence(page.browser, "keyboard")


def check_look(page, proxy):
    page.open(proxy.address)
    driver = page.browser.driver
    page.type(FIRST)
    page.shows(offline([FIRST])[0])
    here = driver.current_window_handle
    page.browser.find("#look").click()
    page.wait("other window", lambda: len(driver.window_handles) == 2)
    driver.switch_to.window(next(window for window in driver.window_handles if window != here))
    page.wait("page of the steps", lambda: page.browser.all("ol.flow"))
    expect("/api/v1/look?source=en&target=de&q=The+old+man" in driver.current_url, f"look: {driver.current_url}")
    page.browser.find("body").send_keys(Keys.END)
    shown = [item.text for item in page.browser.all("ol.words[aria-label='Target words'] button")]
    expect(shown == json.loads(offline([FIRST], "--json")[0])["tokens"], f"look: it shows {shown}")
    expect(page.browser.js("return window.opener === null"), "look: it can reach the page that opened it")
    expect_silence(page.browser, "look")
    driver.close()
    driver.switch_to.window(here)


def check_texts(page, server, proxy):
    """Text that looks like markup, text from right to left, and long text."""
    page.open(proxy.address)
    for text in (HOSTILE, f"{FIRST} {HOSTILE}"):
        page.set(text)
        page.shows(server.json("/translate", {"q": text, "source": "en", "target": "de"})[1]["translatedText"])
        page.words()[-2].click()
        page.wait("alternatives", lambda: page.browser.all("#alternatives button"))
        expect(page.browser.driver.title == "Translate · heed" and not page.browser.all("main img, main script, main b"), "page: text became elements")
    page.pictures("markup", rules=False)
    page.browser.js("const s = document.createElement('script'); s.textContent = \"document.title = 'owned'\"; document.body.append(s)")
    expect(page.browser.driver.title == "Translate · heed", "page: its policy lets a foreign script run")
    page.browser.driver.get_log("browser")  # has the refusal
    page.set("الرجل يرى كلبا.\nThe dog")
    page.wait("translation", lambda: not page.browser.all(".busy.on") and len(page.browser.all("#translation p")) == 2)
    directions = page.browser.js("return ['#text', '.copy'].map(name => getComputedStyle(document.querySelector(name)).direction)")
    expect(directions == ["rtl", "rtl"], f"page: Arabic runs {directions}")
    page.pictures("right-to-left", rules=False)
    lines = [f"{FIRST} {SECOND}", "", *(f"The woman buys {n} apples." for n in range(250)), " ".join([FIRST, SECOND] * 700)]
    page.set("\n".join(lines))
    page.shows("\n".join(offline(lines)), 60)
    inner = page.browser.js("const area = document.getElementById('text'); return area.scrollHeight - area.clientHeight")
    expect(inner <= 2, f"page: {inner} px of a long text are hidden in its area")
    page.pictures("long", rules=False)


def check_problems(page, proxy, server):
    allowed = ("Failed to load resource", "net::ERR")
    page.open(proxy.address)
    busy = (429, {"Retry-After": "2", "Content-Type": "application/json"}, '{"error":"Slowdown"}')
    proxy.rules["/api/v1/translate"] = [busy]
    page.type(FIRST)
    page.wait("word that the server is busy", lambda: "The server is busy. Trying again in" in page.problem())
    page.pictures("busy", allowed=allowed)
    page.shows(offline([FIRST])[0])
    expect(page.problem() == "", f"page: after the second try it says {page.problem()!r}")
    late = (504, {"Content-Type": "application/json"}, '{"error":"not done within 60 s"}')
    proxy.rules["/api/v1/translate"] = [late]
    page.set(SECOND)
    page.wait("word that it took too long", lambda: "took too long" in page.problem())
    expect_silence(page.browser, "late", allowed)
    page.browser.find(".problem button").click()
    page.shows(offline([SECOND])[0])
    proxy.rules["/api/v1/translate"] = [(400, {"Content-Type": "application/json"}, '{"error":"there is no model from \'en\' to \'de\'"}')]
    proxy.rules["/translate"] = [(400, {"Content-Type": "application/json"}, '{"error":"German (de) is not available as a target language from English (en)"}')]
    page.set("The cat sees us.")
    page.wait("word about the languages", lambda: "no model for these languages" in page.problem())
    proxy.rules["/api/v1/translate"] = [(502, {"Content-Type": "text/html"}, "<h1>Bad gateway</h1>")]
    page.set("A child sleeps.")
    page.wait("word about the gateway", lambda: "status 502" in page.problem())
    page.browser.driver.get_log("browser")

    with Server("--quiet", "--max-characters", "40", models=PAIRS) as small:
        page.open(f"http://127.0.0.1:{small.port}/")
        page.type(FIRST + " " + FIRST)
        page.wait("word that the text is too long", lambda: "The text has 47 characters, and this server takes 40." in page.problem())
        expect("over" in page.browser.find("#count").get_attribute("class"), "page: the count does not warn")
        page.pictures("too-long")
        page.set(FIRST)
        page.shows(offline([FIRST])[0])
        expect(page.problem() == "", "page: the problem stays")
        small.end()
        page.set(SECOND)
        page.wait("word that the server is gone", lambda: "The server does not answer. Trying again in" in page.problem())
        expect(page.output() != "" and page.browser.find("#text").get_attribute("value") == SECOND, "page: it lost the text")
        page.pictures("gone", allowed=allowed)
        with Server("--quiet", models=PAIRS, port=small.port):
            page.shows(offline([SECOND])[0], 40)
            expect(page.problem() == "", "page: the server is back, but the problem stays")


def check_keys(page, directory):
    keys = Path(directory) / "keys"
    keys.write_text(f"first {hashlib.sha256(b'secret').hexdigest()}\n")
    with Server("--keys", keys, models=PAIRS) as server:
        page.open(f"http://127.0.0.1:{server.port}/")
        page.type(FIRST)
        page.wait("question for the key", lambda: "asks for an API key" in page.problem() and page.browser.find("#key").is_displayed())
        page.browser.driver.get_log("browser")
        page.pictures("key")
        page.browser.find("#key").send_keys("wrong")
        page.wait("word about a wrong key", lambda: "does not know the API key" in page.problem())
        page.browser.find("#key").clear()
        page.browser.find("#key").send_keys("secret")
        page.shows(offline([FIRST])[0])
        driver, here = page.browser.driver, page.browser.driver.current_window_handle
        page.browser.find("#look").click()
        page.wait("other window", lambda: len(driver.window_handles) == 2)
        driver.switch_to.window(next(window for window in driver.window_handles if window != here))
        page.wait("page of the steps", lambda: page.browser.all("ol.flow"))
        expect("secret" not in driver.current_url, "look: the key is in the address")
        driver.close()
        driver.switch_to.window(here)
        server.end()
        expect("secret" not in server.read_log(), "page: the log has the key")
    page.browser.driver.get_log("browser")


def check_documents(page, server, proxy, directory):
    settings = json.loads(server.request("GET", "/frontend/settings")[1])
    page.open(proxy.address)
    expect(page.browser.find("#choose-file").is_displayed() == settings["filesTranslation"], "page: the button for documents")
    if not settings["filesTranslation"]:
        return print("skipped: documents on the page, which this server does not translate")
    file = Path(directory) / "letter.txt"
    file.write_text(f"{FIRST}\n\n{SECOND}\n")
    page.browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(directory)})
    page.browser.js("document.getElementById('file').hidden = false")
    page.browser.find("#file").send_keys(str(file))
    page.wait("translated document", lambda: page.browser.all("a.button"))
    page.browser.js("document.getElementById('file').hidden = true")
    page.pictures("document")
    address = page.browser.find("a.button").get_attribute("href")
    expect(address.startswith(proxy.address + "download_file/"), f"page: the document is at {address}")
    expect(server.request("GET", address[len(proxy.address) - 1:])[1].decode() == "\n".join(offline([FIRST, "", SECOND])) + "\n", "page: the document")
    # A table: the page asks for the columns.
    table = Path(directory) / "table.csv"
    table.write_text(f"id,text\n1,{FIRST}\n")
    page.browser.js("document.getElementById('file').hidden = false")
    page.browser.find("#file").send_keys(str(table))
    page.wait("question for the columns", lambda: page.browser.all("#columns"))
    page.browser.js("document.getElementById('file').hidden = true")
    page.pictures("columns")
    page.browser.find("#columns").send_keys("text\n")
    page.wait("translated table", lambda: page.browser.all("a.button"))
    address = page.browser.find("a.button").get_attribute("href")
    expect(server.request("GET", address[len(proxy.address) - 1:])[1].decode() == f"id,text\n1,{offline([FIRST])[0]}\n", "page: the table")
    proxy.rules["/translate_file"] = [(400, {"Content-Type": "application/json"}, '{"error":"not a document"}')]
    page.browser.js("document.getElementById('file').hidden = false")
    page.browser.find("#file").send_keys(str(file))
    page.wait("word about the document", lambda: "letter.txt: not a document" in page.browser.find(".document").text)
    page.browser.driver.get_log("browser")


def attempt(check, *arguments):
    """A check that ends early does not hide what the others find."""
    start = time.monotonic()
    try:
        check(*arguments)
    except (WebDriverException, OSError, http.client.HTTPException, ValueError, LookupError) as error:
        expect(False, f"{check.__name__}: {type(error).__name__}: {str(error)[:500]}")
    if "HEED_TIMES" in os.environ:
        print(f"{check.__name__}: {time.monotonic() - start:.1f} s")


def main():
    start = time.monotonic()
    keep = Path(sys.argv[3]).resolve() if sys.argv[2:3] == ["--keep"] else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    packages = install_packages(sys.argv[1])
    browser = Browser(keep)
    page = Translator(browser, (packages / "axe-core/axe.min.js").read_text() if packages else "")
    try:
        with tempfile.TemporaryDirectory(prefix="heed-page-") as directory, Server("--quiet", models=PAIRS) as server, Proxy(server.port) as proxy:
            heed.directory = directory
            for check in (check_typing, check_stale, check_copy, check_colors, check_keyboard, check_look):
                attempt(check, page, proxy)
            attempt(check_languages, page, server, proxy)
            for check in (check_alternatives, check_attention, check_doubts, check_glossary, check_texts):
                attempt(check, page, server, proxy)
            attempt(check_documents, page, server, proxy, directory)
            attempt(check_problems, page, proxy, server)
            attempt(check_keys, page, directory)
    finally:
        browser.driver.quit()
    return report("page_test", f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
