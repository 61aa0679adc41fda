// What a user asks of a training run: text, configuration files, a preset, single settings. Together they give the
// configuration that train_run() needs; settings override files, files override the preset or the parent model.
//
//   RunRequest request;
//   Options options("train");
//   declare(options, request);
//   options.parse(arguments);
//   request.settle(options);
//   train_run(request.config, request.files, request.start(), observer);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "train/config.h"
#include "train/run.h"

namespace heed::train {

struct RunRequest {
  RunConfig config;
  RunFiles files;
  std::vector<std::string> arguments;     // configuration files and training text
  std::vector<std::string> config_files;  // those of the arguments that are configurations
  std::string preset = "heed";
  bool resume = false, resume_with_other_workers = false, overwrite = false, no_holdout = false;
  int seeds = 0;

  using Note = std::function<void(const std::string& sentence)>;  // gets what the user should know
  // After parsing: reads configuration files and the parent model, and sets `config` and `files`. UsageError or
  // InputError for settings that contradict each other or have no effect. With several ranks, each calls it, and only
  // rank 0 uses the run directory and `note`.
  void settle(Options& options, const Note& note, Communicator& communicator = single_process());
  void apply_preset(Options& options) const;
  Start start() const;

 private:
  struct SavedConfig;

  void take_arguments(Options& options);
  void refuse_vocabulary(const Options& options) const;
  void find_seeds(Communicator& communicator);
  std::optional<SavedConfig> find_saved_config(const Note& note) const;
  std::optional<SavedConfig> saved_config(const Note& note, Communicator& communicator) const;
  void apply_file(const std::string& path, Options& options);
  void apply_settings(Options& options, const std::optional<SavedConfig>& saved);
  void settle_holdout(const Options& options, const std::optional<SavedConfig>& saved);
  void check_config_is_kept() const;
  void refuse_without_effect(bool subwords_set, bool max_words_set) const;
  void note_languages(const Note& note) const;
  void check_text_directions() const;
};

// All flags and keys of a run.
void declare(Options& o, RunRequest& v);

}  // namespace heed::train
