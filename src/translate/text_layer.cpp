#include "translate/text_layer.h"

#include <algorithm>
#include <climits>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "base/utf8.h"
#include "text/spans.h"
#include "translate/attached_marks.h"
#include "translate/glossary.h"
#include "translate/marks.h"
#include "translate/sentence_case.h"
#include "translate/text_warnings.h"

namespace heed::translate {

// A line and its sentences. A line without words has one empty sentence, so that it too gets a result.
struct TextLayer::Line {
  struct Sentence {
    text::ByteRange range = {};
    std::unique_ptr<ProtectedSentence> spans = {};  // null if it has none
    std::string model_text = {};                    // what the model reads; empty without spans
    std::vector<Term> terms = {};                   // of a glossary, with spans in the text that the model reads
    SentenceCase letter_case = SentenceCase::normal;
    bool is_copied = false;             // there is nothing to translate, or nothing that the model knows
    std::vector<KeptSpan> copied = {};  // then, its spans
  };
  std::string text;          // valid UTF-8
  std::string recased = {};  // `text` in the case that the model knows; empty if no sentence was recased
  std::vector<Sentence> sentences = {};

  // A range as the model reads it, apart from protected spans.
  std::string_view part(const text::ByteRange& range) const { return range.of(recased.empty() ? text : recased); }
  bool is_whole() const { return sentences.size() == 1 && sentences[0].range == text::ByteRange{0, text.size()}; }
  std::string_view separator_before(std::size_t sentence) const {
    const std::size_t from = sentence == 0 ? 0 : sentences[sentence - 1].range.to;
    return std::string_view(text).substr(from, sentences[sentence].range.from - from);
  }
  std::string_view trailing() const { return std::string_view(text).substr(sentences.back().range.to); }
};

TextLayer::TextLayer(SentenceTranslator& translator, TextOptions options)
    : translator_(translator),
      options_(options),
      splitter_(translator.pipeline().languages().source),
      policy_(translator.pipeline()),
      copies_names_(options.copy_names && policy_.reads_words() && !policy_.unknown.empty() &&
                    translator.has_attention()) {}

TextLayer::Line TextLayer::split(const TranslateRequest& request, const TranslateOptions& options) {
  Line line{.text = replace_bad_utf8(request.text)};
  std::vector<text::ByteRange> ranges = {{0, line.text.size()}};
  if (options_.segment == Segmentation::sentences && !options.whole_lines && !request.target)
    ranges = splitter_.split(line.text);
  if (ranges.empty()) ranges = {{0, 0}};
  if (ranges.size() > 1 && translator_.training_lines() && translator_.training_lines()->includes(line.text))
    ranges = {{ranges.front().from, ranges.back().to}};
  for (const text::ByteRange& range : ranges) line.sentences.push_back({.range = range});
  if (options_.restore_case && !request.target && request.prefix.empty()) recase(line, request.kept);
  const Glossary* glossary = request.glossary != nullptr ? request.glossary : options_.glossary.get();
  if ((options_.protect || !request.kept.empty() || glossary != nullptr) && !request.target)
    protect(line, request.kept, glossary);
  for (std::size_t k = 0; k < line.sentences.size() && !request.target; ++k)
    line.sentences[k].is_copied = (k > 0 || request.prefix.empty()) && is_copied(line, k, options);
  return line;
}

// What `kept` covers stays as it is, and does not tell the case of a sentence.
void TextLayer::recase(Line& line, std::span<const text::Span> kept) const {
  const TextPipeline& pipeline = translator_.pipeline();
  std::string blanked = line.text;
  std::vector<text::ByteRange> covered;
  if (!kept.empty()) {
    const std::vector<std::uint32_t> bytes = text::byte_offsets(line.text);
    for (const text::Span& span : kept) covered.push_back({bytes[span.from], bytes[span.to]});
  }
  for (const text::ByteRange& range : covered)
    blanked.replace(range.from, range.to - range.from, range.to - range.from, ' ');
  for (Line::Sentence& sentence : line.sentences) {
    const std::string_view text = sentence.range.of(blanked);
    sentence.letter_case = find_case(text, pipeline);
    if (sentence.letter_case == SentenceCase::normal) continue;
    if (line.recased.empty()) line.recased = line.text;
    line.recased.replace(sentence.range.from, text.size(), translate::recase(text, sentence.letter_case, pipeline));
  }
  if (line.recased.empty()) return;
  for (const text::ByteRange& range : covered)
    line.recased.replace(range.from, range.to - range.from, range.of(line.text));
}

namespace {

// Whether a sentence has a letter or digit outside the spans.
bool has_words(std::string_view sentence, std::span<const KeptSpan> spans) {
  constexpr unsigned kWord = text::kLetter | text::kNumber;
  const auto is_ascii_word = [](unsigned char c) { return text::is_ascii_letter(c) || text::is_ascii_digit(c); };
  if (spans.empty() && std::ranges::any_of(sentence, is_ascii_word)) return true;  // true of most text
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const std::u32string characters = text::decode_utf8(sentence);
  auto span = spans.begin();
  for (std::uint32_t i = 0; i < characters.size(); ++i) {
    while (span != spans.end() && span->source.to <= i) ++span;
    if ((span == spans.end() || i < span->source.from) && classes.is(characters[i], kWord)) return true;
  }
  return false;
}

// Merges protected spans with the spans that the caller keeps, which take precedence.
std::vector<text::ProtectedSpan> with_kept(std::span<const text::ProtectedSpan> spans,
                                           std::span<const text::Span> kept) {
  std::vector<text::ProtectedSpan> all;
  auto span = spans.begin();
  for (const text::Span& keep : kept) {
    while (span != spans.end() && span->span.to <= keep.from) all.push_back(*span++);
    all.push_back({text::SpanKind::code, keep});
    while (span != spans.end() && span->span.from < keep.to) ++span;
  }
  all.insert(all.end(), span, spans.end());
  return all;
}

}  // namespace

// Whether the translation of a sentence is the sentence itself: it has no words outside its spans, or a model of words
// knows none of them, so that it would write something unrelated.
bool TextLayer::is_copied(const Line& line, std::size_t index, const TranslateOptions& options) const {
  const Line::Sentence& sentence = line.sentences[index];
  if (!sentence.terms.empty() || sentence.range.from == sentence.range.to) return false;
  if (!has_words(sentence.range.of(line.text), sentence.copied)) return options_.protect || !sentence.copied.empty();
  return options_.copy_names && !options.unknown.replace && policy_.reads_words() &&
         !policy_.knows_a_word(sentence.spans ? std::string_view(sentence.model_text) : line.part(sentence.range));
}

// Finds the protected spans and the terms of a line. Sentences that share a span are joined; a sentence with very many
// spans, such as a table of numbers, is split.
void TextLayer::protect(Line& line, std::span<const text::Span> kept, const Glossary* glossary) const {
  constexpr std::size_t kMostSpans = 64;  // per sentence; the time to place them is quadratic
  std::vector<text::ProtectedSpan> spans;
  if (options_.protect) spans = text::find_protected_spans(text::decode_utf8(line.text));
  if (!kept.empty()) spans = with_kept(spans, kept);
  if (spans.empty() && glossary == nullptr) return;
  const std::vector<std::uint32_t> bytes = text::byte_offsets(line.text);
  std::vector<Line::Sentence> sentences;
  std::vector<text::ProtectedSpan> own;
  text::ByteRange range;
  SentenceCase letter_case = SentenceCase::normal;
  const auto add_sentence = [&] {
    Line::Sentence& sentence = sentences.emplace_back(Line::Sentence{.range = range, .letter_case = letter_case});
    const auto first = std::ranges::lower_bound(bytes, range.from) - bytes.begin();
    for (text::ProtectedSpan& span : own) shift(span.span, 0 - static_cast<std::uint32_t>(first));
    if (glossary != nullptr) {
      sentence.terms = glossary->find(range.of(line.text));
      resolve_overlaps(sentence.terms, own);
    }
    if (!own.empty()) {
      for (const auto& [kind, span] : own) {
        const text::ByteRange at{bytes[static_cast<std::size_t>(first) + span.from],
                                 bytes[static_cast<std::size_t>(first) + span.to]};
        sentence.copied.push_back({std::string(at.of(line.text)), kind, span, span});
      }
      sentence.spans = std::make_unique<ProtectedSentence>(line.part(range), own, policy_);
      sentence.model_text = sentence.spans->model_text();
      for (Term& term : sentence.terms) term.source = sentence.spans->in_model_text(term.source);
    }
    own.clear();
  };
  auto span = spans.begin();
  for (std::size_t k = 0; k < line.sentences.size(); ++k) {
    range = line.sentences[k].range;
    letter_case = line.sentences[k].letter_case;
    while (span != spans.end() && bytes[span->span.from] < range.to) {
      if (own.size() == kMostSpans) {
        const std::size_t end = std::exchange(range.to, bytes[span->span.from]);
        while (line.text[range.to - 1] == ' ') --range.to;
        add_sentence();
        range = {bytes[span->span.from], end};
      }
      while (bytes[span->span.to] > range.to && k + 1 < line.sentences.size()) {
        range.to = line.sentences[++k].range.to;
        if (line.sentences[k].letter_case != letter_case) letter_case = SentenceCase::normal;
      }
      own.push_back(*span++);
    }
    add_sentence();
  }
  line.sentences = std::move(sentences);
}

namespace {

void clear_weights(LineResult& result) {
  for (Translation& translation : result.translations) translation.attention.weights = {};
  for (LineResult& chunk : result.chunks) clear_weights(chunk);
}

// Names the words of a sentence that was copied.
void warn_of_words(LineResult& result, std::string_view sentence) {
  if (!result.done() || !has_words(sentence, result.best().kept)) return;
  for (const text::Token& word : text::whitespace_words(sentence)) {
    const auto covers = [&](const KeptSpan& kept) { return text::overlap(kept.source, word.span); };
    if (std::ranges::none_of(result.best().kept, covers) && has_words(word.text, {}))
      result.warnings.push_back({Warning::Kind::unknown, word.text, word.span});
  }
}

// Puts the spans of a sentence into its translations, and removes weights and warnings that the caller did not want.
void restore(LineResult& result, const ProtectedSentence& spans, const TranslateRequest& request,
             const TranslateOptions& wanted) {
  if (!result.chunks.empty()) join_weights(result);
  spans.restore(result, request.prefix);
  if (!wanted.search.attention) {
    clear_weights(result);
    std::erase_if(result.warnings, [](const Warning& w) { return w.kind == Warning::Kind::unattended; });
  } else if (!result.chunks.empty()) {
    for (Translation& translation : result.translations) translation.attention.weights = {};
  }
  if (!wanted.warnings) result.warnings.clear();
}

}  // namespace

std::vector<LineResult> TextLayer::translate(std::span<const TranslateRequest> requests,
                                             const TranslateOptions& call_options) {
  if (options_.plain) return translator_.translate(requests, call_options);
  // Options that this layer has changed; those of sentences with spans request attention.
  std::map<std::pair<const TranslateOptions*, bool>, TranslateOptions> changed;
  const auto adapted = [&](const TranslateOptions& options, bool has_spans) {
    const bool wants_attention = has_spans && !options.search.attention && translator_.has_attention();
    if (options_.segment != Segmentation::never && !wants_attention && !options_.stop_repetition && !copies_names_)
      return &options;
    const auto [found, is_new] = changed.try_emplace({&options, wants_attention}, options);
    TranslateOptions& own = found->second;
    if (options_.segment == Segmentation::never) own.max_source_length = INT_MAX;
    own.search.attention |= wants_attention;
    own.stop_repetition = options_.stop_repetition;
    if (copies_names_ && !own.unknown.replace) own.unknown = {.replace = true, .only_names = true};
    return const_cast<const TranslateOptions*>(&own);
  };
  const auto options_of = [&](const TranslateRequest& request) -> const TranslateOptions& {
    return request.options != nullptr ? *request.options : call_options;
  };
  std::vector<Line> lines;
  std::vector<TranslateRequest> sentences;
  std::deque<OnPartial> partial;   // of the sentences
  lines.reserve(requests.size());  // the sentences refer to the lines
  for (const TranslateRequest& request : requests) {
    const Line& line = lines.emplace_back(split(request, options_of(request)));
    for (const Line::Sentence& sentence : line.sentences) {
      TranslateRequest& part = sentences.emplace_back(request);
      part.options = adapted(options_of(request), sentence.spans != nullptr);
      part.text = sentence.spans ? std::string_view(sentence.model_text) : line.part(sentence.range);
      part.terms = sentence.terms;
      if (request.on_partial != nullptr)
        part.on_partial = &partial.emplace_back(
            [on_partial = request.on_partial, k = static_cast<std::size_t>(&sentence - line.sentences.data())](
                std::size_t /*sentence*/, std::string_view text) { (*on_partial)(k, text); });
      if (&sentence != &line.sentences.front()) part.prefix = {};
      if (sentence.is_copied) part.text = {};
    }
  }
  std::vector<LineResult> parts = translator_.translate(sentences, *adapted(call_options, false));

  const TextPipeline& pipeline = translator_.pipeline();
  std::vector<LineResult> results(requests.size());
  auto part = parts.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const TranslateOptions& options = options_of(requests[i]);
    std::vector<Chunk> chunks;
    std::uint32_t characters = 0;  // of the line, before the sentence
    for (std::size_t k = 0; k < line.sentences.size(); ++k, ++part) {
      const Line::Sentence& sentence = line.sentences[k];
      const TranslateRequest& request = sentences[static_cast<std::size_t>(part - parts.begin())];
      if (sentence.is_copied) {
        for (Translation& translation : part->translations) {
          translation.text = sentence.range.of(line.text);
          translation.kept = sentence.copied;
        }
        if (options.warnings) warn_of_words(*part, sentence.range.of(line.text));
      } else if (sentence.spans) {
        restore(*part, *sentence.spans, request, options);
      }
      if (!sentence.is_copied) restore_case(*part, sentence.letter_case, sentence.range.of(line.text), pipeline);
      if (options.warnings && !requests[i].target && !sentence.is_copied)
        add_text_warnings(*part, line.sentences[k].range.of(line.text), pipeline, policy_.numbers.get());
      const std::string_view separator = line.separator_before(k);
      characters += static_cast<std::uint32_t>(utf8_length(separator));
      chunks.push_back({.result = std::move(*part), .offset = characters, .separator = std::string(separator)});
      characters += static_cast<std::uint32_t>(utf8_length(line.sentences[k].range.of(line.text)));
    }
    if (line.is_whole())
      results[i] = std::move(chunks.front().result);
    else if (std::ranges::all_of(chunks, [](const Chunk& chunk) { return chunk.result.done(); }))
      results[i] = join_sentences(std::move(chunks), line.trailing(), static_cast<std::size_t>(options.search.nbest));
  }
  return results;
}

