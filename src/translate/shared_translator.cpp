#include "translate/shared_translator.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "translate/translate_job.h"

namespace heed::translate {
namespace {

using Clock = std::chrono::steady_clock;

// Short sentences count as this many tokens, because every row of a step costs something, however short its source.
constexpr std::size_t kFewestTokens = 24;

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

// The largest time point would overflow in a conversion between clocks.
template <class Predicate>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, Clock::time_point deadline,
                Predicate holds) {
  if (deadline != Clock::time_point::max()) return changed.wait_until(lock, deadline, holds);
  changed.wait(lock, holds);
  return true;
}

}  // namespace

// A sentence of a call. `agreed` and `has_news` are guarded by the mutex of the queue.
struct SharedTranslator::Item {
  Call* call = nullptr;
  TranslateJob* job = nullptr;
  search::SearchResult result = {};
  const OnPartial* on_partial = nullptr;
  Clock::time_point taken = {};  // by a worker
  std::vector<Id> agreed = {};   // words that the translation is certain to begin with
  bool has_news = false;         // `agreed` has changed since it was reported

  std::size_t tokens() const { return job->source.size(); }
  std::size_t cost() const {
    return static_cast<std::size_t>(job->options->search.beam) * std::max(tokens(), kFewestTokens);
  }
  bool is_over(Clock::time_point now) const {
    return job->request->stop.stop_requested() || job->request->deadline <= now;
  }
};

// A call of translate(): lives on the stack of the calling thread. Guarded by the mutex of the queue, except for what
// the items refer to, which does not change while they are queued or running.
struct SharedTranslator::Call {
  const TextPipeline* pipeline = nullptr;
  std::vector<Item> items = {};
  std::deque<Item*> queued = {};  // longest first
  Clock::time_point began = Clock::now();
  std::size_t running = 0;
  std::size_t done_tokens = 0, all_tokens = 0;
  bool reports = false;                    // there is an on_progress
  bool has_news = false;                   // an item has news
  bool progress = false, stopped = false;  // for the calling thread: sentences were finished; a request was stopped
  bool given_up = false;                   // the remaining results are not needed
  std::exception_ptr failure = {};
  std::condition_variable changed = {};

  bool is_done() const { return queued.empty() && running == 0; }
};

// The workers, and the calls that have queued sentences. Workers allocate memory only where exceptions are caught, so
// that every exception reaches the calls that it concerns.
class SharedTranslator::Queue {
 public:
  Queue(std::span<const model::Model* const> models, const SharedTranslatorOptions& options);
  ~Queue() { stop(); }

  // Blocks until no item of the call is queued or running.
  void run(Call& call, const TranslateOptions& options);
  Statistics statistics() const;

 private:
  struct Worker {
    explicit Worker(std::size_t most) {
      running.reserve(most), next.reserve(most), done.reserve(most), cancelled.reserve(most);
    }

    std::optional<search::Search> search = {};
    std::vector<std::pair<search::Search::Ticket, Item*>> running = {};
    std::vector<Item*> next = {};  // to join the search before the next step
    std::vector<Item*> done = {};
    std::vector<search::Search::Ticket> cancelled = {};
    std::vector<Id> agreed = {};
    std::thread thread = {};
  };

  void work(Worker& worker);
  bool prepare_step(Worker& worker);
  void refill(Worker& worker);
  void join(Worker& worker, Item& item);
  void collect(Worker& worker);
  void fail(Worker& worker, const std::exception_ptr& failure);
  void finish(Item& item);
  void give_up(Call& call);
  void update_partial(Worker& worker);
  void report_partial(Call& call, std::unique_lock<std::mutex>& lock);
  void report_progress(Call& call, const TranslateOptions& options, std::unique_lock<std::mutex>& lock);
  template <class Over>
  void drop_queued(Call& call, Over is_over);
  void stop() noexcept;

