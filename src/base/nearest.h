// The valid name that a mistyped name most likely stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/enum_names.h"

namespace heed::inline base {

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of adjacent
// characters.
int edit_distance(std::string_view a, std::string_view b);

// The first of the candidates nearest to `name`, or "" if none is near: at most a third of the longer name's letters
// may differ. Case does not count, nor does '_' for '-', and a candidate whose last dotted part is `name` is near.
// Considers at most 1000 candidates and only names of up to 100 bytes.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'beam'?", or "" if nothing is near. Knows a few other words for names: "finetune" for "from". If no
// spelling is near, suggests up to four names that have more or fewer words, begin with `name`, or have a first word
// near it: "; did you mean 'luong-dot' or 'luong-general'?" for luong or loung, "; did you mean '--batch'?" for
// --batch-size.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

// "gru, lstm or rnn"; "" if there are none.
std::string alternatives(std::span<const std::string> names);

// UsageError: "there is no metric 'blue'; did you mean 'bleu'? (expected bleu, chrf)", if `problem` is "there is no
// metric".
[[noreturn]] void throw_unknown_name(std::string_view problem, std::string_view name,
                                     std::span<const std::string> names);

// The row of a table with this name; throw_unknown_name() if there is none.
template <class Rows>
const auto& find_row(const Rows& rows, std::string_view name, std::string_view problem) {
  for (const auto& row : rows)
    if (row.name == name) return row;
  throw_unknown_name(problem, name, row_names(rows));
}

}  // namespace heed::base