namespace {

// The text from the first to the last token, as UTF-8, and where it begins.
std::pair<std::string, std::uint32_t> covered(const std::u32string& text, std::span<const text::Token> tokens) {
  if (tokens.empty()) return {};
  const std::uint32_t from = std::ranges::min(tokens, {}, [](const text::Token& t) { return t.span.from; }).span.from;
  const std::uint32_t to = std::ranges::max(tokens, {}, [](const text::Token& t) { return t.span.to; }).span.to;
  return {text::encode_utf8(text.substr(from, to - from)), from};
}

// For each text with marks, the attention of a model for the opposite direction: see transfer_marks().
std::vector<std::vector<text::AttentionMatrix>> reverse_attention(const Translator& reverse,
                                                                  std::span<const text::MarkedText> texts,
                                                                  std::span<const LineResult> results,
                                                                  const TranslateOptions& options) {
  struct Origin {
    std::size_t text;
    std::uint32_t source, target;  // the first character of the chunk on both sides
  };
  std::vector<Origin> origins;
  std::vector<std::string> sources, targets;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!results[i].done() || texts[i].marks.empty()) continue;
    const std::u32string text = text::decode_utf8(texts[i].text);
    const std::u32string translation = text::decode_utf8(results[i].best().text);
    for (const LineResult& chunk : chunks_of(results[i])) {
      auto [source, source_from] = covered(text, chunk.best().attention.source);
      auto [target, target_from] = covered(translation, chunk.best().attention.target);
      origins.push_back({i, source_from, target_from});
      sources.push_back(std::move(source));
      targets.push_back(std::move(target));
    }
  }
  std::vector<std::vector<text::AttentionMatrix>> attention(texts.size());
  std::vector<ScoredPair> scored = reverse.score(
      targets, sources, {.batch = static_cast<std::size_t>(options.batch), .threads = worker_count(options.threads)});
  for (std::size_t k = 0; k < scored.size(); ++k) {
    text::AttentionMatrix& map = scored[k].attention;
    shift(map.source, origins[k].target);
    shift(map.target, origins[k].source);
    attention[origins[k].text].push_back(std::move(map));
  }
  return attention;
}

}  // namespace

std::vector<text::MarkedText> TextLayer::translate(std::span<const text::MarkedText> marked,
                                                   const TranslateOptions& options) {
  std::vector<AttachedMarks> attached(marked.begin(), marked.end());
  std::vector<text::MarkedText> texts;
  for (const AttachedMarks& text : attached) texts.push_back(text.text());
  TranslateOptions own = options;
  own.search.attention = translator_.has_attention();
  own.search.nbest = 1;
  own.warnings = false;
  std::vector<std::vector<text::Span>> kept;
  kept.reserve(texts.size());  // the requests refer to them
  std::vector<TranslateRequest> requests;
  for (const text::MarkedText& text : texts)
    requests.push_back({.text = text.text, .kept = kept.emplace_back(kept_spans(text))});
  const std::vector<LineResult> results = translate(requests, own);
  std::vector<std::vector<text::AttentionMatrix>> reverse(texts.size());
  if (options_.reverse != nullptr) reverse = reverse_attention(*options_.reverse, texts, results, own);
  std::vector<text::MarkedText> translations(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (results[i].done()) translations[i] = attached[i].restored(transfer_marks(texts[i], results[i], reverse[i]));
  return translations;
}

}  // namespace heed::translate