  const std::span<const model::Model* const> models_;
  const std::size_t budget_;
  mutable std::mutex mutex_;  // guards everything below but the workers, and the calls
  std::condition_variable filled_;
  std::list<Call*> turns_;  // calls with queued sentences, the next to be served first
  std::size_t idle_ = 0;    // waiting workers
  Statistics statistics_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

SharedTranslator::Queue::Queue(std::span<const model::Model* const> models, const SharedTranslatorOptions& options)
    : models_(models), budget_(options.budget) {
  const int count = worker_count(options.threads);
  const std::size_t most = budget_ / kFewestTokens + 1;
  try {
    for (int i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(most));
    for (const auto& worker : workers_) worker->thread = std::thread([this, w = worker.get()] { work(*w); });
  } catch (const std::system_error& error) {
    stop();
    throw InputError("cannot start {} threads: {}; use fewer", count, error.code().message());
  } catch (...) {
    stop();
    throw;
  }
}

void SharedTranslator::Queue::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  filled_.notify_all();
  for (const auto& worker : workers_)
    if (worker->thread.joinable()) worker->thread.join();
}

void SharedTranslator::Queue::work(Worker& worker) {
  while (prepare_step(worker)) {
    try {
      if (!worker.search) worker.search.emplace(models_);
      for (; !worker.next.empty(); worker.next.pop_back()) join(worker, *worker.next.back());
      for (const search::Search::Ticket ticket : worker.cancelled) worker.search->cancel(ticket);
      worker.search->step();
      update_partial(worker);
      collect(worker);
    } catch (...) {
      fail(worker, std::current_exception());
    }
  }
}

// Selects what the next step adds and removes. Waits if there is nothing to do; false if the worker must end.
bool SharedTranslator::Queue::prepare_step(Worker& worker) {
  worker.next.clear(), worker.cancelled.clear();
  std::unique_lock lock(mutex_);
  if (worker.running.empty()) {
    ++idle_;
    filled_.wait(lock, [&] { return stopping_ || !turns_.empty(); });
    --idle_;
  }
  if (stopping_) return false;
  for (const auto& [ticket, item] : worker.running)
    if (item->call->given_up) worker.cancelled.push_back(ticket);
  refill(worker);
  if (!turns_.empty() && idle_ > 0) filled_.notify_one();
  ++statistics_.steps;
  statistics_.step_sentences += worker.running.size() + worker.next.size();
  for (const auto& [ticket, item] : worker.running) statistics_.step_cost += item->cost();
  for (const Item* item : worker.next) statistics_.step_cost += item->cost();
  return true;
}

// Takes one sentence of each call in turn. A sentence that exceeds the budget waits, and no other overtakes it. Leaves
// idle workers a fair part of the queue.
void SharedTranslator::Queue::refill(Worker& worker) {
  std::size_t used = 0;
  for (const auto& [ticket, item] : worker.running) used += item->cost();
  const std::size_t most = (statistics_.queued_sentences + idle_) / (idle_ + 1);
  const auto now = Clock::now();
  while (!turns_.empty() && worker.next.size() < most) {
    Call& call = *turns_.front();
    Item& item = *call.queued.front();
    if (used > 0 && used + item.cost() > budget_) return;
    used += item.cost();
    worker.next.push_back(&item);
    item.taken = now;
    call.queued.pop_front();
    ++call.running;
    if (call.queued.empty())
      turns_.pop_front();
    else
      turns_.splice(turns_.end(), turns_, turns_.begin());
    --statistics_.queued_sentences, ++statistics_.running_sentences;
    statistics_.queued_tokens -= item.tokens(), statistics_.running_tokens += item.tokens();
  }
}

// An invalid job affects only its own call.
void SharedTranslator::Queue::join(Worker& worker, Item& item) {
  try {
    worker.running.emplace_back(worker.search->join(item.job->search_job()), &item);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    item.call->failure = std::current_exception();
    give_up(*item.call);
    finish(item);
  }
}

// Passes on the words that are certain so far, if the caller wants them.
void SharedTranslator::Queue::update_partial(Worker& worker) {
  for (const auto& [ticket, item] : worker.running) {
    if (item->on_partial == nullptr) continue;
    worker.search->agreed_words(ticket, worker.agreed);
    const std::lock_guard lock(mutex_);
    if (worker.agreed.empty() || worker.agreed == item->agreed) continue;
    item->agreed = worker.agreed;
    item->has_news = item->call->has_news = true;
    item->call->changed.notify_one();
  }
}

