#include "text/subwords.h"

#include <fmt/ranges.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "base/error.h"
#include "text/subword_model.h"

namespace heed::text {

namespace {

// Passes the caller's lines to the trainer.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(const std::function<bool(std::string&)>& next) : next_(next) { Next(); }
  bool done() const override { return done_; }
  void Next() override {
    done_ = !next_(line_);
    has_text_ = has_text_ || (!done_ && !line_.empty() && line_.size() <= kMaxLine);
  }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }
  bool has_text() const { return has_text_; }

  static constexpr std::size_t kMaxLine = 4192;  // the trainer skips longer lines

 private:
  const std::function<bool(std::string&)>& next_;
  std::string line_;
  bool done_ = false, has_text_ = false;
};

// Why the trainer failed, in plain words: its own message refers to its source code.
std::string reason(const sentencepiece::util::Status& status, const LineIterator& lines) {
  if (!lines.has_text())
    return fmt::format("every line is empty or longer than {} bytes; put one sentence on each line",
                       LineIterator::kMaxLine);
  const std::string message = status.ToString();
  if (message.find("required_chars") != std::string::npos) {
    constexpr std::string_view kBeforeLeast = " vs ";  // "Vocabulary size is smaller than required_chars. 3 vs 56."
    std::int64_t least = 0;
    if (const std::size_t at = message.rfind(kBeforeLeast); at != message.npos)
      std::from_chars(message.data() + at + kBeforeLeast.size(), message.data() + message.size(), least);
    return fmt::format("the text has more distinct characters than that; raise data.subwords{}",
                       least > 0 ? fmt::format(" to at least {}", least) : "");
  }
  return "the text has too few words; add text or lower data.subwords";
}

}  // namespace

std::string train_subwords(const std::function<bool(std::string&)>& next, const SubwordTraining& training) {
  check<UsageError>(training.model == "bpe" || training.model == "unigram",
                    "there is no subword model '{}'; the models are bpe and unigram", training.model);
  check<UsageError>(training.size >= 2 && training.size <= 1'000'000,
                    "the number of subwords must be from 2 to 1,000,000, not {}", training.size);
  check<UsageError>(training.character_coverage > 0 && training.character_coverage <= 1,
                    "the character coverage must be above 0 and at most 1, not {}", training.character_coverage);
  // No shuffling, because SentencePiece would use a random generator that heed does not control.
  std::unordered_map<std::string, std::string> settings = {
      {"model_type", training.model},
      {"vocab_size", std::to_string(training.size)},
      {"character_coverage", std::to_string(training.character_coverage)},
      {"num_threads", std::to_string(std::clamp(training.threads, 1, 64))},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"hard_vocab_limit", "false"},
      {"max_sentence_length", std::to_string(LineIterator::kMaxLine)},
      {"shuffle_input_sentence", "false"},
      {"bos_id", "-1"},
      {"eos_id", "-1"},
      {"pad_id", "-1"},
      {"minloglevel", "3"},
  };
  if (!training.symbols.empty()) settings["user_defined_symbols"] = fmt::format("{}", fmt::join(training.symbols, ","));
  LineIterator lines(next);
  check<InputError>(!lines.done(),
                    "there is no text to learn subwords from: it is empty, or no pair has a matching prefix (change "
                    "data.source_prefixes and data.target_prefixes, or allow any with --set 'data.source_prefixes=[]' "
                    "--set 'data.target_prefixes=[]')");
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model);
  check<InputError>(status.ok(), "no {} model of {} subwords could be learned from this text: {}", training.model,
                    training.size, reason(status, lines));
  return model;
}

namespace {

using Lengths = std::vector<std::size_t>;

class SubwordTokenizer final : public Tokenizer {
 public:
  explicit SubwordTokenizer(const TokenizerOptions& options);

  std::string detokenize(std::span<const std::string> tokens) const override;
  std::vector<std::string> closed_vocabulary() const override;

 protected:
  std::vector<Token> split(const MappedText& line) const override;
  std::vector<Token> split_sampled(const MappedText& line, const SubwordSampling& sampling) const override;

 private:
  // A line as the model sees it (spaces as U+2581, with one more in front), and where its subwords end.
  struct Segmentation {
    MappedText text;
    std::vector<std::size_t> ends;
    std::vector<Token> tokens() const;
  };
  Segmentation best(const MappedText& line) const;
  void append_chunk(Segmentation& result, const MappedText& line, std::size_t from, std::size_t to) const;

  // Sampling needs the score of every subword.
  struct Scores {
    std::unordered_map<std::u32string, float> of;
    std::size_t longest = 1;  // length of the longest subword, in characters
    float unknown = 0;
    bool is_bpe = false;
  };
  // Computed on first use; thread-safe.
  const Scores& scores() const;

  using Dice = std::function<float()>;  // in [0, 1)
  // The lengths of the subwords drawn for one word.
  Lengths draw_unigram(std::u32string_view word, float alpha, const Dice& dice) const;
  Lengths draw_bpe(std::u32string_view word, float alpha, const Dice& dice) const;

