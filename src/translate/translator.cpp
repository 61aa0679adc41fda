#include "translate/translator.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>

#include "base/parallel.h"
#include "translate/translate_job.h"

namespace heed::translate {

std::vector<TranslateRequest> requests_for(std::span<const std::string> lines, std::span<const std::string> prefixes) {
  check<UsageError>(prefixes.empty() || prefixes.size() == lines.size(), "there are {} lines, but {} prefixes",
                    lines.size(), prefixes.size());
  std::vector<TranslateRequest> requests(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    requests[i].text = lines[i];
    if (!prefixes.empty()) requests[i].prefix = prefixes[i];
  }
  return requests;
}

Translator::Translator(std::span<const std::string> paths, model::ModelMemory memory) {
  check<UsageError>(!paths.empty(), "no model to translate with");
  for (const std::string& path : paths) {
    model::ModelFile file = model::load_model(path, memory);
    auto pipeline = std::make_unique<TextPipeline>(read_pipeline(file, path));
    if (!own_pipeline_) {
      own_pipeline_ = std::move(pipeline);
      training_lines_ = read_training_lines(file, path);
    } else {
      check<InputError>(
          pipeline->reads_like(*own_pipeline_),
          "{}: its vocabularies or tokenizers differ from those of {}, so the two cannot form an ensemble", path,
          paths.front());
    }
    models_.push_back(file.model.get());
    files_.push_back(std::move(file));
  }
  pipeline_ = own_pipeline_.get();
}

Translator::Translator(const model::Model& model, const TextPipeline& pipeline)
    : models_{&model}, pipeline_(&pipeline) {}

Translator::~Translator() = default;

void Translator::check_files() const {
  for (const model::ModelFile& file : files_) file.check_unchanged();
}

std::vector<ScoredPair> Translator::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                          const ScoreOptions& options) const {
  std::vector<ScoredPair> scored = score_pairs(model(), pipeline(), sources, targets, options);
  check_files();
  return scored;
}

bool Translator::has_attention() const {
  return std::ranges::any_of(models_, [](const model::Model* model) { return model->config().attends(); });
}

bool Translator::has_shortlist() const {
  return std::ranges::all_of(models_, [](const model::Model* model) { return model->shortlist() != nullptr; });
}

std::size_t Translator::max_source_tokens(const TranslateOptions& options) const {
  return translate::max_source_tokens(models_, options);
}

ThreadPool& Translator::pool(int threads, std::size_t items) {
  const int workers = worker_count(threads);
  if (workers == 1 || items <= 1) return this_thread_;
  if (!pool_ || pool_->size() != workers) pool_.emplace(workers);
  return *pool_;
}

std::vector<LineResult> Translator::translate(std::span<const TranslateRequest> requests,
                                              const TranslateOptions& options) {
  constexpr std::size_t kLinesPerWorker = 64;  // fewer are tokenized on the calling thread
  check_options(options, has_attention());
  for (const TranslateRequest& request : requests)
    if (request.options != nullptr) check_options(*request.options, has_attention());
  std::vector<std::vector<TranslateJob>> lines(requests.size());
  ThreadPool& tokenizing = pool(options.threads, (requests.size() + kLinesPerWorker - 1) / kLinesPerWorker);
  parallel_for(tokenizing, requests.size(), [&](int /*worker*/, std::size_t i) {
    const TranslateOptions& own = requests[i].options != nullptr ? *requests[i].options : options;
    lines[i] = make_jobs(*pipeline_, requests[i], own, max_source_tokens(own));
  });
  std::vector<TranslateJob*> jobs;
  for (std::vector<TranslateJob>& line : lines) {
    set_prefix(line, *pipeline_, max_source_tokens(*line.front().options));
    if (!line.front().request->terms.empty() && !term_encoder_) term_encoder_.emplace(*pipeline_);
    if (term_encoder_) set_terms(line, *term_encoder_, has_attention());
    for (TranslateJob& job : line) jobs.push_back(&job);
  }
  run(jobs, options);
  check_files();

  std::vector<LineResult> results;
  results.reserve(lines.size());
  for (std::vector<TranslateJob>& line : lines) results.push_back(join_jobs(std::move(line)));
  return results;
}

// A batch has sentences of similar length; the longest come first, and a free worker takes the next batch. The result
// of a job does not depend on its worker or batch.
void Translator::run(std::span<TranslateJob* const> jobs, const TranslateOptions& options) {
  constexpr std::size_t kTokensPerSentence = 24;  // a batch of long sentences holds fewer, to bound its memory
  std::vector<TranslateJob*> order;
  std::ranges::copy_if(jobs, std::back_inserter(order), &TranslateJob::has_words);
  std::ranges::stable_sort(order, std::greater{}, [](const TranslateJob* job) { return job->source.size(); });
  const std::size_t most = static_cast<std::size_t>(options.batch) * kTokensPerSentence;
  std::vector<std::span<TranslateJob* const>> batches;
  for (std::size_t from = 0; from < order.size();) {
    const std::size_t fit = std::max<std::size_t>(most / order[from]->source.size(), 1);
    const std::size_t count = std::min({static_cast<std::size_t>(options.batch), fit, order.size() - from});
    batches.push_back(std::span(order).subspan(from, count));
    from += count;
  }
  ThreadPool& workers = pool(options.threads, batches.size());
  while (searches_.size() < std::min(static_cast<std::size_t>(workers.size()), batches.size()))
    searches_.push_back(std::make_unique<search::Search>(std::span<const model::Model* const>(models_)));

  std::atomic<bool> stopped = false;
  std::mutex reporting;
  std::size_t done = 0, all = 0;
  for (const TranslateJob* job : order) all += job->source.size();
  parallel_for(workers, batches.size(), [&](int worker, std::size_t i) {
    if (stopped) return;
    run_batch(batches[i], *searches_[static_cast<std::size_t>(worker)]);
    if (!options.on_progress) return;
    const std::lock_guard lock(reporting);
    for (const TranslateJob* job : batches[i]) done += job->source.size();
    if (!options.on_progress(done, all)) stopped = true;
  });
}

// Some jobs are searched again: see needs_another_search(). Every job decides for itself, so the batch does not matter.
void Translator::run_batch(std::span<TranslateJob* const> batch, search::Search& search) const {
  std::vector<TranslateJob*> searched(batch.begin(), batch.end()), again;
  std::vector<search::SearchJob> jobs;
  while (!searched.empty()) {
    jobs.clear(), again.clear();
    for (const TranslateJob* job : searched) jobs.push_back(job->search_job());
    std::vector<search::SearchResult> found = search.run(jobs);
    for (std::size_t i = 0; i < searched.size(); ++i) {
      if (searched[i]->needs_another_search(found[i]))
        again.push_back(searched[i]);
      else
        searched[i]->set_result(std::move(found[i]), *pipeline_);
    }
    searched.swap(again);
  }
}

}  // namespace heed::translate
