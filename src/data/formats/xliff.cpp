// XLIFF 1.2 (trans-unit) and 2.0 (segment): source and target.
#include "base/error.h"
#include "data/formats/format.h"
#include "data/formats/xml.h"
#include "text/languages.h"

namespace heed::data {

namespace {

class XliffFile : public XmlSource {
 public:
  XliffFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) : XmlSource(std::move(bytes), options) {}

 private:
  using Event = XmlReader::Event;

  bool handle(Event event, SentencePair& pair) override {
    const std::string_view unit = is_version_2_ ? "segment" : "trans-unit";
    const auto& path = xml_.path();
    if (event == Event::end) return path.back() == unit && end_unit(pair);
    if (event != Event::start) return false;
    if (path.size() == 2 && path[1] == "file" && !is_version_2_)
      orient({xml_.attribute("source-language"), xml_.attribute("target-language")});
    if (path.back() == unit) {
      source_.clear();
      target_.clear();
      line_ = xml_.line();
    }
    if (xml_.is_inside(unit, "source"))
      source_ = read_segment(xml_);
    else if (xml_.is_inside(unit, "target"))
      target_ = read_segment(xml_);
    return false;
  }

  void finish() const override {
    check<InputError>(any_, "'{}' has no unit with text in both source and target", name_);
  }

  void begin() override {
    check_root("xliff", "XLIFF");
    const std::string version = xml_.attribute("version");
    is_version_2_ = version.starts_with("2");
    check<InputError>(is_version_2_ || version.starts_with("1"), "'{}' is XLIFF {}; heed reads versions 1.2 and 2",
                      name_, in_quotes(version));
    if (is_version_2_) orient({xml_.attribute("srcLang"), xml_.attribute("trgLang")});
  }

  // An attribute that the file leaves out agrees with everything.
  void orient(const Languages& file) {
    const Languages& wanted = options_.languages;
    const auto fits = [](const std::string& wish, const std::string& language) {
      return wish.empty() || language.empty() || text::language_key(wish) == text::language_key(language);
    };
    const bool as_is = fits(wanted.source, file.source) && fits(wanted.target, file.target);
    swap_ = !as_is && fits(wanted.source, file.target) && fits(wanted.target, file.source);
    check<InputError>(as_is || swap_, "{}:{}: the translations go {}, but the pairs should go {}", name_, xml_.line(),
                      describe(file), describe(wanted));
    if (!file.source.empty()) choose_languages(swap_ ? Languages{file.target, file.source} : file, "as the file says");
  }

  bool end_unit(SentencePair& pair) {
    if (!has_text(source_) || !has_text(target_)) {
      ++one_sided_;
      return false;
    }
    pair.source = std::move(swap_ ? target_ : source_);
    pair.target = std::move(swap_ ? source_ : target_);
    pair.line = line_;
    return any_ = true;
  }

  std::string source_, target_;
  std::int64_t line_ = 0;
  bool is_version_2_ = false, swap_ = false, any_ = false;
};

}  // namespace

std::unique_ptr<PairSource> open_xliff(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<XliffFile>(std::move(bytes), options);
}

}  // namespace heed::data
