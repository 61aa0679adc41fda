#include "text/embeddings.h"

#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "text/normalize.h"

namespace heed::text {

namespace {

constexpr std::string_view kBlanks = " \t\r";

void trim_end(std::string_view& text) {
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Takes the last field off the line; empty if only one field (the word) is left.
std::string_view take_last(std::string_view& line) {
  trim_end(line);
  const std::size_t start = line.find_last_of(kBlanks) + 1;
  if (start == 0) return {};
  const std::string_view field = line.substr(start);
  line = line.substr(0, start);
  return field;
}

bool parse_float(std::string_view field, float& number) {
  double wide = 0;  // a number too small for a float becomes zero
  if (parse_number(field, wide) != std::errc() || !(std::abs(wide) <= std::numeric_limits<float>::max())) return false;
  number = static_cast<float>(wide);
  return true;
}

class EmbeddingReader {
 public:
  EmbeddingReader(std::string_view name, std::int64_t width, const Vocabulary& vocabulary, const OnVector& on_vector)
      : name_(name),
        vocabulary_(vocabulary),
        on_vector_(on_vector),
        vector_(static_cast<std::size_t>(width)),
        done_(static_cast<std::size_t>(vocabulary.size()), 0) {
    report_.width = width;
    const std::vector<std::string> steps = {"lowercase"};
    const Normalizer lower(steps);
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (vocabulary.is_special(id)) continue;
      ++report_.words;
      std::string form = lower.apply(vocabulary.word(id));
      if (form != vocabulary.word(id)) by_lower_[std::move(form)].push_back(id);
    }
  }

  void read(std::string_view line, std::int64_t number) {
    trim_end(line);
    if (line.empty() || (number == 1 && is_header(line))) return;
    const std::string_view word = read_numbers(line, number);
    if (report_.vectors++ == 0) check_width(word, number);
    use(word);
  }

  EmbeddingReport finish() {
    for (TokenId id = 0; id < vocabulary_.size(); ++id) {
      const auto found = lower_vectors_.find(id);
      if (found == lower_vectors_.end() || done_[static_cast<std::size_t>(id)]) continue;
      ++report_.matched;
      ++report_.matched_lower;
      on_vector_(id, found->second);
    }
    return report_;
  }

 private:
  // "400000 300": the first line of word2vec and fastText.
  bool is_header(std::string_view line) const {
    std::int64_t count = 0, width = 0;
    const bool second = parse_number(take_last(line), width) == std::errc();
    trim_end(line);
    if (!second || parse_number(line, count) != std::errc()) return false;
    check<InputError>(width == report_.width, "{}:1: the vectors have {} numbers, but the embedding size is {}", name_,
                      width, report_.width);
    return true;
  }

  // Reads the numbers from the end of the line and returns the rest, the word.
  std::string_view read_numbers(std::string_view line, std::int64_t number) {
    for (std::size_t k = vector_.size(); k-- > 0;) {
      const std::string_view field = take_last(line);
      check<InputError>(!field.empty(), "{}:{}: the line has fewer than {} numbers after its word", name_, number,
                        report_.width);
      check<InputError>(parse_float(field, vector_[k]), "{}:{}: '{}' is not a number", name_, number,
                        field.substr(0, 40));
    }
    trim_end(line);
    check<InputError>(!line.empty(), "{}:{}: there is no word before the {} numbers", name_, number, report_.width);
    return line;
  }

  // If the word ends in a number, the vectors are wider than the embeddings.
  void check_width(std::string_view word, std::int64_t number) const {
    float extra = 0;
    const bool wider = parse_float(take_last(word), extra);
    check<InputError>(!wider, "{}:{}: the line has more than {} numbers; set the embedding size to the file's", name_,
                      number, report_.width);
  }

  void use(std::string_view word) {
    const TokenId id = vocabulary_.id(word);
    if (id >= 0 && id != vocabulary_.special().unk && !done_[static_cast<std::size_t>(id)]) {
      done_[static_cast<std::size_t>(id)] = 1;
      ++report_.matched;
      on_vector_(id, vector_);
    }
    const auto found = by_lower_.find(word);
    if (found == by_lower_.end()) return;
    for (const TokenId other : found->second) lower_vectors_.emplace(other, vector_);
  }

  std::string_view name_;
  const Vocabulary& vocabulary_;
  const OnVector& on_vector_;
  EmbeddingReport report_;
  std::vector<float> vector_;
  std::vector<char> done_;
  WordMap<std::vector<TokenId>> by_lower_;  // words that differ from their lower-case form, by that form
  std::unordered_map<TokenId, std::vector<float>> lower_vectors_;  // vectors of the lower-case forms
};

}  // namespace

EmbeddingReport read_embeddings(const NextLine& next, std::string_view name, std::int64_t width,
                                const Vocabulary& vocabulary, const OnVector& on_vector) {
  check<UsageError>(width > 0, "the embedding size must be 1 or more, not {}", width);
  EmbeddingReader reader(name, width, vocabulary, on_vector);
  std::string line;
  for (std::int64_t number = 1; next(line); ++number) reader.read(line, number);
  return reader.finish();
}

}  // namespace heed::text
