// A registry with one option of every kind, for the tests of options.
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/options.h"

namespace heed::testing {

using Words = std::vector<std::string>;

struct Settings {
  int hidden = 256;
  std::int64_t seed = 1;
  float dropout = 0.1f;
  double rate = 0.001;
  bool lowercase = false;
  bool shuffle = true;
  std::string cell = "gru";
  std::string out;
  Words files;
  Words metrics = {"bleu"};
  Words models;
  std::string config;
};

// A registry with one option of every kind.
struct Fixture {
  Settings v;
  Options o{"try"};
  Fixture() {
    o.positional("CONFIG", v.config, "a configuration", false).reads();
    o.positional("MODEL", v.models, "models", 0, 3).reads();
    o.group("Model");
    o.key("encoder.hidden", v.hidden, "size of the state", range(1, 8192));
    o.key("encoder.cell", v.cell, "kind of cell", choices({"gru", "lstm", "rnn"}));
    o.group("Training");
    o.key("seed", v.seed, "random seed", at_least(0)).flag();
    o.key("training.dropout", v.dropout, "fraction of values dropped", at_least(0).below(1)).flag();
    o.key("training.learning_rate", v.rate, "step size", above(0)).flag();
    o.key("training.shuffle", v.shuffle, "new order each epoch").flag();
    o.key("data.files", v.files, "files to read").flag("file").value("FILE").reads();
    o.group("");
    o.flag("lowercase", v.lowercase, "fold case");
    o.flag("out", v.out, "where to write").value("FILE").writes();
    o.flag("metric", v.metrics, "metrics", choices({"bleu", "chrf", "ter"})).comma_separated();
  }
  Fixture& parse(const Words& words) {
    EXPECT_TRUE(o.parse(words));
    return *this;
  }
};

template <class Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const InputError& error) {
    return std::string("InputError ") + error.what();
  }
  return "no error";
}

inline std::string parse_failure(const Words& words) {
  return failure_of([&] { Fixture().o.parse(words); });
}

inline std::string toml_failure(const std::string& text) {
  return failure_of([&] { Fixture().o.apply_toml(text, "c.toml"); });
}

}  // namespace heed::testing
