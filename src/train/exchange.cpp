#include "train/exchange.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/enum_names.h"
#include "base/error.h"
#include "kernels/bfloat16.h"
#include "kernels/elementwise.h"

namespace heed::train {
namespace {

// Numbers per bucket: large enough for the full speed of a network, small enough for a short pipeline.
constexpr Index kBucketNumbers = 1 << 19;

struct FormatRow {
  const char* name;
  const char* about;
};
constexpr FormatRow kFormats[] = {
    {"f32", "as they are: the result does not depend on how the workers are distributed over processes"},
    {"bf16", "rounded to 16 bits: half as much to send; the result depends on the number of processes"}};

std::span<std::byte> bytes_of(const Tensor& row) {
  return row.type() == DType::f32 ? std::as_writable_bytes(row.span<float>())
                                  : std::as_writable_bytes(row.span<double>());
}

std::span<float> floats_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

std::vector<std::string> enum_names(GradientFormat) {
  return row_names(kFormats);
}

std::vector<std::string> enum_about(GradientFormat) {
  return row_lines(kFormats);
}

// Sends and receives in one direction.
class Exchange::Link {
 public:
  Link(Communicator& communicator, GradientFormat format, int direction)
      : communicator_(communicator), format_(format), direction_(static_cast<std::uint64_t>(direction)) {}

  void restart(std::uint64_t seed) {
    const auto rank = static_cast<std::uint64_t>(communicator_.rank());
    seed_ = (seed * 2 + direction_) * static_cast<std::uint64_t>(communicator_.size()) + rank;
    rounded_ = 0;
  }
  std::uint64_t sent_bytes() const { return sent_bytes_; }

  void send(int to, autograd::Gradients& gradients, const Bucket& bucket) {
    if (!bucket.sparse) return send_numbers(to, bytes_of(gradients.flat().slice_columns(bucket.from, bucket.count)));
    const Ids touched = gradients.touched({bucket.first})->rows();
    rows_.assign(touched.begin(), touched.end());
    std::uint64_t count = rows_.size();
    send_bytes(to, std::as_bytes(std::span(&count, 1)));
    send_bytes(to, std::as_bytes(std::span(rows_)));
    numbers_.clear();
    for_each_row(gradients, bucket,
                 [&](std::span<std::byte> row) { numbers_.insert(numbers_.end(), row.begin(), row.end()); });
    send_numbers(to, numbers_);
  }

  // Replaces the bucket of `gradients`.
  void receive(int from, autograd::Gradients& gradients, const Bucket& bucket) {
    if (!bucket.sparse)
      return receive_numbers(from, bytes_of(gradients.flat().slice_columns(bucket.from, bucket.count)));
    autograd::TouchedRows& touched = *gradients.touched({bucket.first});
    for (const Id row : touched.rows()) kernels::fill(gradients[{bucket.first}].slice_rows(row, 1), 0);
    touched.clear();
    std::uint64_t count = 0;
    communicator_.receive(from, std::as_writable_bytes(std::span(&count, 1)));
    rows_.resize(count);
    communicator_.receive(from, std::as_writable_bytes(std::span(rows_)));
    touched.add(rows_);
    const Tensor& table = gradients[{bucket.first}];
    numbers_.resize(count * static_cast<std::size_t>(table.columns() * size_of(table.type())));
    receive_numbers(from, numbers_);
    auto next = numbers_.begin();
    for_each_row(gradients, bucket, [&](std::span<std::byte> row) {
      std::copy_n(next, row.size(), row.begin());
      next += std::ssize(row);
    });
  }

  // Rounds the bucket as sending it would.
  void round(autograd::Gradients& gradients, const Bucket& bucket) {
    if (format_ == GradientFormat::f32) return;
    const auto round_row = [&](std::span<std::byte> row) {
      pack(row);
      kernels::from_bfloat16(floats_of(row), packed_);
    };
    if (!bucket.sparse) return round_row(bytes_of(gradients.flat().slice_columns(bucket.from, bucket.count)));
    const Ids touched = gradients.touched({bucket.first})->rows();
    rows_.assign(touched.begin(), touched.end());
    for_each_row(gradients, bucket, round_row);
  }

 private:
  template <class Function>
  void for_each_row(const autograd::Gradients& gradients, const Bucket& bucket, Function function) {
    for (const Id row : rows_) function(bytes_of(gradients[{bucket.first}].slice_rows(row, 1)));
  }

  void pack(std::span<std::byte> numbers) {
    const std::span<const float> floats = floats_of(numbers);
    packed_.resize(floats.size());
    kernels::to_bfloat16(packed_, floats, {seed_, rounded_});
    rounded_ += floats.size();
  }

  void send_numbers(int to, std::span<std::byte> numbers) {
    if (format_ == GradientFormat::f32) return send_bytes(to, numbers);
    pack(numbers);
    send_bytes(to, std::as_bytes(std::span(packed_)));
  }

  void send_bytes(int to, std::span<const std::byte> bytes) {
    communicator_.send(to, bytes);
    sent_bytes_ += bytes.size();
  }

  void receive_numbers(int from, std::span<std::byte> numbers) {
    if (format_ == GradientFormat::f32) return communicator_.receive(from, numbers);
    const std::span<float> floats = floats_of(numbers);
    packed_.resize(floats.size());
    communicator_.receive(from, std::as_writable_bytes(std::span(packed_)));
    kernels::from_bfloat16(floats, packed_);
  }

