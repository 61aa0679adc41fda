// heed compared with PyTorch's numbers in golden files: every preset, one by one and as one batch.
#include "inspect/parity.h"

#include <gtest/gtest.h>

#include "base/safetensors.h"
#include "model/presets.h"
#include "support/files.h"

namespace heed::testing {
namespace {

void expect_parity(const std::string& file) {
  const inspect::ParityReport report = inspect::check_parity(file);
  ASSERT_EQ(report.rows.size(), 12u) << file;
  ASSERT_GT(report.sentences, 1u) << file;
  for (const inspect::ParityRow& row : report.rows)
    EXPECT_TRUE(row.passed()) << file << ": " << row.quantity << ", " << row.mode << ": " << row.error << " at "
                              << row.where;
}

TEST(Parity, OurOwnGoldenFiles) {
  const auto files = golden_files(golden_directory());
  ASSERT_GE(files.size(), 16u);
  for (const std::string& file : files) expect_parity(file);
}

TEST(Parity, EveryPresetHasAGoldenFile) {
  for (const model::Preset& preset : model::presets()) {
    if (preset.name == "heed") continue;
    EXPECT_TRUE(std::filesystem::exists(golden_directory() / (std::string(preset.name) + ".safetensors")))
        << preset.name;
  }
}

TEST(Parity, SharedGoldenFiles) {
  const auto files = golden_files(shared_directory() / "parity");
  if (files.empty()) GTEST_SKIP() << "no shared golden files here";
  EXPECT_EQ(files.size(), 10u);
  for (const std::string& file : files) expect_parity(file);
}

// A copy of a golden file with one float of a tensor changed.
std::string changed(const TemporaryDirectory& directory, const std::string& name, const std::string& tensor, float by) {
  const Safetensors file((golden_directory() / name).string());
  std::vector<StoredTensor> tensors(file.tensors().begin(), file.tensors().end());
  std::vector<float> numbers;
  for (StoredTensor& t : tensors) {
    if (t.name != tensor) continue;
    numbers = t.values<float>();
    numbers.at(numbers.size() / 2) += by;
    t.data = std::as_bytes(std::span(numbers));
  }
  EXPECT_FALSE(numbers.empty()) << tensor;
  const std::string path = directory.file("changed.safetensors");
  write_safetensors(path, file.metadata(), tensors, false);
  return path;
}

// Parity can fail: each golden quantity, changed by a little more than its tolerance, fails in its row.
TEST(Parity, NoticesAChangedNumber) {
  const TemporaryDirectory directory;
  const struct {
    const char *tensor, *row;
    float by;
  } cases[] = {{"logprobs/2", "log-probabilities", 5e-5f},
               {"attention/2", "attention", 5e-5f},
               {"loss", "loss (relative)", 0.02f},
               {"grad/decoder.gru.weight_ih_l0", "gradients (relative to the largest)", 0.02f},
               {"greedy_attention/2", "greedy attention", 5e-5f},
               {"param/decoder.fc.weight", "log-probabilities", 0.01f}};
  for (const auto& c : cases) {
    const inspect::ParityReport report =
        inspect::check_parity(changed(directory, "bigru-deep-output.safetensors", c.tensor, c.by));
    EXPECT_FALSE(report.passed()) << c.tensor;
    for (const inspect::ParityRow& row : report.rows) EXPECT_TRUE(row.quantity != c.row || !row.passed()) << c.tensor;
  }
  const inspect::ParityReport nan =
      inspect::check_parity(changed(directory, "bigru-deep-output.safetensors", "logprobs/2", std::nanf("")));
  EXPECT_FALSE(nan.passed());
}

TEST(Parity, RefusesOtherFiles) {
  const TemporaryDirectory directory;
  const auto message = [](const std::string& path) {
    try {
      inspect::check_parity(path);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message(directory.file("nowhere")).find("nowhere"), std::string::npos);
  const std::string trajectory = message((golden_directory() / "trajectory-location-gru.safetensors").string());
  EXPECT_NE(trajectory.find("trajectory-*.safetensors, which record training updates"), std::string::npos)
      << trajectory;
  const std::string empty = directory.file("empty.safetensors");
  write_safetensors(empty, {}, {}, false);
  EXPECT_NE(message(empty).find("does not name a preset"), std::string::npos);
  write_safetensors(empty, {{"system", "vanila"}}, {}, false);
  EXPECT_NE(message(empty).find("did you mean 'vanilla'"), std::string::npos) << message(empty);
  write_safetensors(empty, {{"system", "vanilla"}, {"embedding", "x"}}, {}, false);
  EXPECT_NE(message(empty).find("'x'"), std::string::npos) << message(empty);
}

}  // namespace
}  // namespace heed::testing
