"use strict";
// The translation page: requests to the server. Answers are cached by request, so that a changed text needs only its new
// lines translated, and a late answer can never replace a newer one.
const translatorServer = (() => {
  const kCharacters = 15000, kLines = 100;  // per request, so that a long text appears bit by bit
  const kLongestLine = 20000;               // longer lines are translated without details
  const kTranslations = 5;                  // per sentence
  const kKept = 2000;                       // cached answers

  // What went wrong, as a sentence for the reader. `kind` decides what the page does; try again after `seconds`.
  class Problem extends Error {
    constructor(kind, message, seconds = 0) {
      super(message);
      this.kind = kind;
      this.seconds = seconds;
    }
  }
  const problem = (status, text, seconds) => {
    if (status === 429) return new Problem("busy", "The server is busy.", Math.min(Math.max(Number(seconds) || 2, 1), 120));
    if (/API key/.test(text)) return new Problem("key", /Invalid/.test(text) ? "This server does not know the API key." : "This server asks for an API key.");
    if (status === 413 || /exceeds text limit/.test(text)) return new Problem("long", "The text is too long for this server.");
    if (/glossary/i.test(text)) return new Problem("glossary", text);
    if (/no model|not supported|not available/.test(text)) return new Problem("pair", "This server has no model for these languages any more.");
    if (status === 504) return new Problem("late", "The translation took too long. A shorter text may work.");
    if (status === 503) return new Problem("busy", "The server is about to stop.", 5);
    return new Problem("other", text || `The server answered with status ${status}.`);
  };

  let key = "";
  const indirect = new Set();  // pairs of languages that need two models
  const send = async (path, {method = "GET", json = null, form = null, signal = undefined} = {}) => {
    const headers = {};
    if (json) headers["Content-Type"] = "application/json";
    if (key) headers.Authorization = `Bearer ${key}`;
    let answer, body;
    try {
      answer = await fetch(path, {method, headers, body: json ? JSON.stringify(json) : form, signal, credentials: "omit", cache: "no-store"});
      body = await answer.text();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem("offline", "The server does not answer.", 2);
    }
    let value = null;
    try {
      value = JSON.parse(body);
    } catch { /* an error page of a proxy */ }
    if (!answer.ok || value === null) throw problem(answer.status, value && value.error || "", answer.headers.get("Retry-After"));
    return value;
  };

  const kept = new Map();
  const keep = (name, value) => {
    kept.set(name, value);
    if (kept.size > kKept) kept.delete(kept.keys().next().value);
  };
  const nameOf = (text, pair) => JSON.stringify([text, pair.source, pair.target, pair.glossary]);
  const askFor = pair => ({source: pair.source, target: pair.target, ...(pair.glossary ? {glossary: pair.glossary} : {})});

  // The cached answer for a line: {translation, …} as from /api/v1/translate, without weights; undefined if there is none.
  const known = (line, pair) => line.trim() ? kept.get(nameOf(line, pair)) : {translation: line};

  // Translates the lines that are not cached; `onprogress` is called after each request. Very long lines, and those that
  // need two models, are translated without details.
  const translate = async (lines, pair, signal, onprogress) => {
    const missing = [...new Set(lines)].filter(line => !known(line, pair));
    while (missing.length) {
      let count = 1;
      for (let size = missing[0].length; count < Math.min(missing.length, kLines) && size + missing[count].length <= kCharacters; ++count)
        size += missing[count].length;
      const group = missing.splice(0, count), request = {method: "POST", signal, json: {q: group, ...askFor(pair)}};
      const name = `${pair.source} ${pair.target}`;
      let answers = null;
      if (!indirect.has(name) && group[0].length <= kLongestLine)
        answers = await send("api/v1/translate", request).then(answer => answer.translations, error => {
          if (error.kind !== "pair") throw error;
          indirect.add(name);
        });
      answers = answers || (await send("translate", request)).translatedText.map(translation => ({translation}));
      group.forEach((line, i) => keep(nameOf(line, pair), answers[i]));
      onprogress();
    }
  };

  // The best translations of a sentence, with weights; only one if the server allows no alternatives.
  const details = (sentence, pair) => {
    const name = `details ${nameOf(sentence, pair)}`;
    if (!kept.has(name)) {
      const ask = nbest => send("api/v1/translate", {method: "POST", json: {q: [sentence], nbest, attention: true, ...askFor(pair)}});
      const asked = ask(kTranslations)
        .catch(error => /^nbest/.test(error.message) ? ask(1) : Promise.reject(error))
        .then(({translations: [answer]}) => answer.nbest || [answer]);
      asked.catch(() => kept.delete(name));
      keep(name, asked);
    }
    return kept.get(name);
  };

  const detect = async (text, signal) => (await send("detect", {method: "POST", signal, json: {q: text}}))[0];

  // Returns the path and the name of the translated document.
  const translateFile = async (file, pair, columns) => {
    const form = new FormData();
    for (const [name, value] of [["source", pair.source], ["target", pair.target], ["columns", columns], ["file", file]]) form.append(name, value);
    const {translatedFileUrl} = await send("translate_file", {method: "POST", form});
    const href = new URL(translatedFileUrl, location.href).pathname;  // the server may not know its own address
    return {href, name: decodeURIComponent(href.split("/").pop().replace(/^[0-9a-f]{32}\./, ""))};
  };

  // What the server can do.
  const start = async () => {
    indirect.clear();
    const [settings, languages, spec] = await Promise.all(["frontend/settings", "languages", "spec"].map(path => send(path)));
    const [{schema}] = spec.paths["/api/v1/translate"].post.parameters;
    return {settings, languages, hasGlossary: "glossary" in schema.properties};
  };

  return {start, translate, known, details, detect, translateFile, setKey: value => { key = value; }};
})();
