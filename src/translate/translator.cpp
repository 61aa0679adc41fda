#include "translate/translator.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/parallel.h"
#include "base/utf8.h"
#include "search/constraints.h"
#include "text/encode.h"
#include "text/spans.h"
#include "translate/chunks.h"
#include "translate/repetition.h"

namespace heed::translate {

// A line, or a chunk of a line, that is being translated.
struct Translator::Job {
  const TranslateRequest& request;
  const TranslateOptions& options;
  std::string text = {};
  std::vector<text::Token> tokens = {};  // spans in `text`
  std::vector<Id> source = {}, prefix = {};
  TermConstraints terms = {};
  std::vector<UnknownName> names = {};  // that may be copied
  bool has_words = true;                // if not, the translation is empty
  Chunk chunk = {};                     // the whole line if it was not split

  void set_tokens(std::vector<text::Token> all, const text::Vocabulary& vocabulary) {
    tokens = std::move(all);
    encode_tokens(tokens, vocabulary, source);
    has_words = !std::ranges::all_of(tokens, [](const text::Token& token) {
      return without_space_marks(token.text).find_first_not_of(' ') == std::string_view::npos;
    });
  }
};

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

Translator::Translator(std::span<const std::string> paths) {
  check<UsageError>(!paths.empty(), "no model to translate with");
  for (const std::string& path : paths) {
    model::ModelFile file = model::load_model(path);
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

std::size_t Translator::max_source_tokens(const TranslateOptions& options) const {
  auto most = static_cast<Index>(options.max_source_length);
  for (const model::Model* model : models_) {
    const Index location = model->decoder().max_source_length();  // includes the end symbol
    if (location > 0) most = std::min(most, std::max<Index>(location - 1, 1));
  }
  return static_cast<std::size_t>(most);
}

// One job, or one per chunk if the line is longer than the limit.
std::vector<Translator::Job> Translator::make_jobs(const TranslateRequest& request,
                                                   const TranslateOptions& options) const {
  std::string text = replace_bad_utf8(request.text);
  std::vector<text::Token> tokens = pipeline_->source_tokenizer().tokenize(text);
  const std::size_t limit = max_source_tokens(options);
  std::vector<Job> jobs;
  if (tokens.size() <= limit) {
    Job& job = jobs.emplace_back(Job{.request = request, .options = options, .text = std::move(text)});
    job.set_tokens(std::move(tokens), pipeline_->source());
    return jobs;
  }
  const std::vector<std::uint32_t> bytes = text::byte_offsets(text);
  std::size_t from = 0;
  std::uint32_t end = 0;  // of the previous chunk
  for (const std::size_t to : split_into_chunks(tokens, limit)) {
    Job& job = jobs.emplace_back(Job{.request = request, .options = options});
    job.set_tokens({std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(from)),
                    std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(to))},
                   pipeline_->source());
    Chunk& chunk = job.chunk;
    chunk.offset = std::ranges::min(job.tokens, {}, [](const text::Token& t) { return t.span.from; }).span.from;
    if (chunk.offset > end || job.tokens.front().text.starts_with(kSpaceMark)) chunk.separator = " ";
    end = std::ranges::max(job.tokens, {}, [](const text::Token& t) { return t.span.to; }).span.to;
    job.text = text.substr(bytes[chunk.offset], bytes[end] - bytes[chunk.offset]);
    shift(job.tokens, 0 - chunk.offset);
    from = to;
  }
  return jobs;
}

// Sets what the translation must begin with; only for the first job of a line.
void Translator::set_prefix(Job& job) const {
  const TranslateRequest& request = job.request;
  if (request.target)
    encode_tokens(pipeline_->target_tokenizer().tokenize(*request.target), pipeline_->target(), job.prefix);
  else if (!request.prefix.empty())
    job.prefix = pipeline_->encode_prefix(request.prefix);
  job.has_words = job.has_words || !job.prefix.empty();
}

// The terms of a line, each in the chunk in which it begins.
void Translator::set_terms(std::span<Job> line) {
  const TranslateRequest& request = line.front().request;
  if (request.terms.empty() || request.target) return;
  if (!term_encoder_) term_encoder_.emplace(*pipeline_);
  auto term = request.terms.begin();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::uint32_t end = i + 1 < line.size() ? line[i + 1].chunk.offset : UINT32_MAX;
    const auto first = term;
    while (term != request.terms.end() && term->source.from < end) ++term;
    line[i].terms = TermConstraints({first, term}, line[i].chunk.offset, line[i].tokens, *term_encoder_);
    for (Term& own : line[i].terms.terms) own.capitalize = own.capitalize && i == 0;
  }
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
  std::vector<std::vector<Job>> lines(requests.size());
  ThreadPool& tokenizing = pool(options.threads, (requests.size() + kLinesPerWorker - 1) / kLinesPerWorker);
  parallel_for(tokenizing, requests.size(), [&](int /*worker*/, std::size_t i) {
    lines[i] = make_jobs(requests[i], requests[i].options != nullptr ? *requests[i].options : options);
  });
  std::vector<Job*> jobs;
  for (std::vector<Job>& line : lines) {
    set_prefix(line.front());
    set_terms(line);
    check<UsageError>(!line.front().request.target || line.size() == 1,
                      "a line of more than {} tokens is translated in chunks, so it cannot have a target",
                      max_source_tokens(line.front().options));
    for (Job& job : line) jobs.push_back(&job);
  }
  run(jobs, options);
  check_files();

