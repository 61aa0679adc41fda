// Trains a model on files of parallel text.
//
//   heed::TrainOptions options;
//   options.train = {"text.en", "text.de"};
//   options.out = "run";
//   options.settings = {{"training.epochs", "5"}, {"encoder.hidden", "128"}};
//   options.on_update = [](const heed::UpdateReport& r) { return r.update < 1000; };
//   heed::train_model(options);
//   const heed::Translator translator("run");
//
// The run directory has the best model (model.safetensors), the configuration, logs and checkpoints. A run that was
// stopped continues with `resume`, and ends with the same bytes as if it had not been stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/error.h"
#include "heed/settings.h"

namespace heed {

struct UpdateReport {
  std::int64_t update = 0;   // counted from 1
  std::int64_t updates = 0;  // of the whole run, if it is not ended early
  std::int64_t epoch = 0;    // counted from 1
  double loss = 0;           // per target token
  double gradient_norm = 0;
  double learning_rate = 0;
  std::int64_t target_tokens = 0;
};

struct ValidationReport {
  std::int64_t update = 0, epoch = 0;  // the epoch counted from 1
  double train_loss = 0;               // per target token, since the last validation
  bool validated = false;              // false without validation text: the scores are 0
  double perplexity = 0, accuracy = 0, bleu = 0, chrf = 0, exact = 0;
  bool best = false;   // so far
  double seconds = 0;  // of the run so far
};

struct TrainOptions {
  // Files of parallel text, of any supported format: two plain files, or one with both sides. Without validation text,
  // some of the training text is held out.
  std::vector<std::string> train = {}, valid = {};
  std::string out = "run";                // the run directory
  std::string preset = {};                // empty: heed, or that of `from` or `configs`
  std::string from = {};                  // a model to continue training from
  std::vector<std::string> configs = {};  // TOML files with settings
  bool resume = false;                    // continue the run in `out`; start a new one if there is none
  bool overwrite = false;                 // delete a run that is already in `out`
  // Everything else: keys of configuration files such as "training.epochs", flags such as "threads".
  Settings settings = {};

  // Called on the calling thread. on_update: after each update; if it returns false, the run saves a checkpoint and
  // stops. on_note: one sentence that the user should know. An exception that one of them throws passes through.
  std::function<bool(const UpdateReport&)> on_update = {};
  std::function<void(const ValidationReport&)> on_validation = {};
  std::function<void(const std::string& sentence)> on_note = {};
};

struct TrainResult {
  bool stopped = false;        // by on_update
  std::string reason;          // why the run ended
  std::int64_t update = 0;     // the last one done
  std::optional<double> best;  // of validation.metric
  std::string model;           // the path of the model file; empty if there is none yet
};

// Several runs may be trained at once on different threads, in different directories.
HEED_API TrainResult train_model(const TrainOptions& options);

}  // namespace heed
