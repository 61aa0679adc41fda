// XLIFF 1.2 and 2.x: units without a translation get one, with the inline elements of the source. Units that must not
// be translated, existing translations and everything else stay as they are.
#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "document/document_reader.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"
#include "document/xml_inline.h"
#include "document/xml_tokens.h"

namespace heed::document {

namespace {

constexpr InlineElement kXliff1Elements[] = {
    {"g", InlineKind::around},
    {"mrk", InlineKind::around},
    {"x"},
    {"ph"},
    {"it"},
    {"bx", InlineKind::start, "rid", "id"},
    {"ex", InlineKind::end, "rid", "id"},
    {"bpt", InlineKind::start, "rid", "id"},
    {"ept", InlineKind::end, "rid", "id"},
};
constexpr InlineElement kXliff2Elements[] = {
    {"pc", InlineKind::around},
    {"mrk", InlineKind::around},
    {"ph"},
    {"cp"},
    {"sc", InlineKind::start, "id"},
    {"ec", InlineKind::end, "startRef"},
    {"sm", InlineKind::start, "id"},
    {"em", InlineKind::end, "startRef"},
};

// A child element of a unit.
struct XmlRange {
  std::size_t start = 0, end = 0;  // tokens [start, end); empty: there is no such element
  bool found() const { return end > start; }
};

class XliffDocument {
 public:
  XliffDocument(ByteSource& input, const Write& write, const DocumentOptions& options,
                const TranslateSegments& translate)
      : changes_encoding_(use_xml_encoding(input)),
        reader_(input),
        tokenizer_(reader_),
        queue_(write, translate),
        options_(options) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    bool is_xliff = false;
    for (XmlToken token; tokenizer_.next(token);) {
      if (token.kind == XmlToken::Kind::instruction && std::exchange(changes_encoding_, false))
        set_attribute(token, "encoding", "UTF-8");
      if (token.kind == XmlToken::Kind::start) {
        if (tokenizer_.depth() == 1) is_xliff = begin(token);
        enter(token);
        if (token.local_name() == (version2_ ? "segment" : "trans-unit")) {
          take_unit(std::move(token));
          translates_.pop_back();
          continue;
        }
      }
      if (token.kind == XmlToken::Kind::end) translates_.pop_back();
      queue_.add(token.raw);
    }
    check<InputError>(is_xliff, "'{}' has no <xliff> element; it is not XLIFF", reader_.name());
    queue_.flush();
  }

 private:
  bool begin(XmlToken& root) {
    version2_ = find_attribute(root, "version").value_or("").starts_with('2');
    if (version2_) add_language(root, "trgLang");
    return root.local_name() == "xliff";
  }

  void add_language(XmlToken& tag, std::string_view attribute) {
    if (!options_.target_language.empty() && !find_attribute(tag, attribute))
      set_attribute(tag, attribute, options_.target_language);
  }

  // Elements inherit the attribute `translate`.
  void enter(XmlToken& tag) {
    if (!version2_ && tokenizer_.depth() == 2 && tag.local_name() == "file") add_language(tag, "target-language");
    const auto translate = find_attribute(tag, "translate");
    translates_.push_back(translate ? *translate != "no" : translates_.empty() || translates_.back());
  }

  void take_unit(XmlToken start) {
    std::vector<XmlToken> tokens;
    tokens.push_back(std::move(start));
    tokenizer_.take_element(tokens);
    XmlRange source, segmented, target;
    for (std::size_t i = 1; i + 1 < tokens.size();) {
      const std::size_t end = tokens[i].kind == XmlToken::Kind::start ? skip_element(tokens, i) : i + 1;
      for (const auto& [name, range] : {std::pair("source", &source), {"seg-source", &segmented}, {"target", &target}})
        if (tokens[i].starts(name) && !range->found()) *range = {i, end};
      i = end;
    }
    if (!translates_.back() || !source.found() || is_translated(tokens, target)) return queue_.add(join_tokens(tokens));
    translate_unit(std::move(tokens), source, segmented, target);
  }

