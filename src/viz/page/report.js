"use strict";
// The run report: tiles, curves, translations and attention over time, settings.
(() => {
  const {data, parts: samplings, root, el, svg, short, heatmap, legend} = heed;
  const {start, end, updates, validations} = data;

  const grouped = number => Number(number).toLocaleString("en");
  const duration = seconds => {
    const s = Math.round(seconds), h = Math.floor(s / 3600), m = Math.floor(s % 3600 / 60);
    return h ? `${h} h ${m} min` : m ? `${m} min ${s % 60} s` : `${s} s`;
  };
  const known = (list, key) => list.filter(line => typeof line[key] === "number" && isFinite(line[key]));
  const points = (list, key) => known(list, key).map(line => [line.update, line[key]]);

  // --- Charts ---

  const kWidth = 460, kHeight = 220, kLeft = 52, kRight = 18, kTop = 8, kBottom = 26;

  // Round numbers that cover [low, high].
  const ticks = (low, high, about) => {
    const rough = (high - low) / about || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(k => k >= rough * 0.999);
    const list = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) list.push(Number((i * step).toPrecision(12)));
    return list;
  };
  const logTicks = (low, high) => {
    const list = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const k of [1, 2, 5]) if (k * 10 ** power >= low && k * 10 ** power <= high) list.push(Number((k * 10 ** power).toPrecision(3)));
    return list.length > 7 ? list.filter(x => /^0*\.?0*1/.test(String(x))) : list;
  };
  const tickText = x => Math.abs(x) >= 1e6 ? `${x / 1e6}M` : Math.abs(x) >= 1e4 ? `${x / 1e3}k` : x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential() : String(x);

  // series: [{name, points: [[x, y]…], dots}]; note: a sentence below; null if there are no numbers.
  const chart = (title, series, {log = false, zero = false, note = ""} = {}) => {
    series = series.filter(one => one.points.length);
    if (!series.length) return null;
    const xs = series.flatMap(one => one.points.map(([x]) => x)), ys = series.flatMap(one => one.points.map(([, y]) => y));
    const useLog = log && Math.min(...ys) > 0 && Math.max(...ys) / Math.min(...ys) > 8;
    const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1);
    let y0 = Math.min(...ys), y1 = Math.max(...ys);
    if (!useLog && y0 > 0 && (zero || y0 < 0.6 * y1)) y0 = 0;
    if (y0 === y1) [y0, y1] = y0 === 0 ? [0, 1] : [y0 - Math.abs(y0) * 0.1, y1 + Math.abs(y1) * 0.1];
    const bend = useLog ? Math.log : y => y;
    const px = x => kLeft + (x - x0) / (x1 - x0) * (kWidth - kLeft - kRight);
    const py = y => kHeight - kBottom - (bend(y) - bend(y0)) / (bend(y1) - bend(y0)) * (kHeight - kTop - kBottom);
    const parts = [];
    for (const y of useLog ? logTicks(y0, y1) : ticks(y0, y1, 4))
      parts.push(svg("line", {class: "grid", x1: kLeft, x2: kWidth - kRight, y1: py(y), y2: py(y)}),
        svg("text", {x: kLeft - 6, y: py(y) + 4, "text-anchor": "end"}, tickText(y)));
    for (const x of ticks(x0, x1, 5).filter(Number.isInteger))
      parts.push(svg("text", {x: px(x), y: kHeight - 8, "text-anchor": "middle"}, tickText(x)));
    parts.push(svg("line", {class: "axis", x1: kLeft, x2: kWidth - kRight, y1: kHeight - kBottom, y2: kHeight - kBottom}));
    series.forEach((one, i) => {
      const d = one.points.map(([x, y], k) => `${k ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
      parts.push(svg("path", {class: `line series${i}`, d}));
      if (one.dots && one.points.length <= 60)
        parts.push(...one.points.map(([x, y]) => svg("circle", {class: `series${i}`, cx: px(x), cy: py(y), r: 3})));
    });
    const cursor = svg("line", {class: "cursor", y1: kTop, y2: kHeight - kBottom, visibility: "hidden"});
    const last = series.map(one => `${one.name} ${short(one.points.at(-1)[1], 4)}`).join(", ");
    const picture = svg("svg", {viewBox: `0 0 ${kWidth} ${kHeight}`, role: "img", "aria-label": `${title} by update; last: ${last}`}, ...parts, cursor);
    const reading = el("p.reading", {}, `last: ${last}`);
    const nearest = (list, x) => list.reduce((best, point) => Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best);
    picture.addEventListener("pointermove", event => {
      const box = picture.getBoundingClientRect();
      const x = x0 + ((event.clientX - box.left) / box.width * kWidth - kLeft) / (kWidth - kLeft - kRight) * (x1 - x0);
      const at = nearest(series[0].points, x);
      cursor.setAttribute("x1", px(at[0]));
      cursor.setAttribute("x2", px(at[0]));
      cursor.setAttribute("visibility", "visible");
      reading.textContent = `update ${grouped(at[0])}: ${series.map(one => `${one.name} ${short(nearest(one.points, at[0])[1], 4)}`).join(", ")}`;
    });
    picture.addEventListener("pointerleave", () => {
      cursor.setAttribute("visibility", "hidden");
      reading.textContent = `last: ${last}`;
    });
    const keys = series.length < 2 ? [] : series.map((one, i) => el("span.key", {}, el(`i.series${i}`), one.name));
    return el("div.chart", {}, el("h3", {}, title, ...keys), picture, reading, note ? el("p.soft.small", {}, note) : null);
  };

  // How the training loss differs from the validation loss, which is the plain cross-entropy of the references.
  const setting = (key, usual) => Number((new RegExp(`^${key} = ([\\d.e-]+)$`, "m").exec(data.config || "") || [0, usual])[1]);
  const smoothing = setting("label_smoothing", 0), forcing = setting("teacher_forcing", 1);
  const trained = [smoothing > 0 ? `label smoothing (${smoothing})` : "", forcing < 1 ? "the model's own words as part of the input" : ""].filter(text => text);
  const lossNote = trained.length && known(validations, "perplexity").length
    ? `The training loss is measured with ${trained.join(" and ")}, the validation loss without: their heights are not comparable.` : "";
  const charts = () => [
    chart("Loss per token", [{name: smoothing > 0 ? "training, label-smoothed" : "training", points: points(updates, "loss")},
      {name: "validation", points: known(validations, "perplexity").map(line => [line.update, Math.log(line.perplexity)]), dots: true}],
      {note: lossNote}),
    chart("Perplexity", [{name: "perplexity", points: points(validations, "perplexity"), dots: true}], {log: true}),
    chart("Quality", [{name: "BLEU", points: points(validations, "bleu"), dots: true}, {name: "chrF", points: points(validations, "chrf"), dots: true}]),
    chart("Learning rate", [{name: "rate", points: points(updates, "learning_rate")}]),
    chart("Tokens per second", [{name: "tokens/s", points: points(updates, "tokens_per_second")}], {zero: true}),
    chart("Gradient norm", [{name: "norm", points: points(updates, "gradient_norm")}], {log: true}),
  ].filter(one => one);

  // --- Tiles ---

  const best = (key, better) => known(validations, key).reduce((found, line) => found === null || better(line[key], found) ? line[key] : found, null);
  const tile = (name, value) => value === null || value === undefined ? null : el("div.tile", {}, el("span.soft.small", {}, name), el("b", {}, value));
  const tiles = () => {
    const last = [...updates, ...validations].reduce((most, line) => Math.max(most, line.seconds || 0), end ? end.seconds || 0 : 0);
    const perplexity = best("perplexity", (a, b) => a < b), bleu = best("bleu", (a, b) => a > b);
    const reasons = {epochs: "all epochs done", updates: "all updates done", patience: "stopped early"};
    return [
      tile("State", end ? reasons[end.reason] || end.reason : "not finished"), tile("Time", duration(last)),
      tile("Best BLEU", bleu === null ? null : bleu.toFixed(1)), tile("Best perplexity", perplexity === null ? null : short(perplexity, 4)),
      tile("Parameters", start ? grouped(start.parameters) : null), tile("Training pairs", start ? grouped(start.train_pairs) : null),
      tile("Updates", grouped(end ? end.update : updates.length ? updates.at(-1).update : 0)),
      data.divergences.length ? tile("Divergences", grouped(data.divergences.length)) : null,
    ].filter(one => one);
  };

  // --- Samples over time ---

  const fold = start && /case:lc/.test(start.bleu_signature || "") ? text => text.toLowerCase() : text => text;
  const isRight = ({translation, reference}) => fold(translation) === fold(reference);

  const sampler = () => {
    const texts = samplings.at(-1).samples.map(sample => sample.text);
    let index = 0, time = samplings.length - 1, timer = null;
    const choose = el("select", {"aria-label": "Sentence", onchange: event => { index = Number(event.target.value); show(); }},
      ...texts.map((text, i) => el("option", {value: i}, text.length > 90 ? `${text.slice(0, 90)}…` : text)));
    const slider = el("input", {type: "range", min: 0, max: samplings.length - 1, value: time, id: "validation-slider",
      "aria-label": "Validation", oninput: event => { stop(); time = Number(event.target.value); show(); }});
    const where = el("output", {for: "validation-slider"});
    const play = el("button.primary", {type: "button", onclick: () => timer ? stop() : run()}, "Play");
    const facts = el("dl"), holder = el("div"), history = el("div");
    const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
    const run = () => {
      if (time === samplings.length - 1) time = -1;
      play.textContent = "Pause";
      timer = setInterval(() => {
        if (time >= samplings.length - 1) return stop();
        ++time;
        show();
      }, Math.max(120, Math.min(700, 9000 / samplings.length)));
    };
    const name = sampling => sampling.kind === "average" ? "final average" : `update ${grouped(sampling.update)}, epoch ${sampling.epoch}`;
    const showHistory = () => {
      const rows = [];
      let before = null;
      for (const sampling of samplings) {
        const sample = sampling.samples[index];
        if (!sample || sample.translation === before) continue;
        before = sample.translation;
        rows.push(el("tr", {}, el("td.number", {}, grouped(sampling.update)),
          el(isRight(sample) ? "td.good" : "td", {}, sample.translation)));
      }
      history.replaceChildren(el("table.plain", {}, el("thead", {}, el("tr", {}, el("th.number", {scope: "col"}, "Update"),
        el("th", {scope: "col"}, "Changes over training"))), el("tbody", {}, ...rows)));
    };
    const show = () => {
      const sampling = samplings[time], sample = sampling.samples[index];
      slider.value = time;
      where.textContent = name(sampling);
      slider.setAttribute("aria-valuetext", name(sampling));
      if (!sample) return;
      facts.replaceChildren(el("dt", {}, "Source"), el("dd", {}, sample.text), el("dt", {}, "Translation"),
        el(isRight(sample) ? "dd.good" : "dd", {}, sample.translation), el("dt", {}, "Reference"), el("dd", {}, sample.reference));
      const map = sample.map ? heatmap(sample.map).node : el("p.soft", {}, "This sentence is too long to draw.");
      holder.replaceChildren(map);
      showHistory();
    };
    show();
    return el("section.card", {}, el("h2", {}, "The same sentence, from the first validation to the last"),
      el("div.sampler", {}, el("label", {}, choose), el("div.slide", {}, play, slider, where), facts,
        el("div.columns", {}, el("div", {}, holder, legend()), history)));
  };

  // --- Tables ---

  const facts = () => {
    const rows = [["System", start.system], ["Training pairs", grouped(start.train_pairs)], ["Validation pairs", grouped(start.valid_pairs)],
      ["Source vocabulary", grouped(start.source_words)], ["Target vocabulary", grouped(start.target_words)],
      ["Parameters", grouped(start.parameters)], ["Updates planned", grouped(start.updates)], ["Selection metric", start.metric], ["BLEU", start.bleu_signature],
      ["Processor", start.processor], ["Threads", start.threads]];
    return el("section.card", {}, el("h2", {}, "Data, model and machine"), el("table.plain", {}, el("tbody", {},
      ...rows.filter(([, value]) => value !== undefined && value !== "NaN").map(([key, value]) => el("tr", {}, el("th", {scope: "row"}, key), el("td", {}, String(value)))))));
  };
  const numbers = () => {
    const keys = [["update", "Update"], ["epoch", "Epoch"], ["loss", "Training loss"], ["perplexity", "Perplexity"], ["accuracy", "Accuracy"],
      ["bleu", "BLEU"], ["chrf", "chrF"], ["exact", "Exact match"], ["learning_rate", "Learning rate"], ["seconds", "Seconds"]]
      .filter(([key]) => known(validations, key).length);
    return el("details", {}, el("summary", {}, "Table of all validations"), el("div.scroll", {}, el("table.plain", {},
      el("thead", {}, el("tr", {}, ...keys.map(([, name]) => el("th.number", {scope: "col"}, name)))),
      el("tbody", {}, ...validations.map(line => el("tr", {}, ...keys.map(([key]) => el("td.number", {}, short(line[key], 4)))))))));
  };

  root.replaceChildren(...[
    el("h1", {}, `Training run ${data.name}`),
    start ? el("p.soft", {}, `${start.system}, ${grouped(start.parameters)} parameters`) : null,
    el("div.tiles", {}, ...tiles()),
    el("section.card", {}, el("h2", {}, "Training curves"), el("div.charts", {}, ...charts()), validations.length ? numbers() : null),
    samplings.length && samplings.at(-1).samples.length ? sampler() : null,
    start ? facts() : null,
    data.config ? el("section.card", {}, el("details", {}, el("summary", {}, "Full configuration (config.toml)"), el("pre", {tabIndex: 0}, data.config))) : null,
  ].filter(part => part));
})();
