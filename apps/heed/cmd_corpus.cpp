// heed corpus pocket: writes the built-in parallel corpus with its gold word alignments.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/terminal.h"
#include "command.h"
#include "pocket/corpus.h"

namespace heed::cli {
namespace corpus_command {

struct Values {
  std::int64_t pairs = 20000;
  std::int64_t seed = 1;
  std::string out;
};

void declare(Options& o, Values& v) {
  o.flag("pairs", v.pairs, "number of training pairs; the validation and the test set each get 1/20 of that",
         range(1, 1e7))
      .value("N");
  o.flag("seed", v.seed, "random seed", at_least(0)).value("N");
  o.flag("out", v.out,
         "write PREFIX.train.en, .train.de, .train.align, and the same for valid and test; default: print the "
         "training pairs as source, target and alignment, separated by tabs")
      .value("PREFIX")
      .writes(pocket::pocket_files);
}

int run(Values& v, Options& /*options*/) {
  const pocket::PocketCorpus corpus(static_cast<std::uint64_t>(v.seed));
  const auto train = static_cast<std::size_t>(v.pairs);
  if (v.out.empty()) {
    corpus.visit(pocket::Split::train, train,
                 [](const pocket::PocketPair& pair) { write_output(to_tsv(pair) + "\n"); });
    return 0;
  }
  const std::size_t held_out = std::max<std::size_t>(1, train / 20);
  write_pocket(v.out, corpus, {.train = train, .valid = held_out, .test = held_out});
  for (const std::string& path : pocket::pocket_files(v.out)) say("heed: wrote {}\n", path);
  return 0;
}

}  // namespace corpus_command

const Command kCorpusPocket{.name = "corpus pocket",
                            .group = "Data",
                            .summary = "write the built-in English-German corpus with its word alignments",
                            .example = "heed corpus pocket --pairs 5\nheed corpus pocket --pairs 2000 --out pocket",
                            .make = action<corpus_command::Values, corpus_command::declare, corpus_command::run>};

}  // namespace heed::cli