  Communicator& communicator_;
  GradientFormat format_;
  std::uint64_t direction_;
  std::uint64_t seed_ = 0, rounded_ = 0;  // of the rounding: the key, and the numbers rounded so far
  std::uint64_t sent_bytes_ = 0;
  std::vector<Id> rows_;
  std::vector<std::byte> numbers_;
  std::vector<std::uint16_t> packed_;
};

Exchange::Exchange(const autograd::Parameters& parameters, std::vector<autograd::Gradients*> replicas, ThreadPool& pool,
                   Communicator& communicator, GradientFormat format)
    : replicas_(std::move(replicas)),
      total_(replicas_.front()),
      pool_(pool),
      communicator_(communicator),
      up_(std::make_unique<Link>(communicator, format, 0)),
      down_(std::make_unique<Link>(communicator, format, 1)),
      incomplete_(parameters.size()) {
  check<InternalError>(format == GradientFormat::f32 || parameters.type() == DType::f32, "bf16 needs f32 gradients");
  if (communicator.rank() > 0) {
    received_ = std::make_unique<autograd::Gradients>(parameters);
    total_ = received_.get();
  }
  plan_buckets(parameters);
}

Exchange::~Exchange() = default;

std::uint64_t Exchange::sent_bytes() const {
  return up_->sent_bytes() + down_->sent_bytes();
}

// Models declare their parameters in the order of the forward pass, so the backward pass completes the last ones first.
void Exchange::plan_buckets(const autograd::Parameters& parameters) {
  const auto begin = [&](int i) { return parameters.offset({i}); };
  for (int last = static_cast<int>(parameters.size()) - 1; last >= 0;) {
    int first = last;
    if (!parameters[autograd::ParameterId{last}].sparse) {
      // Small parameters share a bucket, large ones get several.
      while (first > 0 && !parameters[autograd::ParameterId{first - 1}].sparse &&
             begin(last + 1) - begin(first - 1) <= kBucketNumbers)
        --first;
      for (Index to = begin(last + 1), from = 0; to > begin(first); to = from) {
        from = std::max(begin(first), to - kBucketNumbers);
        buckets_.push_back({.from = from, .count = to - from, .first = first, .last = last});
      }
    } else {
      buckets_.push_back({.first = last, .last = last, .sparse = true});
    }
    last = first - 1;
  }
}

void Exchange::run(const std::function<void()>& compute, std::uint64_t seed) {
  std::ranges::fill(incomplete_, static_cast<int>(replicas_.size()));
  summed_ = 0;
  computed_ = false;
  up_->restart(seed);
  down_->restart(seed);
  threads_.run(3, [&](int thread) {
    try {
      if (thread == 0) {
        compute();
        computed_ = true;
      } else if (thread == 1) {
        add_up();
      } else {
        pass_down();
      }
    } catch (...) {
      fail();
      throw;
    }
  });
}

void Exchange::on_complete(autograd::ParameterId id) {
  const std::lock_guard lock(mutex_);
  if (--incomplete_[static_cast<std::size_t>(id.index)] == 0) changed_.notify_all();
}

void Exchange::fail() noexcept {
  communicator_.cancel();
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

template <class Condition>
void Exchange::wait(Condition condition) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failed_ || condition(); });
  check<InputError>(!failed_, "the exchange of gradients was canceled");
}

void Exchange::wait_until_complete(const Bucket& bucket) {
  wait([&] {
    const auto parameters =
        std::span(incomplete_)
            .subspan(static_cast<std::size_t>(bucket.first), static_cast<std::size_t>(bucket.last - bucket.first + 1));
    return std::ranges::all_of(parameters, [](int workers) { return workers == 0; });
  });
}

void Exchange::add_up() {
  const int rank = communicator_.rank(), last = communicator_.size() - 1;
  for (const Bucket& bucket : buckets_) {
    wait_until_complete(bucket);  // first, because waiting for a message takes time from the threads that compute
    if (rank > 0) up_->receive(rank - 1, *total_, bucket);
    add_workers(bucket);
    if (rank < last) up_->send(rank + 1, *total_, bucket);
    const std::lock_guard lock(mutex_);
    ++summed_;
    changed_.notify_all();
  }
}

void Exchange::pass_down() {
  const int rank = communicator_.rank(), last = communicator_.size() - 1;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    wait([&] { return summed_ > i; });  // the memory of the sum is that of the total
    if (rank < last)
      down_->receive(rank + 1, *total_, buckets_[i]);
    else
      down_->round(*total_, buckets_[i]);
    if (rank > 0) down_->send(rank - 1, *total_, buckets_[i]);
  }
}

// Adds this rank's workers to the sum, which on rank 0 starts with worker 0.
void Exchange::add_workers(const Bucket& bucket) {
  const auto workers = std::span(replicas_).subspan(received_ ? 0 : 1);
  if (workers.empty()) return;
  if (bucket.sparse) {
    for (autograd::Gradients* worker : workers) {
      const Ids rows = worker->touched({bucket.first})->rows();
      for (const Id row : rows)
        kernels::add_to((*total_)[{bucket.first}].slice_rows(row, 1), (*worker)[{bucket.first}].slice_rows(row, 1));
      total_->touched({bucket.first})->add(rows);
    }
    return;
  }
  const auto add_part = [&](int part, int parts) {
    const Index from = bucket.count * part / parts, count = bucket.count * (part + 1) / parts - from;
    const auto slice = [&](const autograd::Gradients& g) { return g.flat().slice_columns(bucket.from + from, count); };
    for (const autograd::Gradients* worker : workers) kernels::add_to(slice(*total_), slice(*worker));
  };
  if (!computed_) return add_part(0, 1);
  pool_.run(pool_.size(), [&](int part) { add_part(part, pool_.size()); });
}

}  // namespace heed::train
