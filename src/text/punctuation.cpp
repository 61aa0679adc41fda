// Punctuation as Moses' normalize-punctuation leaves it: typographic quotes, dashes and ellipses become ASCII, spaces
// inside brackets and before : ; % go, French pseudo-spaces go, and quotes change places with full stops and commas as
// the language has it. The rules run in Moses' order, each over the whole line without looking back at what it has
// just written, because both decide what comes out of strange input. Moses reads bytes, so letters and digits are
// ASCII's, and it sees the line's end as one more character.
#include <algorithm>
#include <array>

#include "text/normalize.h"

namespace heed::text {

namespace {

constexpr char32_t kNoBreak = 0xA0;

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Which of the characters that rules look for are in the line. Rules only add ASCII, which is noted as they write.
class Presence {
 public:
  explicit Presence(const MappedText& text) {
    for (const char32_t c : text.text()) note(c);
  }
  void note(char32_t c) {
    if (c < present_.size()) present_[c] = true;
  }
  bool any_of(std::u32string_view characters) const {
    return std::ranges::any_of(characters, [&](char32_t c) { return present_[c]; });
  }

 private:
  std::array<bool, 0x2030> present_{};
};

class Rewriter {
 public:
  explicit Rewriter(MappedText& text) : text_(text), presence_(text) {}

  void replace(std::u32string_view find, std::u32string_view with);
  void collapse_spaces();
  void close_up_after_bracket();
  void close_up_percent();
  void join_letters(char32_t quote);
  void quotes_after_stops();
  void quotes_before_stops();
  void separate_thousands(char32_t separator);

 private:
  // Rewrites the line through `step(i)`, which writes to out_ and returns how many characters it read.
  template <class Step>
  void rewrite(Step step) {
    out_.clear();
    out_.reserve(text_.size() + 8);
    for (std::size_t i = 0; i < text_.size();) i += step(i);
    std::swap(text_, out_);
  }
  std::size_t copy(std::size_t i) {
    out_.push(text_, i);
    return 1;
  }
  bool at(std::size_t i, char32_t c) const { return i < text_.size() && text_[i] == c; }

