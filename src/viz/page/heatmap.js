"use strict";
// The color scale, heatmaps, and sentences whose words highlight each other.
Object.assign(heed, (() => {
  const {el, scheme, ramps} = heed;
  const ramp = weight => {
    const colors = scheme.isDark() ? ramps.dark : ramps.light;
    const t = Math.min(Math.max(weight || 0, 0), 1);
    return colors[Math.round(t * (colors.length - 1))];
  };
  // Dark or white ink, whichever is easier to read on the color.
  const inkOn = color => {
    const part = at => {
      const x = parseInt(color.slice(at, at + 2), 16) / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.3 ? "#14202b" : "#ffffff";
  };
  // The weight is kept on the element, so that its color can follow a change of the color scheme.
  const paint = (node, weight) => {
    const color = ramp(weight);
    node.dataset.weight = weight;
    node.style.backgroundColor = color;
    node.style.color = inkOn(color);
  };
  const unpaint = node => {
    delete node.dataset.weight;
    node.style.backgroundColor = "";
    node.style.color = "";
  };
  scheme.onchange(() =>
    document.querySelectorAll("[data-weight]").forEach(node => paint(node, Number(node.dataset.weight))));

  const weightText = weight => weight >= 0.995 ? "1" : weight < 0.005 ? "" : weight.toFixed(2).slice(1);

  // A heatmap as a table. options: numbers; onhover({row, column} or null); different: set of "t,s" to mark; dense: small
  // cells. Returns {node, table, show(rows), light(row, column)}; the table, if there is attention, is inside the node,
  // which scrolls; show() fades all rows after the first `rows`.
  const heatmap = (map, options = {}) => {
    const {source, target, weights, gold = []} = map;
    if (!weights) {
      const note = el("p.soft", {}, "This model has no attention, so there is no map.");
      return {node: el("div", {}, map.title ? el("h3", {}, map.title) : null, note), show() {}, light() {}};
    }
    const dense = options.dense === undefined ? Math.max(source.length, target.length) > 28 : options.dense;
    const level = source.every(word => [...word].length <= 2);
    const table = el("table.map");
    if (dense) table.classList.add("dense");
    if (level) table.classList.add("level");
    const caption = el("caption", {}, el("strong", {}, map.title || ""), map.subtitle ? " " : "",
      el("span.soft", {}, map.subtitle || ""));
    if (!map.title && !map.subtitle) caption.append(el("span.hidden", {}, "Attention weights: one row per target word, one column per source word"));
    const heads = source.map(word => el("th", {scope: "col", title: word}, el("span", {}, word)));
    table.append(caption, el("thead", {}, el("tr", {}, el("td", {"aria-hidden": "true"}), ...heads)));
    const links = new Map(gold.map(([s, t, sure]) => [`${t},${s}`, sure]));
    const cells = [], rows = [], rowHeads = [];
    const body = el("tbody");
    target.forEach((word, t) => {
      const head = el("th", {scope: "row", title: word}, word);
      const line = source.map((from, s) => {
        const weight = weights[t][s];
        const cell = el("td", {title: `${word} ← ${from}: ${weight.toFixed(3)}`},
          options.numbers ? weightText(weight) : el("span.hidden", {}, weight.toFixed(2)));
        const sure = links.get(`${t},${s}`);
        if (sure !== undefined) cell.classList.add("gold");
        if (sure === false) cell.classList.add("possible");
        if (options.different && options.different.has(`${t},${s}`)) cell.classList.add("different");
        return cell;
      });
      rows.push(el("tr", {}, head, ...line));
      rowHeads.push(head);
      cells.push(line);
      body.append(rows[t]);
    });
    table.append(body);
    cells.forEach((line, t) => line.forEach((cell, s) => paint(cell, weights[t][s])));

    const light = (row, column) => {
      rowHeads.forEach((head, t) => head.classList.toggle("lit", t === row));
      heads.forEach((head, s) => head.classList.toggle("lit", s === column));
      cells.forEach((line, t) => line.forEach((cell, s) => cell.classList.toggle("lit", t === row || s === column)));
    };
    const hover = event => {
      const cell = event.target.closest("td, th");
      const line = cell && cell.parentNode;
      const row = rows.indexOf(line), column = cell ? [...line.children].indexOf(cell) - 1 : -1;
      const at = !cell || (row < 0 && column < 0) ? null : {row: row < 0 ? null : row, column: column < 0 ? null : column};
      light(at ? at.row : null, at ? at.column : null);
      if (options.onhover) options.onhover(at);
    };
    table.addEventListener("mouseover", hover);
    table.addEventListener("mouseleave", () => {
      light(null, null);
      if (options.onhover) options.onhover(null);
    });
    return {
      table, node: el("div.scroll", {tabIndex: 0, role: "region", "aria-label": `Attention map ${map.title || ""}`}, table),
      show: count => rows.forEach((row, t) => row.classList.toggle("off", t >= count)),
      light,
    };
  };

  // The color bar, and what the outlines mean if there are any.
  const legend = gold => {
    const bar = el("span.bar", {"aria-hidden": "true"});
    for (let i = 0; i < 32; ++i) {
      const step = el("i");
      paint(step, i / 31);
      bar.append(step);
    }
    const line = el("div.legend", {}, "0", bar, "1 attention");
    if (gold && gold.length) line.append(el("span.swatch"), "gold alignment");
    if (gold && gold.some(link => !link[2])) line.append(el("span.swatch.possible"), "possible");
    return line;
  };

  // Words as a list of buttons; hover, focus or a tap calls onpick(index or null).
  const words = (texts, onpick, label) => {
    const items = texts.map((text, i) => el("button.word", {
      type: "button", onmouseenter: () => onpick(i), onmouseleave: () => onpick(null),
      onfocus: () => onpick(i), onblur: () => onpick(null), onclick: () => onpick(i),
    }, text));
    return {node: el("ol.words", {"aria-label": label}, ...items.map(item => el("li", {}, item))), items};
  };

  // Two sentences: a word highlights the words that it attends to, or that attend to it. Returns {node, source, target, clear}.
  const sentences = (map, onpick) => {
    let source, target;
    const clear = () => [...source.items, ...target.items].forEach(item => {
      unpaint(item);
      item.classList.remove("lit");
    });
    const pick = (side, i) => {
      clear();
      if (onpick) onpick(side, i);
      if (i === null || !map.weights) return;
      (side === "target" ? target : source).items[i].classList.add("lit");
      if (side === "target") source.items.forEach((item, s) => paint(item, map.weights[i][s]));
      else target.items.forEach((item, t) => paint(item, map.weights[t][i]));
    };
    source = words(map.source, i => pick("source", i), "Source words");
    target = words(map.target, i => pick("target", i), "Target words");
    const node = el("div", {}, el("h3.soft", {}, "Source"), source.node, el("h3.soft.spaced", {}, "Translation"), target.node);
    return {node, source, target, clear};
  };

  return {paint, unpaint, heatmap, legend, words, sentences};
})());