  bool is_subword(int id) const {
    return !processor_.IsUnknown(id) && !processor_.IsControl(id) && !processor_.IsUnused(id);
  }

  sentencepiece::SentencePieceProcessor processor_;
  mutable std::once_flag scored_;
  mutable Scores scores_;
};

SubwordTokenizer::SubwordTokenizer(const TokenizerOptions& options) : Tokenizer(options) {
  check<InputError>(!options.subword_model.empty(),
                    "the tokenizer 'sentencepiece' needs a trained subword model, and there is none");
  check_subword_model(options.subword_model, "the subword model");
  const auto status = processor_.LoadFromSerializedProto(options.subword_model);
  check<InputError>(status.ok() && processor_.GetPieceSize() > 0,
                    "the subword model cannot be read; is the file damaged, or not a SentencePiece model?");
}

std::string SubwordTokenizer::detokenize(std::span<const std::string> tokens) const {
  std::string line = join_shown_spaces(tokens);
  if (line.starts_with(' ')) line.erase(0, 1);
  return line;
}

std::vector<std::string> SubwordTokenizer::closed_vocabulary() const {
  std::vector<std::string> all;
  for (int id = 0; id < processor_.GetPieceSize(); ++id)
    if (is_subword(id)) all.push_back(processor_.IdToPiece(id));
  return all;
}

const SubwordTokenizer::Scores& SubwordTokenizer::scores() const {
  std::call_once(scored_, [&] {
    constexpr float kUnknownPenalty = 10;  // as in SentencePiece
    float lowest = 0;
    // The scores of a BPE model are whole numbers, the order of its merges; those of a unigram model are log
    // probabilities.
    scores_.is_bpe = true;
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      if (!is_subword(id) || processor_.IsByte(id)) continue;
      const float score = processor_.GetScore(id);
      std::u32string subword = decode_utf8(processor_.IdToPiece(id));
      scores_.longest = std::max(scores_.longest, subword.size());
      lowest = std::min(lowest, score);
      scores_.is_bpe = scores_.is_bpe && score == std::floor(score);
      scores_.of.emplace(std::move(subword), score);
    }
    scores_.unknown = lowest - kUnknownPenalty;
  });
  return scores_;
}

// The space at the start of a subword is not part of its span, unless the subword is only that space.
std::vector<Token> SubwordTokenizer::Segmentation::tokens() const {
  std::vector<Token> all;
  all.reserve(ends.size());
  std::size_t from = 0;
  for (const std::size_t to : ends) {
    all.push_back(make_token(text, from, to));
    if (text[from] == kShownSpace && to - from > 1) all.back().span = text.cover(from + 1, to);
    from = to;
  }
  return all;
}

std::vector<Token> SubwordTokenizer::split(const MappedText& line) const {
  return best(line).tokens();
}

// Passes a long line to SentencePiece in chunks cut at spaces. This does not change the result, because no subword
// crosses a space, but keeps a run of unknown characters from taking quadratic time.
SubwordTokenizer::Segmentation SubwordTokenizer::best(const MappedText& line) const {
  constexpr std::size_t kLongestChunk = 4000;
  Segmentation result;
  result.text.reserve(line.size() + 1);
  for (std::size_t from = 0; from < line.size();) {
    std::size_t to = std::min(line.size(), from + kLongestChunk);
    if (to < line.size()) {
      const std::size_t space = line.text().rfind(U' ', to);
      if (space != std::u32string::npos && space > from) to = space;
    }
    append_chunk(result, line, from, to);
    from = to;
  }
  return result;
}

void SubwordTokenizer::append_chunk(Segmentation& result, const MappedText& line, std::size_t from,
                                    std::size_t to) const {
  // SentencePiece puts a space in front of its input. At the start of the line it is an extra one; elsewhere it stands
  // for the space that the chunk starts with or, if a word was longer than a chunk, for nothing.
  const bool starts_line = from == 0;
  const bool starts_word = !starts_line && line[from] == ' ';
  const std::size_t sent_from = from + (starts_word ? 1 : 0);
  const Span first = starts_line ? Span{line.origin(0).from, line.origin(0).from} : line.origin(from);
  const std::string utf8 = encode_utf8(std::u32string_view(line.text()).substr(sent_from, to - sent_from));
  if (utf8.empty()) {  // the chunk was one space
    result.text.push(kShownSpace, first);
    result.ends.push_back(result.text.size());
    return;
  }
  std::vector<std::size_t> character(utf8.size() + 1);  // which character each byte belongs to
  for (std::size_t i = 0, at = sent_from; i <= utf8.size(); ++i) {
    if (i > 0 && (i == utf8.size() || (static_cast<unsigned char>(utf8[i]) & 0xC0) != 0x80)) ++at;
    character[i] = at;
  }
  const auto encoded = processor_.EncodeAsImmutableProto(utf8);
  for (std::size_t k = 0; k < encoded.pieces_size(); ++k) {
    const auto piece = encoded.pieces(static_cast<int>(k));
    const std::u32string text = decode_utf8(piece.piece());
    const std::size_t start = character[std::min<std::size_t>(piece.begin(), utf8.size())];
    const std::size_t end = std::max(start, character[std::min<std::size_t>(piece.end(), utf8.size())]);
    const std::size_t extra = k == 0 && text.size() == end - start + 1 ? 1 : 0;  // the space in front
    const bool aligned = text.size() - extra == end - start;
    if (extra == 1 && (starts_line || starts_word)) result.text.push(text[0], first);
    for (std::size_t i = extra; i < text.size(); ++i)
      result.text.push(text[i], aligned ? line.origin(start + i - extra) : line.cover(start, end));
    const std::size_t last = result.ends.empty() ? 0 : result.ends.back();
    if (result.text.size() > last) result.ends.push_back(result.text.size());
  }
}

// Samples word by word, because no subword crosses a space.
std::vector<Token> SubwordTokenizer::split_sampled(const MappedText& line, const SubwordSampling& sampling) const {
  constexpr std::size_t kLongestWord = 100;  // BPE dropout takes quadratic time: longer words keep their best subwords
  Segmentation result = best(line);
  const std::vector<std::size_t> best_ends = std::move(result.ends);
  const std::u32string& text = result.text.text();
  std::uint64_t draws = 0;
  const Dice dice = [&] { return sampling.random.uniform(draws++); };
  result.ends.clear();
  for (std::size_t from = 0, subword = 0; from < text.size();) {
    const std::size_t first = subword;
    do ++subword;
    while (subword < best_ends.size() && text[best_ends[subword - 1]] != kShownSpace);
    const std::size_t to = best_ends[subword - 1];
    if (to - from > kLongestWord) {
      for (std::size_t k = first; k < subword; ++k) result.ends.push_back(best_ends[k]);
    } else {
      const auto word = std::u32string_view(text).substr(from, to - from);
      for (const std::size_t length :
           scores().is_bpe ? draw_bpe(word, sampling.alpha, dice) : draw_unigram(word, sampling.alpha, dice))
        result.ends.push_back(from += length);
    }
    from = to;
  }
  return result.tokens();
}

// Forward filtering, backward sampling over the lattice of all segmentations: total[i] is the log of the summed weights
// exp(alpha * score) of all segmentations of the first i characters.
Lengths SubwordTokenizer::draw_unigram(std::u32string_view word, float alpha, const Dice& dice) const {
  struct Arc {
    std::size_t length;
    double score;
  };
  const Scores& known = scores();
  std::vector<std::vector<Arc>> arcs(word.size() + 1);  // by the position at which they end
  std::vector<double> total(word.size() + 1, -std::numeric_limits<double>::infinity());
  total[0] = 0;
  for (std::size_t from = 0; from < word.size(); ++from) {
    for (std::size_t length = 1; length <= known.longest && from + length <= word.size(); ++length) {
      const auto found = known.of.find(std::u32string(word.substr(from, length)));
      if (found == known.of.end() && length > 1) continue;
      const double score = alpha * (found == known.of.end() ? known.unknown : found->second);
      double& sum = total[from + length];
      const double path = total[from] + score;
      const double high = std::max(sum, path), low = std::min(sum, path);
      sum = high + std::log1p(std::exp(low - high));
      arcs[from + length].push_back({length, score});
    }
  }
  Lengths lengths;
  for (std::size_t at = word.size(); at > 0; at -= lengths.back()) {
    double left = dice();
    for (const Arc& arc : arcs[at]) {
      left -= std::exp(total[at - arc.length] + arc.score - total[at]);
      if (left < 0 || &arc == &arcs[at].back()) {
        lengths.push_back(arc.length);
        break;
      }
    }
  }
  std::ranges::reverse(lengths);
  return lengths;
}

// BPE dropout: in each round, skips every possible merge with probability alpha and makes the best of the others.
Lengths SubwordTokenizer::draw_bpe(std::u32string_view word, float alpha, const Dice& dice) const {
  const auto& merges = scores().of;
  Lengths lengths(word.size(), 1);
  for (;;) {
    std::size_t best = lengths.size();
    float best_score = 0;
    for (std::size_t k = 0, from = 0; k + 1 < lengths.size(); from += lengths[k++]) {
      const auto found = merges.find(std::u32string(word.substr(from, lengths[k] + lengths[k + 1])));
      if (found == merges.end() || dice() < alpha) continue;
      if (best == lengths.size() || found->second > best_score) {
        best = k;
        best_score = found->second;
      }
    }
    if (best == lengths.size()) return lengths;
    lengths[best] += lengths[best + 1];
    lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace

std::unique_ptr<Tokenizer> make_subword_tokenizer(const TokenizerOptions& options) {
  return std::make_unique<SubwordTokenizer>(options);
}

}  // namespace heed::text
