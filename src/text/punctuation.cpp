// Punctuation as Moses' normalize-punctuation leaves it: typographic quotes, dashes and ellipses become ASCII; spaces
// inside brackets and before : ; % are removed, French no-break spaces too; quotes swap with full stops and commas as
// is usual in the language. The rules run in Moses' order over the whole line, because the order decides the result for
// unusual input. Moses reads bytes, so letters and digits are those of ASCII, and it sees the line feed as a character.
#include <algorithm>
#include <array>

#include "text/normalize.h"
#include "text/rewriter.h"

namespace heed::text {

namespace {

constexpr char32_t kNoBreak = 0xA0;

class PunctuationRewriter : public Rewriter {
 public:
  explicit PunctuationRewriter(MappedText& text) : Rewriter(text) { note(text.text()); }

  void replace(std::u32string_view find, std::u32string_view with);
  void replace_between(bool (*is_neighbor)(char32_t), char32_t find, char32_t with);
  void collapse_spaces();
  void close_up_after_bracket();
  void close_up_percent();
  void quotes_after_stops();
  void quotes_before_stops();

 private:
  // Which of the characters that rules look for are in the line. A rule is skipped if one of its characters is absent:
  // this makes forty rules cheap. Rules only add ASCII, which is noted as they write.
  void note(std::u32string_view characters) {
    for (const char32_t c : characters)
      if (c < present_.size()) present_[c] = true;
  }
  bool has(char32_t c) const { return present_[c]; }

