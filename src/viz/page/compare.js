"use strict";
// The comparison page: a table of results, then sentences with the translation and attention map of each model.
(() => {
  const {data, root, el, heatmap, legend} = heed;
  const {models, sentences} = data;
  const kAtATime = 8;
  const kFar = 0.2;  // a cell is marked if its weight differs by more from the first model's

  // Which words of `words` are not part of a longest common subsequence with `others`.
  const ownWords = (words, others) => {
    const length = Array.from({length: words.length + 1}, () => new Array(others.length + 1).fill(0));
    for (let i = words.length - 1; i >= 0; --i)
      for (let j = others.length - 1; j >= 0; --j)
        length[i][j] = words[i] === others[j] ? 1 + length[i + 1][j + 1] : Math.max(length[i + 1][j], length[i][j + 1]);
    const own = new Set();
    for (let i = 0, j = 0; i < words.length;) {
      if (j < others.length && words[i] === others[j]) { ++i; ++j; }
      else if (j < others.length && length[i][j + 1] >= length[i + 1][j]) ++j;
      else own.add(i++);
    }
    return own;
  };
  const marked = (text, other) => {
    const words = text.split(/\s+/).filter(word => word), own = ownWords(words, other.split(/\s+/).filter(word => word));
    return words.flatMap((word, i) => [i ? " " : "", own.has(i) ? el("mark", {}, word) : word]);
  };

  // Cells whose weight is far from the first model's; none if the two maps have different words.
  const farCells = (map, first) => {
    const far = new Set();
    const same = (a, b) => a.length === b.length && a.every((word, i) => word === b[i]);
    if (!map || !first || map === first || !map.weights || !first.weights) return far;
    if (!same(map.source, first.source) || !same(map.target, first.target)) return far;
    map.weights.forEach((row, t) => row.forEach((weight, s) => {
      if (Math.abs(weight - first.weights[t][s]) > kFar) far.add(`${t},${s}`);
    }));
    return far;
  };

  const resultsTable = () => el("div.scroll", {tabIndex: 0, role: "region", "aria-label": "Results"}, el("table.plain.results", {},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Model"), ...data.columns.map(name => el("th.number", {scope: "col"}, name)))),
    el("tbody", {}, ...models.map((model, i) => el(i ? "tr" : "tr.first", {},
      el("th", {scope: "row"}, model.title, model.subtitle ? el("div.soft.small", {}, model.subtitle) : null),
      ...model.figures.map(figure => el("td.number", {}, figure)))))));

  const sentenceCard = (sentence, index) => {
    const lines = [el("dt", {}, "Source"), el("dd", {}, sentence.source), el("dt", {}, "Reference"), el("dd", {}, sentence.reference)];
    sentence.translations.forEach((translation, i) => {
      const right = translation.text === sentence.reference;
      lines.push(el("dt", {}, models[i].title), el("dd", {}, ...marked(translation.text, sentence.reference),
        right ? el("span.right", {title: "identical to the reference"}, " ✓") : ""));
    });
    const maps = sentence.translations.map(({map}) => map
      ? heatmap(map, {different: farCells(map, sentence.translations[0].map)}).node
      : el("p.soft", {}, "This sentence is too long to draw."));
    return el("section.card", {"aria-label": `Sentence ${index + 1}`}, el("h2", {}, `Sentence ${index + 1}`),
      el("dl.texts", {}, ...lines), el("div.columns", {}, ...maps));
  };

  const differ = sentence => new Set(sentence.translations.map(translation => translation.text)).size > 1;
  const holder = el("div"), more = el("button", {type: "button", onclick: () => show(shown + kAtATime)}, "Show more");
  const count = el("span.soft", {role: "status"});
  const onlyDifferent = el("input", {type: "checkbox", onchange: () => show(kAtATime)});
  let shown = kAtATime;
  const show = number => {
    shown = number;
    const list = sentences.map((sentence, i) => [sentence, i]).filter(([sentence]) => !onlyDifferent.checked || differ(sentence));
    holder.replaceChildren(...list.slice(0, shown).map(([sentence, i]) => sentenceCard(sentence, i)));
    count.textContent = `${Math.min(shown, list.length)} of ${list.length} sentences`;
    more.hidden = shown >= list.length;
  };

  const key = legend();
  key.append(el("span.swatch.plain"), `weight differs from the first model's by more than ${kFar} (compared if both translations are the same)`);
  root.replaceChildren(el("h1", {}, data.title), el("section.card", {}, el("h2", {}, "Results"), resultsTable(),
    ...data.notes.map(note => el("p.soft.small", {}, note))));
  if (sentences.length) {
    root.append(el("div.bar-line", {}, el("label", {}, onlyDifferent, "only sentences on which the models differ"), count), key, holder, more);
    show(kAtATime);
  }
})();
