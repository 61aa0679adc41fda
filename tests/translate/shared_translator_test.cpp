// Many callers at once: the same bits as alone, turns, stops, deadlines, errors.
#include "translate/shared_translator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "support/files.h"
#include "translate/json.h"
#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::testing {
namespace {

using translate::LineResult;
using translate::SharedTranslator;
using translate::TranslateOptions;
using translate::TranslateRequest;
using translate::Translator;
using namespace std::chrono_literals;

std::vector<std::string> random_lines(std::uint32_t seed, std::size_t count) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random(seed, Stream::test, i);
    std::string line;
    for (std::uint32_t k = 0; k < random.below(0, 12); ++k)
      line += (k > 0 ? " w" : "w") + std::to_string(3 + random.below(k + 1, 19));
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> as_json(std::span<const std::string> lines, std::span<const LineResult> results) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < lines.size(); ++i)
    all.push_back(results[i].done() ? dump_json(to_json(lines[i], results[i])) : "stopped");
  return all;
}

struct SharedTranslatorTest : ::testing::Test {
  RandomModel nonsense;
  Translator translator{*nonsense.model, nonsense.pipeline};
};

// While the caller reports the first words of a line, all its lines may finish.
TEST_F(SharedTranslatorTest, ReportsTheLastWordsOfEveryLine) {
  SharedTranslator shared(translator, {.threads = 2});
  const std::vector<std::string> lines = {"w3 w4 w5 w6 w7 w8 w9 w10 w11 w12", "w5 w6", "w9 w3 w8", "w4"};
  std::vector<std::string> last(lines.size());
  std::vector<translate::OnPartial> callbacks;
  for (std::string& text : last)
    callbacks.push_back([&text](std::size_t, std::string_view partial) {
      text = partial;
      std::this_thread::sleep_for(20ms);
    });
  std::vector<TranslateRequest> requests = translate::requests_for(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) requests[i].on_partial = &callbacks[i];
  const std::vector<LineResult> results = shared.translate(requests, {.search = {.beam = 2}});
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(last[i], results[i].best().text) << lines[i];
}

