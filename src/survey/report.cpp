#include "survey/report.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace heed::survey {

namespace {

double fraction_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// 12%, 1.2%, 0.01%: never 0% unless none, never 100% unless all.
std::string percent(std::int64_t part, std::int64_t whole) {
  const double value = 100 * fraction_of(part, whole);
  if (part == 0 || part == whole) return fmt::format("{:.0f}%", value);
  if (value > 99.9) return "99.9%";
  return value >= 10     ? fmt::format("{:.0f}%", value)
         : value >= 0.1  ? fmt::format("{:.1f}%", value)
         : value >= 0.01 ? fmt::format("{:.2f}%", value)
                         : "<0.01%";
}

// A bar with a resolution of an eighth of a column, padded to the width.
std::string bar(double fraction, std::size_t width) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto eighths = static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * 8 * static_cast<double>(width)));
  if (eighths == 0 && fraction > 0) eighths = 1;
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  return text + std::string(width - (eighths + 7) / 8, ' ');
}

// At most `width` characters of a text, including the one at `odd_at`.
std::string excerpt(std::string_view utf8, std::size_t width, std::size_t odd_at) {
  const std::u32string text = text::decode_utf8(utf8);
  const std::size_t before = width / 2;
  const std::size_t from = text.size() > width && odd_at > before ? std::min(odd_at - before, text.size() - width) : 0;
  const std::size_t to = std::min(text.size(), from + width);
  std::string line;
  for (std::size_t i = from; i < to; ++i) {
    const bool cut = (i == from && from > 0) || (i + 1 == to && to < text.size());
    text::append_utf8(line, cut ? U'…' : text[i]);
  }
  return line;
}

std::string file_line(std::string_view file, std::int64_t line) {
  return fmt::format("{}:{}", file, line);
}

std::string file_names(const std::string& source, const std::string& target) {
  return source == target ? source : source + " and " + target;
}

class Page {
 public:
  Page(const Survey& survey, std::size_t width) : survey_(survey), width_(std::max<std::size_t>(width, 60)) {}

  std::string write() {
    head();
    lengths();
    growth();
    coverage();
    for (const HeldOutSurvey& held_out : survey_.held_out) leakage(held_out);
    findings();
    verdict();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(fmt::runtime(format), printable_argument(args)...);
    while (text_.ends_with(' ')) text_.pop_back();
    text_ += '\n';
  }
  void title(std::string_view words) { line("\n{}", words); }

  void row(std::string_view label, const std::string& source, const std::string& target) {
    line("  {:<26}{:>14}{:>14}", label, source, target);
  }

  // A bar and a text for both sides.
  void bars(const std::string& label, double source, const std::string& source_text, double target,
            const std::string& target_text) {
    const std::size_t width = (width_ - 12 - 2 * 12) / 2;
    line("{:>11} {} {:>9}  {} {:>9}", label, bar(source, width), source_text, bar(target, width), target_text);
  }

  void head() {
    const SideSurvey &s = survey_.source, &t = survey_.target;
    line("{} in {}", counted(survey_.pairs, "pair"), file_names(s.name, t.name));
    title(fmt::format("{:<28}{:>14}{:>14}", "", "source", "target"));
    row("words", grouped(s.words), grouped(t.words));
    row("characters", grouped(s.characters), grouped(t.characters));
    row("script", text::script_name(s.script), text::script_name(t.script));
    row("words per sentence, mean", fmt::format("{:.1f}", s.mean_length()), fmt::format("{:.1f}", t.mean_length()));
    row("  median", grouped(s.length_quantile(0.5)), grouped(t.length_quantile(0.5)));
    row("  99th percentile", grouped(s.length_quantile(0.99)), grouped(t.length_quantile(0.99)));
    row("  maximum", grouped(s.length_quantile(1)), grouped(t.length_quantile(1)));
    row("distinct words", grouped(s.distinct), grouped(t.distinct));
    row("  seen only once", percent(s.once, s.distinct), percent(t.once, t.distinct));
  }

