"use strict";
// The run report: tiles, curves, translations and attention over time, settings.
(() => {
  const {data, parts: samplings, root, el, short, grouped, heatmap, legend} = heed;
  const {start, end, validations} = data;

  const duration = seconds => {
    const s = Math.round(seconds), h = Math.floor(s / 3600), m = Math.floor(s % 3600 / 60);
    return h ? `${h} h ${m} min` : m ? `${m} min ${s % 60} s` : `${s} s`;
  };
  const known = (list, key) => list.filter(line => typeof line[key] === "number" && isFinite(line[key]));

  // The training loss may include label smoothing and sampled inputs; the validation loss is the plain cross-entropy.
  const setting = (key, usual) => Number((new RegExp(`^${key} = ([\\d.e-]+)$`, "m").exec(data.config || "") || [0, usual])[1]);
  const smoothing = setting("label_smoothing", 0), forcing = setting("teacher_forcing", 1);
  const trained = [smoothing > 0 ? `label smoothing (${smoothing})` : "", forcing < 1 ? "the model's own words as part of the input" : ""].filter(text => text);
  const losses = data.charts[0];
  if (losses && trained.length && losses.curves.length > 1)
    losses.note = `The training loss is measured with ${trained.join(" and ")}, the validation loss without: the two are not comparable.`;
  if (losses && smoothing > 0) losses.curves.filter(one => one.name === "training").forEach(one => { one.name = "training, label-smoothed"; });

  // --- Tiles ---

  const best = (key, better) => known(validations, key).reduce((found, line) => found === null || better(line[key], found) ? line[key] : found, null);
  const tile = (name, value) => value === null || value === undefined ? null : el("div.tile", {}, el("span.soft.small", {}, name), el("b", {}, value));
  const tiles = () => {
    const last = [data.last || {}, ...validations].reduce((most, line) => Math.max(most, line.seconds || 0), end ? end.seconds || 0 : 0);
    const perplexity = best("perplexity", (a, b) => a < b), bleu = best("bleu", (a, b) => a > b);
    const reasons = {epochs: "all epochs done", updates: "all updates done", patience: "stopped early"};
    return [
      tile("State", end ? reasons[end.reason] || end.reason : "not finished"), tile("Time", duration(last)),
      tile("Best BLEU", bleu === null ? null : bleu.toFixed(1)), tile("Best perplexity", perplexity === null ? null : short(perplexity, 4)),
      tile("Parameters", start ? grouped(start.parameters) : null), tile("Training pairs", start ? grouped(start.train_pairs) : null),
      tile("Updates", grouped(end ? end.update : data.last ? data.last.update : 0)),
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
    el("section.card", {}, el("h2", {}, "Training curves"), heed.charts(data.charts), validations.length ? numbers() : null),
    samplings.length && samplings.at(-1).samples.length ? sampler() : null,
    start ? facts() : null,
    data.config ? el("section.card", {}, el("details", {}, el("summary", {}, "Full configuration (config.toml)"), el("pre", {tabIndex: 0}, data.config))) : null,
  ].filter(part => part));
})();