  // Whether the target has content, unless its state says that it still needs translation.
  bool is_translated(const std::vector<XmlToken>& tokens, const XmlRange& target) const {
    if (!target.found()) return false;
    const XmlToken& tag = version2_ ? tokens.front() : tokens[target.start];
    const std::string state = find_attribute(tag, "state").value_or("");
    if (state == "new" || state == "needs-translation" || state == "initial") return false;
    const auto has_content = [](const XmlToken& token) {
      return token.kind != XmlToken::Kind::text || token.raw.find_first_not_of(" \t\r\n") != token.raw.npos;
    };
    return target.end - target.start > 2 &&
           std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(target.start) + 1,
                       tokens.begin() + static_cast<std::ptrdiff_t>(target.end) - 1, has_content);
  }

  void translate_unit(std::vector<XmlToken> tokens, const XmlRange& source, const XmlRange& segmented,
                      const XmlRange& target) {
    const XmlRange& from = segmented.found() ? segmented : source;
    if (from.end - from.start < 3) return queue_.add(join_tokens(tokens));
    const std::span<const XmlToken> all = tokens;
    InlineContent content(all.subspan(from.start + 1, from.end - from.start - 2),
                          version2_ ? std::span<const InlineElement>(kXliff2Elements) : kXliff1Elements,
                          [](const XmlToken& tag) { return find_attribute(tag, "mtype") == "seg"; });
    std::vector<text::MarkedText> segments = content.segments();
    const std::size_t at = target.found() ? target.start : from.end;
    if (version2_ && find_attribute(tokens[0], "state") == "initial") set_attribute(tokens[0], "state", "translated");
    std::string start = target_tag(tokens, source, target);
    // A unit without letters, such as a number, is copied, because other programs look for a target.
    queue_.add(join_tokens(all.first(at)));
    const std::string name(XmlToken{XmlToken::Kind::start, start.substr(start.find('<'))}.name());
    std::string unchanged = start + content.write(segments) + "</" + name + ">";
    queue_.add(
        std::move(segments),
        [start = std::move(start), name, content = std::move(content)](std::span<const text::MarkedText> translations) {
          return start + content.write(translations) + "</" + name + ">";
        },
        std::move(unchanged));
    queue_.add(join_tokens(all.subspan(target.found() ? target.end : at)));
  }

  // The start tag of the target; a new one comes with the white space before it.
  static std::string target_tag(const std::vector<XmlToken>& tokens, const XmlRange& source, const XmlRange& target) {
    if (target.found()) {
      XmlToken tag = tokens[target.start];
      if (tag.kind == XmlToken::Kind::empty) tag.raw.erase(tag.raw.size() - 2, 1);
      tag.kind = XmlToken::Kind::start;
      const std::string state = find_attribute(tag, "state").value_or("");
      if (state == "new" || state == "needs-translation") set_attribute(tag, "state", "translated");
      return tag.raw;
    }
    const XmlToken &tag = tokens[source.start], &before = tokens[source.start - 1];
    const std::string_view name = tag.name();
    const bool is_space =
        before.kind == XmlToken::Kind::text && before.raw.find_first_not_of(" \t\r\n") == before.raw.npos;
    std::string out = is_space ? before.raw : "";
    out += fmt::format("<{}target", name.substr(0, name.size() - tag.local_name().size()));
    if (const auto space = find_attribute(tag, "xml:space"))
      out += *space == "preserve" ? " xml:space=\"preserve\"" : "";
    return out + ">";
  }

  bool changes_encoding_;
  DocumentReader reader_;
  XmlTokenizer tokenizer_;
  SegmentQueue queue_;
  const DocumentOptions& options_;
  bool version2_ = false;
  std::vector<bool> translates_;  // for each element that we are in
};

}  // namespace

void translate_xliff(ByteSource& input, const Write& write, const DocumentOptions& options,
                     const TranslateSegments& translate) {
  XliffDocument(input, write, options, translate).run();
}

}  // namespace heed::document
