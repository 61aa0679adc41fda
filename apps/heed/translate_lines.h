// Translates lines of text and writes what `heed translate` prints for each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "translate/text_layer.h"

namespace heed::cli {

struct LineFormat {
  bool json = false, alignment = false;
  Encoding encoding = Encoding::utf8;                 // of the input, for a note about invalid bytes
  std::vector<std::string>* unknown_words = nullptr;  // if not null, gets the words that the model does not know
};

class LineTranslation {
 public:
  // Read at once: enough lines to sort into batches of similar length, but not so many that memory grows.
  static constexpr std::size_t kBlockBytes = 4 << 20;
  static std::size_t block_lines(const translate::TranslateOptions& options) {
    return 50 * static_cast<std::size_t>(options.batch);
  }

  LineTranslation(translate::Translator& translator, const translate::TextOptions& layer,
                  translate::TranslateOptions options)
      : translator_(translator), layer_(translator, layer), options_(std::move(options)) {}

  using Write = std::function<void(const std::string& text)>;
  using Note = std::function<void(const std::string& sentence)>;
  // Writes one line, or the n-best lines, for each line, up to the first that on_progress() of the options has stopped;
  // returns their number. `prefixes` is empty or has one for each line; `first` is the number of the first line,
  // counted from 0.
  std::size_t run(std::span<const std::string> lines, std::span<const std::string> prefixes, std::int64_t first,
                  const LineFormat& format, const Write& write, const Note& note);

  const translate::TranslateOptions& options() const { return options_; }

 private:
  void write_line(const std::string& line, const translate::LineResult& result, std::int64_t number,
                  const LineFormat& format, const Write& write) const;

  translate::Translator& translator_;
  translate::TextLayer layer_;
  translate::TranslateOptions options_;
  bool bad_utf8_ = false;
};

}  // namespace heed::cli
