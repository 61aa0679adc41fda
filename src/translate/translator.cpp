#include "translate/translator.h"

#include <algorithm>
#include <numeric>

namespace heed {
namespace {

const std::string& need(const ModelFile& file, const std::string& path, const char* key, const char* what) {
  const auto found = std::ranges::find(file.metadata, key, &Metadata::value_type::first);
  check<InputError>(found != file.metadata.end(), "{}: the model has no {}, so it cannot be given text", path, what);
  return found->second;
}

Vocabulary vocabulary_of(const ModelFile& file, const std::string& path, const char* key, const char* side, int size) {
  const std::string name = fmt::format("{}: the {} vocabulary", path, side);
  const std::string& text =
      need(file, path, key, side == std::string("source") ? "source vocabulary" : "target vocabulary");
  std::vector<std::string> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    words.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  check<InputError>(static_cast<int>(words.size()) == size, "{} has {} words, but the model {}", name, words.size(),
                    size);
  const VocabularyConfig& ids = file.model->config().vocabulary;
  return Vocabulary(std::move(words), {.sos = ids.sos, .eos = ids.eos, .unk = ids.unk}, name);
}

}  // namespace

Translator::Translator(const std::string& path) : file_(load_model(path)) {
  const VocabularyConfig& sizes = model().config().vocabulary;
  source_ = vocabulary_of(file_, path, kSourceVocabularyKey, "source", sizes.source);
  target_ = vocabulary_of(file_, path, kTargetVocabularyKey, "target", sizes.target);
  const auto text = std::ranges::find(file_.metadata, kTextKey, &Metadata::value_type::first);
  TextConfig config;
  if (text != file_.metadata.end()) config = text_config_from_toml(text->second, path + ": heed.text");
  source_tokeniser_ = make_tokeniser(config.source());
  target_tokeniser_ = make_tokeniser(config.target());
  search_ = std::make_unique<Search>(model());
}

std::vector<Id> Translator::encode(const std::vector<Token>& tokens) const {
  std::vector<Id> ids;
  for (const Token& token : tokens) ids.push_back(source_.id(token.text));
  ids.push_back(static_cast<Id>(model().config().vocabulary.eos));
  return ids;
}

std::vector<Translated> Translator::translate(std::span<const std::string> lines, std::size_t batch) {
  check<UsageError>(batch > 0, "a batch of {} sentences", batch);
  std::vector<Translated> results(lines.size());
  std::vector<std::vector<Id>> encoded(lines.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    results[i].source = source_tokeniser_->tokenise(lines[i]);
    encoded[i] = encode(results[i].source);
    if (!results[i].source.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return encoded[i].size(); });
  for (std::size_t from = 0; from < order.size(); from += batch) {
    const auto part = std::span(order).subspan(from, std::min(batch, order.size() - from));
    std::vector<SearchJob> jobs;
    for (const std::size_t i : part)
      jobs.push_back({.source = encoded[i], .max_length = 2 * static_cast<Index>(encoded[i].size()) + 10});
    const auto translations = search_->run(jobs, {});
    for (std::size_t k = 0; k < part.size(); ++k) {
      Translated& result = results[part[k]];
      result.ids = translations[k].front();
      result.words = target_.words(result.ids.words);
      result.text = target_tokeniser_->detokenise(result.words);
    }
  }
  return results;
}

}  // namespace heed
