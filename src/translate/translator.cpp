#include "translate/translator.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "base/utf8.h"
#include "text/encode.h"
#include "translate/chunks.h"

namespace heed {

// A line, or a chunk of one, on its way.
struct Translator::Job {
  std::string text;
  std::vector<Token> tokens;  // spans in `text`
  std::vector<Id> source, prefix;
  std::uint32_t offset = 0;     // in the line
  bool space_in_front = false;  // in the line
  bool has_words = true;        // else nothing is decoded
  LineResult result = {};
};

namespace {

bool is_blank(const Token& token) {
  return without_space_marks(token.text).find_first_not_of(' ') == std::string_view::npos;
}

void check_options(const TranslateOptions& o, bool has_attention) {
  check<UsageError>(o.batch >= 1, "a batch of {} sentences; it must hold at least 1", o.batch);
  check<UsageError>(o.threads >= 0, "{} threads; 0 stands for as many as the machine has cores", o.threads);
  check<UsageError>(o.max_source_length >= 1, "pieces of {} tokens; they must hold at least 1", o.max_source_length);
  check<UsageError>(o.length_ratio >= 0 && std::isfinite(o.length_ratio) && o.length_extra >= 1,
                    "at most {} words a source word and {} more; the first must not be negative and the second at "
                    "least 1",
                    o.length_ratio, o.length_extra);
  check<UsageError>(!o.unknown.replace || has_attention,
                    "unknown words are replaced through attention, which this model does not have; keep them");
}

}  // namespace

Translator::Translator(std::span<const std::string> paths) {
  check<UsageError>(!paths.empty(), "there is no model to translate with");
  for (const std::string& path : paths) {
    ModelFile file = load_model(path);
    auto pipeline = std::make_unique<TextPipeline>(read_pipeline(file, path));
    if (!own_pipeline_)
      own_pipeline_ = std::move(pipeline);
    else
      check<InputError>(pipeline->reads_like(*own_pipeline_),
                        "{}: its vocabularies or tokenisers are not those of {}, so the two cannot translate as one",
                        path, paths.front());
    models_.push_back(file.model.get());
    files_.push_back(std::move(file));
  }
  pipeline_ = own_pipeline_.get();
}

Translator::Translator(const Model& model, const TextPipeline& pipeline) : models_{&model}, pipeline_(&pipeline) {}

Translator::~Translator() = default;

void Translator::check_files() const {
  for (const ModelFile& file : files_) file.check_unchanged();
}

std::vector<ScoredPair> Translator::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                          const ScoreOptions& options) const {
  std::vector<ScoredPair> scored = score_pairs(model(), pipeline(), sources, targets, options);
  check_files();
  return scored;
}

bool Translator::has_attention() const {
  return std::ranges::any_of(models_, [](const Model* model) { return model->config().attends(); });
}

std::size_t Translator::max_source_tokens(const TranslateOptions& options) const {
  auto most = static_cast<Index>(options.max_source_length);
  for (const Model* model : models_) {
    const Index location = model->decoder().max_source_length();  // the end symbol takes one place
    if (location > 0) most = std::min(most, std::max<Index>(location - 1, 1));
  }
  return static_cast<std::size_t>(most);
}

std::vector<Id> Translator::encode(std::span<const Token> tokens) const {
  std::vector<Id> ids;
  encode_tokens(tokens, pipeline_->source(), ids);
  return ids;
}

// One job, or one a chunk where the line is longer than the limit.
std::vector<Translator::Job> Translator::make_jobs(const std::string& line, std::size_t limit) const {
  std::string text = is_valid_utf8(line) ? line : replace_bad_utf8(line);
  std::vector<Token> tokens = pipeline_->source_tokeniser().tokenise(text);
  std::vector<Job> jobs;
  if (tokens.size() <= limit) {
    const bool has_words = !std::ranges::all_of(tokens, is_blank);
    std::vector<Id> ids = encode(tokens);
    jobs.push_back({.text = std::move(text), .tokens = std::move(tokens), .source = std::move(ids)});
    jobs.back().has_words = has_words;
    return jobs;
  }
  const std::vector<std::uint32_t> bytes = byte_offsets(text);
  std::size_t from = 0;
  std::uint32_t end = 0;  // of the chunk before
  for (const std::size_t to : split_into_chunks(tokens, limit)) {
    Job job{.tokens = {std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(from)),
                       std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(to))}};
    job.source = encode(job.tokens);
    job.has_words = !std::ranges::all_of(job.tokens, is_blank);
    job.offset = std::ranges::min(job.tokens, {}, [](const Token& t) { return t.span.from; }).span.from;
    job.space_in_front = job.offset > end || job.tokens.front().text.starts_with(kSpaceMark);
    end = std::ranges::max(job.tokens, {}, [](const Token& t) { return t.span.to; }).span.to;
    job.text = text.substr(bytes[job.offset], bytes[end] - bytes[job.offset]);
    for (Token& token : job.tokens) token.span = {token.span.from - job.offset, token.span.to - job.offset};
    jobs.push_back(std::move(job));
    from = to;
  }
  return jobs;
}