// Finishes the sentences whose search has ended. A sentence that needs another search joins the search again instead.
void SharedTranslator::Queue::collect(Worker& worker) {
  auto finished = worker.search->take_finished();
  if (finished.empty()) return;
  for (auto& [ticket, result] : finished) {
    const auto entry = std::ranges::find(worker.running, ticket, [](const auto& running) { return running.first; });
    Item& item = *entry->second;
    const bool again = item.job->needs_another_search(result);
    *entry = worker.running.back();
    worker.running.pop_back();
    if (again) {
      join(worker, item);
    } else {
      item.result = std::move(result);
      worker.done.push_back(&item);
    }
  }
  const std::lock_guard lock(mutex_);
  for (Item* item : worker.done) {
    if (item->on_partial != nullptr && !item->result.hypotheses.empty()) {
      item->agreed = item->result.hypotheses.front().words;
      item->has_news = item->call->has_news = true;
      item->call->changed.notify_one();
    }
    finish(*item);
  }
  worker.done.clear();
}

// After a failed step: all its sentences are lost, and the search may be in any state.
void SharedTranslator::Queue::fail(Worker& worker, const std::exception_ptr& failure) {
  worker.search.reset();
  for (const auto* items : {&worker.next, &worker.done})
    for (Item* item : *items) worker.running.emplace_back(0, item);
  const std::lock_guard lock(mutex_);
  for (const auto& [ticket, item] : worker.running) {
    item->call->failure = failure;
    give_up(*item->call);
    finish(*item);
  }
  worker.running.clear(), worker.done.clear();
}

void SharedTranslator::Queue::finish(Item& item) {
  Call& call = *item.call;
  --statistics_.running_sentences;
  statistics_.running_tokens -= item.tokens();
  if (item.result.hypotheses.empty()) {
    ++statistics_.stopped;
  } else {
    ++statistics_.sentences;
    statistics_.wait.add(seconds(item.taken - call.began));
    statistics_.decode.add(seconds(Clock::now() - item.taken));
    statistics_.source_tokens += item.tokens();
    statistics_.target_tokens += item.result.hypotheses.front().words.size();
  }
  call.done_tokens += item.tokens();
  call.progress = call.reports;
  --call.running;
  // Still under the lock: the call is destroyed as soon as it sees that nothing is left.
  if (call.progress || call.is_done()) call.changed.notify_one();
}

template <class Over>
void SharedTranslator::Queue::drop_queued(Call& call, Over is_over) {
  if (call.queued.empty()) return;
  std::erase_if(call.queued, [&](const Item* item) {
    if (!is_over(*item)) return false;
    --statistics_.queued_sentences, ++statistics_.stopped;
    statistics_.queued_tokens -= item->tokens();
    return true;
  });
  if (call.queued.empty()) turns_.remove(&call);
}

// Drops the queued sentences of a call and cancels the running ones.
void SharedTranslator::Queue::give_up(Call& call) {
  call.given_up = true;
  drop_queued(call, [](const Item&) { return true; });
}

