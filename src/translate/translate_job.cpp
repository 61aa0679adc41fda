#include "translate/translate_job.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "search/constraints.h"
#include "text/encode.h"
#include "text/spans.h"
#include "translate/chunks.h"
#include "translate/repetition.h"

namespace heed::translate {
namespace {

void find_names(TranslateJob& job, const TextPipeline& pipeline) {
  if (job.options->unknown.only_names)
    job.names = find_unknown_names(job.tokens, job.source, pipeline.source().special().unk, job.text);
}

}  // namespace

void TranslateJob::set_tokens(std::vector<text::Token> all, const text::Vocabulary& vocabulary) {
  tokens = std::move(all);
  encode_tokens(tokens, vocabulary, source);
  has_words = !std::ranges::all_of(tokens, [](const text::Token& token) {
    return without_space_marks(token.text).find_first_not_of(' ') == std::string_view::npos;
  });
}

search::SearchJob TranslateJob::search_job() const {
  search::SearchJob wanted{.source = source,
                           .prefix = prefix,
                           .constraints = terms.constraints,
                           .options = options->search,
                           .stop = request->stop,
                           .deadline = request->deadline};
  wanted.max_length = max_length(*options, source.size(), prefix.size());
  if (!wanted.constraints.empty()) {
    wanted.joins = joins;
    wanted.max_length += search::room_for(wanted);
  }
  const UnknownWords& unknown = options->unknown;
  wanted.options.attention =
      wanted.options.attention || terms.replaces() || (unknown.replace && (!unknown.only_names || !names.empty()));
  if (forbidden > 0) wanted.options.no_repeat = forbidden;
  return wanted;
}

bool TranslateJob::needs_another_search(const search::SearchResult& found) {
  if (request->target || found.hypotheses.empty()) return false;
  if (can_replace && terms.drop_failed(found.hypotheses.front(), prefix.size())) return true;
  if (!options->stop_repetition) return false;
  const Loop loop = find_loop(found.hypotheses.front().words, source, prefix);
  const int before = forbidden > 0 ? forbidden : options->search.no_repeat;
  const int ngram = loop.found() ? forbidden_ngram(loop, before, searches) : 0;
  if (ngram == 0) return false;
  forbidden = ngram;
  ++searches;
  return true;
}

void TranslateJob::set_result(search::SearchResult found, const TextPipeline& pipeline) {
  LineResult& result = chunk.result;
  for (search::Hypothesis& hypothesis : found.hypotheses) {
    const std::vector<Index> starts = std::move(hypothesis.constraints);
    result.translations.push_back(make_translation(pipeline, tokens, std::move(hypothesis), options->unknown, names));
    if (!terms.terms.empty()) place_terms(result.translations.back(), terms, starts, text, prefix.size());
    if (!options->search.attention) result.translations.back().attention.weights = {};
  }
  result.encoder_states = std::move(found.encoder_states);
  if (options->warnings && result.done())
    result.warnings = find_warnings(result.best().attention, text, result.best().text);
}

std::vector<TranslateJob> make_jobs(const TextPipeline& pipeline, const TranslateRequest& request,
                                    const TranslateOptions& options, std::size_t limit) {
  std::string text = replace_bad_utf8(request.text);
  std::vector<text::Token> tokens = pipeline.source_tokenizer().tokenize(text);
  std::vector<TranslateJob> jobs;
  if (tokens.size() <= limit) {
    TranslateJob& job =
        jobs.emplace_back(TranslateJob{.request = &request, .options = &options, .text = std::move(text)});
    job.set_tokens(std::move(tokens), pipeline.source());
    find_names(job, pipeline);
    return jobs;
  }
  const std::vector<std::uint32_t> bytes = text::byte_offsets(text);
  std::size_t from = 0;
  std::uint32_t end = 0;  // of the previous chunk
  for (const std::size_t to : split_into_chunks(tokens, limit)) {
    TranslateJob& job = jobs.emplace_back(TranslateJob{.request = &request, .options = &options});
    job.set_tokens({std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(from)),
                    std::make_move_iterator(tokens.begin() + static_cast<std::ptrdiff_t>(to))},
                   pipeline.source());
    Chunk& chunk = job.chunk;
    chunk.offset = std::ranges::min(job.tokens, {}, [](const text::Token& t) { return t.span.from; }).span.from;
    if (chunk.offset > end || job.tokens.front().text.starts_with(kSpaceMark)) chunk.separator = " ";
    end = std::ranges::max(job.tokens, {}, [](const text::Token& t) { return t.span.to; }).span.to;
    job.text = text.substr(bytes[chunk.offset], bytes[end] - bytes[chunk.offset]);
    shift(job.tokens, 0 - chunk.offset);
    find_names(job, pipeline);
    from = to;
  }
  return jobs;
}

void set_prefix(std::span<TranslateJob> line, const TextPipeline& pipeline, std::size_t limit) {
  TranslateJob& job = line.front();
  const TranslateRequest& request = *job.request;
  check<UsageError>(!request.target || line.size() == 1,
                    "a line of more than {} tokens is translated in parts, so it cannot have a target", limit);
  if (request.target)
    encode_tokens(pipeline.target_tokenizer().tokenize(*request.target), pipeline.target(), job.prefix);
  else if (!request.prefix.empty())
    job.prefix = pipeline.encode_prefix(request.prefix);
  job.has_words = job.has_words || !job.prefix.empty();
}

void set_terms(std::span<TranslateJob> line, const TermEncoder& encoder, bool has_attention) {
  const TranslateRequest& request = *line.front().request;
  if (request.terms.empty() || request.target) return;
  auto term = request.terms.begin();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::uint32_t end = i + 1 < line.size() ? line[i + 1].chunk.offset : UINT32_MAX;
    const auto first = term;
    while (term != request.terms.end() && term->source.from < end) ++term;
    line[i].terms = TermConstraints({first, term}, line[i].chunk.offset, line[i].tokens, encoder);
    line[i].joins = encoder.joins();
    line[i].can_replace = has_attention;
    for (Term& own : line[i].terms.terms) own.capitalize = own.capitalize && i == 0;
  }
}

LineResult join_jobs(std::vector<TranslateJob> jobs) {
  for (TranslateJob& job : jobs)
    if (!job.has_words) {
      job.chunk.result.translations.push_back({.attention = {.source = std::move(job.tokens)}});
      place_terms(job.chunk.result.translations.back(), job.terms, {}, job.text);
    }
  if (jobs.size() == 1) return std::move(jobs.front().chunk.result);
  LineResult result;
  if (std::ranges::all_of(jobs, [](const TranslateJob& job) { return job.chunk.result.done(); })) {
    std::vector<Chunk> chunks;
    for (TranslateJob& job : jobs) chunks.push_back(std::move(job.chunk));
    result = join_chunks(std::move(chunks), jobs.front().options->search);
    result.too_long = true;
  }
  return result;
}

std::size_t max_source_tokens(std::span<const model::Model* const> models, const TranslateOptions& options) {
  auto most = static_cast<Index>(options.max_source_length);
  for (const model::Model* model : models) {
    const Index location = model->decoder().max_source_length();  // includes the end symbol
    if (location > 0) most = std::min(most, std::max<Index>(location - 1, 1));
  }
  return static_cast<std::size_t>(most);
}

}  // namespace heed::translate
