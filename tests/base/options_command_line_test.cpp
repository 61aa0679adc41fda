// What may be written on a command line, and what the messages say about the rest.
#include <gtest/gtest.h>

#include "base/options_fixture.h"

namespace heed {
namespace {

using namespace heed::testing;

TEST(Options, corner_cases_of_the_command_line) {
  EXPECT_EQ(Fixture().parse({"--", "--seed"}).v.config, "--seed");
  EXPECT_EQ(Fixture().parse({"-"}).v.config, "-");
  EXPECT_EQ(Fixture().parse({"-5"}).v.config, "-5");
  EXPECT_EQ(Fixture().parse({"--out", "-5"}).v.out, "-5");
  EXPECT_EQ(Fixture().parse({"--out="}).v.out, "");
  EXPECT_TRUE(Fixture().parse({"--out=", "--lowercase"}).v.lowercase);
  EXPECT_EQ(Fixture().parse({"--out=a=b"}).v.out, "a=b");
  EXPECT_EQ(Fixture().parse({"--out", ""}).v.out, "");
  EXPECT_EQ(Fixture().parse({"--out=--seed"}).v.out, "--seed");
  EXPECT_EQ(Fixture().parse({"--out", "seed"}).v.out, "seed") << "a key is not a flag";
  EXPECT_EQ(Fixture().parse({"--out", "--other"}).v.out, "--other");
  EXPECT_TRUE(Fixture().parse({"--no-lowercase=false"}).v.lowercase);
  EXPECT_EQ(Fixture().parse({"--file", "[a,b]"}).v.files, Words{"[a,b]"});
  EXPECT_EQ(Fixture().parse({"[a,b]"}).v.config, "[a,b]");
  EXPECT_EQ(Fixture().parse({"--seed", "+3"}).v.seed, 3);
  EXPECT_FALSE(Fixture().parse({"--lowercase=false"}).v.lowercase);
  EXPECT_FALSE(Fixture().parse({"--lowercase", "--no-lowercase"}).v.lowercase);
  EXPECT_EQ(Fixture().parse({"--set", "data.files=[\"x\", \"y\"]"}).v.files, (Words{"x", "y"}));
  EXPECT_EQ(Fixture().parse({"--set", "data.files=[x, y z]"}).v.files, (Words{"x", "y z"}));
  EXPECT_EQ(Fixture().parse({"--set", "data.files=[ ]"}).v.files, Words{});
  EXPECT_EQ(Fixture().parse({"--set", "data.files=x"}).v.files, Words{"x"});
  EXPECT_EQ(Fixture().parse({"--set=encoder.cell=lstm"}).v.cell, "lstm");
  EXPECT_FALSE(Fixture().o.parse(Words{"--seed", "1", "--help"}));
  EXPECT_FALSE(Fixture().o.parse(Words{"-h", "--nonsense"}));
}

TEST(Options, bad_arguments_are_explained) {
  const std::string list = " (heed try --help-all lists all options)";
  EXPECT_EQ(parse_failure({"--seeed", "7"}), "there is no option '--seeed'; did you mean '--seed'?" + list);
  EXPECT_EQ(parse_failure({"--seeed=7"}), "there is no option '--seeed=7'; did you mean '--seed'?" + list);
  EXPECT_EQ(parse_failure({"--learning_rate", "7"}),
            "there is no option '--learning_rate'; did you mean '--learning-rate'?" + list);
  EXPECT_EQ(parse_failure({"-z"}), "there is no option '-z'" + list);
  EXPECT_EQ(parse_failure({"--seed"}), "--seed needs a value" + list);
  EXPECT_EQ(parse_failure({"--out", "--lowercase"}), "--out needs a value, but --lowercase follows it");
  EXPECT_EQ(parse_failure({"--out", "--no-lowercase"}), "--out needs a value, but --no-lowercase follows it");
  EXPECT_EQ(parse_failure({"--out", "--set", "seed=1"}), "--out needs a value, but --set follows it");
  EXPECT_EQ(parse_failure({"--out", "--", "x"}), "--out needs a value" + list);
  EXPECT_EQ(parse_failure({"--no-seed"}), "there is no option '--no-seed'; did you mean '--seed'?" + list);
  EXPECT_EQ(parse_failure({"--set", "--seed=3"}), "--set: there is no setting '--seed'; did you mean 'seed'?" + list);
  EXPECT_EQ(parse_failure({"--seed", "x"}), "--seed: 'x' is not a whole number; expected a whole number 0 or more");
  EXPECT_EQ(parse_failure({"--lowercase=maybe"}),
            "--lowercase: 'maybe' is neither true nor false; expected true or false");
  EXPECT_EQ(parse_failure({"--metric", "bleu,chrff"}),
            "--metric: 'chrff' is not supported; expected any of bleu, chrf or ter; did you mean 'chrf'?");
  EXPECT_EQ(parse_failure({"a", "b", "c", "d", "e"}),
            "the argument 'e' is not expected; usage: heed try [CONFIG] [MODEL…] [options]");
  EXPECT_EQ(parse_failure({"--set", "encoder.hiden=3"}),
            "--set: there is no setting 'encoder.hiden'; did you mean 'encoder.hidden'?" + list);
  EXPECT_EQ(parse_failure({"--set", "hidden=3"}),
            "--set: there is no setting 'hidden'; did you mean 'encoder.hidden'?" + list);
  EXPECT_EQ(parse_failure({"--set", "=3"}), "--set: there is no setting ''" + list);
  EXPECT_EQ(parse_failure({"--set", "x"}), "--set 'x': expected KEY=VALUE, for example --set encoder.hidden=N");
  EXPECT_EQ(parse_failure({"--set", "encoder.hidden=8193"}),
            "--set encoder.hidden: '8193' is out of range; expected a whole number from 1 to 8192");
  EXPECT_EQ(parse_failure({"--set", "data.files=[1"}), "--set data.files: '[1' is not a list; expected [\"a\", \"b\"]");
  EXPECT_EQ(parse_failure({"--set", "data.files=[1]\nb=2"}),
            "--set data.files: '[1]␊b=2' is not a list; expected [\"a\", \"b\"]");
  EXPECT_NE(parse_failure({"--no-shuffle=maybe"}), "no error");
}

TEST(Options, a_second_value_is_refused) {
  EXPECT_EQ(parse_failure({"--seed", "1", "--seed", "2"}), "--seed was given twice: 1 and 2; give it once");
  EXPECT_EQ(parse_failure({"--seed=1", "--seed=1"}), "--seed was given twice: 1 and 1; give it once");
  EXPECT_EQ(parse_failure({"--out", "a", "-o", "b"}), "-o was given twice: a and b; give it once");
  EXPECT_EQ(parse_failure({"--set", "seed=3", "--seed", "4"}), "--seed was given twice: 3 and 4; give it once");
  EXPECT_EQ(parse_failure({"--seed", "4", "--set", "seed=3"}), "seed was given twice: 4 and 3; give it once");
  EXPECT_EQ(parse_failure({"encoder.hidden=4", "--encoder.hidden", "3"}),
            "encoder.hidden was given twice: 4 and 3; give it once");
  EXPECT_EQ(parse_failure({"--set", "data.files=x", "--set", "data.files=y"}),
            "data.files was given twice: x and y; give it once");
  EXPECT_EQ(Fixture().parse({"--set", "seed=3", "--set", "seed=3"}).v.seed, 3) << "nothing is lost";
  EXPECT_EQ(Fixture().parse({"--set", "seed=3", "--set", "encoder.hidden=4"}).v.hidden, 4);
  EXPECT_EQ(Fixture().parse({"--file", "a", "--file", "b", "--file", "a"}).v.files, (Words{"a", "b", "a"}));
  EXPECT_EQ(Fixture().parse({"--metric", "ter", "--metric", "chrf"}).v.metrics, (Words{"ter", "chrf"}));
  EXPECT_FALSE(Fixture().parse({"--no-shuffle", "--shuffle", "--no-shuffle"}).v.shuffle) << "switches may repeat";
  Fixture f;
  f.parse({"--seed", "1"}).parse({"--seed", "2"});
  EXPECT_EQ(f.v.seed, 2) << "another command line";
  f.o.apply_toml("seed = 3", "a.toml");
  EXPECT_EQ(f.v.seed, 2) << "files may repeat what the command line says";
}

TEST(Options, an_output_has_a_short_flag) {
  EXPECT_EQ(Fixture().parse({"-o", "x"}).v.out, "x");
  EXPECT_EQ(Fixture().parse({"-o=x"}).v.out, "x");
  EXPECT_EQ(parse_failure({"-o"}), "-o needs a value (heed try --help-all lists all options)");
  EXPECT_NE(Fixture().o.help(100).find("where to write (short form -o)"), std::string::npos);
}

TEST(Options, a_list_of_arguments_can_end_at_the_first_of_another_kind) {
  const auto split = [](const Words& words) {
    Words models, text;
    Options o("try");
    o.positional("MODEL", models, "models").reads().leading([](const std::string& word) { return word[0] == 'm'; });
    o.positional("TEXT", text, "text", 0);
    EXPECT_TRUE(o.parse(words));
    return fmt::format("{}|{}", fmt::join(models, " "), fmt::join(text, " "));
  };
  EXPECT_EQ(split({"m1"}), "m1|");
  EXPECT_EQ(split({"m1", "m2", "a", "m3"}), "m1 m2|a m3");
  EXPECT_EQ(split({"x", "m2", "a"}), "x m2|a") << "the first one is needed";
  EXPECT_EQ(split({"m1", "--", "m2"}), "m1|m2");
  EXPECT_EQ(split({"--", "m1", "m2"}), "m1|m2");
  EXPECT_EQ(split({"m1", "m2", "--", "--out"}), "m1 m2|--out");
}

TEST(Options, the_short_help_has_what_is_common) {
  int values[40] = {};
  bool rare = false;
  std::string model;
  Options o("try");
  o.positional("MODEL", model, "a model").reads();
  for (std::size_t i = 0; i < std::size(values); ++i)
    o.key(fmt::format("section{}.key{}", i / 10, i), values[i], "a setting");
  o.flag("rare", rare, "seldom needed");
  EXPECT_EQ(o.short_help(100), o.help(100)) << "nothing is marked";
  o.flag("beam", values[0], "hypotheses kept").common();
  const std::string help = o.short_help(100);
  for (const char* part :
       {"Usage: heed try MODEL", "MODEL", "--beam N", "\n41 more options and settings: heed try --help-all\n"})
    EXPECT_NE(help.find(part), help.npos) << part << " in " << help;
  for (const char* part : {"--rare", "key7"}) EXPECT_EQ(help.find(part), help.npos) << part << " in " << help;
  EXPECT_NE(o.help(100).find("--rare"), std::string::npos);
  EXPECT_FALSE(o.parse(Words{"--help-all"}));
  Fixture few;
  EXPECT_EQ(few.o.short_help(100), few.o.help(100));
}

TEST(Options, an_option_is_found_by_its_names) {
  Fixture f;
  const auto found = [&](const char* name) {
    Words labels;
    for (const OptionRow& row : f.o.find_rows(name)) labels.push_back(row.label);
    return fmt::format("{}", fmt::join(labels, " "));
  };
  for (const char* name : {"--dropout", "dropout", "training.dropout", "--training.dropout"})
    EXPECT_EQ(found(name), "--dropout X") << name;
  EXPECT_EQ(found("hidden"), "encoder.hidden=N");
  EXPECT_EQ(found("--hidden"), "encoder.hidden=N");
  EXPECT_EQ(found("learning-rate"), "--learning-rate X");
  EXPECT_EQ(found("-o"), "--out FILE");
  EXPECT_EQ(found("--set"), "--set KEY=VALUE");
  EXPECT_EQ(found("hiden"), "");
  EXPECT_EQ(found(""), "");
}

TEST(Options, a_flag_that_is_a_setting_gets_the_words_to_write) {
  struct {
    int encoder = 1, decoder = 1;
    double readout = 0, words = 0;
  } v;
  Options o("try");
  o.key("encoder.hidden_units", v.encoder, "");
  o.key("decoder.hidden_units", v.decoder, "");
  o.key("dropout.readout", v.readout, "");
  o.key("dropout.words", v.words, "");
  const auto failure = [&](const Words& words) { return failure_of([&] { o.parse(words); }); };
  const std::string both =
      "there is no option '--hidden-units'; write --set encoder.hidden_units=64 --set decoder.hidden_units=64 (heed "
      "try "
      "--help-all lists all options)";
  EXPECT_EQ(failure({"--hidden-units", "64"}), both);
  EXPECT_EQ(failure({"--hidden-units"}),
            "there is no option '--hidden-units'; write --set encoder.hidden_units=N --set decoder.hidden_units=N "
            "(heed try --help-all lists all options)");
  EXPECT_EQ(failure({"--hidden_units=3"}),
            "there is no option '--hidden_units=3'; write --set encoder.hidden_units=3 --set decoder.hidden_units=3 "
            "(heed try --help-all lists all options)");
  EXPECT_EQ(failure({"--dropout", "0.3"}),
            "there is no option '--dropout', but there are settings for --set: dropout.readout, dropout.words (heed "
            "try --help-all lists all options)");
}

TEST(Options, a_setting_works_without_set) {
  EXPECT_EQ(Fixture().parse({"encoder.cell=lstm"}).v.cell, "lstm");
  EXPECT_EQ(Fixture().parse({"--encoder.cell=lstm"}).v.cell, "lstm");
  EXPECT_EQ(Fixture().parse({"--encoder.cell", "lstm"}).v.cell, "lstm");
  EXPECT_EQ(Fixture().parse({"run.toml", "encoder.hidden=3", "m1"}).v.models, Words{"m1"});
  EXPECT_FALSE(Fixture().parse({"--training.shuffle", "false"}).v.shuffle);
  EXPECT_TRUE(Fixture().parse({"--training.shuffle"}).v.shuffle);
  EXPECT_FALSE(Fixture().parse({"training.shuffle=false"}).v.shuffle);
  EXPECT_EQ(Fixture().parse({"a/encoder.hidden=3"}).v.config, "a/encoder.hidden=3");
  EXPECT_EQ(Fixture().parse({"--", "encoder.hidden=3"}).v.config, "encoder.hidden=3") << "after -- all are arguments";
  EXPECT_EQ(
      parse_failure({"encoder.hiden=3"}),
      "encoder.hiden: there is no setting 'encoder.hiden'; did you mean 'encoder.hidden'? (heed try --help-all lists "
      "all options)");
  EXPECT_EQ(parse_failure({"--encoder.hiden", "3"}),
            "--encoder.hiden: there is no setting 'encoder.hiden'; did you mean 'encoder.hidden'? (heed try --help-all "
            "lists all options)");
  EXPECT_EQ(parse_failure({"--encoder.hidden", "8193"}),
            "--encoder.hidden: '8193' is out of range; expected a whole number from 1 to 8192");
  EXPECT_EQ(parse_failure({"encoder.hidden=8193"}),
            "encoder.hidden: '8193' is out of range; expected a whole number from 1 to 8192");
  EXPECT_EQ(parse_failure({"--encoder.cell"}), "--encoder.cell needs a value (heed try --help-all lists all options)");
  EXPECT_EQ(parse_failure({"--set", "encoder.cell"}),
            "--set 'encoder.cell': expected KEY=VALUE, for example --set encoder.cell=NAME");
  EXPECT_EQ(toml_failure("encoder = 3"),
            "c.toml:1: 'encoder' is a table of settings, not a value; give one of them, for example encoder.hidden=N");
}

}  // namespace
}  // namespace heed