  void lengths() {
    title("Sentence lengths, in words");
    const auto longest =
        std::max({survey_.source.length_quantile(0.99), survey_.target.length_quantile(0.99), std::int64_t{1}});
    std::int64_t step = 1;
    for (const std::int64_t nice : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000}) {
      step = nice;
      if (longest <= 12 * step) break;
    }
    // Empty sentences, bins of `step` lengths, and what is longer.
    const std::int64_t bins = (longest + step - 1) / step;
    const auto histogram = [&](const SideSurvey& side) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(bins) + 2);
      for (std::int64_t n = 0; n < std::ssize(side.lengths); ++n)
        counts[static_cast<std::size_t>(n == 0 ? 0 : std::min((n - 1) / step, bins) + 1)] +=
            side.lengths[static_cast<std::size_t>(n)];
      return counts;
    };
    const auto source = histogram(survey_.source), target = histogram(survey_.target);
    const std::int64_t most = std::max({std::ranges::max(source), std::ranges::max(target), std::int64_t{1}});
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::int64_t s = source[i], t = target[i], bin = static_cast<std::int64_t>(i) - 1;
      if (s + t == 0) continue;
      const std::string label = bin < 0       ? "0"
                                : bin == bins ? fmt::format("over {}", bins * step)
                                : step == 1   ? fmt::format("{}", bin + 1)
                                              : fmt::format("{}–{}", bin * step + 1, (bin + 1) * step);
      bars(label, fraction_of(s, most), percent(s, survey_.pairs), fraction_of(t, most), percent(t, survey_.pairs));
    }
  }

  void growth() {
    title("Distinct words in the first N pairs");
    const auto &s = survey_.source.growth, &t = survey_.target.growth;
    const std::int64_t most = std::max({survey_.source.distinct, survey_.target.distinct, std::int64_t{1}});
    for (std::size_t i = s.size() > 8 ? s.size() - 8 : 0; i < s.size(); ++i)
      bars(grouped(s[i].pairs), fraction_of(s[i].distinct, most), grouped(s[i].distinct),
           fraction_of(t[i].distinct, most), grouped(t[i].distinct));
  }

  void coverage() {
    title("Number of most frequent words needed to cover part of the text");
    for (std::size_t i = 0; i < survey_.source.coverage.size(); ++i)
      row(fmt::format("{:>6.0f}%", 100 * survey_.source.coverage[i].fraction),
          grouped(survey_.source.coverage[i].words), grouped(survey_.target.coverage[i].words));
  }

  void leakage(const HeldOutSurvey& set) {
    title(fmt::format("Held out for {}: {} in {}", set.label, counted(set.pairs, "pair"),
                      file_names(set.source_name, set.target_name)));
    row("also in training", percent(set.source_seen, set.pairs), percent(set.target_seen, set.pairs));
    row("  sentences", grouped(set.source_seen), grouped(set.target_seen));
    row("  as the same pair", grouped(set.pair_seen), "");
    row("words not in training", percent(set.source_unknown, set.source_words),
        percent(set.target_unknown, set.target_words));
    for (const SurveyCase& found : set.cases)
      line("      {} is in {}", file_line(found.source_file, found.line),
           file_line(found.other_file, found.other_line));
  }

  void findings() {
    title("Findings");
    const bool table = survey_.source.name == survey_.target.name;
    for (std::size_t p = 0; p < kProblems; ++p) {
      const ProblemKind& kind = kProblemKinds[p];
      const Finding& finding = survey_.findings[p];
      const auto problem = static_cast<Problem>(p);
      if ((problem == Problem::leaked && survey_.held_out.empty()) ||
          (problem == Problem::short_row && finding.count == 0 && !table))
        continue;
      if (finding.count == 0) {
        line("  ✓ {}", kind.none);
        continue;
      }
      line("  {} {} ({}){}", (survey_.dropped & bit(problem)) != 0 ? "✗" : "!",
           counted(finding.count, kind.one, kind.many), percent(finding.count, survey_.pairs), remark(problem));
      for (const SurveyCase& found : finding.cases) one_case(found);
      if (problem == Problem::shifted) shifts();
    }
  }

  std::string remark(Problem problem) const {
    if (problem == Problem::length_ratio)
      return fmt::format(
          ": differs by more than a factor of {:.1f} from the usual {:.2f} target characters per source character",
          survey_.ratio_limit, survey_.usual_ratio);
    if (problem == Problem::bad_utf8) {
      const auto bytes = survey_.source.bad_utf8.bytes + survey_.target.bad_utf8.bytes;
      return fmt::format(": {} replaced by U+FFFD", counted(bytes, "byte"));
    }
    return "";
  }

  // The text follows the line number, on a line of its own if the number takes more than half of the width.
  void one_case(const SurveyCase& found) {
    std::string head = fmt::format("      {}", file_line(found.source_file, found.line));
    if (found.other_line > 0) head += fmt::format(" = {}", file_line(found.other_file, found.other_line));
    if (2 * utf8_length(head) > width_) {
      line("{}", head);
      head = "       ";
    }
    const std::size_t free = width_ - utf8_length(head) - 5;
    const std::size_t target = std::max(free / 2, free - std::min(free, utf8_length(found.source)));
    const std::size_t source = free - std::min(target, utf8_length(found.target));
    line("{}  {} │ {}", head, excerpt(found.source, source, found.source_odd_at),
         excerpt(found.target, target, found.target_odd_at));
  }

  void shifts() {
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < std::min(survey_.shifts.size(), kShown); ++i) {
      const Shift& shift = survey_.shifts[i];
      line("      lines {} to {} match the target better {} {}", grouped(shift.from), grouped(shift.to),
           counted(std::abs(shift.lines), "line"), shift.lines > 0 ? "further down" : "further up");
    }
    if (survey_.shifts.size() > kShown)
      line("      and {} more", counted(std::ssize(survey_.shifts) - std::int64_t{kShown}, "range"));
  }

  void verdict() {
    const std::int64_t good = survey_.clean_pairs();
    const std::int64_t doubtful = good - std::ranges::count(survey_.flags, ProblemSet{0});
    if (survey_.sources_with_several_targets > 0)
      line("  · {} in several ways",
           counted(survey_.sources_with_several_targets, "source is translated", "sources are translated"));
    line("");
    if (good == survey_.pairs && doubtful == 0)
      line("{} suitable for training.", good == 1 ? "The pair is" : fmt::format("All {} pairs are", grouped(good)));
    else
      line("Usable for training: {} of {} pairs{}.", grouped(good), grouped(survey_.pairs),
           doubtful > 0 ? fmt::format("; worth checking: {} of them (marked !)", grouped(doubtful)) : "");
  }

  const Survey& survey_;
  std::size_t width_;
  std::string text_;
};

