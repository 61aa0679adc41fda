"use strict";
// The comparison page: a table of results, a table per metric, then sentences with the translation and attention map of
// each model.
(() => {
  const {data, root, el, svg, heatmap, legend} = heed;
  const {models, sentences} = data;
  const kAtATime = 8;
  const kFar = 0.2;  // a cell is marked if its weight differs from the first model's by more than this

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
  const split = text => text.split(/\s+/).filter(word => word);
  const wordsOf = text => split(data.lowercase ? text.toLowerCase() : text);  // as they are compared
  const marked = (text, other) => {
    const words = split(text), own = ownWords(wordsOf(text), wordsOf(other));
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

  const baselineTag = i => i === 0 ? el("span.tag", {}, "baseline") : null;
  const modelCell = i => el("th", {scope: "row"}, models[i].title, baselineTag(i),
    models[i].subtitle ? el("div.soft.small", {}, models[i].subtitle) : null);
  // A table whose rows become blocks on narrow screens, where `label` stands before each cell.
  const figuresTable = (name, heads, rows) => el("table.plain.figures." + name, {},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Model"), ...heads.map(head => el("th.number", {scope: "col"}, head)))),
    el("tbody", {}, ...rows.map((cells, i) => el("tr", {}, modelCell(i), ...cells.map((cell, c) => {
      const node = el("td.number", {"data-label": heads[c]}, ...[cell.content].flat());
      if (cell.best) node.classList.add("best");
      return node;
    })))));

  const resultsTable = () => figuresTable("results", data.columns,
    models.map(model => model.figures.map(({text, best}) => ({content: text, best}))));

  // Intervals on a common scale, with the baseline's score as a line.
  const rangePicture = (result, all, low, high) => {
    const x = value => 4 + 152 * (high > low ? (value - low) / (high - low) : 0.5), [value, from, to] = result.score;
    return svg("svg", {class: "range", viewBox: "0 0 160 16", "aria-hidden": "true"},
      svg("line", {class: "axis", x1: x(all[0].score[0]), x2: x(all[0].score[0]), y1: 0, y2: 16}),
      svg("g", {class: result.differs ? "differs" : ""}, svg("line", {class: "interval", x1: x(from), x2: x(to), y1: 8, y2: 8}),
        svg("circle", {cx: x(value), cy: 8, r: 3.5})));
  };
  const signed = number => (number < 0 ? "−" : "+") + Math.abs(number).toFixed(2);
  const metricTable = metric => {
    const all = metric.results, low = Math.min(...all.map(({score}) => score[1])), high = Math.max(...all.map(({score}) => score[2]));
    const range = ([, from, to], text) => `[${text(from)}, ${text(to)}]`, plain = number => number.toFixed(2);
    const heads = ["Score", "95% interval", "", "Difference", "95% interval of the difference", "p, bootstrap", "p, randomization"];
    const rows = all.map(result => {
      const cells = [plain(result.score[0]), range(result.score, plain), rangePicture(result, all, low, high)];
      if (result.difference) cells.push(signed(result.difference[0]) + (result.differs ? "*" : ""), range(result.difference, signed),
        result.bootstrap_p.toFixed(4), result.randomization_p.toFixed(4));
      else cells.push([], [], [], []);
      return cells.slice(0, models.length > 1 ? heads.length : 3).map(content => ({content}));
    });
    return el("section.card", {"aria-label": metric.label}, el("h2", {}, metric.label),
      figuresTable("metric", heads.slice(0, rows[0].length), rows), el("p.soft.small", {}, metric.signature));
  };

  // The maps of all models, one below the other with common columns; a source word is highlighted in all of them.
  const mapsOf = translations => {
    const first = translations[0].map, hint = el("p.soft.small.sideways", {hidden: true}, "Scroll sideways to see all source words.");
    const drawn = translations.map(({map}) => map && heatmap(map, {
      different: farCells(map, first), dense: map.source.length > 28, onhover: at => drawn.forEach(other => {
        if (other && other.map !== map) other.light(null, at ? at.column : null);
      })}));
    translations.forEach(({map}, i) => { if (drawn[i]) drawn[i].map = map; });
    const box = el("div.scroll.maps", {tabIndex: 0, role: "region", "aria-label": "Attention maps"}, ...drawn.map((one, i) =>
      one ? one.table || one.node : el("p.soft", {}, `${models[i].title}: this sentence is too long to draw.`)));
    new ResizeObserver(() => { hint.hidden = box.scrollWidth <= box.clientWidth; }).observe(box);
    return el("div", {}, hint, box);
  };

  const sentenceCard = (sentence, index) => {
    const lines = [el("dt", {}, "Source"), el("dd", {}, sentence.source), el("dt", {}, "Reference"), el("dd", {}, sentence.reference)];
    sentence.translations.forEach((translation, i) => {
      const right = wordsOf(translation.text).join(" ") === wordsOf(sentence.reference).join(" ");
      lines.push(el("dt", {}, models[i].title), el("dd", {}, ...marked(translation.text, sentence.reference),
        right ? el("span.right", {title: "equals the reference"}, " ✓") : ""));
    });
    return el("section.card.sentence", {"aria-label": `Sentence ${index + 1}`}, el("h2", {}, `Sentence ${index + 1}`),
      el("dl.texts", {}, ...lines), mapsOf(sentence.translations));
  };

  const differ = sentence => new Set(sentence.translations.map(({text}) => wordsOf(text).join(" "))).size > 1;
  const holder = el("div"), more = el("button", {type: "button", onclick: () => show(shown + kAtATime)}, "Show more");
  const count = el("span.soft", {role: "status"});
  const onlyDifferent = el("input", {type: "checkbox", onchange: () => show(kAtATime)});
  let shown = kAtATime;
  const show = number => {
    shown = number;
    const list = sentences.map((sentence, i) => [sentence, i]).filter(([sentence]) => !onlyDifferent.checked || differ(sentence));
    holder.replaceChildren(...list.slice(0, shown).map(([sentence, i]) => sentenceCard(sentence, i)));
    count.textContent = `showing ${Math.min(shown, list.length)} of ${list.length} sentences`;
    more.hidden = shown >= list.length;
  };

  const key = legend();
  key.append(el("mark", {}, "word"), `not in the reference${data.lowercase ? " (ignoring case)" : ""}`);
  if (models.length > 1)
    key.append(el("span.swatch.plain"), `weight differs from the baseline's by more than ${kFar} (compared if both translations are the same)`);
  root.replaceChildren(el("h1", {}, data.title),
    el("dl.facts", {}, ...data.facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
    el("section.card", {}, el("h2", {}, "Results"), resultsTable(),
      models.length > 1 ? el("p.soft.small", {}, "Bold: the best value of a column.") : null, ...data.notes.map(note => el("p.soft.small", {}, note))),
    ...data.metrics.map(metricTable));
  if (sentences.length) {
    const differing = sentences.filter(differ).length;
    root.append(el("div.bar-line", {}, el("label", {}, onlyDifferent, `only the ${differing} on which the models differ`), count), key, holder, more);
    show(kAtATime);
  }
})();