TEST_F(SharedTranslatorTest, GivesTheBitsOfTheTranslatorUnderLoad) {
  constexpr std::uint32_t kCallers = 8, kCalls = 6;
  const TranslateOptions kinds[] = {{.search = {.beam = 3, .nbest = 2}, .max_source_length = 8, .warnings = true},
                                    {.search = {.beam = 1}, .stop_repetition = true},
                                    {.search = {.beam = 1, .sample = true, .seed = 5}},
                                    {.search = {.beam = 7, .attention = false}}};
  std::vector<std::vector<std::string>> lines, expected;
  for (std::uint32_t i = 0; i < kCallers * kCalls; ++i) {
    lines.push_back(random_lines(i, 1 + i % 20));
    expected.push_back(as_json(lines[i], translator.translate(lines[i], kinds[i % 4])));
  }
  for (const std::size_t budget : {std::size_t{100}, std::size_t{7680}}) {
    SharedTranslator shared(translator, {.threads = 3, .budget = budget});
    std::vector<std::vector<std::string>> found(lines.size());
    std::vector<std::thread> callers;
    for (std::uint32_t caller = 0; caller < kCallers; ++caller)
      callers.emplace_back([&, caller] {
        for (std::uint32_t i = caller; i < lines.size(); i += kCallers) {
          const TranslateOptions& options = kinds[i % 4];
          found[i] = as_json(lines[i], shared.translate(translate::requests_for(lines[i]), options));
        }
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(found, expected) << "budget " << budget;
    const SharedTranslator::Statistics statistics = shared.statistics();
    EXPECT_EQ(statistics.queued_sentences + statistics.running_sentences, 0u);
    EXPECT_EQ(statistics.queued_tokens + statistics.running_tokens, 0u);
    EXPECT_EQ(statistics.stopped, 0u);
    EXPECT_GT(statistics.sentences, 300u);
  }
}

TEST_F(SharedTranslatorTest, WorksWithTheTextLayer) {
  SharedTranslator shared(translator, {.threads = 2});
  const std::vector<std::string> lines = {"w3 w4 ? W9 w7 !", "w5 42 w6 . W4 https://a.example w5", "", "w9"};
  const auto requests = translate::requests_for(lines);
  const auto expected = translate::TextLayer(translator, {}).translate(requests, {});
  EXPECT_EQ(as_json(lines, translate::TextLayer(shared, {}).translate(requests, {})), as_json(lines, expected));
}

TEST_F(SharedTranslatorTest, MeetsTerms) {
  SharedTranslator shared(translator, {.threads = 2});
  const translate::Term terms[] = {{.source = {0, 2}, .target = "w9 w9"}, {.source = {6, 8}, .target = "Neues"}};
  const std::vector<std::string> lines = {"w3 w4 w5", "w3 w4 w5"};
  std::vector<TranslateRequest> requests = translate::requests_for(lines);
  requests.front().terms = terms;
  const std::vector<LineResult> expected = translator.translate(requests, {});
  EXPECT_NE(expected[0].best().text.find("Neues"), std::string::npos);
  EXPECT_EQ(as_json(lines, shared.translate(requests, {})), as_json(lines, expected));
}

// A call with one line is done long before a call with thousands that came first.
TEST_F(SharedTranslatorTest, TakesTurns) {
  SharedTranslator shared(translator, {.threads = 1, .budget = 24 * 5 * 4});
  const std::vector<std::string> many(20000, "w3 w4 w5 w6"), one = {"w7 w8"};
  std::atomic<std::size_t> done = 0, all = 0;
  std::atomic<bool> seen = false;
  std::thread big([&] {
    TranslateOptions options;
    options.on_progress = [&](std::size_t d, std::size_t a) { return all = a, done = d, !seen; };
    shared.translate(translate::requests_for(many), options);
  });
  while (done == 0) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(shared.translate(translate::requests_for(one), {}).front().done());
  EXPECT_LT(done, all / 2);
  seen = true;
  big.join();
}

// One sentence at a time: each waits for all before it.
TEST_F(SharedTranslatorTest, CountsTheTimesOfSentences) {
  constexpr std::uint64_t kSentences = 100;
  SharedTranslator shared(translator, {.threads = 1, .budget = 1});
  const std::vector<std::string> lines(kSentences, "w3 w4 w5 w6");
  shared.translate(translate::requests_for(lines), {});
  const SharedTranslator::Statistics statistics = shared.statistics();
  for (const TimeHistogram& times : {statistics.wait, statistics.decode})
    EXPECT_EQ(std::accumulate(times.counts.begin(), times.counts.end(), std::uint64_t{0}), kSentences);
  EXPECT_GT(statistics.decode.sum, 0);
  EXPECT_GT(statistics.wait.sum, 10 * statistics.decode.sum);
  EXPECT_LT(statistics.wait.sum, kSentences * statistics.decode.sum * 2);
}

TEST_F(SharedTranslatorTest, TranslatesASentenceLargerThanTheBudget) {
  SharedTranslator shared(translator, {.threads = 2, .budget = 1});
  const std::vector<std::string> lines = random_lines(3, 30);
  EXPECT_EQ(as_json(lines, shared.translate(translate::requests_for(lines), {})),
            as_json(lines, translator.translate(lines, {})));
}

TEST_F(SharedTranslatorTest, StopsWhatIsQueuedAndWhatIsRunning) {
  SharedTranslator shared(translator, {.threads = 1, .budget = 24 * 5 * 4});
  const std::vector<std::string> lines(20000, "w3 w4 w5 w6");
  std::stop_source stop;
  std::vector<TranslateRequest> requests = translate::requests_for(lines);
  for (TranslateRequest& request : requests) request.stop = stop.get_token();
  requests.front().stop = {};  // is not stopped
  TranslateOptions options;
  options.on_progress = [&](std::size_t /*done*/, std::size_t /*all*/) { return stop.request_stop(), true; };
  const std::vector<LineResult> results = shared.translate(requests, options);
  EXPECT_TRUE(results.front().done());
  EXPECT_GT(std::ranges::count_if(results, [](const LineResult& line) { return !line.done(); }), 10000);
  const SharedTranslator::Statistics statistics = shared.statistics();
  EXPECT_EQ(statistics.queued_sentences + statistics.running_sentences, 0u);
  EXPECT_EQ(statistics.queued_tokens, 0u);
  EXPECT_EQ(statistics.sentences + statistics.stopped, 20000u);
  EXPECT_LT(statistics.steps, 2500u) << "stopped sentences were given to the search, four per step";
  for (TranslateRequest& request : requests) request.stop = stop.get_token();
  for (const LineResult& line : shared.translate(requests, {})) EXPECT_FALSE(line.done());
}

// The deadline of a queued request passes although the only worker never has room for it.
TEST_F(SharedTranslatorTest, EndsQueuedRequestsAtTheirDeadline) {
  SharedTranslator shared(translator, {.threads = 1, .budget = 1});
  const std::vector<std::string> many(20000, "w3 w4 w5 w6 w7 w8"), some(200, "w7 w8");
  std::stop_source stop;
  std::thread big([&] {
    std::vector<TranslateRequest> requests = translate::requests_for(many);
    for (TranslateRequest& request : requests) request.stop = stop.get_token();
    shared.translate(requests, {});
  });
  while (shared.statistics().queued_sentences == 0) std::this_thread::yield();
  std::vector<TranslateRequest> requests = translate::requests_for(some);
  const auto start = std::chrono::steady_clock::now();
  for (TranslateRequest& request : requests) request.deadline = start + 5ms;
  const std::vector<LineResult> results = shared.translate(requests, {});
  EXPECT_FALSE(results.back().done());
  EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
  EXPECT_GT(shared.statistics().queued_sentences, 1000u) << "the other call has ended by itself";
  stop.request_stop();
  big.join();
}

TEST_F(SharedTranslatorTest, EndsACallWhoseProgressIsRefusedOrThrows) {
  SharedTranslator shared(translator, {.threads = 2, .budget = 24 * 5 * 4});
  const std::vector<std::string> lines(20000, "w3 w4 w5 w6");
  TranslateOptions options;
  options.on_progress = [](std::size_t /*done*/, std::size_t /*all*/) { return false; };
  const std::vector<LineResult> results = shared.translate(translate::requests_for(lines), options);
  EXPECT_GT(std::ranges::count_if(results, [](const LineResult& line) { return !line.done(); }), 10000);
  options.on_progress = [](std::size_t /*done*/, std::size_t /*all*/) -> bool { throw InputError("enough"); };
  EXPECT_THROW(shared.translate(translate::requests_for(lines), options), InputError);
  EXPECT_EQ(shared.statistics().queued_sentences + shared.statistics().running_sentences, 0u);
}

// A job that the search rejects fails only its own call.
TEST_F(SharedTranslatorTest, ReportsErrorsToTheirCallAlone) {
  const TemporaryDirectory directory;
  RandomModel().save(directory.file("a"));
  RandomModel("bahdanau-lstm", {.tokenizer = "whitespace"}, 2).save(directory.file("b"));
  const Translator both(std::vector{directory.file("a"), directory.file("b")});
  SharedTranslator shared(both, {.threads = 1});
  const std::vector<std::string> lines(40, "w3 w4 w5");
  std::thread other([&] {
    for (const LineResult& line : shared.translate(translate::requests_for(lines), {})) EXPECT_TRUE(line.done());
  });
  EXPECT_THROW(shared.translate(translate::requests_for(lines), {.search = {.trace = 3}}), UsageError);
  EXPECT_THROW(shared.translate(translate::requests_for(lines), {.search = {.beam = 0}}), UsageError);
  const std::vector<std::string> prefixes(40, "xyz");
  EXPECT_THROW(shared.translate(translate::requests_for(lines, prefixes), {}), InputError);
  other.join();
  EXPECT_TRUE(shared.translate({}, {}).empty());
}

}  // namespace
}  // namespace heed::testing
