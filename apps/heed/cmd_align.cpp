// heed align: scores an alignment file made elsewhere against gold links.
#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"
#include "base/json.h"
#include "command.h"
#include "metrics/alignment.h"

namespace heed::cli {
namespace {

struct Values {
  std::string hypothesis, gold;
  int base = 0, gold_base = 0;
  bool json = false;
};

void declare(Options& o, Values& v) {
  o.flag("hypothesis", v.hypothesis, "word alignments, a line a sentence: 0-0 1-2").required().value("FILE");
  o.flag("gold", v.gold, "the right ones: 0-0 is a sure link, 0p0 a possible one").required().value("FILE");
  o.flag("base", v.base, "the number of the first word in --hypothesis", range(0, 1));
  o.flag("gold-base", v.gold_base, "the number of the first word in --gold", range(0, 1));
  o.flag("json", v.json, "one JSON object");
}

// Two files that count from different numbers agree on hardly anything, and nothing else would tell.
void note_base(const std::string& path, const char* flag, int base, const std::vector<Alignment>& alignments) {
  if (base == 0 && skips_first_words(alignments))
    fmt::print(stderr, "heed: note: no link in {} has a word 0; if its words are counted from 1, add {} 1\n", path,
               flag);
}

int run(Values& v, Options&) {
  const std::vector<Alignment> hypothesis = read_alignments(v.hypothesis, v.base);
  const std::vector<Alignment> gold = read_alignments(v.gold, v.gold_base);
  check<InputError>(hypothesis.size() == gold.size(),
                    "the files must have equally many lines, but {} has {} and {} has {}", v.hypothesis,
                    hypothesis.size(), v.gold, gold.size());
  check<InputError>(!gold.empty(), "{} is empty: there is no alignment to score", v.hypothesis);
  note_base(v.hypothesis, "--base", v.base, hypothesis);
  note_base(v.gold, "--gold-base", v.gold_base, gold);

  AlignmentScore score;
  for (std::size_t i = 0; i < gold.size(); ++i) score.add(hypothesis[i], gold[i]);
  check<InputError>(score.possible_links() > 0, "{} has no link: there is nothing to score against", v.gold);
  if (v.json) {
    write_output(dump_json({{"precision", score.precision()},
                            {"recall", score.recall()},
                            {"aer", score.aer()},
                            {"sentences", gold.size()},
                            {"links", score.links()},
                            {"sure_links", score.sure_links()},
                            {"possible_links", score.possible_links()}}) +
                 "\n");
    return 0;
  }
  write_output(fmt::format("precision  {:>6.2f}\nrecall     {:>6.2f}\nAER        {:>6.2f}  lower is better\n",
                           score.precision(), score.recall(), score.aer()));
  write_output(fmt::format("\n{} links against {} sure and {} more possible ones, in {} sentences\n", score.links(),
                           score.sure_links(), score.possible_links() - score.sure_links(), gold.size()));
  return 0;
}

}  // namespace

extern const Command kAlign;
const Command kAlign{.name = "align",
                     .group = "Evaluation",
                     .summary = "precision, recall and error rate of word alignments",
                     .example =
                         "printf '0-0 1-2\\n0-1\\n' > links.txt\n"
                         "printf '0-0 1-2 2p1\\n0-0 0p1\\n' > gold.txt\n"
                         "heed align --hypothesis links.txt --gold gold.txt",
                     .make = action<Values, declare, run>};

}  // namespace heed::cli
