// The C API: training, and writing models.
#include "api/c/support.h"
#include "heed/model.h"
#include "heed/training.h"

using namespace heed::api;

namespace {

heed::TrainOptions train_options(const heed_train_options& o) {
  heed::TrainOptions options;
  options.train = to_strings(o.train);
  options.valid = to_strings(o.valid);
  options.out = text_or(o.out, "run");
  options.preset = text_or(o.preset, "");
  options.from = text_or(o.from, "");
  options.configs = to_strings(o.configs);
  options.resume = o.resume != 0;
  options.overwrite = o.overwrite != 0;
  options.settings = to_settings(o.settings);
  if (o.on_update != nullptr)
    options.on_update = [o](const heed::UpdateReport& r) {
      const heed_update update{sizeof update, r.update, r.updates, r.epoch, r.loss, r.gradient_norm, r.learning_rate};
      return o.on_update(&update, o.user) != 0;
    };
  if (o.on_validation != nullptr)
    options.on_validation = [o](const heed::ValidationReport& r) {
      const heed_validation validation{sizeof validation, r.update,   r.epoch, r.train_loss, r.validated ? 1 : 0,
                                       r.perplexity,      r.accuracy, r.bleu,  r.chrf,       r.exact,
                                       r.best ? 1 : 0,    r.seconds};
      o.on_validation(&validation, o.user);
    };
  if (o.on_note != nullptr) options.on_note = [o](const std::string& sentence) { o.on_note(sentence.c_str(), o.user); };
  return options;
}

}  // namespace

heed_status heed_train(const heed_train_options* options, heed_train_result* result, heed_error* error) {
  return run(error, [&] {
    require(options, "options");
    const heed::TrainResult trained = train_model(train_options(read_options(options, "heed_train_options")));
    if (result != nullptr) {
      heed_train_result filled{};
      filled.update = trained.update;
      filled.has_best = trained.best ? 1 : 0;
      filled.best = trained.best.value_or(0);
      trained.reason.copy(filled.reason, sizeof filled.reason - 1);
      write_result(result, filled, "heed_train_result");
    }
    return trained.stopped ? fail(error, HEED_STOPPED, "the callback stopped the run") : HEED_OK;
  });
}

heed_status heed_model_write(const char* model, const char* weights, const char* out, heed_error* error) {
  return run(error, [&] {
    require(model, "model");
    require(weights, "weights");
    require(out, "out");
    heed::write_model(model, weights, out);
    return HEED_OK;
  });
}
