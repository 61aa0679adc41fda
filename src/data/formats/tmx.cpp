// Translation memories, TMX 1.4: of each translation unit (tu), the variants (tuv) in the two languages.
#include <algorithm>

#include "base/error.h"
#include "data/formats/format.h"
#include "data/formats/xml.h"
#include "text/languages.h"

namespace heed::data {

namespace {

class TmxFile : public XmlSource {
 public:
  TmxFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
      : XmlSource(std::move(bytes), options), wanted_(options.languages) {}

 private:
  using Event = XmlReader::Event;

  void begin() override { check_root("tmx", "TMX"); }

  bool handle(Event event, SentencePair& pair) override {
    const std::string element = xml_.path().back();
    if (event == Event::end && element == "tuv") texts_.resize(languages_.size());
    if (event == Event::end) return element == "tu" && end_unit(pair);
    if (event != Event::start) return false;
    if (xml_.is_inside("tmx", "header")) header_language_ = xml_.attribute("srclang");
    if (element == "tu") begin_unit();
    if (xml_.is_inside("tu", "tuv")) languages_.push_back(variant_language());
    if (xml_.is_inside("tuv", "seg") && languages_.size() == texts_.size() + 1) texts_.push_back(read_segment(xml_));
    return false;
  }

  static constexpr std::size_t kMaxSeen = 20;

  void begin_unit() {
    unit_language_ = xml_.attribute("srclang");
    languages_.clear();
    texts_.clear();
    line_ = xml_.line();
  }

  std::string variant_language() {
    std::string language = xml_.attribute("lang");
    check<InputError>(!language.empty(), "{}:{}: a tuv has no xml:lang, the language of its text", name_, xml_.line());
    if (seen_.size() < kMaxSeen && std::ranges::find(seen_, language) == seen_.end()) seen_.push_back(language);
    return language;
  }

  bool end_unit(SentencePair& pair) {
    texts_.resize(languages_.size());
    if (wanted_.source.empty() || wanted_.target.empty()) choose();
    const bool chosen = !wanted_.source.empty() && !wanted_.target.empty();
    const auto sides = chosen ? find_languages(languages_, wanted_) : std::nullopt;
    if (!sides || !has_text(texts_[sides->source]) || !has_text(texts_[sides->target])) {
      ++one_sided_;
      return false;
    }
    pair.source = std::move(texts_[sides->source]);
    pair.target = std::move(texts_[sides->target]);
    pair.line = line_;
    any_ = true;
    return true;
  }

  // Takes languages that were not requested from the first unit with two. The source is the declared one, or the first.
  void choose() {
    Languages wish = wanted_;
    const std::string& declared = unit_language_.empty() ? header_language_ : unit_language_;
    const auto is_declared = [&](const std::string& tag) {
      return text::language_key(tag) == text::language_key(declared);
    };
    if (wish.source.empty() && wish.target.empty() && std::ranges::any_of(languages_, is_declared))
      wish.source = declared;
    const auto sides = find_languages(languages_, wish);
    if (!sides) {
      check<InputError>(languages_.size() <= 2, "{}:{}: the languages are {}; choose two of them: {}", name_, line_,
                        listed(languages_), kSetLanguages);
      return;
    }
    wanted_ = {languages_[sides->source], languages_[sides->target]};
    choose_languages(wanted_,
                     wish.source == declared && !declared.empty() ? "as its srclang says" : "as in its first unit");
  }

  void finish() const override {
    check<InputError>(any_ || seen_.empty(), "'{}' has no pairs {}; its languages are {}", name_, describe(wanted_),
                      listed(seen_));
    check<InputError>(any_, "'{}' has no translation units", name_);
  }

  Languages wanted_;
  std::string header_language_, unit_language_;
  std::vector<std::string> languages_, texts_;  // of the unit's variants
  std::vector<std::string> seen_;               // languages, for messages
  std::int64_t line_ = 0;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<PairSource> open_tmx(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<TmxFile>(std::move(bytes), options);
}

}  // namespace heed::data
