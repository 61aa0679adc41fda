#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "train/config.h"

namespace heed {
namespace {

std::string without(std::string toml, const std::string& line) {
  const std::size_t at = toml.find(line + "\n");
  EXPECT_NE(at, toml.npos) << line;
  return toml.erase(at, line.size() + 1);
}

// A run that was begun by an older heed, which did not have a setting yet, had what is now its default.
TEST(SameConfig, AKeyThatIsNewerThanTheRunHadItsDefault) {
  RunConfig config;
  const std::string then = without(run_config_to_toml(config, {}), "guided_shift = false");
  EXPECT_NO_THROW(check_same_config(then, run_config_to_toml(config, {}), "run"));
  config.training.guided_shift = true;
  EXPECT_THROW(check_same_config(then, run_config_to_toml(config, {}), "run"), UsageError);
}

TEST(SameConfig, NamesWhatIsNotAsItWas) {
  RunConfig config;
  const std::string then = run_config_to_toml(config, {});
  config.training.epochs += 1;  // a run may go on for longer
  EXPECT_NO_THROW(check_same_config(then, run_config_to_toml(config, {}), "run"));
  config.training.batch += 1;
  try {
    check_same_config(then, run_config_to_toml(config, {}), "run");
    FAIL() << "another batch size went unnoticed";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("training.batch = "), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed
