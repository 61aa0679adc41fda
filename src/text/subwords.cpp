#include "text/subwords.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>

#include "base/error.h"

namespace heed::text {

namespace {

constexpr char32_t kShownSpace = 0x2581;

// Hands the caller's lines to the trainer.
class LineIterator : public sentencepiece::SentenceIterator {
 public:
  explicit LineIterator(const std::function<bool(std::string&)>& next) : next_(next) { Next(); }
  bool done() const override { return done_; }
  void Next() override { done_ = !next_(line_); }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::function<bool(std::string&)>& next_;
  std::string line_;
  bool done_ = false;
};

// What SentencePiece says of a failure is one line, with its own source file in front.
std::string reason(const sentencepiece::util::Status& status) {
  std::string text = status.ToString();
  if (const auto at = text.rfind("] "); at != std::string::npos && at + 2 < text.size()) text.erase(0, at + 2);
  while (!text.empty() && (text.back() == '.' || text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::string train_subwords(const std::function<bool(std::string&)>& next, const SubwordTraining& training) {
  check<UsageError>(training.model == "bpe" || training.model == "unigram",
                    "the subword model '{}' is not known; it is bpe or unigram", training.model);
  check<UsageError>(training.size >= 2 && training.size <= 1'000'000,
                    "{} subwords were asked for; from 2 to 1,000,000 are possible", training.size);
  check<UsageError>(training.character_coverage > 0 && training.character_coverage <= 1,
                    "the character coverage {} is not above 0 and at most 1", training.character_coverage);
  // Every line counts and none is shuffled, since SentencePiece would draw from a generator that is not ours.
  const std::unordered_map<std::string, std::string> settings = {
      {"model_type", training.model},
      {"vocab_size", std::to_string(training.size)},
      {"character_coverage", std::to_string(training.character_coverage)},
      {"num_threads", std::to_string(std::clamp(training.threads, 1, 64))},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"hard_vocab_limit", "false"},
      {"shuffle_input_sentence", "false"},
      {"bos_id", "-1"},
      {"eos_id", "-1"},
      {"pad_id", "-1"},
      {"minloglevel", "3"},
  };
  LineIterator lines(next);
  check<InputError>(!lines.done(), "there is no text to learn subwords from");
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &lines, &model);
  check<InputError>(status.ok(), "no {} model of {} subwords could be learned from this text: {}", training.model,
                    training.size, reason(status));
  return model;
}

// A loaded model.
class SubwordTokenizer::Model {
 public:
  explicit Model(const std::string& bytes);

  // A line as the model sees it (spaces as U+2581, one more in front), and where the best pieces end in it.
  struct Pieces {
    MappedText text;
    std::vector<std::size_t> ends;
  };
  Pieces best(const MappedText& line) const;
  // Where the pieces of another segmentation end.
  std::vector<std::size_t> sample(const Pieces& pieces, const SubwordSampling& sampling) const;
  std::vector<std::string> pieces() const;

 private:
  void append_chunk(Pieces& pieces, const MappedText& line, std::size_t from, std::size_t to) const;

  // What drawing needs to know of the pieces; plain splitting goes without.
  struct Scores {
    std::unordered_map<std::u32string, float> of;
    std::size_t longest = 1;  // characters of the longest piece
    float unknown = 0;
    bool is_bpe = false;
  };
  // Made when they are first asked for; safe from several threads.
  const Scores& scores() const;

  using Dice = std::function<float()>;  // in [0, 1)
  // The lengths of the pieces drawn for one word.
  std::vector<std::size_t> draw_unigram(std::u32string_view word, float alpha, const Dice& dice) const;
  std::vector<std::size_t> draw_bpe(std::u32string_view word, float alpha, const Dice& dice) const;

  sentencepiece::SentencePieceProcessor processor_;
  mutable std::once_flag scored_;
  mutable Scores scores_;
};

SubwordTokenizer::Model::Model(const std::string& bytes) {
  check<InputError>(!bytes.empty(), "the tokenizer 'sentencepiece' needs a trained subword model, and there is none");
  const auto status = processor_.LoadFromSerializedProto(bytes);
  check<InputError>(status.ok() && processor_.GetPieceSize() > 0,
                    "the subword model cannot be read (is the file damaged?): {}", reason(status));
}

const SubwordTokenizer::Model::Scores& SubwordTokenizer::Model::scores() const {
  std::call_once(scored_, [&] {
    constexpr float kUnknownPenalty = 10;  // as SentencePiece has it
    float lowest = 0;
    // A BPE model's scores are the order of its merges: whole numbers. A unigram model's are log probabilities.
    scores_.is_bpe = true;
    for (int id = 0; id < processor_.GetPieceSize(); ++id) {
      if (processor_.IsUnknown(id) || processor_.IsControl(id) || processor_.IsUnused(id) || processor_.IsByte(id))
        continue;
      const float score = processor_.GetScore(id);
      std::u32string piece = decode_utf8(processor_.IdToPiece(id));
      scores_.longest = std::max(scores_.longest, piece.size());
      lowest = std::min(lowest, score);
      scores_.is_bpe = scores_.is_bpe && score == std::floor(score);
      scores_.of.emplace(std::move(piece), score);
    }
    scores_.unknown = lowest - kUnknownPenalty;
  });
  return scores_;
}

std::vector<std::string> SubwordTokenizer::Model::pieces() const {
  std::vector<std::string> all;
  for (int id = 0; id < processor_.GetPieceSize(); ++id) {
    if (!processor_.IsUnknown(id) && !processor_.IsControl(id) && !processor_.IsUnused(id))
      all.push_back(processor_.IdToPiece(id));
  }
  return all;
}

// A long line goes to SentencePiece in chunks cut at spaces, which changes nothing (no piece crosses a space) but that
// a run of unknown characters no longer takes the square of its length.
SubwordTokenizer::Model::Pieces SubwordTokenizer::Model::best(const MappedText& line) const {
  constexpr std::size_t kLongestChunk = 4000;
  Pieces pieces;
  pieces.text.reserve(line.size() + 1);
  for (std::size_t from = 0; from < line.size();) {
    std::size_t to = std::min(line.size(), from + kLongestChunk);
    if (to < line.size()) {
      const std::size_t space = line.text().rfind(U' ', to);
      if (space != std::u32string::npos && space > from) to = space;
    }
    append_chunk(pieces, line, from, to);
    from = to;
  }
  return pieces;
}

void SubwordTokenizer::Model::append_chunk(Pieces& pieces, const MappedText& line, std::size_t from,
                                           std::size_t to) const {
  // SentencePiece puts a space in front of what it gets. At the start of the line it is one more; elsewhere it stands
  // for the space that the chunk starts with, or, where a word was too long for a chunk, for nothing.
  const bool starts_line = from == 0;
  const bool starts_word = !starts_line && line[from] == ' ';
  const std::size_t sent_from = from + (starts_word ? 1 : 0);
  const Span first = starts_line ? Span{line.origin(0).from, line.origin(0).from} : line.origin(from);
  const std::string utf8 = encode_utf8(std::u32string_view(line.text()).substr(sent_from, to - sent_from));
  if (utf8.empty()) {  // the chunk was one space
    pieces.text.push(kShownSpace, first);
    pieces.ends.push_back(pieces.text.size());
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
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i < extra) {
        if (starts_line || starts_word) pieces.text.push(text[i], first);
      } else {
        pieces.text.push(text[i], aligned ? line.origin(start + i - extra) : line.cover(start, end));
      }
    }
    const std::size_t last = pieces.ends.empty() ? 0 : pieces.ends.back();
    if (pieces.text.size() > last) pieces.ends.push_back(pieces.text.size());
  }
}

// Word by word, since no piece crosses a space.
std::vector<std::size_t> SubwordTokenizer::Model::sample(const Pieces& pieces, const SubwordSampling& sampling) const {
  constexpr std::size_t kLongestWord = 100;  // dropout costs the square of the length: longer words keep their pieces
  const std::u32string& text = pieces.text.text();
  std::uint64_t draws = 0;
  const Dice dice = [&] { return sampling.random.uniform(draws++); };
  std::vector<std::size_t> ends;
  for (std::size_t from = 0, piece = 0; from < text.size();) {
    const std::size_t first_piece = piece;
    do ++piece;
    while (piece < pieces.ends.size() && text[pieces.ends[piece - 1]] != kShownSpace);
    const std::size_t to = pieces.ends[piece - 1];
    if (to - from > kLongestWord) {
      for (std::size_t k = first_piece; k < piece; ++k) ends.push_back(pieces.ends[k]);
    } else {
      const auto word = std::u32string_view(text).substr(from, to - from);
      std::size_t end = from;
      for (const std::size_t length :
           scores().is_bpe ? draw_bpe(word, sampling.alpha, dice) : draw_unigram(word, sampling.alpha, dice))
        ends.push_back(end += length);
    }
    from = to;
  }
  return ends;
}

// Forward sums over the lattice of all segmentations, then one path drawn from the end backwards.
std::vector<std::size_t> SubwordTokenizer::Model::draw_unigram(std::u32string_view word, float alpha,
                                                               const Dice& dice) const {
  struct Arc {
    std::size_t length;
    double score;
  };
  const Scores& known = scores();
  std::vector<std::vector<Arc>> arcs(word.size() + 1);  // by the position where they end
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
  std::vector<std::size_t> lengths;
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

// Of the merges possible now, each is left out by chance; the best of the rest is made.
std::vector<std::size_t> SubwordTokenizer::Model::draw_bpe(std::u32string_view word, float alpha,
                                                           const Dice& dice) const {
  const auto& merges = scores().of;
  std::vector<std::size_t> lengths(word.size(), 1);
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

namespace {

// Pieces as tokens. The space a piece starts with is no part of its span, unless the piece is nothing else.
std::vector<Token> piece_tokens(const MappedText& text, const std::vector<std::size_t>& ends) {
  std::vector<Token> tokens;
  tokens.reserve(ends.size());
  std::size_t from = 0;
  for (const std::size_t to : ends) {
    Token token = make_token(text, from, to);
    if (text[from] == kShownSpace && to - from > 1) token.span = text.cover(from + 1, to);
    tokens.push_back(std::move(token));
    from = to;
  }
  return tokens;
}

}  // namespace

SubwordTokenizer::SubwordTokenizer(const TokenizerOptions& options)
    : Tokenizer(options), model_(std::make_unique<Model>(options.subword_model)) {}

SubwordTokenizer::~SubwordTokenizer() = default;

std::vector<Token> SubwordTokenizer::split(const MappedText& line) const {
  const Model::Pieces pieces = model_->best(line);
  return piece_tokens(pieces.text, pieces.ends);
}

std::vector<Token> SubwordTokenizer::split_sampled(const MappedText& line, const SubwordSampling& sampling) const {
  const Model::Pieces pieces = model_->best(line);
  return piece_tokens(pieces.text, model_->sample(pieces, sampling));
}

std::string SubwordTokenizer::detokenize(std::span<const std::string> tokens) const {
  constexpr std::string_view kShown = "\u2581";
  std::string line;
  for (const std::string& token : tokens) {
    for (std::size_t i = 0; i < token.size();) {
      const bool space = std::string_view(token).substr(i).starts_with(kShown);
      line += space ? ' ' : token[i];
      i += space ? kShown.size() : 1;
    }
  }
  if (line.starts_with(' ')) line.erase(0, 1);
  return line;
}

std::vector<std::string> SubwordTokenizer::closed_vocabulary() const {
  return model_->pieces();
}

}  // namespace heed::text
