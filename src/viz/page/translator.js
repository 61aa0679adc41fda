"use strict";
// The translation page. What is shown depends only on the text, the languages and the answers so far; show() draws it.
(() => {
  const {el, root, data, scheme} = heed;
  const server = translatorServer, {sentences, translation, remarks} = translatorWords;
  const {icon, iconButton, makeEditor, makeOutput} = translatorPanes, {makeDocuments} = translatorDocuments;
  const kTypingPause = 250, kReadingPause = 900, kPointingPause = 60;  // milliseconds
  const kLongestRetry = 30;                                            // seconds
  const kAuto = "auto", kSure = 40, kHint = "Point at a word to see where it comes from.";
  const kExamples = {
    en: "The old man sees a dog.", de: "Der alte Mann sieht einen Hund.", fr: "Le vieil homme voit un chien.", es: "El viejo ve un perro.",
    pt: "O velho vê um cachorro.", ru: "Старик видит собаку.", ar: "الرجل العجوز يرى كلبا.", zh: "老人看见一只狗。", ja: "老人は犬を見る。",
  };

  let settings = {charLimit: -1}, languages = [], hasGlossary = false;
  let detected = null;            // the language of the text, if it is detected
  let lines = [];                 // what is shown: {text, stale, sentences}
  let selected = null;            // the sentence whose alternatives are shown
  const chosen = new Map();       // the translation that the reader prefers, by sentence
  let typing, pointing, retrying, reading, running = null, tries = 0;

  const percent = p => p > 0.995 ? "100 %" : p < 0.01 ? "< 1 %" : `${Math.round(100 * p)} %`;
  const grouped = number => number.toLocaleString("en");
  const languageName = code => languages.find(language => language.code === code)?.name || code;
  const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* for this visit only */ } };
  const remembered = name => { try { return localStorage.getItem(name); } catch { return null; } };

  // --- The parts of the page ---

  const view = {};
  view.source = el("select", {id: "source", onchange: () => changeLanguages()});
  view.target = el("select", {id: "target", onchange: () => changeLanguages()});
  view.swap = iconButton("swap", "Swap the languages", () => swap());
  view.editor = makeEditor({oninput: composing => { if (!composing) edit(); }, onpoint: (sentence, word) => point("source", sentence, word)});
  view.output = makeOutput({
    onpoint: (sentence, word, isFocus) => {
      point("target", sentence, word);
      if (isFocus && sentence && sentence !== selected) select(sentence);
    },
    onselect: sentence => select(sentence),
  });
  view.text = view.editor.area;
  view.clear = iconButton("close", "Clear the text", () => {
    setText("");
    view.text.focus();
  });
  view.count = el("span.soft.number", {id: "count"});
  view.documents = makeDocuments({allowed: () => settings.filesTranslation, pair: () => pair()});
  view.example = el("button.example", {type: "button", hidden: true, onclick: () => {
    setText(view.example.textContent);
    view.text.focus();
  }});
  view.empty = el("p.empty.soft", {}, "The translation appears here as you type.");
  view.problem = el("div.problem", {role: "alert", hidden: true});
  view.busy = el("div.busy", {"aria-hidden": "true"});
  view.reading = el("p.reading.soft", {id: "reading"});
  view.copy = el("button.quiet", {type: "button", id: "copy", onclick: () => copy()}, icon("copy"), el("span", {}, "Copy"));
  view.doubt = el("input", {type: "checkbox", id: "confidence", checked: remembered("heed-confidence") === "true", onchange: () => {
    remember("heed-confidence", view.doubt.checked);
    view.output.node.classList.toggle("doubts", view.doubt.checked);
  }});
  view.status = el("p.hidden", {role: "status", "aria-live": "polite"});
  view.alternatives = el("div.alternatives", {id: "alternatives"});
  view.quote = el("p.soft.quote", {dir: "auto"});
  view.lookFields = el("span", {hidden: true});
  view.look = el("form", {action: "api/v1/look", target: "_blank", rel: "noopener"}, view.lookFields,
    el("button", {type: "submit", id: "look"}, icon("eye"), "Look inside"));
  view.sentence = el("section.card.sentence-card", {"aria-labelledby": "others", hidden: true},
    el("h2", {id: "others"}, "Choose a translation"), view.quote, view.alternatives, view.look);
  view.remarks = el("section.card", {"aria-labelledby": "remarks", hidden: true}, el("h2", {id: "remarks"}, "Good to know"), el("ul.remarks"));
  view.glossary = el("textarea", {id: "glossary", dir: "auto", rows: 4, spellcheck: false, placeholder: "term = translation",
    value: remembered("heed-glossary") || "", "aria-describedby": "glossary-help", oninput: () => {
      remember("heed-glossary", view.glossary.value);
      edit();
    }});
  view.glossaryBox = el("details.card", {id: "glossary-box", hidden: true}, el("summary", {}, "Glossary"),
    el("p.soft.small", {id: "glossary-help"}, "One term per line. The translation uses your words: dog = Vierbeiner"),
    el("label.hidden", {for: "glossary"}, "Terms and their translations"), view.glossary);
  view.key = el("input", {type: "password", id: "key", autocomplete: "off", spellcheck: false, oninput: () => {
    server.setKey(view.key.value.trim());
    edit();
  }});
  view.keyBox = el("form.card.key-box", {hidden: true, onsubmit: event => event.preventDefault()}, el("label", {for: "key"}, "API key"), view.key,
    el("p.soft.small", {}, "This server translates only for those who have a key. The page keeps it until you close it."));
  view.theme = el("button.quiet", {type: "button", id: "theme", onclick: () => scheme.toggle()});

  const showTheme = () => {
    const label = scheme.isDark() ? "Light colors" : "Dark colors";
    view.theme.replaceChildren(icon(scheme.isDark() ? "sun" : "moon"));
    view.theme.setAttribute("aria-label", label);
    view.theme.title = label;
  };

  const build = () => root.replaceChildren(
    el("header.top", {}, el("h1", {}, "heed"), el("p.soft", {}, "translates, and shows how"), view.theme),
    view.keyBox,
    el("div.card.translator", {},
      el("div.languages", {role: "group", "aria-label": "Languages"},
        el("label.hidden", {for: "source"}, "From"), view.source, view.swap, el("label.hidden", {for: "target"}, "To"), view.target),
      el("section.pane", {"aria-label": "Text"}, el("label.hidden", {for: "text"}, "Text to translate"), view.editor.node, view.example,
        el("div.foot", {}, view.documents.button, view.count, view.clear)),
      el("section.pane.result", {"aria-label": "Result"}, view.busy, view.problem, view.empty, view.output.node, view.reading,
        el("div.foot", {}, el("label.check", {for: "confidence"}, view.doubt, "Show doubts"), view.copy))),
    view.documents.card,
    el("div.below", {}, view.sentence, el("div", {}, view.remarks, view.glossaryBox)),
    view.status, view.documents.drop,
    el("footer.soft.small", {}, `heed ${data.version} · Your text goes to this server and nowhere else.`));

  // --- Languages ---

  const pair = () => ({source: view.source.value === kAuto ? detected : view.source.value, target: view.target.value, glossary: glossary()});
  const targetsOf = code => (languages.find(language => language.code === code)?.targets || []).filter(target => target !== code);
  const sourcesWithTargets = () => languages.filter(language => targetsOf(language.code).length > 0);

  const showLanguages = (source, target) => {
    const options = sourcesWithTargets().map(({code, name}) => el("option", {value: code}, name));
    const detects = options.length > 1 && settings.language.source.code === kAuto;
    if (detects) options.unshift(el("option", {value: kAuto}, detected ? `${languageName(detected)} · auto` : "Detect language"));
    view.source.replaceChildren(...options);
    if ([...view.source.options].some(option => option.value === source)) view.source.value = source;
    const from = view.source.value === kAuto ? detected : view.source.value;
    const codes = from ? targetsOf(from) : [...new Set(sourcesWithTargets().flatMap(language => targetsOf(language.code)))];
    view.target.replaceChildren(...codes.map(code => el("option", {value: code}, languageName(code))));
    if (codes.includes(target)) view.target.value = target;
    const now = pair();
    view.text.lang = now.source || "";
    view.swap.disabled = !now.source || !targetsOf(now.target).includes(now.source);
    view.swap.title = view.swap.disabled && now.source ? `There is no model from ${languageName(now.target)} to ${languageName(now.source)}` : "Swap the languages";
    view.example.textContent = kExamples[(now.source || "").split("-")[0]] || "";
    remember("heed-pair", JSON.stringify([view.source.value, view.target.value]));
  };
  const changeLanguages = () => {
    detected = null;
    showLanguages(view.source.value, view.target.value);
    begin();
  };
  const swap = () => {
    const {source, target} = pair(), text = shownText();
    detected = null;
    showLanguages(target, source);
    if (text.trim()) setText(text); else begin();
  };

  // --- Translating ---

  // [[term, translation], …], or null; if several lines have the same term, the last one counts.
  const glossary = () => {
    const terms = view.glossary.value.split("\n").map(line => line.split(/[=\t]/).map(part => part.trim())).filter(([term, own]) => term && own);
    return hasGlossary && terms.length ? [...new Map(terms.map(([term, own]) => [term.toLowerCase(), [term, own]])).values()] : null;
  };
  const setText = text => {
    view.editor.set(text);
    edit(0);
  };
  const edit = (pause = kTypingPause) => {
    const text = view.text.value;
    view.example.hidden = text !== "" || view.example.textContent === "";
    view.clear.hidden = text === "";
    const limit = settings.charLimit, size = [...text].length;
    view.count.textContent = limit >= 0 && size > limit / 2 ? `${grouped(size)} of ${grouped(limit)} characters` : size ? `${grouped(size)} characters` : "";
    view.count.classList.toggle("over", limit >= 0 && size > limit);
    clearTimeout(typing);
    clearTimeout(retrying);
    running?.abort();
    if (pause) typing = setTimeout(begin, pause); else begin();
  };

  // Translates the text as it is now.
  const begin = async () => {
    clearTimeout(typing);
    clearTimeout(retrying);
    running?.abort();
    running = null;
    const text = view.text.value, limit = settings.charLimit, size = [...text].length;
    if (languages.length === 0) return;
    if (limit >= 0 && size > limit) return fail(Object.assign(new Error(
      `The text has ${grouped(size)} characters, and this server takes ${grouped(limit)}.`), {kind: "long"}));
    const mine = running = new AbortController();
    view.busy.classList.toggle("on", text.trim() !== "");
    try {
      if (view.source.value === kAuto && text.trim()) {
        const guess = await server.detect(text.slice(0, 2000), mine.signal);
        if (running !== mine) return;
        if (!detected || guess.confidence >= kSure) detected = guess.language;
        showLanguages(kAuto, view.target.value);
      }
      const asked = pair();
      if (asked.source) await server.translate(text.split("\n"), asked, mine.signal, () => { if (running === mine) show(); });
      if (running !== mine) return;
      tries = 0;
      running = null;
      view.busy.classList.remove("on");
      view.problem.hidden = true;
      show();
      announce();
    } catch (error) {
      if (error.name === "AbortError" || running !== mine) return;
      running = null;
      fail(error);
    }
  };

  const fail = error => {
    view.busy.classList.remove("on");
    if (error.kind === "key") view.keyBox.hidden = false;
    const words = el("p", {}, error.message);
    view.problem.replaceChildren(words);
    view.problem.hidden = false;
    view.problem.dataset.kind = error.kind || "other";
    const retries = error.seconds > 0;
    if (retries) retry(error, words);
    if (retries || error.kind === "late" || error.kind === "other")
      view.problem.append(el("button", {type: "button", onclick: () => (languages.length ? begin : start)()}, "Try again"));
    if (error.kind === "pair") start(false);
    show();
  };
  const retry = (error, words) => {
    let left = Math.min(error.kind === "offline" ? error.seconds * 2 ** tries++ : error.seconds, kLongestRetry);
    const tick = () => {
      words.textContent = `${error.message} Trying again in ${left} s.`;
      if (left-- > 0) retrying = setTimeout(tick, 1000);
      else (languages.length ? begin : start)();
    };
    clearTimeout(retrying);
    tick();
  };

  // --- Showing ---

  const shownText = () => lines.map(line => {
    let text = "", at = 0;
    for (const sentence of line.sentences) {
      text += line.text.slice(at, sentence.target.from) + sentence.shown.text;
      at = sentence.target.to;
    }
    return text + line.text.slice(at);
  }).join("\n");

  const show = () => {
    const asked = pair(), before = lines;
    let from = 0;
    lines = view.text.value.trim() === "" || !asked.source ? [] : view.text.value.split("\n").map((line, i) => {
      const answer = server.known(line, asked), at = from;
      from += line.length + 1;
      if (!answer) return before[i] ? {...before[i], sentences: [], text: before[i].text, stale: true} : {text: "", sentences: [], stale: true};
      const found = line.trim() === "" ? [] : sentences(line, answer, asked.target);
      return {text: answer.translation, stale: false, answer, sentences: found.map(part => makeSentence(part, line, at, answer, asked))};
    });
    const all = lines.flatMap(line => line.sentences);
    view.editor.mark(all);
    view.output.write(lines, asked.target);
    view.output.node.classList.toggle("doubts", view.doubt.checked);
    view.empty.hidden = lines.length > 0 || !view.problem.hidden;
    view.copy.disabled = !lines.some(line => !line.stale && line.text);
    view.reading.textContent = all.some(sentence => sentence.words.length) ? kHint : "";
    showRemarks();
    select(all.find(sentence => selected && sentence.name === selected.name) || all[0] || null);
  };

  // A sentence: its position in the text and in the translation of its line, and the translation that is shown.
  const makeSentence = (part, line, at, answer, asked) => {
    const text = line.slice(part.source.from, part.source.to);
    const sentence = {...part, text, asked, name: JSON.stringify([text, asked.source, asked.target, asked.glossary]),
      from: at + part.source.from, to: at + part.source.to, sourceWords: [], versions: null,
      original: {text: answer.translation.slice(part.target.from, part.target.to), target: part.words, weights: null}};
    sentence.shown = chosen.get(sentence.name) || sentence.original;
    return sentence;
  };

  const showRemarks = () => {
    const found = remarks(lines.filter(line => !line.stale).flatMap(line => line.answer?.warnings || []));
    view.remarks.hidden = found.length === 0;
    view.remarks.querySelector("ul").replaceChildren(...found.map(({text, words}) => el("li", {}, text,
      ...words.slice(0, 6).flatMap((word, i) => [i ? ", " : "", el("q", {dir: "auto"}, word)]), words.length > 6 ? ` and ${words.length - 6} more` : "")));
  };

  // The translations of a sentence with their weights, requested when the reader looks at it.
  const load = async sentence => {
    if (sentence.versions || !sentence.words.length) return;
    const answers = await server.details(sentence.text, sentence.asked);
    if (sentence.versions) return;
    sentence.versions = answers.map(answer => translation(answer, sentence.text, sentence.asked));
    const same = sentence.versions.find(version => version.text === sentence.shown.text);
    if (!lines.some(line => line.sentences.includes(sentence))) return;
    if (!same) return;
    const isDrawn = same.target.length === sentence.shown.target.length;  // then the reader's selection survives
    sentence.shown = same;
    sentence.sourceWords = same.source;
    refresh(!isDrawn);
  };
  const refresh = writes => {
    view.editor.mark(lines.flatMap(line => line.sentences));
    if (!writes) return;
    view.output.write(lines, pair().target);
    view.output.select(selected);
  };

  const select = sentence => {
    selected = sentence;
    view.output.select(sentence);
    view.sentence.hidden = !sentence || !sentence.words.length;
    if (view.sentence.hidden) return;
    const asked = sentence.asked, key = view.key.value.trim();
    view.look.method = key ? "post" : "get";  // a key must not become part of a URL
    view.lookFields.replaceChildren(...Object.entries({source: asked.source, target: asked.target, q: sentence.text, ...(key ? {api_key: key} : {})})
      .map(([name, value]) => el("input", {type: "hidden", name, value})));
    view.quote.hidden = lines.flatMap(line => line.sentences).length < 2;
    view.quote.textContent = sentence.text;
    showAlternatives(sentence);
    load(sentence).then(() => { if (selected === sentence) showAlternatives(sentence); }, () => {});
  };
  const showAlternatives = sentence => {
    const versions = sentence.versions || [];
    const focused = document.activeElement?.parentNode === view.alternatives ? [...view.alternatives.children].indexOf(document.activeElement) : -1;
    view.alternatives.replaceChildren(...(versions.length > 1 ? versions.map(version => el("button", {type: "button", dir: "auto", lang: sentence.asked.target,
      "aria-pressed": String(version.text === sentence.shown.text), onclick: () => choose(sentence, version)}, version.text))
      : [el("p.soft", {}, sentence.versions ? "There is no other." : "…")]));
    if (focused >= 0) view.alternatives.children[focused]?.focus();
  };
  const choose = (sentence, version) => {
    chosen.set(sentence.name, version);
    sentence.shown = version;
    sentence.sourceWords = version.source;
    refresh(true);
    showAlternatives(sentence);
    view.status.textContent = `The translation is now: ${version.text}`;
  };

  // The reader points at a word: the words on the other side show how much it attends to them, or they to it.
  const point = (side, sentence, word) => {
    clearTimeout(pointing);
    view.editor.clear();
    view.output.clear();
    if (view.reading.textContent) view.reading.textContent = kHint;
    if (!sentence) return;
    if (!sentence.versions) {
      pointing = setTimeout(() => load(sentence).then(() => { if (side === "target" || word !== null) light(side, sentence, word); }, () => {}), kPointingPause);
      return;
    }
    light(side, sentence, word);
  };
  const light = (side, sentence, word) => {
    const {shown} = sentence;
    const own = (side === "target" ? shown.target : shown.source)?.[word];
    if (!own) return;
    (side === "target" ? view.output : view.editor).light(sentence, word);
    const text = side === "target" ? shown.text.slice(own.from, own.to) : sentence.text.slice(own.from, own.to);
    const parts = [];
    if (shown.weights) {
      const weights = side === "target" ? shown.weights[word] : shown.weights.map(row => row[word]);
      (side === "target" ? view.editor : view.output).weigh(sentence, weights);
      const others = side === "target" ? shown.source : shown.target, whole = side === "target" ? sentence.text : shown.text;
      const best = weights.map((weight, i) => ({weight, text: whole.slice(others[i].from, others[i].to)}))
        .filter(({weight}) => weight >= 0.05).sort((a, b) => b.weight - a.weight).slice(0, 3);
      if (best.length) parts.push(`${side === "target" ? "from" : "in"} ${best.map(one => `“${one.text}” ${percent(one.weight)}`).join(", ")}`);
    }
    if (side === "target") parts.push(`confidence ${percent(own.confidence)}`);
    view.reading.textContent = `“${text}”: ${parts.join(" · ") || "attended to by no word"}`;
  };

  const announce = () => {
    clearTimeout(reading);
    const text = shownText();
    reading = setTimeout(() => { view.status.textContent = text ? `Translation: ${text.slice(0, 300)}` : ""; }, kReadingPause);
  };

  const copy = async () => {
    const text = shownText(), label = view.copy.lastChild;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // only secure origins have access to the clipboard
      const helper = el("textarea", {value: text});
      root.append(helper);
      helper.select();
      document.execCommand("copy");
      helper.remove();
      view.copy.focus();
    }
    label.textContent = "Copied";
    view.status.textContent = "The translation was copied.";
    setTimeout(() => { label.textContent = "Copy"; }, 1500);
  };

  // --- Beginning ---

  const start = async (translates = true) => {
    try {
      ({settings, languages, hasGlossary} = await server.start());
    } catch (error) {
      return fail(error);
    }
    view.problem.hidden = translates ? true : view.problem.hidden;
    view.keyBox.hidden = !settings.keyRequired;
    view.documents.allow(settings.filesTranslation, settings.supportedFilesFormat);
    view.glossaryBox.hidden = !hasGlossary;
    view.glossaryBox.open = hasGlossary && view.glossary.value !== "";
    const [source, target] = JSON.parse(remembered("heed-pair") || "[]"), address = new URLSearchParams(location.search);
    const first = languages.find(language => targetsOf(language.code).includes(settings.language.target.code))?.code;
    showLanguages(address.get("source") || view.source.value || source || first, address.get("target") || view.target.value || target || settings.language.target.code);
    if (translates) edit(0);
  };
  build();
  showTheme();
  scheme.onchange(showTheme);
  document.addEventListener("keydown", event => { if (event.key === "Escape") point("target", null, null); });
  const question = new URLSearchParams(location.search).get("q");
  if (question) view.editor.set(question);
  view.text.focus();
  start();
})();
