#include "pocket/corpus.h"

#include <filesystem>
#include <unordered_set>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "pocket/grammar.h"

namespace heed::pocket {
namespace {

// A draw has this many blocks of four random numbers to itself: far more than it needs.
constexpr std::uint64_t kBlocksPerDraw = 1 << 12;

bool is_mark(char c) {
  return c == '.' || c == '?' || c == ',';
}

// FNV-1a, mixed at the end so that the low bits are good.
std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::string to_text(const Words& words) {
  std::string text;
  for (const Word& word : words) {
    if (!text.empty() && !is_mark(word.stem.empty() ? ' ' : word.stem.front())) text += ' ';
    text.append(word.stem).append(word.ending);
  }
  // No sentence begins with a letter outside ASCII.
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

PocketPair to_pair(const Phrase& sentence) {
  PocketPair pair{to_text(sentence.english), to_text(sentence.german), {}};
  for (std::size_t s = 0; s < sentence.english.size(); ++s)
    for (std::size_t t = 0; t < sentence.german.size(); ++t)
      if (sentence.english[s].ideas & sentence.german[t].ideas)
        pair.alignment.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t)});
  return pair;
}

bool fits(const Words& words) {
  return words.size() >= PocketCorpus::kMinWords && words.size() <= PocketCorpus::kMaxWords;
}

}  // namespace

std::vector<std::string_view> pocket_tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) tokens.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' || is_mark(text[i])) end_word(i);
    if (is_mark(text[i])) tokens.push_back(text.substr(i, 1));
  }
  end_word(text.size());
  return tokens;
}

PocketPair PocketCorpus::draw(std::uint64_t index) const {
  Dice dice(Random(seed_, Stream::corpus), index * kBlocksPerDraw);
  for (;;) {
    const Phrase sentence = compose_sentence(dice);
    if (fits(sentence.english) && fits(sentence.german)) return to_pair(sentence);
  }
}

Split PocketCorpus::split_of(const PocketPair& pair) {
  const std::uint64_t part = hash_text(pair.target) % 20;
  return part == 0 ? Split::valid : part == 1 ? Split::test : Split::train;
}

void PocketCorpus::visit(Split split, std::size_t count, const std::function<void(const PocketPair&)>& visitor) const {
  std::unordered_set<std::uint64_t> seen;  // hashes; a collision only drops a pair
  for (std::uint64_t index = 0; seen.size() < count; ++index) {
    const PocketPair pair = draw(index);
    if (split_of(pair) == split && seen.insert(hash_text(pair.source)).second) visitor(pair);
  }
}

std::vector<PocketPair> PocketCorpus::pairs(Split split, std::size_t count) const {
  std::vector<PocketPair> kept;
  visit(split, count, [&](const PocketPair& pair) { kept.push_back(pair); });
  return kept;
}

std::string to_tsv(const PocketPair& pair) {
  return fmt::format("{}\t{}\t{}", pair.source, pair.target, format_alignment(pair.alignment));
}

std::vector<std::string> pocket_files(const std::string& prefix) {
  std::vector<std::string> files;
  for (const char* split : {"train", "valid", "test"})
    for (const char* ending : {"en", "de", "align"}) files.push_back(fmt::format("{}.{}.{}", prefix, split, ending));
  return files;
}

void write_pocket(const std::string& prefix, const PocketCorpus& corpus, const PocketSizes& sizes) {
  const std::vector<std::string> files = pocket_files(prefix);
  auto name = files.begin();
  const std::pair<Split, std::size_t> splits[] = {
      {Split::train, sizes.train}, {Split::valid, sizes.valid}, {Split::test, sizes.test}};
  for (const auto& [split, size] : splits) {
    AtomicFile english(*name++), german(*name++), alignment(*name++);
    corpus.visit(split, size, [&](const PocketPair& pair) {
      english.write(pair.source + "\n");
      german.write(pair.target + "\n");
      alignment.write(format_alignment(pair.alignment) + "\n");
    });
    english.commit();
    german.commit();
    alignment.commit();
  }
}

}  // namespace heed::pocket
