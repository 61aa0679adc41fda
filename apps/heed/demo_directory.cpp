#include "demo_directory.h"

#include <algorithm>
#include <filesystem>

#include "alignment/links.h"
#include "base/files.h"
#include "pocket/corpus.h"
#include "train/run_directory.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

// Whether a file contains the first pairs of the corpus, as write_pocket() writes them.
bool is_pocket_file(const std::string& path, pocket::Split split, std::string_view ending) {
  const std::string text = read_file(path);
  const auto lines = std::ranges::count(text, '\n');
  if (lines > kDemoMostPairs) return false;
  std::string expected;
  pocket::PocketCorpus().visit(split, static_cast<std::size_t>(lines), [&](const pocket::PocketPair& pair) {
    expected += ending == "en" ? pair.source : ending == "de" ? pair.target : format_alignment(pair.alignment);
    expected += '\n';
  });
  return text == expected;
}

// Whether the directory contains a run that a demo started, of whatever size.
bool is_demo_run(const train::RunDirectory& directory, const train::RunConfig& config,
                 const train::RunFiles& files) try {
  train::RunConfig old;
  train::RunFiles old_files;
  Options options;
  declare(options, old_files);
  declare(options, old);
  const std::string toml = read_file(directory.file("config.toml"));
  apply_run_config(options, old_files, toml, "config.toml", files.out, true);
  check_same_config(toml, config, files.out);
  return fs::equivalent(old_files.train_source.at(0), files.train_source.at(0));
} catch (const std::exception&) {
  return false;
}

bool is_picture(const std::string& name) {
  for (std::size_t i = 1; i <= kDemoPictures; ++i)
    for (const char* ending : {"svg", "png"})
      if (name == fmt::format("attention-{}.{}", i, ending)) return true;
  return false;
}

}  // namespace

void check_demo_directory(const train::RunFiles& files, std::span<const train::RunConfig> configs) {
  std::error_code error;
  if (!fs::is_directory(files.out, error)) return;  // if it is a file, creating the directory fails with a message
  const train::RunDirectory directory(files.out);
  const bool demo =
      std::ranges::any_of(configs, [&](const auto& config) { return is_demo_run(directory, config, files); });
  constexpr std::pair<pocket::Split, const char*> kSplits[] = {
      {pocket::Split::train, "train"}, {pocket::Split::valid, "valid"}, {pocket::Split::test, "test"}};
  const auto is_own = [&](const std::string& path, const std::string& name) {
    for (const auto& [split, part] : kSplits)
      for (const char* ending : {"en", "de", "align"})
        if (name == fmt::format("pocket.{}.{}", part, ending)) return is_pocket_file(path, split, ending);
    const bool no_content = name == "checkpoint/lock" || is_temporary_file(fs::path(name).filename().string());
    return no_content || (demo && (is_picture(name) || train::RunDirectory::is_run_file(name)));
  };
  fs::recursive_directory_iterator entry(files.out, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string(), name = entry->path().lexically_relative(files.out).string();
    const bool folder = entry->is_directory() && !entry->is_symlink();
    check<UsageError>(folder ? name == "checkpoint" : is_own(path, name),
                      "'{}' was not written by `heed demo`, which needs a directory of its own; choose another --out",
                      path);
  }
  if (error) throw InputError("cannot list '{}': {}", files.out, error.message());
}

}  // namespace heed::cli
