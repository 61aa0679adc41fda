// Batch invariance: the same sentence gets the same words, scores and attention, bit for bit, for every batch size and
// order, on any number of threads, on every instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "base/thread_pool.h"
#include "kernels/cpu.h"
#include "search/same_results.h"
#include "search/search.h"
#include "support/files.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

using Sentences = std::vector<std::vector<Id>>;
// In batches of `batch` sentences in the order `order`, distributed over `threads` threads.
Results translate(const model::Model& model, const Sentences& sentences, const std::vector<std::size_t>& order,
                  std::size_t batch, int threads, const search::SearchOptions& options) {
  Results results(sentences.size());
  ThreadPool pool(threads);
  pool.run(threads, [&](int worker) {
    search::Search search(model);
    std::vector<search::SearchJob> jobs;
    for (std::size_t from = static_cast<std::size_t>(worker) * batch; from < order.size();
         from += static_cast<std::size_t>(threads) * batch) {
      const std::size_t count = std::min(batch, order.size() - from);
      jobs.clear();
      for (std::size_t k = 0; k < count; ++k) jobs.push_back({.source = sentences[order[from + k]], .max_length = 8});
      auto found = search.run(jobs, options);
      for (std::size_t k = 0; k < count; ++k) results[order[from + k]] = std::move(found[k]);
    }
  });
  return results;
}

void expect_invariant(const model::Model& model, const Sentences& sentences, const search::SearchOptions& options) {
  std::vector<std::size_t> in_order(sentences.size()), shuffled;
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  shuffled = in_order;
  const Random random(1, Stream::test);
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[random.below(i, static_cast<std::uint32_t>(i))]);
  const Results alone = translate(model, sentences, in_order, 1, 1, options);
  expect_same(translate(model, sentences, in_order, 7, 1, options), alone, "batches of 7");
  expect_same(translate(model, sentences, in_order, 64, 2, options), alone, "batches of 64 on 2 threads");
  expect_same(translate(model, sentences, shuffled, 64, 1, options), alone, "batches of 64, shuffled");
  expect_same(translate(model, sentences, shuffled, 7, 4, options), alone, "batches of 7 on 4 threads, shuffled");
  expect_same(translate(model, sentences, shuffled, 1, 3, options), alone, "one by one on 3 threads, shuffled");
}

const search::SearchOptions kGreedy{.beam = 1}, kBeam{.beam = 4, .nbest = 2, .coverage = 0.1},
    kSampled{.beam = 1, .sample = true, .temperature = 1.5};

template <class Check>
void on_every_instruction_set(Check check) {
  for (const std::string& set : kernels::instruction_sets()) {
    SCOPED_TRACE(set);
    kernels::use_instruction_set(set);
    check();
  }
  kernels::use_instruction_set(kernels::instruction_sets().front());
}

// Sizes that no vector width divides, more rows than a tile has.
model::ModelConfig odd_config(std::string_view preset) {
  model::ModelConfig c = small_config(preset);
  c.encoder.hidden = c.decoder.hidden = 37;
  if (c.encoder.embedding != 0) c.encoder.embedding = c.decoder.embedding = 19;
  if (c.readout.size != 0) c.readout.size = 19;
  c.vocabulary.source = 60;
  c.vocabulary.target = 155;
  return c;
}

TEST(Invariance, EverySystemOnRandomSentences) {
  Sentences sentences;
  for (std::uint32_t i = 0; i < 24; ++i) {
    const Random random(2, Stream::test, i);
    sentences.emplace_back();
    for (std::uint32_t t = 0; t < 1 + i % 8; ++t) sentences.back().push_back(static_cast<Id>(3 + random.below(t, 57)));
    sentences.back().back() = 1;
  }
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(odd_config(preset.name));
    model.initialize(1);
    model.set_shortlist(small_shortlist(model.config()));
    search::SearchOptions greedy = kGreedy, beam = kBeam;
    if (!model.config().attends()) beam.coverage = 0;
    on_every_instruction_set([&] {
      for (const bool shortlist : {false, true}) {
        SCOPED_TRACE(shortlist ? "with a shortlist" : "with the whole vocabulary");
        greedy.shortlist = beam.shortlist = shortlist;
        expect_invariant(model, sentences, greedy);
        expect_invariant(model, sentences, beam);
      }
    });
  }
}

TEST(Invariance, RealSentences) {
  std::ifstream file(shared_directory() / "data/multi30k/val.lc.norm.tok.de");
  if (!file) GTEST_SKIP() << "no shared Multi30k here";
  std::map<std::string, Id> ids;
  Sentences sentences;
  for (std::string line; sentences.size() < 90 && std::getline(file, line);) {
    std::istringstream words(line);
    sentences.emplace_back();
    for (std::string word; words >> word;)
      sentences.back().push_back(ids.try_emplace(word, static_cast<Id>(3 + ids.size())).first->second);
    sentences.back().push_back(1);
  }
  model::ModelConfig config = model::preset_config("bigru-deep-output");
  config.encoder.hidden = config.decoder.hidden = 48;
  config.encoder.embedding = config.decoder.embedding = 40;
  config.vocabulary = {.source = static_cast<int>(ids.size()) + 3, .target = 301};
  model::Model model(config);
  model.initialize(1);
  model.set_shortlist(small_shortlist(config));
  on_every_instruction_set([&] {
    expect_invariant(model, sentences, kGreedy);
    expect_invariant(model, sentences, kBeam);
    expect_invariant(model, sentences, kSampled);
    for (search::SearchOptions options : {kGreedy, kBeam, kSampled}) {
      options.shortlist = true;
      expect_invariant(model, sentences, options);
    }
  });
}

}  // namespace
}  // namespace heed::testing
