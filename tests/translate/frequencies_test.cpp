#include "translate/frequencies.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::testing {
namespace {

model::ModelFile file_with(const Metadata& metadata) {
  model::ModelConfig config;
  config.encoder = {.embedding = 2, .hidden = 2};
  config.decoder = {.embedding = 2, .hidden = 2};
  config.vocabulary = {.source = 3, .target = 4};
  return {.model = std::make_unique<model::Model>(config), .metadata = metadata, .file = nullptr, .names = {}};
}

TEST(Frequencies, AreReadAsTheyWereWritten) {
  const translate::Frequencies counts{.source = {0, 12, 7}, .target = {5, 0, 1, 1'000'000'000'000}};
  EXPECT_EQ(translate::read_frequencies(file_with(counts.metadata()), "m"), counts);
  EXPECT_FALSE(translate::read_frequencies(file_with({}), "m")) << "a file of heed 0.1 has none";
}

TEST(Frequencies, DamagedOnesAreRefused) {
  for (const char* source : {"", "1\n2\n", "1\n2\n3\n4\n", "1\n-2\n3\n", "1\n2x\n3\n", "1\n\n3\n",
                             "1\n2\n99999999999999999999\n", "1\n2\n9000000000000000000\n"})
    EXPECT_THROW(
        translate::read_frequencies(
            file_with({{"heed.frequencies.source", source}, {"heed.frequencies.target", "1\n2\n3\n4\n"}}), "m"),
        InputError)
        << source;
}

}  // namespace
}  // namespace heed::testing
