#include "base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <string>

#include "base/system.h"

namespace heed {
namespace {

// Puts a descriptor in the place of standard error for a while; -1: closes it.
class StandardError {
 public:
  explicit StandardError(int descriptor) : saved_(::dup(STDERR_FILENO)) {
    if (descriptor < 0)
      ::close(STDERR_FILENO);
    else
      ::dup2(descriptor, STDERR_FILENO);
  }
  ~StandardError() { ::dup2(saved_.get(), STDERR_FILENO); }

 private:
  Descriptor saved_;
};

struct Pipe {
  std::array<int, 2> ends = [] {
    std::array<int, 2> made{};
    EXPECT_EQ(::pipe(made.data()), 0);
    return made;
  }();
  Descriptor out{ends[0]}, in{ends[1]};

  std::string read() const {
    std::string text(100'000, 0);
    const auto got = ::read(out.get(), text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }
};

TEST(Say, writes_to_standard_error_with_printable_arguments) {
  const Pipe pipe;
  {
    const StandardError replaced(pipe.in.get());
    say("\r{} of {}: {:>3}\n", "a\x1b[31m", std::string("\u202E"), 7);
    say("raw \x1b[K");
  }
  EXPECT_EQ(pipe.read(), "\ra␛[31m of \uFFFD:   7\nraw \x1b[K");
}

TEST(Say, drops_what_cannot_be_written) {
  const Descriptor full(::open("/dev/full", O_WRONLY));
  ASSERT_GE(full.get(), 0);
  for (const int target : {full.get(), -1}) {
    const StandardError replaced(target);
    say("lost {}\n", 1);
  }
  SUCCEED();
}

TEST(Say, survives_a_pipe_without_a_reader_and_leaves_its_signal_alone) {
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  Pipe pipe;
  ::close(pipe.out.release());
  {
    const StandardError replaced(pipe.in.get());
    say("lost {}\n", 1);
    say("lost {}\n", 2);
  }
  sigset_t mask, pending;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0) << "the signal stays blocked";
  ASSERT_EQ(sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(Say, does_not_wait_for_a_slow_reader_of_a_non_blocking_pipe) {
  const Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.in.get(), F_SETFL, O_NONBLOCK), 0);
  {
    const StandardError replaced(pipe.in.get());
    say(std::string(1'000'000, 'x'));
    say("lost {}\n", 1);
  }
  EXPECT_FALSE(pipe.read().empty());
}

}  // namespace
}  // namespace heed
