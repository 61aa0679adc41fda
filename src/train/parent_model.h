// The model that a run starts from (`heed train --from`). The run takes over its architecture, parameters, tokenizers,
// subwords and vocabularies, to which it may add words (data.extend_vocabulary).
#pragma once

#include <optional>
#include <string>

#include "base/options.h"
#include "train/config.h"
#include "translate/frequencies.h"
#include "translate/pipeline.h"

namespace heed::train {

class ParentModel {
 public:
  // `path` is a model file or a run directory. InputError if it is neither, is damaged or has no vocabularies.
  explicit ParentModel(const std::string& path);

  // Sets the defaults that follow from the model: architecture, dropout rates, text settings, and no warm-up, because
  // the parameters are already trained. As with a preset, configuration files and the command line take precedence. The
  // preset must have been applied to `config` before; `options` are those of `config`.
  void apply_defaults(Options& options, const RunConfig& config) const;
  // UsageError if settings contradict the model; the message names the key, both values and what to do. Dropout and
  // subword sampling may differ, because they matter only in training; a language may be set if the model names none.
  void check_settings(const RunConfig& config) const;

  const std::string& system() const { return file_.model->config().system; }
  const std::string& checksum() const { return checksum_; }
  const translate::TextPipeline& pipeline() const { return pipeline_; }
  // The languages that its training files named; empty if they named none.
  data::Languages languages() const;
  const std::optional<translate::Frequencies>& frequencies() const { return frequencies_; }
  // Null if the model has none.
  const model::Shortlist* shortlist() const { return file_.model->shortlist(); }
  // Whether source and target have the same entries, so that words are added to both.
  bool shares_vocabulary() const { return pipeline_.source() == pipeline_.target(); }

  // Copies the parameters to a model of the same architecture, whose vocabularies may have more entries. The new rows
  // of an embedding or of the output layer become the mean of the old ones, so that a new word is at first neither
  // likely nor unlikely.
  void copy_parameters(const model::Model& to) const;

 private:
  std::string path_;
  model::ModelFile file_;
  translate::TextPipeline pipeline_;
  std::string checksum_;
  std::optional<translate::Frequencies> frequencies_;
};

}  // namespace heed::train
