"use strict";
// The translation page: converts answers of the server to sentences and words. The server counts characters; JavaScript,
// and all positions {from, to} here, count UTF-16 units.
const translatorWords = (() => {
  const kIsSpace = /\s/u;

  // The server's spans in a text; null for an empty one, such as that of the end symbol.
  const unitSpans = (text, spans) => {
    const units = [0];
    for (const character of text) units.push(units[units.length - 1] + character.length);
    return spans.map(([from, to]) => from < to && to < units.length ? {from: units[from], to: units[to]} : null);
  };
  const overlap = (a, b) => a.from < b.to && b.from < a.to;

  // Words and punctuation, by the rules of Unicode.
  const segments = (text, language) => {
    let parts;
    try {
      parts = new Intl.Segmenter(language, {granularity: "word"}).segment(text);
    } catch {
      parts = text.matchAll(/\s+|[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu);
    }
    const found = [];
    for (const part of parts) {
      const word = part.segment ?? part[0];
      if (word.trim()) found.push({from: part.index, to: part.index + word.length});
    }
    return found;
  };

  // The words of a text, each with the indices of its tokens. Words that share a token are one word.
  const words = (text, language, spans) => {
    const all = [];
    for (const segment of segments(text, language)) {
      const tokens = spans.flatMap((span, i) => span && overlap(span, segment) ? [i] : []);
      const last = all[all.length - 1];
      if (last && tokens.some(token => last.tokens.includes(token))) {
        last.to = segment.to;
        last.tokens = [...new Set([...last.tokens, ...tokens])];
      } else {
        all.push({...segment, tokens});
      }
    }
    return all;
  };

  // A translation of a sentence: {text, target: words with confidences, source: words, weights[target][source] or null}.
  // The weight of a word is the sum over its source tokens and the mean over its target tokens.
  const translation = (answer, sentence, {source, target}) => {
    const to = words(answer.translation, target, unitSpans(answer.translation, answer.target_spans));
    const from = words(sentence, source, unitSpans(sentence, answer.source_spans));
    for (const word of to) word.confidence = word.tokens.reduce((product, t) => product * answer.confidences[t], 1);
    const rows = answer.attention;
    const weights = !rows || !rows.length ? null : to.map(word => from.map(({tokens}) =>
      word.tokens.reduce((sum, t) => sum + tokens.reduce((part, s) => part + rows[t][s], 0), 0) / Math.max(word.tokens.length, 1)));
    return {text: answer.translation, target: to, source: from, weights};
  };

  // Divides a text between its sentences: at the white space between them, otherwise where the next one begins.
  const divide = (text, ranges) => {
    let from = 0;
    return ranges.map((range, i) => {
      let to = text.length;
      if (i + 1 < ranges.length) {
        to = range.to;
        while (to < ranges[i + 1].from && !kIsSpace.test(text[to])) ++to;
      }
      const begin = from;
      from = to;
      let first = begin, last = to;
      while (first < last && kIsSpace.test(text[first])) ++first;
      while (last > first && kIsSpace.test(text[last - 1])) --last;
      return {from: first, to: last};
    });
  };
  const extent = spans => {
    const real = spans.filter(span => span);
    return real.length ? {from: Math.min(...real.map(span => span.from)), to: Math.max(...real.map(span => span.to))} : null;
  };

  // The sentences of a translated line, {source, target, words}: their positions, and the words of the translation.
  const sentences = (line, answer, language) => {
    if (!answer.target_spans) return [{source: {from: 0, to: line.length}, target: {from: 0, to: answer.translation.length}, words: []}];
    const spans = unitSpans(answer.translation, answer.target_spans);
    const all = words(answer.translation, language, spans);
    for (const word of all) word.confidence = word.tokens.reduce((product, t) => product * answer.confidences[t], 1);
    const pieces = (answer.pieces || []).map(piece => ({
      source: extent(unitSpans(line, piece.source_spans)), target: extent(unitSpans(answer.translation, piece.target_spans)),
    })).filter(piece => piece.source && piece.target);
    if (pieces.length < 2) pieces.splice(0, 1, {source: {from: 0, to: line.length}, target: {from: 0, to: answer.translation.length}});
    const sources = divide(line, pieces.map(piece => piece.source));
    const targets = divide(answer.translation, pieces.map(piece => piece.target));
    return sources.map((source, i) => ({source, target: targets[i],
      words: all.filter(word => overlap(word, targets[i])).map(word => ({...word, from: word.from - targets[i].from, to: word.to - targets[i].from}))}));
  };

  // The remarks about doubtful translations, one per kind, with the words concerned.
  const kRemarks = {
    unknown: "Words that the model has not learned", low_confidence: "The model is not sure about", number: "Please check the numbers",
    unattended: "Perhaps missing from the translation", untranslated: "Left as it was", unaligned: "Perhaps in the wrong place",
    repetition: "The translation repeats itself", too_short: "The translation looks short", too_long: "The translation looks long",
  };
  const remarks = warnings => Object.entries(kRemarks).flatMap(([kind, text]) => {
    const words = new Set(warnings.filter(warning => warning.kind === kind).map(warning => warning.text.replace(/[.,;:!?]+$/u, "")));
    return words.size ? [{text: `${text}: `, words: [...words]}] : [];
  });

  return {sentences, translation, remarks};
})();
