#include "train/config.h"

#include "base/thread_pool.h"

namespace heed {

int TrainingConfig::thread_count() const {
  return worker_count(threads);
}

void declare(Options& o, RunConfig& c) {
  declare(o, c.model);
  declare(o, c.text);
  o.group("Data");
  o.key("data.min_frequency", c.data.min_frequency, "rarer words are unknown", at_least(1));
  o.key("data.max_words", c.data.max_words, "most words of a vocabulary; 0: all", at_least(0));
  o.key("data.shared_vocabulary", c.data.shared_vocabulary, "one vocabulary for both sides");
  o.key("data.max_length", c.data.max_length, "pairs with more words on a side are left out; 0: none", at_least(0));
  o.key("data.pairs", c.data.pairs, "only the first so many pairs; 0: all", at_least(0));
  o.key("data.source_prefixes", c.data.source_prefixes, "only pairs whose source begins with one of these");
  o.key("data.target_prefixes", c.data.target_prefixes, "only pairs whose target begins with one of these");

  TrainingConfig& t = c.training;
  o.group("Training");
  o.key("training.optimiser", t.optimiser.name, "how gradients become updates", choices(optimiser_names()));
  o.key("training.learning_rate", t.learning_rate, "size of an update", above(0));
  o.key("training.decay_start", t.decay_start, "the share of the run after which the rate falls, in a straight line",
        range(0, 1));
  o.key("training.decay_to", t.decay_to, "the share of the rate that is left at the end", range(0, 1));
  o.key("training.momentum", t.optimiser.momentum, "of sgd", range(0, 1).below(1));
  o.key("training.beta1", t.optimiser.beta1, "of adam: how long the mean remembers", range(0, 1).below(1));
  o.key("training.beta2", t.optimiser.beta2, "of adam: how long the square remembers", range(0, 1).below(1));
  o.key("training.weight_decay", t.optimiser.weight_decay, "of adamw", at_least(0));
  o.key("training.clip", t.optimiser.clip, "most the gradient's norm may be; 0: any", at_least(0));
  o.key("training.label_smoothing", t.label_smoothing, "probability spread over all words", range(0, 1).below(1));
  o.key("training.batch", t.batch, "sentences or tokens an update", range(1, 1 << 20)).flag();
  o.key("training.batch_unit", t.batch_unit, "what a batch counts", choices({"sentences", "tokens"}));
  o.key("training.epochs", t.epochs, "times through the data", range(1, 1e6)).flag();
  o.key("training.updates", t.updates, "stop after so many updates; 0: after the epochs", at_least(0)).flag();
  o.key("training.teacher_forcing", t.teacher_forcing,
        "chance that a step reads the reference's word, not the model's own", range(0, 1));
  o.key("training.teacher_forcing_unit", t.teacher_forcing_unit, "one coin for what", choices({"step", "sentence"}));
  o.key("training.loss", t.loss, "summed over a sentence's words, or the mean of a batch's words",
        choices({"sum", "mean"}));
  o.key("training.threads", t.threads, "workers; 0: as many as the machine has cores", range(0, 64)).flag();
  o.key("training.seed", t.seed, "of everything random", at_least(0)).flag();
}

}  // namespace heed
