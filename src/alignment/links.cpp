#include "alignment/links.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"

namespace heed::alignment {

namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";
constexpr std::uint32_t kMaxWord = 1'000'000'000;

// Removes a word number from the front of `text`.
bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > kMaxWord) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

Link parse_link(std::string_view text, int base, std::string_view where) {
  Link link;
  std::string_view rest = text;
  bool good = take_number(rest, link.source) && !rest.empty() && (rest[0] == '-' || rest[0] == 'p');
  if (good) {
    link.sure = rest[0] == '-';
    rest.remove_prefix(1);
    good = take_number(rest, link.target) && rest.empty();
  }
  check<InputError>(good, "{}: {} is not a link; expected two word numbers, as in 3-4 (sure) or 3p4 (possible)", where,
                    in_quotes(text));
  const auto first = static_cast<std::uint32_t>(base);
  check<InputError>(link.source >= first && link.target >= first,
                    "{}: the link {} uses word 0, but words should be counted from 1", where, in_quotes(text));
  link.source -= first;
  link.target -= first;
  return link;
}

}  // namespace

Alignment parse_alignment(std::string_view line, int base, std::string_view where) {
  Alignment links;
  for (std::size_t from = line.find_first_not_of(kWhiteSpace); from != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kWhiteSpace, from), line.size());
    links.push_back(parse_link(line.substr(from, end - from), base, where));
    from = line.find_first_not_of(kWhiteSpace, end);
  }
  return links;
}

std::vector<Alignment> read_alignments(const std::string& path, int base) {
  std::vector<Alignment> alignments;
  LineReader reader(path);
  for (std::string line; reader.next(line);)
    alignments.push_back(parse_alignment(line, base, fmt::format("{}:{}", reader.name(), reader.line_number())));
  return alignments;
}

bool skips_first_words(std::span<const Alignment> alignments) {
  bool any = false;
  for (const Alignment& alignment : alignments)
    for (const Link& link : alignment) {
      if (link.source == 0 || link.target == 0) return false;
      any = true;
    }
  return any;
}

Alignment tidy(std::span<const Link> links) {
  Alignment sorted(links.begin(), links.end());
  std::ranges::sort(sorted, {}, [](const Link& link) { return std::pair(link.words(), !link.sure); });
  const auto same_words = [](const Link& a, const Link& b) { return a.words() == b.words(); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same_words), sorted.end());
  return sorted;
}

std::string format_alignment(std::span<const Link> links) {
  std::string text;
  for (const Link& link : tidy(links))
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", link.source, link.sure ? '-' : 'p', link.target);
  return text;
}

void declare_gold_base(Options& o, int& gold_base) {
  o.flag("gold-base", gold_base, "the number of the first word in --gold", range(0, 1));
}

}  // namespace heed::alignment