  MappedText& text_;
  Presence presence_;
  MappedText out_;
};

void Rewriter::replace(std::u32string_view find, std::u32string_view with) {
  // A rule is skipped where one of its characters is nowhere in the line: what makes forty rules cheap.
  for (const char32_t c : find) {
    if (!presence_.any_of({&c, 1})) return;
  }
  if (text_.text().find(find) == std::u32string::npos) return;
  for (const char32_t c : with) presence_.note(c);
  rewrite([&](std::size_t i) -> std::size_t {
    if (text_[i] != find[0] || text_.text().compare(i, find.size(), find) != 0) return copy(i);
    const Span origin = text_.cover(i, i + find.size());
    for (std::size_t k = 0; k < with.size(); ++k)
      out_.push(with[k], with.size() == find.size() ? text_.origin(i + k) : origin);
    return find.size();
  });
}

void Rewriter::collapse_spaces() {
  if (text_.text().find(U"  ") == std::u32string::npos) return;
  rewrite([&](std::size_t i) -> std::size_t { return text_[i] == ' ' && at(i + 1, ' ') ? 1 : copy(i); });
}

void Rewriter::close_up_after_bracket() {
  if (!presence_.any_of(U")")) return;
  rewrite([&](std::size_t i) -> std::size_t {
    constexpr std::u32string_view kStops = U".!:?;,";
    if (text_[i] != ')' || !at(i + 1, ' ') || i + 2 >= text_.size()) return copy(i);
    if (kStops.find(text_[i + 2]) == kStops.npos) return copy(i);
    out_.push(text_, i);
    out_.push(text_, i + 2);
    return 3;
  });
}

void Rewriter::close_up_percent() {
  if (!presence_.any_of(U"%")) return;
  rewrite([&](std::size_t i) -> std::size_t {
    const bool drop = text_[i] == ' ' && at(i + 1, '%') && i > 0 && is_digit(text_[i - 1]);
    return drop ? 1 : copy(i);
  });
}

// A quote between two letters is an apostrophe. The letter after it is used up, so that in a’b’c only the first is.
void Rewriter::join_letters(char32_t quote) {
  if (!presence_.any_of({&quote, 1})) return;
  presence_.note('\'');
  rewrite([&](std::size_t i) -> std::size_t {
    const bool joins = is_letter(text_[i]) && at(i + 1, quote) && i + 2 < text_.size() && is_letter(text_[i + 2]);
    if (!joins) return copy(i);
    out_.push(text_, i);
    out_.push('\'', text_.origin(i + 1));
    out_.push(text_, i + 2);
    return 3;
  });
}

// English: "quotation", becomes "quotation,"
void Rewriter::quotes_after_stops() {
  if (!presence_.any_of(U"\"")) return;
  rewrite([&](std::size_t i) -> std::size_t {
    std::size_t end = i + 1;
    if (text_[i] == '"') {
      while (at(end, ',') || at(end, '.')) out_.push(text_, end++);
    }
    out_.push(text_, i);
    return end - i;
  });
}

// Elsewhere: "quotation." becomes "quotation". unless a tag follows. White space and one more character after it are
// used up with it.
void Rewriter::quotes_before_stops() {
  if (!presence_.any_of(U"\"")) return;
  const auto is_space = [](char32_t c) { return c == ' ' || (c >= 9 && c <= 13); };
  rewrite([&](std::size_t i) -> std::size_t {
    std::size_t stop = i;
    while (at(stop, '.')) ++stop;
    if (stop == i) return copy(i);
    const bool swaps = at(stop, '"') && !at(stop + 1, '<');
    if (!swaps) {
      for (std::size_t k = i; k < stop; ++k) out_.push(text_, k);
      return stop - i;
    }
    std::size_t end = stop + 1;
    while (end < text_.size() && is_space(text_[end])) ++end;
    if (end < text_.size() && text_[end] != '<') ++end;
    out_.push(text_, stop);
    for (std::size_t k = i; k < end; ++k) {
      if (k != stop) out_.push(text_, k);
    }
    return end - i;
  });
}

void Rewriter::separate_thousands(char32_t separator) {
  if (!presence_.any_of({&kNoBreak, 1})) return;
  rewrite([&](std::size_t i) -> std::size_t {
    const bool number = is_digit(text_[i]) && at(i + 1, kNoBreak) && i + 2 < text_.size() && is_digit(text_[i + 2]);
    if (!number) return copy(i);
    out_.push(text_, i);
    out_.push(separator, text_.origin(i + 1));
    out_.push(text_, i + 2);
    return 3;
  });
}

void tidy_spaces(Rewriter& line) {
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

void plain_quotes(Rewriter& line) {
  line.replace(U"`", U"'");
  line.replace(U"''", U" \" ");
  for (const auto* quote : {U"„", U"“", U"”"}) line.replace(quote, U"\"");
  line.replace(U"–", U"-");
  line.replace(U"—", U" - ");
  line.collapse_spaces();
  line.replace(U"´", U"'");
  line.join_letters(U'‘');
  line.join_letters(U'’');
  line.replace(U"‘", U"'");
  line.replace(U"‚", U"'");
  line.replace(U"’", U"\"");
  line.replace(U"''", U"\"");
  line.replace(U"…", U"...");
}

// French writing puts no-break spaces inside quotes, before high punctuation and units.
void plain_no_break_spaces(Rewriter& line) {
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
  const auto is_one_of = [&](std::initializer_list<std::string_view> languages) {
    return std::ranges::find(languages, language) != languages.end();
  };
  Rewriter line(text);
  tidy_spaces(line);
  plain_quotes(line);
  plain_no_break_spaces(line);
  if (language == "en") {
    line.quotes_after_stops();
  } else if (!is_one_of({"cs", "cz"})) {
    line.replace(U",\"", U"\",");
    line.quotes_before_stops();
  }
  line.separate_thousands(is_one_of({"de", "es", "cz", "cs", "fr"}) ? ',' : '.');
}

}  // namespace heed::text