// The JSON names are older than those of the members: a "share" is a fraction.
Json side_json(const SideSurvey& side) {
  Json json = {{"file", side.name},
               {"words", side.words},
               {"characters", side.characters},
               {"distinct_words", side.distinct},
               {"words_seen_once", side.once},
               {"mean_length", side.mean_length()},
               {"median_length", side.length_quantile(0.5)},
               {"longest", side.length_quantile(1)},
               {"script", text::script_name(side.script)},
               {"script_share", side.script_fraction},
               {"bad_utf8", {{"lines", side.bad_utf8.lines}, {"bytes", side.bad_utf8.bytes}}}};
  if (side.bad_utf8.lines > 0)
    json["bad_utf8"]["first"] = file_line(side.bad_utf8.first_file, side.bad_utf8.first_line);
  Json lengths = Json::array(), growth = Json::array(), coverage = Json::array();
  for (std::size_t n = 0; n < side.lengths.size(); ++n)
    if (side.lengths[n] > 0) lengths.push_back({{"words", n}, {"sentences", side.lengths[n]}});
  for (const auto& step : side.growth) growth.push_back({{"pairs", step.pairs}, {"distinct_words", step.distinct}});
  for (const auto& step : side.coverage) coverage.push_back({{"share", step.fraction}, {"words", step.words}});
  json["lengths"] = std::move(lengths);
  json["growth"] = std::move(growth);
  json["coverage"] = std::move(coverage);
  return json;
}

Json finding_json(const Finding& finding) {
  Json cases = Json::array();
  for (const SurveyCase& found : finding.cases) {
    Json one = {{"line", found.line},
                {"source_at", file_line(found.source_file, found.line)},
                {"target_at", file_line(found.target_file, found.line)},
                {"source", found.source},
                {"target", found.target}};
    if (found.other_line > 0) one["same_as"] = file_line(found.other_file, found.other_line);
    cases.push_back(std::move(one));
  }
  return {{"count", finding.count}, {"cases", std::move(cases)}};
}

Json held_out_json(const HeldOutSurvey& set) {
  Json cases = Json::array();
  for (const SurveyCase& found : set.cases)
    cases.push_back({{"at", file_line(found.source_file, found.line)},
                     {"in_training", file_line(found.other_file, found.other_line)}});
  return {{"set", set.label},
          {"source_file", set.source_name},
          {"target_file", set.target_name},
          {"pairs", set.pairs},
          {"sources_in_training", set.source_seen},
          {"targets_in_training", set.target_seen},
          {"pairs_in_training", set.pair_seen},
          {"source_unknown_share", fraction_of(set.source_unknown, set.source_words)},
          {"target_unknown_share", fraction_of(set.target_unknown, set.target_words)},
          {"cases", std::move(cases)}};
}

}  // namespace

std::string survey_page(const Survey& survey, std::size_t width) {
  return Page(survey, width).write();
}

Json survey_json(const Survey& survey) {
  Json findings = Json::object(), dropped = Json::object();
  const auto tally = drop_tally(survey);
  for (std::size_t p = 0; p < kProblems; ++p) {
    const std::string key(kProblemKinds[p].key);
    findings[key] = finding_json(survey.findings[p]);
    if ((survey.dropped >> p & 1U) != 0) dropped[key] = tally[p];
  }
  Json shifts = Json::array(), held_out = Json::array();
  for (const Shift& shift : survey.shifts)
    shifts.push_back({{"from", shift.from}, {"to", shift.to}, {"lines", shift.lines}});
  for (const HeldOutSurvey& set : survey.held_out) held_out.push_back(held_out_json(set));
  return {{"pairs", survey.pairs},
          {"bytes", survey.bytes},
          {"source", side_json(survey.source)},
          {"target", side_json(survey.target)},
          {"usual_ratio", survey.usual_ratio},
          {"sources_with_several_targets", survey.sources_with_several_targets},
          {"findings", std::move(findings)},
          {"shifts", std::move(shifts)},
          {"held_out", std::move(held_out)},
          {"notes", survey.notes},
          {"clean", {{"pairs", survey.clean_pairs()}, {"dropped", std::move(dropped)}}}};
}

}  // namespace heed::survey
