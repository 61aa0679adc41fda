// join_chunks(), join_sentences() and join_weights() of line_result.h.
#include <algorithm>
#include <numeric>

#include "base/utf8.h"
#include "text/scripts.h"
#include "text/spans.h"
#include "translate/line_result.h"

namespace heed::translate {
namespace {

constexpr std::size_t kMaxWeights = std::size_t{1} << 22;  // per line: 16 MB

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more, std::size_t count) {
  all.insert(all.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(count));
}

std::size_t source_tokens(const text::AttentionMatrix& map, bool is_last) {
  return map.source.size() - (map.source_end && !is_last ? 1 : 0);
}
std::size_t target_tokens(const text::AttentionMatrix& map, bool is_last) {
  return map.target.size() - (map.target_end && !is_last ? 1 : 0);
}

// Appends the tokens and probabilities of a chunk; only the last chunk keeps its end symbols.
void append_tokens(Translation& whole, const Translation& chunk, bool is_last) {
  const text::AttentionMatrix& map = chunk.attention;
  append(whole.attention.source, map.source, source_tokens(map, is_last));
  const std::size_t words = target_tokens(map, is_last);
  append(whole.attention.target, map.target, words);
  append(whole.probabilities, chunk.probabilities, words);
  append(whole.kept, chunk.kept, chunk.kept.size());
  append(whole.terms, chunk.terms, chunk.terms.size());
  whole.attention.source_end = map.source_end;
  whole.attention.target_end = map.target_end;
}

// Shifts the spans of a result and of its chunks: those in the source by `source` characters, those in translation k by
// target[k].
void move_spans(LineResult& result, std::uint32_t source, std::span<const std::uint32_t> target) {
  for (std::size_t k = 0; k < result.translations.size(); ++k) {
    shift(result.translations[k].attention.source, source);
    shift(result.translations[k].attention.target, target[k]);
    for (KeptSpan& kept : result.translations[k].kept) {
      shift(kept.source, source);
      shift(kept.target, target[k]);
    }
    for (TermSpan& term : result.translations[k].terms) {
      shift(term.source, source);
      shift(term.target, target[k]);
    }
  }
  for (Warning& warning : result.warnings) shift(warning.span, is_about_source(warning.kind) ? source : target[0]);
  for (LineResult& chunk : result.chunks) move_spans(chunk, source, target);
}

// Joins texts, tokens and warnings. separator(chunk, text so far, text of the chunk) returns what precedes a chunk.
template <class Separator>
LineResult join(std::vector<Chunk> chunks, const Separator& separator) {
  LineResult whole;
  whole.translations.resize(chunks.front().result.translations.size());
  std::vector<std::uint32_t> lengths(whole.translations.size()), offsets(lengths.size());  // in characters
  for (Chunk& chunk : chunks) {
    for (std::size_t k = 0; k < offsets.size(); ++k) {
      Translation &all = whole.translations[k], &part = chunk.result.translations[k];
      const std::string between = separator(chunk, all.text, part.text);
      offsets[k] = lengths[k] + static_cast<std::uint32_t>(utf8_length(between));
      lengths[k] = offsets[k] + static_cast<std::uint32_t>(utf8_length(part.text));
      all.text += between + part.text;
      all.log_probability += part.log_probability;
    }
    move_spans(chunk.result, chunk.offset, offsets);
    for (std::size_t k = 0; k < offsets.size(); ++k)
      append_tokens(whole.translations[k], chunk.result.translations[k], &chunk == &chunks.back());
    append(whole.warnings, chunk.result.warnings, chunk.result.warnings.size());
    whole.too_long = whole.too_long || chunk.result.too_long;
    if (chunk.result.chunks.empty())
      whole.chunks.push_back(std::move(chunk.result));
    else
      std::ranges::move(chunk.result.chunks, std::back_inserter(whole.chunks));
  }
  return whole;
}

// Keeps only the given translations of a result and of its chunks, in this order.
void select(LineResult& result, std::span<const std::size_t> which) {
  if (which.size() == 1 && result.translations.size() == 1) return;  // the only one
  std::vector<Translation> kept;
  for (const std::size_t k : which) kept.push_back(result.translations[k]);
  result.translations = std::move(kept);
  for (LineResult& chunk : result.chunks) select(chunk, which);
}

// Selects the combinations of the sentences' translations with the highest sums of scores, best first, and returns the
// sums. Of equal sums, the one with the better first sentence comes first.
std::vector<double> select_best(std::vector<Chunk>& sentences, std::size_t nbest) {
  struct Step {  // by combination: that of the previous sentences, and the translation of this one
    std::vector<std::size_t> before, own;
  };
  std::vector<double> sums = {0};
  std::vector<Step> steps;
  for (const Chunk& sentence : sentences) {
    const std::vector<Translation>& translations = sentence.result.translations;
    const auto sum = [&](std::size_t i) {
      return sums[i / translations.size()] + translations[i % translations.size()].score;
    };
    std::vector<std::size_t> order(sums.size() * translations.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, sum);
    order.resize(std::min(order.size(), nbest));
    Step& step = steps.emplace_back();
    std::vector<double> best;
    for (const std::size_t i : order) {
      best.push_back(sum(i));
      step.before.push_back(i / translations.size());
      step.own.push_back(i % translations.size());
    }
    sums = std::move(best);
  }
  std::vector<std::size_t> combinations(sums.size());  // of the sentences up to this one
  std::iota(combinations.begin(), combinations.end(), 0);
  for (std::size_t s = sentences.size(); s-- > 0;) {
    std::vector<std::size_t> own;
    for (std::size_t& combination : combinations) {
      own.push_back(steps[s].own[combination]);
      combination = steps[s].before[combination];
    }
    select(sentences[s].result, own);
  }
  return sums;
}

// Chinese and Japanese have no spaces between sentences.
bool is_unspaced(char32_t c) {
  static const text::Script kHan = text::script_of(U'\u4E00');
  return text::script_of(c) == kHan || (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF);
}

// What separates two translated sentences, given what separates them in the line.
std::string separator_between(std::string_view before, std::string_view after, const std::string& in_line) {
  if (before.empty() || after.empty() || in_line.size() > 1) return in_line;
  const auto last = before.substr(before.size() - std::min<std::size_t>(before.size(), 4));
  const bool spaced =
      !is_unspaced(text::decode_utf8(last).back()) || !is_unspaced(text::decode_utf8(after.substr(0, 4))[0]);
  return in_line.empty() || in_line == " " ? std::string(spaced ? " " : "") : in_line;
}

// The result of a line with one sentence, and the text around the sentence.
LineResult surround(Chunk sentence, std::string_view trailing) {
  LineResult line = std::move(sentence.result);
  const std::vector<std::uint32_t> offsets(line.translations.size(),
                                           static_cast<std::uint32_t>(utf8_length(sentence.separator)));
  move_spans(line, sentence.offset, offsets);
  for (Translation& translation : line.translations) {
    translation.text.insert(0, sentence.separator);
    translation.text += trailing;
  }
  return line;
}

}  // namespace

