// Comparing two sets of values, and reading text written by an older heed.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/options.h"

namespace heed {
namespace {

struct Values {
  int epochs = 10;
  double rate = 0.1;
  std::vector<std::string> steps = {"a"};
  bool quiet = false;

  void declare(Options& o) {
    o.key("run.epochs", epochs, "times through the data").flag().may_change();
    o.key("run.rate", rate, "size of an update");
    o.key("run.steps", steps, "what is done");
    o.flag("quiet", quiet, "says nothing");
  }
};

struct Declared : Values {
  Options options;
  Declared() { declare(options); }
};

TEST(OptionsDifference, IsTheFirstKeyThatMustNotDiffer) {
  Declared a, b;
  EXPECT_FALSE(a.options.first_difference(b.options));
  b.epochs = 20;
  b.quiet = true;
  EXPECT_FALSE(a.options.first_difference(b.options)) << "one may change, the other is not a key";
  b.steps = {"a", "b"};
  b.rate = 0.2;
  const auto difference = a.options.first_difference(b.options);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->key, "run.rate");
  EXPECT_EQ(difference->value, "0.1");
  EXPECT_EQ(difference->other, "0.2");
  b.rate = 0.1;
  EXPECT_EQ(a.options.first_difference(b.options)->key, "run.steps");
}

TEST(OptionsSettings, AreTheOptionsThatAffectTheResult) {
  std::string model = "m", table = "none", out = "o";
  int beam = 5, threads = 2;
  Options o;
  o.positional("MODEL", model, "a model").reads([](const std::string& name) { return std::vector{name + "/file"}; });
  o.flag("beam", beam, "beam size");
  o.flag("threads", threads, "number of threads").may_change();
  o.flag("table", table, "a table").value("none|FILE").reads([](const std::string&) {
    return std::vector<std::string>{};
  });
  o.flag("out", out, "what is written").value("FILE").writes();
  beam = 7;
  const std::vector<Options::Setting> settings = o.settings();
  ASSERT_EQ(settings.size(), 3U) << "neither what may change nor what is written";
  EXPECT_EQ(settings[0].name, "MODEL");
  EXPECT_EQ(settings[0].files, std::vector<std::string>{"m/file"});
  EXPECT_EQ(settings[1].name, "--beam");
  EXPECT_EQ(settings[1].value, "7");
  EXPECT_TRUE(settings[1].files.empty());
  EXPECT_EQ(settings[2].value, "\"none\"");
  EXPECT_TRUE(settings[2].files.empty());
}

TEST(OptionsDifference, OldTextMayHaveRemovedKeys) {
  Declared a;
  a.options.apply_old_toml("[gone]\nkey = 1\n[run]\nrate = 0.5\nold = \"x\"\n", "old.toml");
  EXPECT_EQ(a.rate, 0.5);
  EXPECT_THROW(a.options.apply_toml("[gone]\nkey = 1\n", "new.toml"), UsageError);
  EXPECT_THROW(a.options.apply_old_toml("[run]\nrate = \"fast\"\n", "old.toml"), UsageError);
}

}  // namespace
}  // namespace heed
