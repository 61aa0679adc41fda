"use strict";
// The step page: plays encoder and decoder phase by phase. `position` is the index of the current phase; everything
// shown is derived from it.
(() => {
  const {data, root, el, paint, unpaint, short, heatmap, legend, sentences} = heed;
  const kPhaseMilliseconds = 1100, kEncodeMilliseconds = 450;
  const kMostTerms = 4;

  let model, hypothesis, phases, position, timer = null, stages, board;

  const hasAttention = () => model.place === "before" || model.place === "after";
  const percent = p => p >= 0.9995 ? "100%" : `${(100 * p).toFixed(1)}%`;
  const quoted = word => `“${word}”`;

  // --- Small pictures ---

  // Signed numbers as colors: blue is positive, orange negative, stronger is larger.
  const vector = (values, name, upright = false) => {
    if (!values) return el("span.tag", {}, "–");
    const most = Math.max(...values.first.map(x => Math.abs(x || 0)), 1e-9);
    const cells = values.first.map(x => {
      const cell = el("i", {title: short(x)});
      cell.style.backgroundColor = `rgb(var(--${x < 0 ? "minus" : "plus"}) / ${(Math.abs(x || 0) / most).toFixed(3)})`;
      return cell;
    });
    const words = `${name}: ${values.first.length} of ${values.size} components: ${values.first.map(x => short(x, 2)).join(", ")}`;
    return el(upright ? "span.vector.upright" : "span.vector", {role: "img", "aria-label": words, title: words}, ...cells);
  };
  const term = (number, values, name) => el("div.term", {}, number === null ? null : el("span.number", {}, number),
    vector(values, name), el("span.name", {title: name}, name));

  // --- The phases of a step, in the order in which this model computes ---

  const kinds = () => {
    const attention = hasAttention() ? ["score", "softmax", "context"] : [];
    const early = model.place === "before" || model.place === "constant";
    const context = model.place === "constant" ? ["context"] : attention;
    return ["input", ...(early ? context : []), ...(model.input.length > 1 ? ["concat"] : []), "cell",
      ...(early ? [] : context), "readout", "word"];
  };
  const plan = () => {
    const encode = model.encoder.map((_, s) => ({kind: "encode", s, t: -1}));
    return encode.concat(hypothesis.steps.flatMap((_, t) => kinds().map(kind => ({kind, t}))));
  };

  const parts = (names, step) => names.map(name => {
    const values = {embedding: step.embedding, context: step.context, state: step.state}[name];
    return name === "feed" ? el("div.term", {}, el("span.name", {}, "previous readout")) : term(null, values, name);
  });
  const bracket = names => `[${names.map(name => name === "feed" ? "previous readout" : name).join("; ")}]`;

  const topWeights = t => hypothesis.map.weights[t].map((weight, s) => ({weight, s}))
    .sort((a, b) => b.weight - a.weight).slice(0, kMostTerms);

  // What each phase shows: the title of its box, and its content at step t.
  const boxes = {
    input: {
      title: "Previous word and state",
      fill: (step, t) => [
        term(null, step.embedding, `embedding of ${quoted(step.input)}`),
        term(null, step.before, t === 0 ? "initial state, from the encoder" : `state after ${quoted(step.input)}`)],
    },
    score: {
      title: "Attention: score",
      fill: () => [el("p", {}, model.formula), el("p.soft", {},
        model.place === "before" ? "the query is the decoder's previous state" : "the query is the decoder's new state"),
        model.remark ? el("p.soft", {}, `${model.remark[0].toUpperCase()}${model.remark.slice(1)}.`) : null],
    },
    softmax: {
      title: "Attention: softmax",
      fill: (_, t) => topWeights(t).map(({weight, s}) => {
        const name = hypothesis.map.source[s];
        const fill = el("span.bar-fill");
        fill.style.width = `${100 * weight}%`;
        return el("div.choice", {}, el("span.name", {title: name}, name), el("span.track", {}, fill), el("span.number", {}, weight.toFixed(2)));
      }),
    },
    context: {
      title: "Attention: weighted sum",
      fill: (step, t) => {
        if (model.place === "constant") return [term(null, step.context, "the encoder's last state, at every step")];
        const top = topWeights(t);
        const rest = 1 - top.reduce((sum, {weight}) => sum + weight, 0);
        return [...top.map(({weight, s}) => term(`${weight.toFixed(2)} ×`, model.encoder[s], hypothesis.map.source[s])),
          rest > 0.005 && hypothesis.map.source.length > kMostTerms ? el("p.soft", {}, `and ${rest.toFixed(2)} on the other words`) : null,
          el("div.total", {}, term(null, step.context, "context"))];
      },
    },
    concat: {
      title: "Concatenation",
      fill: step => [el("p", {}, `the cell reads ${bracket(model.input)}`), ...parts(model.input, step)],
    },
    cell: {
      title: "Cell",
      fill: (step, t) => [el("p", {}, `${model.cell.toUpperCase()} ${model.input.length > 1 ? "" : `reads ${bracket(model.input)}`}`),
        term(null, step.before, t === 0 ? "initial state" : "state before"), term(null, step.state, "state after")],
    },
    readout: {
      title: "Readout",
      fill: step => [el("p", {}, model.readout_layer ? `tanh(W ${bracket(model.readout)} + b)` : bracket(model.readout)),
        ...parts(model.readout, step), model.readout_layer ? el("div.total", {}, term(null, step.readout, "readout")) : null],
    },
    word: {
      title: "Next word",
      fill: step => {
        const chosen = step.choices.some(choice => choice.word === step.word);
        const list = chosen ? step.choices : [...step.choices, {word: step.word, probability: step.probability}];
        return list.map(({word, probability}) => {
          const fill = el("span.bar-fill");
          fill.style.width = `${100 * probability}%`;
          return el(word === step.word ? "div.choice.chosen" : "div.choice", {}, el("span.name", {title: word}, word),
            el("span.track", {}, fill), el("span.number", {}, percent(probability)));
        });
      },
    },
  };

  // The phase as one sentence, also for screen readers.
  const sentenceOf = phase => {
    if (phase.kind === "encode") return `The encoder reads ${quoted(hypothesis.map.source[phase.s])} and computes its state.`;
    const step = hypothesis.steps[phase.t];
    const best = hasAttention() ? topWeights(phase.t)[0] : null;
    return {
      input: () => `The decoder reads the previous word, ${quoted(step.input)}.`,
      score: () => "Every source word gets a score: how well it matches the decoder's state.",
      softmax: () => `Softmax turns the scores into weights. The largest, ${best.weight.toFixed(2)}, is on ${quoted(hypothesis.map.source[best.s])}.`,
      context: () => model.place === "constant" ? "The context is the encoder's last state, the same at every step." :
        "The context is the sum of the encoder states, each multiplied by its weight.",
      concat: () => `The inputs of the cell are concatenated: ${bracket(model.input)}.`,
      cell: () => "The cell computes the next state.",
      readout: () => model.readout.length > 1 ? `The output layer reads ${bracket(model.readout)}.` : `The output layer reads the ${model.readout[0]}.`,
      word: () => `The next word is ${quoted(step.word)}, with probability ${percent(step.probability)}.`,
    }[phase.kind]();
  };

  // --- The parts of the page ---

  const makeSourceTable = () => {
    const source = hypothesis.map.source;
    const heads = source.map(word => el("th", {scope: "col", title: word}, word));
    const states = model.encoder.map((state, s) => el("td", {}, vector(state, `state of ${source[s]}`, true)));
    const scores = source.map(() => el("td")), weights = source.map(() => el("td"));
    const products = model.encoder.map((state, s) => el("td", {}, vector(state, `weight times state of ${source[s]}`, true)));
    const row = (name, cells) => el("tr", {}, el("th", {scope: "row"}, name), ...cells);
    const table = el("table.source", {}, el("thead", {}, row("source", heads)),
      el("tbody", {}, row("encoder state", states), ...(hasAttention() ? [row("score", scores), row("weight", weights), row("weight × state", products)] : [])));
    return {node: el("div.scroll", {tabIndex: 0, role: "region", "aria-label": "Source words with their states"}, table),
      heads, states, scores, weights, products};
  };

  const makeFlow = () => {
    const items = kinds().map(kind => {
      const body = el("div");
      const item = el(["score", "softmax", "context"].includes(kind) ? "li.attention" : "li", {}, el("h3", {}, boxes[kind].title), body);
      return {kind, item, body};
    });
    return {node: el("ol.flow", {"aria-label": "One step of the decoder"}, ...items.map(({item}) => item)), items};
  };

  const makeAlternatives = () => el("div.alternatives", {}, ...model.hypotheses.map((other, i) => el("button", {
    type: "button", "aria-pressed": String(other === hypothesis), onclick: () => load(model, i),
  }, el("span", {}, other.text), el("span.number.soft", {}, short(other.score)))));

  const attentionText = () => ({
    before: "attention before the cell", after: "attention after the cell",
    constant: "no attention: the encoder's last state at every step", none: "no attention",
  })[model.place];

  // --- Showing a position ---

  const showSource = phase => {
    const t = phase.t, order = kinds();
    const reached = kind => t >= 0 && order.indexOf(phase.kind) >= order.indexOf(kind);
    board.states.forEach((cell, s) => cell.classList.toggle("pending", phase.kind === "encode" && s > phase.s));
    if (!hasAttention()) return;
    board.scores.forEach((cell, s) => { cell.textContent = reached("score") ? short(hypothesis.steps[t].scores[s]) : ""; });
    board.weights.forEach((cell, s) => {
      const on = reached("softmax"), weight = on ? hypothesis.map.weights[t][s] : 0;
      cell.textContent = on ? weight.toFixed(2) : "";
      if (on) paint(cell, weight); else unpaint(cell);
      if (on) paint(board.heads[s], weight); else unpaint(board.heads[s]);
      board.products[s].classList.toggle("pending", !reached("context"));
      board.products[s].firstChild.style.opacity = weight;
    });
  };

  const show = () => {
    const phase = phases[position];
    const order = kinds(), now = order.indexOf(phase.kind);
    const step = hypothesis.steps[Math.max(phase.t, 0)];
    showSource(phase);
    for (const {kind, item, body} of stages.items) {
      const at = order.indexOf(kind), later = phase.t < 0 || at > now;
      item.classList.toggle("now", phase.kind === kind);
      item.classList.toggle("later", later);
      body.replaceChildren(...(phase.t < 0 ? [] : boxes[kind].fill(step, phase.t).filter(node => node)));
      body.setAttribute("aria-hidden", String(later));
    }
    const done = phase.t < 0 ? 0 : phase.t + (phase.kind === "word" ? 1 : 0);
    view.pair.target.items.forEach((item, t) => { item.parentNode.hidden = t >= done; });
    view.map.show(done);
    view.title.textContent = phase.t < 0 ? "Decoder" : `Decoder, step ${phase.t + 1} of ${hypothesis.steps.length}`;
    view.status.textContent = sentenceOf(phase);
    view.slider.value = position;
    view.slider.setAttribute("aria-valuetext", phase.t < 0 ? `encoder, word ${phase.s + 1}` : `step ${phase.t + 1}, ${phase.kind}`);
    view.back.disabled = position === 0;
    view.forward.disabled = view.word.disabled = position === phases.length - 1;
    document.body.dataset.finished = String(position === phases.length - 1);
  };
  const go = to => {
    position = Math.min(Math.max(to, 0), phases.length - 1);
    show();
  };
  const nextWord = () => {
    const next = phases.findIndex((phase, i) => i > position && phase.kind === "word");
    go(next < 0 ? phases.length - 1 : next);
  };

  const setPlaying = on => {
    clearTimeout(timer);
    timer = null;
    view.play.textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (position === phases.length - 1) go(0);
    const tick = () => {
      if (position === phases.length - 1) return setPlaying(false);
      go(position + 1);
      timer = setTimeout(tick, wait());
    };
    timer = setTimeout(tick, wait());
  };
  const wait = () => (phases[position].kind === "encode" ? kEncodeMilliseconds : kPhaseMilliseconds) / Number(view.speed.value);
  const playing = () => timer !== null;

  // --- Building ---

  const view = {};
  const button = (text, label, onclick) => el("button", {type: "button", title: label, "aria-label": label, onclick}, text);
  const stepBy = action => () => { setPlaying(false); action(); };

  const build = () => {
    const speeds = [["0.25", "¼ ×"], ["0.5", "½ ×"], ["1", "1 ×"], ["2", "2 ×"], ["4", "4 ×"], ["16", "16 ×"]];
    view.play = el("button.primary", {type: "button", onclick: () => setPlaying(!playing())}, "Play");
    view.back = button("◀", "Previous step", stepBy(() => go(position - 1)));
    view.forward = button("▶", "Next step", stepBy(() => go(position + 1)));
    view.word = button("▶ word", "Next word", stepBy(nextWord));
    view.speed = el("select", {"aria-label": "Speed"}, ...speeds.map(([value, text]) => el("option", {value, selected: value === "1"}, text)));
    view.slider = el("input", {type: "range", min: 0, "aria-label": "Timeline", oninput: event => stepBy(() => go(Number(event.target.value)))()});
    view.status = el("p.status", {role: "status", "aria-live": "polite"});
    const modelChoice = data.models.length < 2 ? null : el("label", {}, "Model ", el("select", {onchange: event => load(data.models[event.target.value], 0)},
      ...data.models.map((one, i) => el("option", {value: i}, one.title))));
    view.head = el("div");
    view.source = el("div");
    view.title = el("h2");
    view.flow = el("div");
    view.words = el("div");
    view.mapHolder = el("div");
    view.others = el("div");
    root.replaceChildren(
      el("h1", {}, "Attention, step by step"), view.head,
      el("section.card.bar-top", {"aria-label": "Controls"}, el("div.controls", {}, view.play, view.back, view.forward, view.word,
        el("div.timeline", {}, view.slider), el("label", {}, "Speed ", view.speed), modelChoice), view.status),
      el("section.card", {}, el("h2", {}, "Encoder"), view.source),
      el("section.card", {}, view.title, view.flow),
      el("div.columns", {}, el("section.card", {}, el("h2", {}, "Translation"), view.words, view.others),
        el("section.card", {}, el("h2", {}, "Attention so far"), view.mapHolder)),
      el("p.soft.small", {}, "All numbers are computed by this model. Vectors show their first components: blue is positive, orange negative. "
        + "Keys: space plays and pauses, ← and → step, w jumps to the next word, Home and End to the first and last step."));
  };

  const load = (nextModel, index) => {
    if (view.play) setPlaying(false);
    model = nextModel;
    hypothesis = model.hypotheses[index];
    phases = plan();
    position = 0;
    board = makeSourceTable();
    stages = makeFlow();
    view.pair = sentences(hypothesis.map, (side, i) => {
      if (i === null) view.map.light(null, null);
      else view.map.light(side === "target" ? i : null, side === "source" ? i : null);
    });
    view.map = heatmap({...hypothesis.map, title: "", subtitle: ""}, {onhover: at => {
      view.pair.clear();
      if (at && at.row !== null) view.pair.source.items.forEach((item, s) => paint(item, hypothesis.map.weights[at.row][s]));
      else if (at) view.pair.target.items.forEach((item, t) => paint(item, hypothesis.map.weights[t][at.column]));
    }});
    view.head.replaceChildren(el("p", {}, el("strong", {}, model.title), ": ", model.summary), el("p", {}, el("span.badge", {}, attentionText())));
    view.source.replaceChildren(board.node);
    view.flow.replaceChildren(stages.node);
    view.words.replaceChildren(view.pair.node, el("p.soft.small.spaced", {}, "Point at a word to see what it attends to, or what attends to it."));
    view.mapHolder.replaceChildren(view.map.node, ...(hypothesis.map.weights ? [legend(hypothesis.map.gold)] : []));
    view.others.replaceChildren(...(model.hypotheses.length > 1 ? [el("h3.spaced", {}, "Search candidates"), makeAlternatives()] : []));
    view.slider.max = phases.length - 1;
    show();
  };

  build();
  load(data.models[0], 0);

  document.addEventListener("keydown", event => {
    const name = event.target.tagName;
    if (event.ctrlKey || event.altKey || event.metaKey || name === "SELECT" || name === "INPUT") return;
    const actions = {
      " ": () => setPlaying(!playing()), ArrowLeft: stepBy(() => go(position - 1)), ArrowRight: stepBy(() => go(position + 1)),
      Home: stepBy(() => go(0)), End: stepBy(() => go(phases.length - 1)), w: stepBy(nextWord),
    };
    if (!actions[event.key] || (event.key === " " && name === "BUTTON")) return;
    event.preventDefault();
    actions[event.key]();
  });
})();