LineResult join_chunks(std::vector<Chunk> chunks, const search::SearchOptions& options) {
  std::size_t count = SIZE_MAX;
  for (const Chunk& chunk : chunks) count = std::min(count, chunk.result.translations.size());
  for (Chunk& chunk : chunks) chunk.result.translations.resize(count);
  LineResult whole =
      join(std::move(chunks), [](const Chunk& chunk, const std::string& so_far, const std::string& text) {
        return so_far.empty() || text.empty() ? std::string() : chunk.separator;
      });
  for (Translation& translation : whole.translations) {
    const auto words = static_cast<Index>(std::max<std::size_t>(translation.attention.target.size(), 1));
    translation.score = hypothesis_score(options, translation.log_probability, words);
  }
  return whole;
}

LineResult join_sentences(std::vector<Chunk> sentences, std::string_view trailing, std::size_t nbest) {
  if (sentences.size() == 1) return surround(std::move(sentences.front()), trailing);
  const std::vector<double> sums = select_best(sentences, nbest);
  LineResult line =
      join(std::move(sentences), [](const Chunk& chunk, const std::string& before, const std::string& after) {
        return separator_between(before, after, chunk.separator);
      });
  for (std::size_t k = 0; k < line.translations.size(); ++k) {
    Translation& translation = line.translations[k];
    translation.score = sums[k];
    translation.text += trailing;
  }
  join_weights(line);
  return line;
}

void join_weights(LineResult& line) {
  for (std::size_t k = 0; k < line.translations.size(); ++k) {
    text::AttentionMatrix& all = line.translations[k].attention;
    const std::size_t width = all.source.size();
    // A sentence without words, such as an address, has no tokens and needs no weights.
    const bool has_all = std::ranges::all_of(line.chunks, [&](const LineResult& part) {
      const text::AttentionMatrix& map = part.translations[k].attention;
      return map.has_weights() || map.source.empty() || map.target.empty();
    });
    if (!has_all || width == 0 || all.target.size() > kMaxWeights / width) continue;
    all.weights.assign(all.target.size() * width, 0);
    std::size_t row = 0, column = 0;
    for (const LineResult& part : line.chunks) {
      const text::AttentionMatrix& map = part.translations[k].attention;
      const bool is_last = &part == &line.chunks.back();
      const std::size_t columns = source_tokens(map, is_last), rows = target_tokens(map, is_last);
      for (std::size_t t = 0; t < rows; ++t)
        for (std::size_t s = 0; s < columns && map.has_weights(); ++s)
          all.weights[(row + t) * width + column + s] = map.at(t, s);
      row += rows;
      column += columns;
    }
  }
}

}  // namespace heed::translate