// Nothing may be thrown once the call is queued: the workers refer to it.
void SharedTranslator::Queue::run(Call& call, const TranslateOptions& options) {
  if (call.items.empty()) return;
  call.reports = options.on_progress != nullptr;
  auto deadline = Clock::time_point::max();
  // They wake the call if a request is stopped. Destroyed after the lock is released: a running callback may wait for
  // it.
  std::deque<std::stop_callback<std::function<void()>>> callbacks;
  std::stop_token last;
  for (Item& item : call.items) {
    const TranslateRequest& request = *item.job->request;
    deadline = std::min(deadline, request.deadline);
    call.queued.push_back(&item);
    call.all_tokens += item.tokens();
    if (!request.stop.stop_possible() || request.stop == last) continue;
    last = request.stop;
    callbacks.emplace_back(last, [this, &call] {
      const std::lock_guard lock(mutex_);
      call.stopped = true;
      call.changed.notify_one();
    });
  }
  std::ranges::stable_sort(call.queued, std::greater{}, [](const Item* item) { return item->tokens(); });

  std::unique_lock lock(mutex_);
  turns_.push_back(&call);
  statistics_.queued_sentences += call.items.size();
  statistics_.queued_tokens += call.all_tokens;
  filled_.notify_one();
  while (!call.is_done() || (call.has_news && !call.given_up)) {
    const auto wakes = [&] { return call.is_done() || call.progress || call.stopped || call.has_news; };
    const bool overdue = !wait_until(call.changed, lock, deadline, wakes);
    if (std::exchange(call.stopped, false) || overdue) {
      const auto now = Clock::now();
      drop_queued(call, [&](const Item& item) { return item.is_over(now); });
      deadline = Clock::time_point::max();  // the search watches the sentences that are running
      for (const Item* item : call.queued) deadline = std::min(deadline, item->job->request->deadline);
    }
    if (std::exchange(call.has_news, false) && !call.given_up) report_partial(call, lock);
    if (std::exchange(call.progress, false) && !call.given_up) report_progress(call, options, lock);
  }
}

void SharedTranslator::Queue::report_partial(Call& call, std::unique_lock<std::mutex>& lock) {
  std::exception_ptr failure;
  for (Item& item : call.items) {
    if (!std::exchange(item.has_news, false)) continue;
    try {
      search::Hypothesis hypothesis{.words = item.agreed};
      lock.unlock();
      (*item.on_partial)(0, make_translation(*call.pipeline, {}, std::move(hypothesis), {}).text);
    } catch (...) {
      failure = std::current_exception();
    }
    if (!lock.owns_lock()) lock.lock();
  }
  if (!failure) return;
  call.failure = failure;
  give_up(call);
}

void SharedTranslator::Queue::report_progress(Call& call, const TranslateOptions& options,
                                              std::unique_lock<std::mutex>& lock) {
  const std::size_t done = call.done_tokens;
  bool goes_on = false;
  std::exception_ptr failure;
  lock.unlock();
  try {
    goes_on = options.on_progress(done, call.all_tokens);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (goes_on) return;
  if (failure) call.failure = failure;
  give_up(call);
}

SharedTranslator::Statistics SharedTranslator::Queue::statistics() const {
  const std::lock_guard lock(mutex_);
  Statistics now = statistics_;
  now.budget = budget_;
  return now;
}

SharedTranslator::SharedTranslator(const Translator& translator, const SharedTranslatorOptions& options)
    : translator_(translator),
      term_encoder_(translator.pipeline()),
      queue_(std::make_unique<Queue>(translator.models(), options)) {}

SharedTranslator::~SharedTranslator() = default;

SharedTranslator::Statistics SharedTranslator::statistics() const {
  return queue_->statistics();
}

std::vector<LineResult> SharedTranslator::translate(std::span<const TranslateRequest> requests,
                                                    const TranslateOptions& options) {
  check_options(options, has_attention());
  std::vector<std::vector<TranslateJob>> lines(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].options != nullptr) check_options(*requests[i].options, has_attention());
    const TranslateOptions& own = requests[i].options != nullptr ? *requests[i].options : options;
    const std::size_t limit = translator_.max_source_tokens(own);
    lines[i] = make_jobs(pipeline(), requests[i], own, limit);
    set_prefix(lines[i], pipeline(), limit);
    if (!requests[i].terms.empty()) set_terms(lines[i], term_encoder_, has_attention());
  }
  Call call{.pipeline = &pipeline()};
  for (std::vector<TranslateJob>& line : lines)
    for (TranslateJob& job : line)
      if (job.has_words)
        call.items.push_back(
            {.call = &call, .job = &job, .on_partial = line.size() == 1 ? job.request->on_partial : nullptr});
  queue_->run(call, options);
  if (call.failure) std::rethrow_exception(call.failure);
  translator_.check_files();

  for (Item& item : call.items) item.job->set_result(std::move(item.result), pipeline());
  std::vector<LineResult> results;
  results.reserve(lines.size());
  for (std::vector<TranslateJob>& line : lines) results.push_back(join_jobs(std::move(line)));
  return results;
}

}  // namespace heed::translate