std::vector<LineResult> Translator::translate(std::span<const std::string> lines, const TranslateOptions& options,
                                              std::span<const std::string> prefixes) {
  check_options(options, has_attention());
  check<UsageError>(prefixes.empty() || prefixes.size() == lines.size(), "there are {} lines, but {} prefixes",
                    lines.size(), prefixes.size());
  const std::size_t limit = max_source_tokens(options);
  std::vector<Job> jobs;
  std::vector<std::size_t> begins;  // each line's first job
  for (std::size_t i = 0; i < lines.size(); ++i) {
    begins.push_back(jobs.size());
    std::ranges::move(make_jobs(lines[i], limit), std::back_inserter(jobs));
    if (prefixes.empty()) continue;
    Job& first = jobs[begins.back()];
    first.prefix = pipeline_->encode_prefix(prefixes[i]);
    first.has_words = first.has_words || !first.prefix.empty();
  }
  begins.push_back(jobs.size());
  run(jobs, options);
  check_files();

  std::vector<LineResult> results(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto part = std::span(jobs).subspan(begins[i], begins[i + 1] - begins[i]);
    if (part.size() == 1) {
      results[i] = std::move(part[0].result);
    } else if (std::ranges::all_of(part, [](const Job& job) { return job.result.done(); })) {
      std::vector<Chunk> chunks;
      for (Job& job : part) chunks.push_back({std::move(job.result), job.offset, job.space_in_front});
      results[i] = join_chunks(std::move(chunks), options.search);
    }
  }
  return results;
}

// Batches of like length, longest first, each computed by the worker that is free: which one and beside what does not
// change a bit of the result.
void Translator::run(std::span<Job> jobs, const TranslateOptions& options) {
  constexpr std::size_t kTokensASentence = 24;  // a batch of long sentences holds fewer, to bound its memory
  std::vector<Job*> order;
  for (Job& job : jobs) {
    if (job.has_words)
      order.push_back(&job);
    else
      job.result.translations.push_back({.attention = {.source = std::move(job.tokens)}});
  }
  std::ranges::stable_sort(order, std::greater{}, [](const Job* job) { return job->source.size(); });
  const std::size_t most = static_cast<std::size_t>(options.batch) * kTokensASentence;
  std::vector<std::span<Job* const>> batches;
  for (std::size_t from = 0; from < order.size();) {
    const std::size_t fit = std::max<std::size_t>(most / order[from]->source.size(), 1);
    const std::size_t count = std::min({static_cast<std::size_t>(options.batch), fit, order.size() - from});
    batches.push_back(std::span(order).subspan(from, count));
    from += count;
  }
  const int workers =
      std::min<int>(worker_count(options.threads), static_cast<int>(std::max<std::size_t>(batches.size(), 1)));
  if (workers > 1 && (!pool_ || pool_->size() < workers)) pool_.emplace(worker_count(options.threads));
  while (searches_.size() < static_cast<std::size_t>(workers))
    searches_.push_back(std::make_unique<Search>(std::span<const Model* const>(models_)));

  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex reporting;
  std::size_t done = 0, all = 0;
  for (const Job* job : order) all += job->source.size();
  const auto work = [&](int worker) {
    try {
      for (std::size_t i; !stopped && (i = next++) < batches.size();) {
        run_batch(batches[i], *searches_[static_cast<std::size_t>(worker)], options);
        if (!options.on_progress) continue;
        const std::lock_guard lock(reporting);
        for (const Job* job : batches[i]) done += job->source.size();
        if (!options.on_progress(done, all)) stopped = true;
      }
    } catch (...) {
      stopped = true;
      throw;
    }
  };
  if (workers > 1)
    pool_->run(workers, work);
  else
    work(0);
}

void Translator::run_batch(std::span<Job* const> batch, Search& search, const TranslateOptions& options) const {
  std::vector<SearchJob> jobs;
  for (const Job* job : batch) {
    const double bound =
        std::ceil(options.length_ratio * static_cast<double>(job->source.size())) + options.length_extra;
    const auto words = static_cast<Index>(std::min(bound, 1e6));
    const auto given = static_cast<Index>(job->prefix.size());
    jobs.push_back(
        {.source = job->source, .prefix = job->prefix, .max_length = std::max(words, given + options.length_extra)});
  }
  SearchOptions wanted = options.search;
  wanted.attention = wanted.attention || options.unknown.replace;
  const std::vector<std::vector<Hypothesis>> found = search.run(jobs, wanted);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Job& job = *batch[i];
    for (const Hypothesis& hypothesis : found[i]) {
      job.result.translations.push_back(make_translation(*pipeline_, job.tokens, hypothesis, options.unknown));
      if (!options.search.attention) job.result.translations.back().attention.weights = {};
    }
    const Translation& best = job.result.best();
    job.result.warnings = find_warnings(best.attention, job.text, best.text);
  }
}

}  // namespace heed
