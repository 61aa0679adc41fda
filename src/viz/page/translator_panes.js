"use strict";
// The translation page: the text and its translation. Behind the text area lies a copy of its text, whose words take the
// color of their weights; the words of the translation are elements.
const translatorPanes = (() => {
  const {el, svg} = heed;

  const kIcons = {
    swap: ["M4 8h15m-4-4 4 4-4 4", "M20 16H5m4-4-4 4 4 4"],
    copy: ["M9 9h11v11H9z", "M5 15H4V4h11v1"],
    close: ["M6 6l12 12M18 6 6 18"],
    file: ["M6 3h8l5 5v13H6z", "M14 3v5h5"],
    sun: ["M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z", "M12 2v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M19 5l-1.4 1.4M6.4 17.6 5 19"],
    moon: ["M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z"],
    eye: ["M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z", "M12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z"],
  };
  const icon = name => svg("svg", {viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true"}, ...kIcons[name].map(d => svg("path", {d})));
  const iconButton = (name, label, onclick) => el("button.quiet", {type: "button", "aria-label": label, title: label, onclick}, icon(name));

  // The color of a weight is set from here, because the page's policy allows no style attributes in markup.
  const shade = (node, weight) => {
    node.dataset.weight = weight.toFixed(4);
    node.style.setProperty("--weight", weight.toFixed(4));
  };
  const unshade = node => {
    delete node.dataset.weight;
    node.style.removeProperty("--weight");
  };

  // A text as spans of words and the text between them; `make(i)` makes the span of word i.
  const spans = (text, words, make) => {
    const nodes = [];
    let at = 0;
    words.forEach((word, i) => {
      nodes.push(text.slice(at, word.from), make(text.slice(word.from, word.to), i));
      at = word.to;
    });
    return [...nodes, text.slice(at)];
  };

  // --- The text to translate ---

  // oninput(): the text has changed. onpoint(sentence, word or null): the pointer or the cursor is there.
  const makeEditor = ({oninput, onpoint}) => {
    const copy = el("div.copy", {dir: "auto", "aria-hidden": "true"});
    const area = el("textarea", {id: "text", dir: "auto", rows: 1, spellcheck: true, placeholder: "Type or paste text", "aria-describedby": "count"});
    let shown = [];  // {sentence, node, words}
    const write = nodes => copy.replaceChildren(...nodes, "\n\u200b");
    const plain = () => {
      shown = [];
      write([area.value]);
    };
    // Sentences have {from, to} in the whole text and, once they are known, words with positions of their own.
    const mark = sentences => {
      const nodes = [];
      let at = 0;
      shown = sentences.map(sentence => {
        const own = area.value.slice(sentence.from, sentence.to), words = [];
        const parts = spans(own, sentence.sourceWords, text => words[words.push(el("span.word", {}, text)) - 1]);
        const node = el("span.sentence", {}, ...parts);
        nodes.push(area.value.slice(at, sentence.from), node);
        at = sentence.to;
        return {sentence, node, words};
      });
      write([...nodes, area.value.slice(at)]);
    };
    const entryOf = sentence => shown.find(entry => entry.sentence === sentence);
    const clear = () => shown.forEach(({words}) => words.forEach(word => {
      unshade(word);
      word.classList.remove("lit");
    }));
    const point = event => {
      const under = document.elementsFromPoint(event.clientX, event.clientY);
      const entry = shown.find(({node}) => under.includes(node) || under.some(element => node.contains(element)));
      const word = entry ? entry.words.findIndex(node => under.includes(node)) : -1;
      onpoint(entry ? entry.sentence : null, word < 0 ? null : word);
    };
    const follow = () => {  // the cursor
      const at = area.selectionStart;
      const entry = at === area.selectionEnd && shown.find(({sentence}) => sentence.from <= at && at <= sentence.to);
      const word = entry ? entry.sentence.sourceWords.findIndex(({from, to}) => from <= at - entry.sentence.from && at - entry.sentence.from <= to) : -1;
      onpoint(entry ? entry.sentence : null, word < 0 ? null : word);
    };
    area.addEventListener("input", event => {
      plain();
      oninput(event.isComposing);
    });
    area.addEventListener("compositionend", () => oninput(false));
    area.addEventListener("mousemove", point);
    area.addEventListener("mouseleave", () => onpoint(null, null));
    area.addEventListener("keyup", event => { if (/^(Arrow|Home|End|Page)/.test(event.key)) follow(); });
    area.addEventListener("blur", () => onpoint(null, null));
    plain();
    return {
      node: el("div.editor", {}, copy, area), area, mark, clear,
      set: text => {
        area.value = text;
        plain();
      },
      weigh: (sentence, weights) => entryOf(sentence)?.words.forEach((word, i) => shade(word, weights[i])),
      light: (sentence, word) => entryOf(sentence)?.words[word]?.classList.add("lit"),
    };
  };

  // --- The translation ---

  // onpoint(sentence, word or null, isFocus), onselect(sentence).
  const makeOutput = ({onpoint, onselect}) => {
    const node = el("div.output", {id: "translation", role: "group", "aria-label": "Translation", "aria-describedby": "reading"});
    let shown = [], stop = null;  // stop: the word that the tab key reaches
    const setStop = word => {
      if (stop) stop.tabIndex = -1;
      stop = word || null;
      if (stop) stop.tabIndex = 0;
    };
    const placeOf = element => {
      for (const entry of shown) if (entry.node.contains(element)) return {sentence: entry.sentence, word: entry.words.indexOf(element)};
      return null;
    };
    const all = () => shown.flatMap(entry => entry.words);
    // Lines: {sentences, text, stale}; without sentences, the text alone.
    const write = (lines, language) => {
      const active = document.activeElement, before = all().indexOf(active);
      shown = [];
      node.replaceChildren(...lines.map(line => {
        const parts = [];
        let at = 0;
        for (const sentence of line.sentences) {
          const words = [];
          const inside = spans(sentence.shown.text, sentence.shown.target, (text, i) => {
            const word = el("span.word", {tabIndex: -1}, text);
            word.style.setProperty("--doubt", (1 - sentence.shown.target[i].confidence).toFixed(3));
            words.push(word);
            return word;
          });
          const piece = el("span.sentence", {}, ...inside);
          parts.push(line.text.slice(at, sentence.target.from), piece);
          at = sentence.target.to;
          shown.push({sentence, node: piece, words});
        }
        return el(line.stale ? "p.stale" : "p", {dir: "auto", lang: language}, ...parts, line.text.slice(at), "\u200b");
      }));
      setStop(all()[Math.max(before, 0)]);
      if (before >= 0) stop?.focus();
    };
    const clear = () => shown.forEach(({words}) => words.forEach(word => {
      unshade(word);
      word.classList.remove("lit");
    }));
    const point = isFocus => event => {
      const place = placeOf(event.target);
      if (place) onpoint(place.sentence, place.word < 0 ? null : place.word, isFocus);
      else onpoint(null, null, isFocus);
    };
    node.addEventListener("mouseover", point(false));
    node.addEventListener("mouseleave", () => onpoint(null, null, false));
    node.addEventListener("focusin", event => {
      setStop(event.target);
      point(true)(event);
    });
    node.addEventListener("focusout", () => onpoint(null, null, true));
    node.addEventListener("click", event => {
      const place = placeOf(event.target);
      if (place) onselect(place.sentence);
    });
    node.addEventListener("keydown", event => {
      const words = all(), at = words.indexOf(event.target), end = words.length - 1;
      if (at < 0) return;
      const rtl = getComputedStyle(event.target.closest("p")).direction === "rtl" ? -1 : 1;
      const to = {ArrowRight: at + rtl, ArrowLeft: at - rtl, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: end}[event.key];
      if (event.key === "Enter" || event.key === " ") onselect(placeOf(event.target).sentence);
      else if (to === undefined) return;
      else words[Math.min(Math.max(to, 0), end)].focus();
      event.preventDefault();
    });
    const entryOf = sentence => shown.find(entry => entry.sentence === sentence);
    return {
      node, write, clear,
      weigh: (sentence, weights) => entryOf(sentence)?.words.forEach((word, i) => shade(word, weights[i])),
      light: (sentence, word) => entryOf(sentence)?.words[word]?.classList.add("lit"),
      select: sentence => shown.forEach(entry => entry.node.classList.toggle("selected", entry.sentence === sentence && shown.length > 1)),
    };
  };

  return {icon, iconButton, makeEditor, makeOutput};
})();
