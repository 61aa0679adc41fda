#include "inspect/attend.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/numbers.h"
#include "base/utf8.h"
#include "text/spans.h"

namespace heed::inspect {
namespace {

std::vector<text::Token> words_of(std::string_view text, const std::string& language) {
  return text::make_tokenizer({.kind = "words", .language = language})->tokenize(text);
}

// Converts matrices over tokens to matrices over words: those of the whole line, or those of a chunk.
void merge_into_words(translate::LineResult& line, std::size_t index, std::span<const text::Token> source,
                      std::span<const text::Token> target) {
  text::AttentionMatrix& whole = line.translations[index].attention;
  whole = by_words(whole, source, target);
  for (translate::LineResult& chunk : line.chunks) {
    text::AttentionMatrix& part = chunk.translations[index].attention;
    part = by_words(part, words_in(source, part.source), words_in(target, part.target));
  }
}

}  // namespace

void declare(Options& o, AttendOptions& v) {
  o.group("Translation");
  o.flag("target", v.target, "show the attention for this translation instead of the model's own").value("TEXT");
  declare_beam(o, v.translate.search);
  declare_nbest(o, v.translate.search);
  o.group("Picture");
  o.flag("words", v.words, "show words instead of the model's subwords");
  o.flag("gold", v.gold,
         "outline the links of a known word alignment: 0-0 is sure, 1p2 possible; or a file of them, one sentence per "
         "line, of which line --line is used")
      .value("LINKS|FILE")
      .reads([](const std::string& gold) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(gold, ignored) ? std::vector{gold} : std::vector<std::string>{};
      });
  alignment::declare_gold_base(o, v.gold_base);
}

void resolve(AttendOptions& v, const Options& options, bool page) {
  search::SearchOptions& search = v.translate.search;
  // A picture shows the whole sentence; only a location score limits its length.
  v.translate.max_source_length = std::numeric_limits<int>::max();
  if (options.is_set(&v.target)) {
    check<UsageError>(v.target.find_first_not_of(" \t") != v.target.npos,
                      "--target is empty; give it the translation whose attention to show, or leave it out");
    check<UsageError>(!options.is_set(&search.beam) && !options.is_set(&search.nbest),
                      "--target sets the translation, so it cannot be combined with --beam or --nbest");
    v.forced = true;
    search.beam = 1;
  }
  if (page) search.trace = kShownChoices;
  if (page && !options.is_set(&search.nbest)) search.nbest = std::min(search.beam, kShownTranslations);
  resolve_beam(search, options);
  check<UsageError>(!page || !v.by_words(),
                    "a page shows the model's own tokens, so it cannot be combined with --words or --gold");
  check<UsageError>(!v.gold.empty() || !options.is_set(&v.gold_base), "--gold-base has no effect without --gold");
}

translate::LineResult attend(translate::Translator& translator, const std::string& sentence,
                             const AttendOptions& options) {
  translate::TranslateRequest request{.text = sentence};
  if (options.forced) request.target = options.target;
  translate::LineResult line = std::move(translator.translate(std::span(&request, 1), options.translate).front());
  const text::AttentionMatrix& tokens = line.best().attention;
  check<UsageError>(!tokens.target.empty() && tokens.source.size() > (tokens.source_end ? 1 : 0),
                    "the sentence has no words");
  check<UsageError>(options.gold.empty() || line.chunks.empty(),
                    "the sentence is longer than the {} tokens that the model reads at once, so there is no single "
                    "matrix for the links of --gold",
                    translator.max_source_tokens(options.translate));
  if (!options.by_words()) return line;
  const text::TextConfig& config = translator.pipeline().config();
  const std::vector<text::Token> source = words_of(sentence, config.source_language);
  for (std::size_t i = 0; i < line.translations.size(); ++i)
    merge_into_words(line, i, source, words_of(line.translations[i].text, config.target_language));
  return line;
}

namespace {

// UsageError unless the links refer to words of the sentence and of a translation.
void check_links(const AttendedSentence& seen) {
  std::size_t sources = 0, targets = 0;
  for (const AttendedModel& model : seen.models) {
    const text::AttentionMatrix& words = model.line.best().attention;
    sources = std::max(sources, words.source.size() - static_cast<std::size_t>(words.source_end));
    targets = std::max(targets, words.target.size() - static_cast<std::size_t>(words.target_end));
  }
  const int base = seen.options.gold_base;
  for (const alignment::Link& link : seen.links)
    check<UsageError>(
        link.source < sources && link.target < targets,
        "--gold: the link {}-{} is out of range: the source has {} and the translation {}, counted from {}{}",
        link.source + static_cast<std::uint32_t>(base), link.target + static_cast<std::uint32_t>(base),
        counted(static_cast<std::int64_t>(sources), "word"), targets, base,
        seen.options.forced ? "" : "; if the links belong to another translation, give it with --target");
}

}  // namespace

AttendedSentence attend(std::span<const std::string> paths, const std::string& sentence, const AttendOptions& options) {
  AttendedSentence seen{.text = replace_bad_utf8(sentence),
                        .options = options,
                        .links = alignment::parse_alignment(options.gold, options.gold_base, "--gold"),
                        .models = {}};
  for (const std::string& path : paths) {
    auto translator = std::make_shared<translate::Translator>(path);
    translate::LineResult line = attend(*translator, seen.text, options);
    seen.models.push_back({path, std::move(translator), std::move(line)});
  }
  check_links(seen);
  return seen;
}

}  // namespace heed::inspect
