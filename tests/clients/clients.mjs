// Uses a client against a server, as its documentation shows, and prints what it answered:
//   node clients.mjs CLIENT '{"url": "http://127.0.0.1:5000", "key": "", "calls": [["translate", "text", "en", "de"], …]}'
// One line of JSON: for each call {"value": …} or {"error": "…"}.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);  // some packages are only complete this way

const clients = {
  async translate({url, key}) {
    const {default: translate} = await import("translate");
    Object.assign(translate, {engine: "libre", url: `${url}/translate`, key: key || undefined});
    return {translate: (text, from, to) => translate(text, {from, to})};
  },
  async "libretranslate-ts"({url, key}) {
    const {libreTranslate} = require("libretranslate-ts");
    libreTranslate.setApiEndpoint(url);
    libreTranslate.setApiKey(key);
    const checked = async answer => {
      const value = await answer;
      if (value.status >= 400) throw new Error(value.error);  // its status is always 500
      return value;
    };
    return {
      translate: async (text, from, to) => (await checked(libreTranslate.translate(text, from, to))).translatedText,
      alternatives: async (text, from, to, count) => (await checked(libreTranslate.translate(text, from, to, count))).alternatives,
      detect: async text => (await checked(libreTranslate.detect(text))).language,
      languages: () => libreTranslate.listLanguages(),
    };
  },
  async libretranslate({url, key}) {
    const {translate} = require("libretranslate");
    return {translate: (query, source, target) => translate({query, source, target, apiurl: url, apiKey: key})};
  },
  async anylang({url, key}) {
    const {LibreTranslateTranslator} = require("anylang/translators/unstable/LibreTranslateTranslator");
    const translator = new LibreTranslateTranslator({apiHost: `${url}/translate`, apiKey: key || undefined});
    return {
      translate: (text, from, to) => translator.translate(text, from, to),
      batch: (texts, from, to) => translator.translateBatch(texts, from, to),
    };
  },
  async "deepl-node"({url, key}) {
    const deepl = require("deepl-node");
    const client = new deepl.DeepLClient(key || "none", {serverUrl: url});
    const named = error => { throw new Error(`${error.constructor.name}: ${error.message}`); };
    const text = result => Array.isArray(result) ? result.map(text) : result.text;
    return {
      translate: (texts, from, to) => client.translateText(texts, from, to).then(text, named),
      detected: (texts, from, to) => client.translateText(texts, from, to).then(result => result.detectedSourceLang, named),
      html: (texts, from, to) => client.translateText(texts, from, to, {tagHandling: "html"}).then(text, named),
      languages: () => client.getTargetLanguages().then(all => all.map(({code, name}) => [code, name]), named),
      usage: () => client.getUsage().then(usage => usage.character.count, named),
      // So many times, one after the other; returns the different answers.
      repeat: async (count, sentence, from, to) => {
        const found = new Set();
        for (let i = 0; i < count; ++i) found.add((await client.translateText(sentence, from, to).catch(named)).text);
        return [...found];
      },
    };
  },
};

const [name, settings] = [process.argv[2], JSON.parse(process.argv[3])];
const client = await clients[name](settings);
const answers = [];
for (const [call, ...values] of settings.calls) {
  try {
    answers.push({value: await client[call](...values) ?? null});
  } catch (error) {
    answers.push({error: String(error.message || error)});
  }
}
console.log(JSON.stringify(answers));
