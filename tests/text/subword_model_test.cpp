// Subword models of other people: real ones are accepted, and no damaged or hostile one reaches SentencePiece.
#include "text/subword_model.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/random.h"
#include "text/subwords.h"

namespace heed {
namespace {

// The wire format of protocol buffers.
std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  return out + static_cast<char>(value);
}
std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
std::string field(int number, float value) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), 4);
}

enum : std::uint64_t { kNormal = 1, kUnknown = 2, kUserDefined = 4 };
std::string piece(const std::string& text, float score = -1, std::uint64_t type = kNormal) {
  return field(1, field(1, text) + field(2, score) + field(3, type));
}
const std::string kPieces = piece("<unk>", 0, kUnknown) + piece("\u2581") + piece("a") + piece("b") + piece("ab");

// A trie of Darts-clone and its replacements. Unit i has the label of the edge to it.
std::uint32_t unit(std::uint32_t at, std::uint32_t base, char label, bool leaf) {
  return (at ^ base) << 10 | (leaf ? 1U << 8 : 0U) | static_cast<unsigned char>(label);
}
std::string rules(const std::vector<std::uint32_t>& units, const std::string& replacements) {
  const auto size = static_cast<std::uint32_t>(units.size() * 4);
  return std::string(reinterpret_cast<const char*>(&size), 4) +
         std::string(reinterpret_cast<const char*>(units.data()), size) + replacements;
}
// `a` becomes `b`: the root's children are at base 1, the leaf of `a` at 2.
std::vector<std::uint32_t> a_to_b() {
  std::vector<std::uint32_t> units(256, 1U << 31);
  units[0] = unit(0, 1, '\0', false);
  units[1 ^ 'a'] = unit(1 ^ 'a', 2, 'a', true);
  return units;
}
std::string model_with(const std::string& rules) {
  return kPieces + field(3, field(2, rules));
}

std::string problem(const std::string& model) {
  try {
    text::check_subword_model(model, "file");
    return "";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("file")) << error.what();
    EXPECT_LT(std::strlen(error.what()), 200u);
    return error.what();
  }
}
::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
}

std::vector<std::string> tokens(const std::string& model, const std::string& line) {
  return token_texts(text::make_tokenizer({.kind = "sentencepiece", .subword_model = model})->tokenize(line));
}

class Lines : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return count_ == 200; }
  void Next() override { line_ = "the \ufb01sh of office number " + std::to_string(++count_) + " swims"; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string line_ = "the \ufb01sh";
  int count_ = 0;
};

std::string trained(const std::string& normalization) {
  Lines lines;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      std::unordered_map<std::string, std::string>{{"model_type", "bpe"},
                                                   {"vocab_size", "60"},
                                                   {"hard_vocab_limit", "false"},
                                                   {"normalization_rule_name", normalization},
                                                   {"self_test_sample_size", "5"},
                                                   {"minloglevel", "3"}},
      &lines, &model);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return model;
}

TEST(SubwordModelCheck, AcceptsTheModelsOfSentencePiece) {
  EXPECT_FALSE(text::check_subword_model(trained("identity"), "file").normalizes);
  for (const char* normalization : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"}) {
    const std::string model = trained(normalization);
    EXPECT_TRUE(text::check_subword_model(model, "file").normalizes) << normalization;
    std::string joined;
    for (const std::string& token : tokens(model, "\ufb01sh")) joined += token;
    EXPECT_EQ(joined, "\u2581fish") << normalization;
  }
}

TEST(SubwordModelCheck, AcceptsValidRules) {
  const std::string model = model_with(rules(a_to_b(), std::string("c\0", 2)));
  std::vector<std::uint32_t> units = a_to_b();
  units[2] = 1U << 31 | 0;
  EXPECT_EQ(problem(model), "");
  EXPECT_EQ(tokens(model_with(rules(units, std::string("b\0", 2))), "a b"),
            (std::vector<std::string>{"\u2581", "b", "\u2581", "b"}));
}