  std::array<bool, 0x2030> present_{};
};

void PunctuationRewriter::replace(std::u32string_view find, std::u32string_view with) {
  if (!std::ranges::all_of(find, [&](char32_t c) { return has(c); })) return;
  if (text_.text().find(find) == std::u32string::npos) return;
  note(with);
  rewrite([&](std::size_t i) -> std::size_t {
    if (text_[i] != find[0] || text_.text().compare(i, find.size(), find) != 0) return copy(i);
    const Span origin = text_.cover(i, i + find.size());
    for (std::size_t k = 0; k < with.size(); ++k)
      write(with[k], with.size() == find.size() ? text_.origin(i + k) : origin);
    return find.size();
  });
}

// Replaces `find` between two neighbors of a class: a quote between letters is an apostrophe. The right neighbor is
// consumed, so that in a’b’c only the first quote is replaced.
void PunctuationRewriter::replace_between(bool (*is_neighbor)(char32_t), char32_t find, char32_t with) {
  if (!has(find)) return;
  note({&with, 1});
  rewrite([&](std::size_t i) -> std::size_t {
    if (!at(i + 1, find) || i + 2 >= text_.size() || !is_neighbor(text_[i]) || !is_neighbor(text_[i + 2]))
      return copy(i);
    copy(i);
    write(with, text_.origin(i + 1));
    copy(i + 2);
    return 3;
  });
}

void PunctuationRewriter::collapse_spaces() {
  if (text_.text().find(U"  ") == std::u32string::npos) return;
  rewrite([&](std::size_t i) -> std::size_t { return text_[i] == ' ' && at(i + 1, ' ') ? 1 : copy(i); });
}

void PunctuationRewriter::close_up_after_bracket() {
  if (!has(')')) return;
  rewrite([&](std::size_t i) -> std::size_t {
    constexpr std::u32string_view kStops = U".!:?;,";
    if (text_[i] != ')' || !at(i + 1, ' ') || i + 2 >= text_.size()) return copy(i);
    if (kStops.find(text_[i + 2]) == kStops.npos) return copy(i);
    copy(i);
    copy(i + 2);
    return 3;
  });
}

void PunctuationRewriter::close_up_percent() {
  if (!has('%')) return;
  rewrite([&](std::size_t i) -> std::size_t {
    const bool drop = text_[i] == ' ' && at(i + 1, '%') && i > 0 && is_ascii_digit(text_[i - 1]);
    return drop ? 1 : copy(i);
  });
}

// English: "quotation", becomes "quotation,"
void PunctuationRewriter::quotes_after_stops() {
  if (!has('"')) return;
  rewrite([&](std::size_t i) {
    std::size_t end = i + 1;
    if (text_[i] == '"')
      while (at(end, ',') || at(end, '.')) copy(end++);
    copy(i);
    return end - i;
  });
}

// Other languages: "quotation." becomes "quotation". unless a tag follows. White space and one more character after the
// quote are consumed.
void PunctuationRewriter::quotes_before_stops() {
  if (!has('"')) return;
  const auto is_space = [](char32_t c) { return c == ' ' || (c >= 9 && c <= 13); };
  rewrite([&](std::size_t i) {
    std::size_t stop = i;
    while (at(stop, '.')) ++stop;
    if (stop == i) return copy(i);
    std::size_t end = stop;
    if (at(stop, '"') && !at(stop + 1, '<')) {
      copy(stop);
      ++end;
      while (end < text_.size() && is_space(text_[end])) ++end;
      if (end < text_.size() && text_[end] != '<') ++end;
    }
    for (std::size_t k = i; k < end; ++k)
      if (k != stop) copy(k);
    return end - i;
  });
}

void tidy_spaces(PunctuationRewriter& line) {
  line.replace(U"\r", U"");
  line.replace(U"(", U" (");
  line.replace(U")", U") ");
  line.collapse_spaces();
  line.close_up_after_bracket();
  line.replace(U"( ", U"(");
  line.replace(U" )", U")");
  line.close_up_percent();
  line.replace(U" :", U":");
  line.replace(U" ;", U";");
}

void plain_quotes(PunctuationRewriter& line) {
  line.replace(U"`", U"'");
  line.replace(U"''", U" \" ");
  for (const auto* quote : {U"„", U"“", U"”"}) line.replace(quote, U"\"");
  line.replace(U"–", U"-");
  line.replace(U"—", U" - ");
  line.collapse_spaces();
  line.replace(U"´", U"'");
  line.replace_between(is_ascii_letter, U'‘', '\'');
  line.replace_between(is_ascii_letter, U'’', '\'');
  line.replace(U"‘", U"'");
  line.replace(U"‚", U"'");
  line.replace(U"’", U"\"");
  line.replace(U"''", U"\"");
  line.replace(U"…", U"...");
}

// French puts no-break spaces inside quotes and before high punctuation and units.
void plain_no_break_spaces(PunctuationRewriter& line) {
  line.replace(U"\u00A0«\u00A0", U" \"");
  line.replace(U"«\u00A0", U"\"");
  line.replace(U"«", U"\"");
  line.replace(U"\u00A0»\u00A0", U"\" ");
  line.replace(U"\u00A0»", U"\"");
  line.replace(U"»", U"\"");
  line.replace(U"\u00A0%", U"%");
  line.replace(U"nº\u00A0", U"nº ");
  line.replace(U"\u00A0:", U":");
  line.replace(U"\u00A0ºC", U" ºC");
  line.replace(U"\u00A0cm", U" cm");
  line.replace(U"\u00A0?", U"?");
  line.replace(U"\u00A0!", U"!");
  line.replace(U"\u00A0;", U";");
  line.replace(U",\u00A0", U", ");
  line.collapse_spaces();
}

}  // namespace

void normalize_punctuation(MappedText& text, std::string_view language) {
  const auto language_is = [&](std::initializer_list<std::string_view> languages) {
    return std::ranges::find(languages, language) != languages.end();
  };
  PunctuationRewriter line(text);
  tidy_spaces(line);
  plain_quotes(line);
  plain_no_break_spaces(line);
  if (language == "en") {
    line.quotes_after_stops();
  } else if (!language_is({"cs", "cz"})) {
    line.replace(U",\"", U"\",");
    line.quotes_before_stops();
  }
  // A no-break space between digits separates thousands.
  line.replace_between(is_ascii_digit, kNoBreak, language_is({"de", "es", "cz", "cs", "fr"}) ? ',' : '.');
}

}  // namespace heed::text