  std::vector<LineResult> results(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() == 1) {
      results[i] = std::move(lines[i][0].chunk.result);
    } else if (std::ranges::all_of(lines[i], [](const Job& job) { return job.chunk.result.done(); })) {
      std::vector<Chunk> chunks;
      for (Job& job : lines[i]) chunks.push_back(std::move(job.chunk));
      results[i] = join_chunks(std::move(chunks), lines[i].front().options.search);
      results[i].too_long = true;
    }
  }
  return results;
}

// Batches have similar lengths, longest first; a free worker takes the next one. The result of a job does not depend on
// its worker or batch.
void Translator::run(std::span<Job* const> jobs, const TranslateOptions& options) {
  constexpr std::size_t kTokensPerSentence = 24;  // a batch of long sentences holds fewer, to bound its memory
  std::vector<Job*> order;
  for (Job* job : jobs) {
    if (job->has_words) {
      order.push_back(job);
    } else {
      job->chunk.result.translations.push_back({.attention = {.source = std::move(job->tokens)}});
      place_terms(job->chunk.result.translations.back(), job->terms, {});
    }
  }
  std::ranges::stable_sort(order, std::greater{}, [](const Job* job) { return job->source.size(); });
  const std::size_t most = static_cast<std::size_t>(options.batch) * kTokensPerSentence;
  std::vector<std::span<Job* const>> batches;
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
  for (const Job* job : order) all += job->source.size();
  parallel_for(workers, batches.size(), [&](int worker, std::size_t i) {
    if (stopped) return;
    run_batch(batches[i], *searches_[static_cast<std::size_t>(worker)]);
    if (!options.on_progress) return;
    const std::lock_guard lock(reporting);
    for (const Job* job : batches[i]) done += job->source.size();
    if (!options.on_progress(done, all)) stopped = true;
  });
}

// Searches again for the jobs whose best translation repeats itself endlessly. Every job decides for itself, so the
// batch does not matter.
void Translator::stop_repetition(std::span<Job* const> batch, std::span<const search::SearchJob> jobs,
                                 std::span<search::SearchResult> found, search::Search& search) const {
  std::vector<search::SearchJob> again;
  std::vector<std::size_t> positions;
  std::vector<int> forbidden(jobs.size());
  for (int attempt = 0;; ++attempt) {
    again.clear();
    positions.clear();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (!batch[i]->options.stop_repetition || batch[i]->request.target || found[i].hypotheses.empty()) continue;
      const Loop loop = find_loop(found[i].hypotheses.front().words, jobs[i].source, jobs[i].prefix);
      const int before = forbidden[i] > 0 ? forbidden[i] : jobs[i].options.no_repeat;
      const int ngram = loop.found() ? forbidden_ngram(loop, before, attempt) : 0;
      if (ngram == 0) continue;
      forbidden[i] = ngram;
      positions.push_back(i);
      again.push_back(jobs[i]);
      again.back().options.no_repeat = ngram;
    }
    if (again.empty()) return;
    std::vector<search::SearchResult> results = search.run(again);
    for (std::size_t k = 0; k < positions.size(); ++k) found[positions[k]] = std::move(results[k]);
  }
}

void Translator::run_batch(std::span<Job* const> batch, search::Search& search) const {
  std::vector<search::SearchJob> jobs;
  for (Job* job : batch) {
    const UnknownWords& unknown = job->options.unknown;
    if (unknown.only_names)
      job->names = find_unknown_names(job->tokens, job->source, pipeline_->source().special().unk, job->text);
    search::SearchJob& wanted = jobs.emplace_back(search::SearchJob{.source = job->source,
                                                                    .prefix = job->prefix,
                                                                    .constraints = job->terms.constraints,
                                                                    .options = job->options.search,
                                                                    .stop = job->request.stop,
                                                                    .deadline = job->request.deadline});
    wanted.max_length = max_length(job->options, job->source.size(), job->prefix.size());
    if (!wanted.constraints.empty()) {
      wanted.joins = term_encoder_->joins();
      wanted.max_length += search::room_for(wanted);
    }
    wanted.options.attention =
        wanted.options.attention || (unknown.replace && (!unknown.only_names || !job->names.empty()));
  }
  std::vector<search::SearchResult> found = search.run(jobs);
  stop_repetition(batch, jobs, found, search);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Job& job = *batch[i];
    LineResult& result = job.chunk.result;
    for (search::Hypothesis& hypothesis : found[i].hypotheses) {
      const std::vector<Index> starts = std::move(hypothesis.constraints);
      result.translations.push_back(
          make_translation(*pipeline_, job.tokens, std::move(hypothesis), job.options.unknown, job.names));
      if (!job.terms.terms.empty()) place_terms(result.translations.back(), job.terms, starts);
      if (!job.options.search.attention) result.translations.back().attention.weights = {};
    }
    result.encoder_states = std::move(found[i].encoder_states);
    if (job.options.warnings && result.done())
      result.warnings = find_warnings(result.best().attention, job.text, result.best().text);
  }
}

}  // namespace heed::translate
