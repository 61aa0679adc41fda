#include "base/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <locale>

#include "base/nearest.h"
#include "base/options_fixture.h"

namespace heed {
namespace {

using namespace heed::testing;

TEST(Nearest, distance_counts_edits_and_swaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("hidden", "hiddne"), 1);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);
}

TEST(Nearest, suggests_only_what_is_near) {
  const Words names = {"translate", "train", "tokenize", "encoder.hidden"};
  EXPECT_EQ(nearest("trian", names), "train");
  EXPECT_EQ(nearest("translte", names), "translate");
  EXPECT_EQ(nearest("Train", names), "train");
  EXPECT_EQ(nearest("hidden", names), "encoder.hidden");
  EXPECT_EQ(nearest("xyzzy", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), names), "");
  EXPECT_EQ(did_you_mean("tran", names), "; did you mean 'train'?");
  EXPECT_EQ(did_you_mean("q", names), "");
}

TEST(Nearest, suggests_names_with_more_or_fewer_words) {
  const Words names = {"luong-dot", "luong-general", "bahdanau-lstm", "--batch", "encoder.hidden", "decoder.hidden",
                       "c.one",     "c.two",         "c.three",       "c.four",  "c.five",         "--beam"};
  EXPECT_EQ(did_you_mean("bahdanau", names), "; did you mean 'bahdanau-lstm'?");
  EXPECT_EQ(did_you_mean("luong", names), "; did you mean 'luong-dot' or 'luong-general'?");
  EXPECT_EQ(did_you_mean("--batch-size", names), "; did you mean '--batch'?");
  EXPECT_EQ(did_you_mean("--batch_size", names), "; did you mean '--batch'?");
  EXPECT_EQ(did_you_mean("--hidden-size", names), "; did you mean 'encoder.hidden' or 'decoder.hidden'?");
  EXPECT_EQ(did_you_mean("bahdanua", names), "; did you mean 'bahdanau-lstm'?");
  EXPECT_EQ(did_you_mean("loung", names), "; did you mean 'luong-dot' or 'luong-general'?");
  EXPECT_EQ(did_you_mean("bahxxxau", names), "") << "too different";
  EXPECT_EQ(did_you_mean("luo", names), "; did you mean 'luong-dot' or 'luong-general'?");
  EXPECT_EQ(did_you_mean("--train",
                         Words{"--train-source", "--train-target", "--training.a", "--training.b", "--training.c"}),
            "; did you mean '--train-source' or '--train-target'?");
  EXPECT_EQ(did_you_mean("--b", names), "; did you mean 'bahdanau-lstm', '--batch' or '--beam'?");
  EXPECT_EQ(did_you_mean("--batching", names), "; did you mean '--batch'?") << "near by its spelling";
  EXPECT_EQ(did_you_mean("--batchnormalization", names), "") << "not a further word";
  EXPECT_EQ(did_you_mean("c", names), "") << "too many";
  EXPECT_EQ(did_you_mean("--", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
}

TEST(Nearest, knows_other_words_for_names) {
  EXPECT_EQ(did_you_mean("--finetune", Words{"--form", "--from"}), "; did you mean '--from'?");
  EXPECT_EQ(did_you_mean("--test", Words{"--source", "--reference", "--text"}),
            "; did you mean '--source' or '--reference'?");
  EXPECT_EQ(did_you_mean("luong", Words{"additive", "dot", "general"}), "; did you mean 'general' or 'dot'?");
  EXPECT_EQ(did_you_mean("--finetune", Words{"--beam"}), "") << "there is no --from here";
}

TEST(Nearest, takes_little_time_and_memory_for_any_candidates) {
  const std::string name = "encoder." + std::string(90, 'x');
  EXPECT_EQ(nearest(name, Words{std::string(50'000'000, 'x'), name + "y"}), name + "y");
  EXPECT_EQ(nearest(name, Words{name + "." + name}), "");
  const Words many(3'000'000, std::string(20, 'x'));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(nearest(name, many), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(Options, parses_every_kind) {
  Fixture f;
  f.parse({"--seed", "7", "--dropout=0.25", "--learning-rate", "1e-4", "--lowercase", "--no-shuffle", "--out", "dir/x",
           "--file", "a,b", "--file=c", "--metric", "ter,chrf", "run.toml", "m1", "m2", "--set", "encoder.hidden=64"});
  EXPECT_EQ(f.v.seed, 7);
  EXPECT_EQ(f.v.dropout, 0.25f);
  EXPECT_EQ(f.v.rate, 1e-4);
  EXPECT_TRUE(f.v.lowercase);
  EXPECT_FALSE(f.v.shuffle);
  EXPECT_EQ(f.v.out, "dir/x");
  EXPECT_EQ(f.v.files, (Words{"a,b", "c"}));
  EXPECT_EQ(f.v.metrics, (Words{"ter", "chrf"}));
  EXPECT_EQ(f.v.config, "run.toml");
  EXPECT_EQ(f.v.models, (Words{"m1", "m2"}));
  EXPECT_EQ(f.v.hidden, 64);
  EXPECT_TRUE(f.o.is_set(&f.v.seed));
  EXPECT_FALSE(f.o.is_set(&f.v.cell));
  EXPECT_THROW(f.o.is_set(&f.o), InternalError);
}

TEST(Options, defaults_stay_without_arguments) {
  Fixture f;
  f.parse({});
  EXPECT_EQ(f.v.hidden, 256);
  EXPECT_EQ(f.v.metrics, Words{"bleu"});
  EXPECT_TRUE(f.v.config.empty());
}

TEST(Options, a_flag_for_several_values_takes_them_up_to_the_next_option) {
  const auto parse = [](const Words& words, const char* toml = "") {
    Words files, rest;
    bool quick = false;
    Options options("try");
    options.positional("REST", rest, "others", 0);
    options.key("data.train", files, "files").flag().several().value("FILE").reads();
    options.flag("quick", quick, "be quick");
    options.apply_toml(toml, "x.toml");
    EXPECT_TRUE(options.parse(words));
    EXPECT_EQ(options.rows()[2].label, "--train FILE…");
    return std::pair(files, rest);
  };
  EXPECT_EQ(parse({"a", "--train", "b", "-", "c", "--quick", "d"}), std::pair(Words{"b", "-", "c"}, Words{"a", "d"}));
  EXPECT_EQ(parse({"--train", "b", "c", "--train", "d"}).first, (Words{"b", "c", "d"})) << "a repetition adds";
  EXPECT_EQ(parse({"--train=b", "c"}), std::pair(Words{"b"}, Words{"c"}));
  EXPECT_EQ(parse({"--train", "b", "--", "c"}), std::pair(Words{"b"}, Words{"c"}));
  EXPECT_EQ(parse({}, "data.train = \"b\"").first, Words{"b"}) << "a file of an older version";
  EXPECT_EQ(parse({}, "data.train = \"\"").first, Words{});
  EXPECT_EQ(parse({"--train", "c"}, "data.train = [\"a\", \"b\"]").first, Words{"c"});
  EXPECT_EQ(parse({"--train", ""}, "data.train = [\"a\", \"b\"]").first, Words{});
}

TEST(Options, numbers_are_strict) {
  for (const char* bad :
       {"", " 1", "1 ", "1.0", "1e3", "1e9999", "0x10", "99999999999999999999", "--1", "+-1", "1,000", "nan"})
    EXPECT_NE(parse_failure({std::string("--set"), std::string("seed=") + bad}), "no error") << bad;
  for (const char* bad : {"", "x", "nan", "inf", "-inf", "1e9999", "1e-9999", "0x1p3", "0.1 ", "0,1", "1", "-0.1"})
    EXPECT_NE(parse_failure({"--set", std::string("training.dropout=") + bad}), "no error") << bad;
  EXPECT_EQ(parse_failure({"--set", "training.dropout=1"}),
            "--set training.dropout: '1' is out of range; expected a number at least 0 and below 1");
  EXPECT_EQ(parse_failure({"--learning-rate", "0"}), "--learning-rate: '0' is out of range; expected a number above 0");
  EXPECT_EQ(parse_failure({"--seed", "99999999999999999999"}),
            "--seed: '99999999999999999999' is out of range; expected a whole number 0 or more");
  EXPECT_EQ(Fixture().parse({"--seed", "9223372036854775807"}).v.seed, 9223372036854775807);
  for (const int bound : {1, 8192})
    EXPECT_EQ(Fixture().parse({"--set", fmt::format("encoder.hidden={}", bound)}).v.hidden, bound);
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Options, numbers_do_not_depend_on_the_locale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // for C functions, if the machine has it
  Fixture f;
  f.parse({"--learning-rate", "0.5", "--seed", "1234567"});
  const std::string toml = f.o.to_toml();
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  EXPECT_EQ(f.v.rate, 0.5);
  EXPECT_EQ(f.v.seed, 1234567);
  EXPECT_NE(toml.find("learning_rate = 0.5\n"), toml.npos) << toml;
  EXPECT_NE(toml.find("seed = 1234567\n"), toml.npos) << toml;
}

TEST(Options, a_file_sets_keys_and_the_command_line_wins) {
  Fixture f;
  f.parse({"--seed", "9"});
  f.o.apply_toml("seed = 4\n[encoder]\nhidden = 32\n[training]\ndropout = 0\nlearning_rate = 2\n", "a.toml");
  f.o.apply_toml("[encoder]\nhidden = 33\n", "b.toml");
  EXPECT_EQ(f.v.seed, 9);
  EXPECT_EQ(f.v.hidden, 33);
  EXPECT_EQ(f.v.dropout, 0.0f);
  EXPECT_EQ(f.v.rate, 2.0);
  EXPECT_TRUE(f.o.is_set(&f.v.hidden));
}

TEST(Options, errors_in_files_have_the_line) {
  EXPECT_EQ(toml_failure("[encoder]\nhiden = 3\n"),
            "c.toml:2: there is no setting 'encoder.hiden'; did you mean 'encoder.hidden'? (heed try --help-all lists "
            "all options)");
  EXPECT_EQ(toml_failure("\nencoder.hidden = \"256\"\n"),
            "c.toml:2: encoder.hidden: '256' is not a whole number; expected a whole number from 1 to 8192");
  EXPECT_EQ(toml_failure("encoder.hidden = 2.0\n"),
            "c.toml:1: encoder.hidden: '2.0' is not a whole number; expected a whole number from 1 to 8192");
  EXPECT_EQ(toml_failure("encoder.hidden = 99999999999\n"),
            "c.toml:1: encoder.hidden: '99999999999' is out of range; expected a whole number from 1 to 8192");
  EXPECT_EQ(toml_failure("encoder.cell = \"gur\"\n"),
            "c.toml:1: encoder.cell: 'gur' is not supported; expected gru, lstm or rnn; did you mean 'gru'?");
  EXPECT_EQ(toml_failure("encoder.cell = 3\n"),
            "c.toml:1: encoder.cell: '3' is not text in quotes; expected gru, lstm or rnn");
  EXPECT_EQ(toml_failure("training.shuffle = 1\n"),
            "c.toml:1: training.shuffle: '1' is neither true nor false; expected true or false");
  EXPECT_EQ(toml_failure("training.learning_rate = nan\n"),
            "c.toml:1: training.learning_rate: 'nan' is out of range; expected a number above 0");
  EXPECT_EQ(toml_failure("data.files = 3\n"),
            "c.toml:1: data.files: '3' is not a list of strings; expected a list of strings");
  EXPECT_EQ(toml_failure("lowercase = true\n").rfind("c.toml:1: there is no setting 'lowercase'", 0), 0u)
      << "a flag without a key is not a setting";
  EXPECT_EQ(toml_failure("x = \n").rfind("InputError c.toml:1: ", 0), 0u);
}

TEST(Options, a_value_is_checked_even_if_the_command_line_wins) {
  Fixture f;
  f.parse({"--seed", "9"});
  EXPECT_NE(failure_of([&] { f.o.apply_toml("seed = -1", "a.toml"); }), "no error");
}

TEST(Options, required_and_missing) {
  std::string model, out;
  Options o("info");
  o.positional("MODEL", model, "the model file").reads();
  o.flag("out", out, "where to write").value("FILE").required().writes();
  EXPECT_EQ(failure_of([&] {
              o.parse(Words{"--out", "x"});
            }),
            "MODEL is missing; usage: heed info MODEL --out FILE (heed info --help-all lists all options)");
  Options p("info");
  p.flag("out", out, "where to write").value("FILE").required().writes();
  EXPECT_EQ(failure_of([&] { p.parse(Words{}); }),
            "--out FILE is missing: where to write (heed info --help-all lists all options)");
  EXPECT_EQ(o.usage(), "heed info MODEL --out FILE");
}

TEST(Options, declaring_twice_is_an_internal_error) {
  int a = 0;
  Options o;
  o.flag("beam", a, "");
  EXPECT_THROW(o.flag("beam", a, ""), InternalError);
  o.key("x.beam", a, "");
  EXPECT_THROW(o.key("x.beam", a, ""), InternalError);
}

TEST(Options, help_shows_everything_within_the_width) {
  const std::string help = Fixture().o.help(60);
  std::size_t start = 0;
  for (std::size_t end; (end = help.find('\n', start)) != help.npos; start = end + 1)
    EXPECT_LE(end - start, 64u) << help.substr(start, end - start);  // bytes; the ellipsis has three
  for (const char* part : {"Usage: heed try [CONFIG] [MODEL…] [options]\n", "\nArguments\n", "\nModel\n",
                           "\nTraining\n", "encoder.hidden=N", "from 1 to", "default", "--seed N", "--[no-]shuffle",
                           "--file FILE", "--set KEY=VALUE", "gru, lstm or", "--metric NAME,…"})
    EXPECT_NE(help.find(part), help.npos) << part << "\n" << help;
  EXPECT_FALSE(Fixture().o.help(1).empty());
}

TEST(Options, written_toml_reads_back) {
  Fixture f;
  f.parse({"--seed", "5", "--dropout", "0.3", "--file", "a \"b\"", "--file", "c", "--set", "encoder.cell=rnn",
           "--no-shuffle"});
  const std::string text = f.o.to_toml();
  Fixture again;
  again.o.apply_toml(text, "t");
  EXPECT_EQ(again.v.seed, 5);
  EXPECT_EQ(again.v.dropout, 0.3f);
  EXPECT_EQ(again.v.files, (Words{"a \"b\"", "c"}));
  EXPECT_EQ(again.v.cell, "rnn");
  EXPECT_FALSE(again.v.shuffle);
  EXPECT_EQ(again.o.to_toml(), text);
  EXPECT_EQ(text.rfind("# random seed (0 or more; default 1)\nseed = 5\n\n[encoder]\n", 0), 0u) << text;
  EXPECT_NE(text.find("dropout = 0.3\n"), text.npos) << text;
  EXPECT_EQ(text.find("lowercase"), text.npos) << "only settings belong here";
}

TEST(Options, rows_have_what_the_docs_need) {
  const std::vector<OptionRow> rows = Fixture().o.rows();
  ASSERT_EQ(rows.size(), 13u);
  const auto row = [&](std::string_view label) {
    for (const OptionRow& candidate : rows)
      if (candidate.label == label) return candidate;
    ADD_FAILURE() << "no row " << label;
    return OptionRow{};
  };
  const OptionRow dropout = row("--dropout X");
  EXPECT_EQ(dropout.group, "Training");
  EXPECT_EQ(dropout.flag, "--dropout");
  EXPECT_EQ(dropout.key, "training.dropout");
  EXPECT_EQ(dropout.default_value, "0.1");
  EXPECT_EQ(dropout.allowed, "at least 0 and below 1");
  EXPECT_EQ(dropout.help, "fraction of values dropped");
  EXPECT_EQ(dropout.remark, " (at least 0 and below 1; default 0.1; key training.dropout)");
  EXPECT_TRUE(dropout.takes_value);
  EXPECT_EQ(row("encoder.hidden=N").flag, "");
  EXPECT_EQ(row("encoder.cell=NAME").choices, (Words{"gru", "lstm", "rnn"}));
  EXPECT_TRUE(row("MODEL…").positional);
  EXPECT_FALSE(row("--lowercase").takes_value);
  const auto has_key = [](const OptionRow& r) { return !r.key.empty(); };
  EXPECT_EQ((std::ranges::find_if(rows, has_key) - 1)->label, "--set KEY=VALUE") << "it precedes the settings";
}

TEST(Options, files_and_command_line_override_a_preset_in_any_order) {
  const std::string preset = "seed = 4\nencoder.hidden = 32\nencoder.cell = \"rnn\"\n";
  for (const bool preset_first : {true, false}) {
    Fixture f;
    if (preset_first) f.o.apply_preset(preset, "preset p");
    f.parse({"--seed", "9"});
    f.o.apply_toml("encoder.hidden = 33\n", "a.toml");
    if (!preset_first) f.o.apply_preset(preset, "preset p");
    EXPECT_EQ(f.v.seed, 9);
    EXPECT_EQ(f.v.hidden, 33);
    EXPECT_EQ(f.v.cell, "rnn");
    EXPECT_TRUE(f.o.is_set(&f.v.hidden));
    EXPECT_FALSE(f.o.is_set(&f.v.cell)) << "only the preset set it";
  }
  EXPECT_EQ(failure_of([] { Fixture().o.apply_preset("encoder.hidden = 0", "preset p"); }),
            "preset p:1: encoder.hidden: '0' is out of range; expected a whole number from 1 to 8192");
}

TEST(Options, printed_defaults_are_those_of_the_preset) {
  Fixture f;
  f.o.apply_preset("encoder.hidden = 32\ntraining.dropout = 0.5\n", "preset p");
  f.parse({"--dropout", "0.2", "--seed", "7"});
  EXPECT_NE(f.o.help(100).find("(from 1 to 8192; default 32)"), std::string::npos) << f.o.help(100);
  EXPECT_NE(f.o.help(100).find("; default 0.5"), std::string::npos) << f.o.help(100);
  EXPECT_NE(f.o.help(100).find("(0 or more; default 1"), std::string::npos) << "the preset does not set the seed";
  const std::string toml = f.o.to_toml();
  EXPECT_NE(toml.find("# size of the state (from 1 to 8192)\nhidden = 32\n"), toml.npos) << toml;
  EXPECT_NE(toml.find("(at least 0 and below 1; preset: 0.5)\ndropout = 0.2\n"), toml.npos) << toml;
  EXPECT_NE(toml.find("(0 or more; preset: 1)\nseed = 7\n"), toml.npos) << toml;
}

TEST(Options, comparing_with_a_preset_keeps_the_values) {
  Fixture f;
  f.v.dropout = 0.2f;
  f.o.compare_with_preset("encoder.hidden = 32\ntraining.dropout = 0.2\n", "preset p");
  EXPECT_EQ(f.v.hidden, 256);
  EXPECT_FALSE(f.o.is_set(&f.v.hidden));
  const std::string toml = f.o.to_toml();
  EXPECT_NE(toml.find("(from 1 to 8192; preset: 32)\nhidden = 256\n"), toml.npos) << toml;
  EXPECT_NE(toml.find("# fraction of values dropped (at least 0 and below 1)\ndropout = 0.2\n"), toml.npos) << toml;
}

TEST(Options, help_parses_only_early_options) {
  std::string preset = "heed";
  int beam = 1;
  Options o("try");
  o.flag("preset", preset, "the model").early();
  o.flag("beam", beam, "hypotheses kept", range(1, 100));
  EXPECT_FALSE(o.parse(Words{"--nonsense", "--beam", "0", "--preset", "vanilla", "too", "many", "--help"}));
  EXPECT_EQ(preset, "vanilla");
  EXPECT_EQ(beam, 1);
  EXPECT_FALSE(o.parse(Words{"-h", "--preset=luong-dot"}));
  EXPECT_EQ(preset, "luong-dot");
}

TEST(Options, old_names_and_british_spellings_work_wherever_names_are_read) {
  struct Renamed {
    std::string optimizer = "adam";
    bool tidy = false;
    int size = 1;
    Options o{"try"};
    Renamed() {
      o.key("training.optimizer", optimizer, "how gradients become updates", choices({"adam", "sgd"})).flag();
      o.flag("tidy", tidy, "tidy up").alias("--neat").alias("--clean-up");
      o.key("size", size, "how large").alias("extent");
    }
    std::string state() const { return fmt::format("{} {} {}", optimizer, tidy, size); }
  };
  const struct {
    Words words;
    std::string toml, state;
  } cases[] = {
      {{"--optimizer", "sgd"}, "", "sgd false 1"},
      {{"--optimiser", "sgd"}, "", "sgd false 1"},
      {{"--optimiser=sgd", "--neat"}, "", "sgd true 1"},
      {{"--clean-up"}, "", "adam true 1"},
      {{"--tidy", "--no-neat"}, "", "adam false 1"},
      {{"--set", "training.optimiser=sgd", "--set", "extent=3"}, "", "sgd false 3"},
      {{}, "extent = 4\n[training]\noptimiser = \"sgd\"\n", "sgd false 4"},
      {{"--optimizer", "adam"}, "training.optimiser = \"sgd\"\n", "adam false 1"},
  };
  for (const auto& [words, toml, state] : cases) {
    Renamed r;
    EXPECT_TRUE(r.o.parse(words));
    r.o.apply_toml(toml, "old.toml");
    EXPECT_EQ(r.state(), state) << fmt::format("{} {}", fmt::join(words, " "), toml);
  }
  Renamed r;
  r.o.apply_preset("extent = 9", "preset p");
  EXPECT_EQ(r.size, 9);
  for (const std::string& text : {r.o.help(100), r.o.usage(), r.o.to_toml()})
    for (const char* old : {"optimiser", "neat", "clean-up", "extent"})
      EXPECT_EQ(text.find(old), text.npos) << old << " in " << text;
  EXPECT_THROW(r.o.flag("neat", r.tidy, ""), InternalError) << "an old name is taken too";
  EXPECT_EQ(failure_of([&] {
              r.o.parse(Words{"--optimiser", "sdg"});
            }),
            "--optimiser: 'sdg' is not supported; expected adam or sgd; did you mean 'sgd'?");
  EXPECT_EQ(failure_of([&] { r.o.parse(Words{"--optimizer"}); }),
            "--optimizer needs a value (heed try --help-all lists all options)");
}

enum class Fruit { apple, blood_orange, cherry };
std::vector<std::string> enum_names(Fruit) {
  return {"apple", "blood-orange", "cherry"};
}
std::vector<std::string> enum_about(Fruit) {
  return {"keeps the doctor away", "red inside", "small"};
}

TEST(Options, enums_are_read_and_written_by_name) {
  struct {
    Fruit fruit = Fruit::apple;
    std::vector<Fruit> basket = {Fruit::cherry};
  } v;
  Options o("try");
  o.key("fruit", v.fruit, "what to eat").flag();
  o.key("shop.basket", v.basket, "what to buy", choices({"apple", "cherry"}));
  EXPECT_NE(o.help().find("--fruit NAME"), std::string::npos);
  EXPECT_NE(o.help().find("(apple, blood-orange or cherry; default apple; key fruit)"), std::string::npos) << o.help();
  EXPECT_EQ(o.find_rows("fruit").front().about, (Words{"keeps the doctor away", "red inside", "small"}));
  EXPECT_EQ(o.find_rows("shop.basket").front().about, (Words{"keeps the doctor away", "small"})) << "as the choices";
  EXPECT_FALSE(o.is_set(&v.fruit));
  EXPECT_TRUE(
      o.parse(std::vector<std::string>{"--fruit", "blood-orange", "--set", "shop.basket=[\"cherry\",\"apple\"]"}));
  EXPECT_TRUE(o.is_set(&v.fruit) && o.is_set(&v.basket));
  EXPECT_EQ(v.fruit, Fruit::blood_orange);
  EXPECT_EQ(v.basket, (std::vector{Fruit::cherry, Fruit::apple}));
  o.apply_toml("fruit = \"cherry\"", "t");
  EXPECT_EQ(v.fruit, Fruit::blood_orange) << "the command line wins";
  v.fruit = Fruit::cherry;  // to_toml() writes the field, whoever set it
  const std::string text = o.to_toml();
  EXPECT_NE(text.find("fruit = \"cherry\""), text.npos) << text;
  EXPECT_NE(text.find("basket = [\"cherry\", \"apple\"]"), text.npos) << text;
  const auto message = [&](const char* toml) {
    try {
      o.apply_toml(toml, "t");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("fruit = \"appel\""),
            "t:1: fruit: 'appel' is not supported; expected apple, blood-orange or cherry; did you mean 'apple'?");
  EXPECT_EQ(message("[shop]\nbasket = [\"blood-orange\"]"),
            "t:2: shop.basket: 'blood-orange' is not supported; expected any of apple or cherry");
  EXPECT_EQ(enum_name(Fruit::blood_orange), "blood-orange");
  EXPECT_EQ(enum_value<Fruit>("cherry"), Fruit::cherry);
  EXPECT_THROW(enum_value<Fruit>("plum"), InternalError);
}

TEST(Options, a_skipped_section_of_a_file_does_nothing) {
  int beam = 1;
  Options o;
  o.key("search.beam", beam, "");
  o.skip_section("names");
  o.apply_toml("[names]\nencoder = \"x\"\n[search]\nbeam = 3", "t");
  EXPECT_EQ(beam, 3);
  EXPECT_THROW(o.apply_toml("[namess]\nencoder = \"x\"", "t"), UsageError);
  EXPECT_THROW(o.apply_setting("names.encoder=x"), UsageError);
}

TEST(Options, an_enum_is_compared_with_a_preset_by_name) {
  Fruit fruit = Fruit::cherry;
  Options o("try");
  o.key("fruit", fruit, "what to eat");
  o.compare_with_preset("fruit = \"apple\"", "preset p");
  EXPECT_EQ(fruit, Fruit::cherry);
  EXPECT_EQ(o.to_toml(), "# what to eat (apple, blood-orange or cherry; preset: apple)\nfruit = \"cherry\"\n");
  o.apply_preset("fruit = \"blood-orange\"", "preset q");
  EXPECT_EQ(fruit, Fruit::blood_orange);
}

// The comment repeats the default, which may contain anything.
TEST(OptionsToml, ADefaultCannotEndItsComment) {
  const std::string value = "a\nhidden = 3 \r\x1b\x7f";
  std::string name = value;
  int hidden = 2;
  Options o("try");
  o.key("name", name, "a name");
  o.key("hidden", hidden, "a size");
  const std::string toml = o.to_toml();
  name = "other";
  o.apply_toml(toml, "a test");
  EXPECT_EQ(name, value);
  EXPECT_EQ(hidden, 2);
}

}  // namespace
}  // namespace heed
