#include "translate/text_layer.h"

#include <algorithm>
#include <climits>
#include <deque>

#include "base/utf8.h"
#include "text/spans.h"

namespace heed::translate {

// A line and its sentences. A line without words has one empty sentence, so that it too gets a result.
struct TextLayer::Line {
  std::string text;  // valid UTF-8
  std::vector<text::ByteRange> sentences;

  bool is_whole() const { return sentences.size() == 1 && sentences[0] == text::ByteRange{0, text.size()}; }
  std::string_view in_front_of(std::size_t sentence) const {
    const std::size_t from = sentence == 0 ? 0 : sentences[sentence - 1].to;
    return std::string_view(text).substr(from, sentences[sentence].from - from);
  }
  std::string_view behind() const { return std::string_view(text).substr(sentences.back().to); }
};

TextLayer::TextLayer(Translator& translator, TextOptions options)
    : translator_(translator), options_(options), splitter_(translator.pipeline().config().source_language) {}

TextLayer::Line TextLayer::split(const TranslateRequest& request) {
  Line line{.text = replace_bad_utf8(request.text)};
  if (options_.segment != Segmentation::sentences || request.target)
    line.sentences = {{0, line.text.size()}};
  else if (line.sentences = splitter_.split(line.text); line.sentences.empty())
    line.sentences = {{0, 0}};
  else if (line.sentences.size() > 1 && translator_.training_lines() &&
           translator_.training_lines()->includes(line.text))
    line.sentences = {{line.sentences.front().from, line.sentences.back().to}};
  return line;
}

std::vector<LineResult> TextLayer::translate(std::span<const TranslateRequest> requests,
                                             const TranslateOptions& call_options) {
  if (options_.plain) return translator_.translate(requests, call_options);
  std::deque<TranslateOptions> changed;  // options of this layer's own
  const auto adapted = [&](const TranslateOptions& options) {
    if (options_.segment != Segmentation::never) return &options;
    changed.push_back(options);
    changed.back().max_source_length = INT_MAX;
    return const_cast<const TranslateOptions*>(&changed.back());
  };
  const TranslateOptions& options = *adapted(call_options);
  std::vector<Line> lines;
  std::vector<TranslateRequest> sentences;
  lines.reserve(requests.size());  // the sentences refer to the lines
  for (const TranslateRequest& request : requests) {
    const Line& line = lines.emplace_back(split(request));
    for (const text::ByteRange& sentence : line.sentences) {
      TranslateRequest& part = sentences.emplace_back(request);
      if (request.options != nullptr) part.options = adapted(*request.options);
      part.text = sentence.of(line.text);
      if (&sentence != &line.sentences.front()) part.prefix = {};
    }
  }
  std::vector<LineResult> parts = translator_.translate(sentences, options);

  std::vector<LineResult> results(requests.size());
  auto part = parts.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.is_whole()) {
      results[i] = std::move(*part++);
      continue;
    }
    std::vector<Chunk> chunks;
    std::uint32_t characters = 0;  // of the line, up to the sentence
    for (std::size_t k = 0; k < line.sentences.size(); ++k) {
      const std::string_view separator = line.in_front_of(k);
      characters += static_cast<std::uint32_t>(utf8_length(separator));
      chunks.push_back({.result = std::move(*part++), .offset = characters, .separator = std::string(separator)});
      characters += static_cast<std::uint32_t>(utf8_length(line.sentences[k].of(line.text)));
    }
    const TranslateOptions& settings = requests[i].options != nullptr ? *requests[i].options : options;
    if (std::ranges::all_of(chunks, [](const Chunk& chunk) { return chunk.result.done(); }))
      results[i] = join_sentences(std::move(chunks), line.behind(), static_cast<std::size_t>(settings.search.nbest));
  }
  return results;
}

}  // namespace heed::translate
