#include "docs_pages.h"

#include <gtest/gtest.h>

namespace heed::cli {
namespace {

struct Values {
  std::string model, preset = "small", out;
  int hidden = 1, beam = 5;
  std::string metric = "bleu";
  bool json = false;
};

void declare_train(Options& o, Values& v) {
  o.flag("preset", v.preset, "the model").early();
  o.group("Encoder");
  o.key("encoder.hidden", v.hidden, "units", range(1, 64));
}

void declare_bench(Options& o, Values& v) {
  o.flag("json", v.json, "one JSON object");
  o.group("Encoder");
  o.key("encoder.hidden", v.hidden, "units", range(1, 64));
}

void declare_score(Options& o, Values& v) {
  o.positional("MODEL", v.model, "the model's file").reads();
  o.flag("metric", v.metric, ".a|b with a \\ in it", choices({"bleu", "chrf"}));
  o.flag("out", v.out, "where to write <unk>").required().value("FILE").writes();
}

int run(Values&, Options&) {
  return 0;
}

void apply_preset(const Values& v, Options& options) {
  options.apply_preset(v.preset == "small" ? "encoder.hidden = 8" : "encoder.hidden = 16", "preset");
}

const Command kSmallTrain{.name = "train",
                          .group = "Models",
                          .summary = "train a model",
                          .example = "heed train \\\n  --preset small",
                          .make = action<Values, declare_train, run, apply_preset>};
const Command kSmallBench{.name = "bench train",
                          .group = "Models",
                          .summary = "how fast",
                          .example = "heed bench train",
                          .make = action<Values, declare_bench, run, apply_preset>};
const Command kSmallScore{.name = "score",
                          .group = "Models",
                          .summary = "how good",
                          .example = ".x",
                          .make = action<Values, declare_score, run>};
const Command kSmallSecret{.name = "secret",
                           .group = "Models",
                           .summary = "hidden",
                           .example = "heed secret",
                           .make = action<Values, declare_score, run>,
                           .hidden = true};
const Command* const kSmallTable[] = {&kSmallTrain, &kSmallBench, &kSmallScore, &kSmallSecret};

bool holds(const std::string& page, std::string_view part) {
  return page.find(part) != page.npos;
}

TEST(OptionsPage, has_a_row_per_option_with_the_value_of_the_preset) {
  const std::string page = options_page(kSmallTable);
  EXPECT_TRUE(holds(page, "\n## heed train\n\ntrain a model: `heed train [options]`\n")) << page;
  EXPECT_TRUE(holds(page,
                    "\nEncoder:\n\n| option | key | default | allowed | meaning |\n|---|---|---|---|---|\n"
                    "|  | `encoder.hidden` | `8` | from 1 to 64 | units |\n"))
      << page;
  EXPECT_TRUE(holds(page,
                    "| option | default | allowed | meaning |\n|---|---|---|---|\n"
                    "| `MODEL` | required |  | the model's file |\n"
                    "| `--metric NAME` | `bleu` | bleu or chrf | .a\\|b with a \\ in it |\n"
                    "| `--out FILE` | required |  | where to write \\<unk> |\n"))
      << page;
  EXPECT_FALSE(holds(page, "secret"));
}

TEST(OptionsPage, lists_settings_of_two_commands_once) {
  const std::string page = options_page(kSmallTable);
  EXPECT_EQ(page.find("encoder.hidden"), page.rfind("encoder.hidden")) << page;
  EXPECT_TRUE(holds(page, "| `--json` | `false` |  | one JSON object |\n"));
  EXPECT_TRUE(holds(
      page, "\nAlso takes the settings of heed train under Encoder. heed help bench train shows their defaults.\n"))
      << page;
}

TEST(ManPage, escapes_roff_requests_and_backslashes) {
  const std::string page = man_page(kSmallTable, "heed 1.2.3");
  EXPECT_TRUE(holds(page, ".TH HEED 1 \"\" \"heed 1.2.3\" \"User Commands\"\n")) << page;
  EXPECT_TRUE(holds(page, ".TP\n.B \\-\\-metric NAME\n\\&.a|b with a \\e in it (bleu or chrf; default bleu)\n"))
      << page;
  EXPECT_TRUE(holds(page, ".TP\n.B encoder.hidden=N\nunits (from 1 to 64; default 8)\n")) << page;
  EXPECT_TRUE(holds(page, ".EX\nheed train \\e\n  \\-\\-preset small\n.EE\n")) << page;
  EXPECT_TRUE(holds(page, ".EX\n\\&.x\n.EE\n")) << page;
  EXPECT_FALSE(holds(page, "secret"));
}

TEST(BashCompletions, offer_commands_flags_choices_and_keys) {
  const std::string script = bash_completions(kSmallTable);
  EXPECT_TRUE(holds(script, "words=\"bench score train --help --version\"")) << script;
  EXPECT_TRUE(holds(script, "\"bench \"*) ((COMP_CWORD == 2)) && words=\"train\" ;;&\n")) << script;
  EXPECT_TRUE(holds(script, "--metric) words=\"bleu chrf\" ;;\n")) << script;
  EXPECT_TRUE(holds(script, "words=\"encoder.hidden=\" ;;\n")) << script;
  EXPECT_TRUE(holds(script, "words=\"--help --json --set\" ;;\n")) << script;
  EXPECT_FALSE(holds(script, "secret"));
}

TEST(ZshCompletions, offer_commands_flags_choices_and_keys) {
  const std::string script = zsh_completions(kSmallTable);
  EXPECT_TRUE(script.starts_with("#compdef heed\n")) << script;
  EXPECT_TRUE(holds(script, "train:'train a model'")) << script;
  EXPECT_TRUE(holds(script, "bench) (( CURRENT == 3 )) && { compadd train; return } ;;\n")) << script;
  EXPECT_TRUE(holds(script, "'*--metric[.a|b with a \\\\ in it]:value:(bleu chrf)'")) << script;
  EXPECT_TRUE(holds(script, ":setting:(encoder.hidden=)'")) << script;
  EXPECT_FALSE(holds(script, "secret"));
}

TEST(FishCompletions, offer_commands_flags_choices_and_keys) {
  const std::string script = fish_completions(kSmallTable);
  EXPECT_TRUE(holds(script, "-n __fish_use_subcommand -f -a train -d 'train a model'\n")) << script;
  EXPECT_TRUE(holds(script, "not __fish_seen_subcommand_from train' -f -a train -d ")) << script;
  EXPECT_TRUE(holds(script, "-l metric -x -a 'bleu chrf' -d '.a|b with a \\\\ in it'\n")) << script;
  EXPECT_TRUE(holds(script, "-l set -x -a 'encoder.hidden='")) << script;
  EXPECT_FALSE(holds(script, "secret"));
}

}  // namespace
}  // namespace heed::cli