TEST(SubwordModelCheck, RefusesDamagedRules) {
  const std::string damaged = "normalization rules are damaged";
  const std::string text("b\0", 2);
  const auto with = [&](std::uint32_t at, std::uint32_t value) {
    std::vector<std::uint32_t> units = a_to_b();
    units[at] = value;
    return problem(model_with(rules(units, text)));
  };
  const std::uint32_t a = 1 ^ 'a';
  EXPECT_EQ(with(a, a_to_b()[a]), "");
  EXPECT_TRUE(contains(with(0, unit(0, 256, '\0', false)), damaged));           // the root's children are outside
  EXPECT_TRUE(contains(with(a, unit(a, 256, 'a', true)), damaged));             // so is a leaf
  EXPECT_TRUE(contains(with(a, 1U << 10 | 1U << 9 | 1U << 8 | 'a'), damaged));  // an offset of 256
  EXPECT_TRUE(contains(with(2, 1U << 31 | 2), damaged));                        // a replacement outside
  EXPECT_TRUE(contains(with(2, INT32_MAX | 1U << 31), damaged));
  EXPECT_TRUE(contains(with(a, unit(a, 1, 'a', true)), damaged));  // `a` is below itself
  // An unreachable unit does not matter.
  EXPECT_EQ(with(200, unit(200, 100'000, 'x', true)), "");

  EXPECT_TRUE(contains(problem(model_with("\1")), damaged));
  EXPECT_TRUE(contains(problem(model_with(std::string(4, '\0'))), damaged));
  EXPECT_TRUE(contains(problem(model_with(std::string(4, '\xff'))), damaged));
  EXPECT_TRUE(contains(problem(model_with(rules({}, text))), damaged));
  EXPECT_TRUE(contains(problem(model_with(rules(a_to_b(), ""))), damaged));
  EXPECT_TRUE(contains(problem(model_with(rules(a_to_b(), "b"))), damaged));  // without NUL
  EXPECT_TRUE(contains(problem(model_with(rules(a_to_b(), std::string("\xe2\x82\0", 3)))), damaged));
  EXPECT_TRUE(contains(problem(model_with(rules(a_to_b(), std::string(257, 'b') + '\0'))), damaged));
  EXPECT_EQ(problem(model_with(rules(a_to_b(), std::string(256, 'b') + '\0'))), "");
  std::vector<std::uint32_t> cut = a_to_b();
  cut.resize(200, 0);
  EXPECT_TRUE(contains(problem(model_with(rules(cut, text))), damaged));
  EXPECT_TRUE(contains(problem(model_with(std::string((4 << 20) + 1, 'x'))), "at most 4194304"));
  // The rules for detokenizing are the same kind of message.
  EXPECT_TRUE(contains(problem(kPieces + field(5, field(2, std::string("xxxxxxxx")))), damaged));
  // Any of several, whichever the library uses.
  EXPECT_TRUE(contains(problem(model_with("xxxxxxxx") + field(3, field(2, rules(a_to_b(), text)))), damaged));
}

// SentencePiece has room for 32 matches.
TEST(SubwordModelCheck, RefusesRulesThatBeginWithEachOther) {
  const auto chain = [](std::uint32_t length) {
    std::vector<std::uint32_t> units(256 * (length + 1), 1U << 31);
    units[0] = unit(0, 256, '\0', false);
    for (std::uint32_t i = 1; i <= length; ++i)
      units[256 * i ^ 'a'] = unit(256 * i ^ 'a', i < length ? 256 * (i + 1) : 1, 'a', true);
    return model_with(rules(units, std::string("b\0", 2)));
  };
  EXPECT_EQ(problem(chain(32)), "");
  EXPECT_FALSE(tokens(chain(32), std::string(100, 'a')).empty());
  EXPECT_TRUE(contains(problem(chain(33)), "damaged"));
}

TEST(SubwordModelCheck, RefusesDamagedPieces) {
  EXPECT_EQ(problem(kPieces), "");
  EXPECT_TRUE(contains(problem(""), "no subwords"));
  EXPECT_TRUE(contains(problem("nonsense"), "not a SentencePiece model"));
  EXPECT_TRUE(contains(problem(kPieces + piece("")), "subword 6 has 0 bytes"));
  EXPECT_TRUE(contains(problem(kPieces + field(1, std::string())), "subword 6 has 0 bytes"));
  EXPECT_EQ(problem(kPieces + piece(std::string(1000, 'x'))), "");
  EXPECT_TRUE(contains(problem(kPieces + piece(std::string(1001, 'x'))), "subword 6 has 1001 bytes"));
  EXPECT_TRUE(contains(problem(kPieces + piece("\xff")), "subword 6 is not valid UTF-8"));
  EXPECT_TRUE(contains(problem(kPieces + piece(std::string("a\0b", 3))), "subword 6 is not valid UTF-8"));
  for (const float score : {std::nanf(""), std::numeric_limits<float>::infinity()})
    EXPECT_TRUE(contains(problem(kPieces + piece("c", score)), "the score of subword 6 is not finite"));
  for (const std::uint64_t type : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}})
    EXPECT_TRUE(contains(problem(kPieces + piece("c", -1, type)), "unknown type"));
  EXPECT_TRUE(contains(problem(kPieces + field(1, std::uint64_t{3})), "not a SentencePiece model"));
  EXPECT_TRUE(contains(problem(kPieces + field(1, field(2, std::string("abcd")))), "not a SentencePiece model"));
  for (std::size_t size = 1; size < 8; ++size) EXPECT_NE(problem(kPieces.substr(0, kPieces.size() - size)), "") << size;
  EXPECT_NE(problem(kPieces + "\x0b\x0c"), "");                  // a group
  EXPECT_NE(problem(kPieces + std::string("\x02\x00", 2)), "");  // field 0
  EXPECT_NE(problem(kPieces + field(1, std::string("x")).substr(0, 1) + std::string(11, '\xff')), "");
  EXPECT_NE(problem(kPieces + std::string("\x9a\x80\x80\x80\x10\x00", 6)), "");  // a tag of more than 32 bits
  std::string many;
  for (int i = 0; i < 10; ++i) many += field(4, field(1, field(1, std::string(4000, 'x'))));
  EXPECT_EQ(problem(kPieces + many), "");
  EXPECT_TRUE(contains(problem(kPieces + field(4, field(1, std::string(5001, 'x')))), "self-test"));
}

// SentencePiece has room for 64 matches.
TEST(SubwordModelCheck, RefusesUserDefinedSymbolsThatBeginWithEachOther) {
  const auto symbols = [](std::size_t count) {
    std::string model = kPieces;
    for (std::size_t i = 1; i <= count; ++i)
      model += piece("z" + std::string(i, 'y'), 0, kUserDefined) + piece("z" + std::string(i, 'x'), 0, kUserDefined);
    return model;
  };
  EXPECT_EQ(problem(symbols(64)), "");
  EXPECT_EQ(tokens(symbols(64), "z" + std::string(64, 'y')).size(), 2u);
  EXPECT_TRUE(contains(problem(symbols(65)), "are prefixes of each other"));
}

// Whatever is changed in a real model: it is refused or can be used.
TEST(SubwordModelCheck, MutatedModelsAreRefusedOrUsable) {
  const std::string model = trained("nmt_nfkc");
  const std::size_t from = model.find("nmt_nfkc");  // the rules follow
  ASSERT_NE(from, std::string::npos);
  const std::string line =
      "the \ufb01sh \u00bd \u3042\u304c\u0301 \uff21\ufdfa \u1e9b\u0323 x\u00a0y\u200b \xf0\x9d\x94\xb8 \xff\xe2\x82";
  int refused = 0, used = 0;
  for (std::uint32_t trial = 0; trial < 600; ++trial) {
    const Random random(5, Stream::test, trial);
    std::uint32_t draws = 0;
    const auto below = [&](std::size_t n) { return random.below(draws++, static_cast<std::uint32_t>(n)); };
    std::string other = model;
    const bool rules_only = trial % 2 == 0;
    for (std::size_t i = 0; i <= below(trial % 3 == 0 ? 3 : 300); ++i) {
      const std::size_t at = rules_only ? from + 20 + below(model.size() - from - 20) : below(model.size());
      other[at] = static_cast<char>(below(256));
    }
    try {
      text::check_subword_model(other, "file");
    } catch (const InputError&) {
      ++refused;
      continue;
    }
    try {
      tokens(other, line);
      ++used;
    } catch (const InputError&) {  // SentencePiece itself refuses it
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(used, 20);
}

}  // namespace
}  // namespace heed
