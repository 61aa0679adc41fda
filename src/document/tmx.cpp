// TMX translation memories: translation units without a variant in the target language get one. Everything else stays
// as it is.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "document/document_reader.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"
#include "document/xml_inline.h"
#include "document/xml_tokens.h"
#include "text/languages.h"

namespace heed::document {

namespace {

constexpr InlineElement kTmxElements[] = {
    {"hi", InlineKind::around}, {"ph"}, {"it"}, {"ut"}, {"bpt", InlineKind::start, "i"}, {"ept", InlineKind::end, "i"},
};

struct TmxVariant {
  std::string language;
  std::size_t start = 0, end = 0, segment = 0, segment_end = 0;  // tokens of <tuv> and <seg>
};

class TmxDocument {
 public:
  TmxDocument(ByteSource& input, const Write& write, const DocumentOptions& options, const TranslateSegments& translate)
      : changes_encoding_(use_xml_encoding(input)),
        reader_(input),
        tokenizer_(reader_),
        queue_(write, translate),
        target_(options.target_language),
        source_(options.source_language) {}

  void run() {
    check<UsageError>(!target_.empty(), "'{}' cannot be translated: the model does not name its target language",
                      reader_.name());
    queue_.add(reader_.byte_order_mark());
    bool is_tmx = false;
    for (XmlToken token; tokenizer_.next(token);) {
      if (token.kind == XmlToken::Kind::instruction && std::exchange(changes_encoding_, false))
        set_attribute(token, "encoding", "UTF-8");
      is_tmx = is_tmx || (tokenizer_.depth() == 1 && token.starts("tmx"));
      if (source_.empty() && token.starts("header")) source_ = find_attribute(token, "srclang").value_or("");
      if (token.kind == XmlToken::Kind::start && token.local_name() == "tu")
        take_unit(std::move(token));
      else
        queue_.add(token.raw);
    }
    check<InputError>(is_tmx, "'{}' has no <tmx> element; it is not TMX", reader_.name());
    queue_.flush();
  }

 private:
  static bool same(const std::string& a, const std::string& b) {
    return text::language_key(a) == text::language_key(b);
  }

  static std::vector<TmxVariant> find_variants(std::span<const XmlToken> tokens) {
    std::vector<TmxVariant> variants;
    for (std::size_t i = 1; i + 1 < tokens.size();) {
      const std::size_t end = tokens[i].kind == XmlToken::Kind::start ? skip_element(tokens, i) : i + 1;
      if (tokens[i].starts("tuv")) {
        TmxVariant variant{.start = i, .end = end};
        variant.language =
            find_attribute(tokens[i], "xml:lang").value_or(find_attribute(tokens[i], "lang").value_or(""));
        for (std::size_t j = i + 1; j + 1 < end; ++j)
          if (tokens[j].kind == XmlToken::Kind::start && tokens[j].local_name() == "seg" && variant.segment == 0) {
            variant.segment = j + 1;
            variant.segment_end = skip_element(tokens, j) - 1;
          }
        variants.push_back(std::move(variant));
      }
      i = end;
    }
    return variants;
  }

  void take_unit(XmlToken start) {
    std::vector<XmlToken> tokens;
    tokens.push_back(std::move(start));
    tokenizer_.take_element(tokens);
    const std::span<const XmlToken> all = tokens;
    const std::vector<TmxVariant> variants = find_variants(all);
    const auto in = [&](const std::string& language) {
      return std::ranges::find_if(variants, [&](const TmxVariant& v) { return same(v.language, language); });
    };
    const std::string own = find_attribute(tokens[0], "srclang").value_or("");
    auto source = source_.empty() || source_ == "*all*" ? variants.begin() : in(source_);
    if (source == variants.end() && !own.empty()) source = in(own);
    const bool nothing =
        variants.empty() || source == variants.end() || source->segment == 0 || in(target_) != variants.end();
    if (nothing) return queue_.add(join_tokens(all));
    InlineContent content(all.subspan(source->segment, source->segment_end - source->segment), kTmxElements);
    const TmxVariant& last = variants.back();
    const XmlToken& before = tokens[last.start - 1];
    const bool is_space =
        before.kind == XmlToken::Kind::text && before.raw.find_first_not_of(" \t\r\n") == before.raw.npos;
    XmlToken tag{XmlToken::Kind::start, "<tuv>"};
    set_attribute(tag, "xml:lang", target_);
    const std::string opening = (is_space ? before.raw : "") + tag.raw + "<seg>", closing = "</seg></tuv>";
    std::vector<text::MarkedText> segments = content.segments();
    std::string unchanged = opening + content.write(segments) + closing;
    queue_.add(join_tokens(all.first(last.end)));
    queue_.add(
        std::move(segments),
        [=, content = std::move(content)](std::span<const text::MarkedText> translations) {
          return opening + content.write(translations) + closing;
        },
        std::move(unchanged));
    queue_.add(join_tokens(all.subspan(last.end)));
  }

  bool changes_encoding_;
  DocumentReader reader_;
  XmlTokenizer tokenizer_;
  SegmentQueue queue_;
  std::string target_, source_;
};

}  // namespace

void translate_tmx(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate) {
  TmxDocument(input, write, options, translate).run();
}

}  // namespace heed::document
