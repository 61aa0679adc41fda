#include "inspect/model_summary.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "inspect/describe.h"
#include "text/text_config.h"

namespace heed::inspect {
namespace {

constexpr std::size_t kLongest = 200;  // in characters, of text from the file

// The text settings of a model with vocabularies; empty if it has none, or if they are damaged.
std::optional<text::TextConfig> text_settings(const model::ModelFile& file) try {
  const std::string* toml = file.find_metadata(text::kTextKey);
  const bool has_words =
      file.find_metadata(model::kSourceVocabularyKey) != nullptr && file.find_metadata(model::kTargetVocabularyKey);
  if (!has_words) return {};
  return toml == nullptr ? text::TextConfig{} : text::text_config_from_toml(*toml, text::kTextKey);
} catch (const Error&) {
  return {};
}

// A JSON object in the metadata; null if there is none, or if it is damaged.
Json metadata_object(const model::ModelFile& file, const char* key) try {
  const std::string* json = file.find_metadata(key);
  Json object = json == nullptr ? Json() : parse_json(*json, key);
  return object.is_object() ? object : Json();
} catch (const Error&) {
  return {};
}

bool lowercases(const text::TextConfig& c) {
  return std::ranges::any_of(c.normalize, [](const std::string& s) { return s == "lowercase" || s == "casefold"; });
}

// "en to de"
std::string direction(const std::string& from, const std::string& to) {
  const std::string source = printable(from, kLongest), target = printable(to, kLongest);
  if (source.empty() && target.empty()) return "languages not recorded";
  if (target.empty()) return fmt::format("from {} (target language not recorded)", source);
  if (source.empty()) return fmt::format("to {} (source language not recorded)", target);
  return fmt::format("{} to {}", source, target);
}

std::string tokens_of(const text::TextConfig& c) {
  if (c.has_subwords())
    return fmt::format("{} subwords{}", c.tokenizer, c.subword_joint ? ", one set for both sides" : "");
  if (c.tokenizer == "characters") return "characters";
  return fmt::format("words ({})", c.tokenizer);
}

void describe_text(const text::TextConfig& c, const model::RecordedLanguages& recorded, ModelSummary& summary) {
  // Languages that the settings leave open are those that the training files named.
  const std::string &source = c.source_language.empty() ? recorded.source : c.source_language,
                    &target = c.target_language.empty() ? recorded.target : c.target_language;
  const bool pretokenized = c.tokenizer == "whitespace";
  const bool lower = lowercases(c);
  const std::string input = pretokenized ? "tokenized text: words and punctuation separated by spaces"
                                         : "raw text, as people write it; heed tokenizes it";
  const std::string output = fmt::format("{}{}", lower ? "lower-case " : "", pretokenized ? "tokenized text" : "text");
  auto& lines = summary.lines;
  lines.emplace_back("translates", direction(source, target));
  lines.emplace_back("expects", fmt::format("{}, one sentence per line", input));
  lines.emplace_back("produces", output);
  lines.emplace_back("case", lower ? "ignored: the input is lowercased, and the output has lower case only"
                                   : "kept: upper and lower case differ");
  lines.emplace_back(
      "tokens", fmt::format("{}{}", tokens_of(c),
                            c.normalize.empty() ? "; text is not normalized"
                                                : fmt::format("; normalized by {}", fmt::join(c.normalize, ", "))));
  const auto code = [](const std::string& text) { return text.empty() ? Json() : Json(printable(text, kLongest)); };
  summary.facts = {{"languages", {{"source", code(source)}, {"target", code(target)}}},
                   {"case", lower ? "lower" : "kept"},
                   {"input", pretokenized ? "tokenized" : "raw"},
                   {"tokenizer", c.tokenizer},
                   {"subwords", c.has_subwords() ? Json(c.subwords) : Json()},
                   {"normalize", c.normalize}};
}

// Throws Json::exception for a value of the wrong type.
std::string describe_training(const Json& history) {
  std::string sentence = fmt::format("{} sentence pairs, {} updates", grouped(history.at("train_pairs").get<Index>()),
                                     grouped(history.at("update").get<Index>()));
  if (history.contains("epochs")) {
    const double epochs = history.at("epochs").get<double>();
    sentence += fmt::format(" ({:g} epoch{})", epochs, epochs == 1 ? "" : "s");
  }
  if (!history.contains("validation")) return sentence;
  const Json& validation = history.at("validation");
  return sentence + fmt::format("; validation {} {:.2f} on {} pairs",
                                printable(validation.at("metric").get<std::string>(), kLongest),
                                validation.at("value").get<double>(), grouped(validation.at("pairs").get<Index>()));
}

// "bidirectional gru encoder (320 units per direction), additive attention before the cell, gru decoder (320 units)"
std::string describe_architecture(const model::ModelConfig& c) {
  const auto units = [](int layers, int hidden) {
    return layers == 1 ? fmt::format("{} units", hidden) : fmt::format("{} layers of {} units", layers, hidden);
  };
  const std::string attention = c.attends() ? fmt::format("{} attention {} the cell", enum_name(c.attention.score),
                                                          enum_name(c.attention.position))
                                            : "no attention";
  return fmt::format("{}{} encoder ({}{}), {}, {} decoder ({})", c.encoder.bidirectional ? "bidirectional " : "",
                     enum_name(c.encoder.cell), units(c.encoder.layers, c.encoder.hidden),
                     c.encoder.bidirectional ? " per direction" : "", attention, enum_name(c.decoder.cell),
                     units(c.decoder.layers, c.decoder.hidden));
}

}  // namespace

ModelSummary summarize(const model::ModelFile& file, const std::string& path) {
  ModelSummary summary;
  const model::ModelConfig& c = file.model->config();
  const auto text = text_settings(file);
  Json history = metadata_object(file, "heed.provenance");
  if (text)
    describe_text(*text, file.recorded_languages(), summary);
  else
    summary.lines.emplace_back("expects", "token ids: the file has no usable vocabulary or text settings");
  std::string trained = "not recorded", from;
  try {
    if (!history.is_null()) trained = describe_training(history);
    if (history.contains("from")) from = printable(history.at("from").get<std::string>(), kLongest);
  } catch (const Json::exception&) {
    history = Json();
  }
  summary.lines.emplace_back("trained on", trained);
  if (!from.empty()) summary.lines.emplace_back("fine-tuned", fmt::format("from the model with checksum {}", from));
  const std::string architecture = describe_architecture(c);
  summary.lines.emplace_back("architecture", architecture);
  if (text) summary.lines.emplace_back("use", fmt::format("echo 'your text' | heed translate {}", quote_word(path)));
  summary.facts["architecture"] = architecture;
  summary.facts["training"] = history;
  summary.facts["from"] = from.empty() ? Json() : Json(from);
  return summary;
}

}  // namespace heed::inspect
