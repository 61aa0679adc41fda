#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "base/error.h"
#include "base/system.h"
#include "support/compressed.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "heed-files-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string put(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::size_t entries() const { return std::distance(fs::directory_iterator(directory_), fs::directory_iterator()); }

  fs::path directory_;
};

using testing::gzip;

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), static_cast<std::int64_t>(lines.size()));
  }
  return lines;
}

template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

using Lines = std::vector<std::string>;

TEST_F(Files, reads_a_whole_file) {
  const std::string big(300'000, 'x');
  EXPECT_EQ(read_file(put("big", big)), big);
  EXPECT_EQ(read_file(put("empty", "")), "");
  EXPECT_EQ(read_file(put("nul", std::string_view("a\0b", 3))), std::string("a\0b", 3));
  EXPECT_FALSE(read_file("/proc/self/status").empty()) << "a file whose size is given as 0";
}

TEST_F(Files, opening_fails_with_path_and_reason) {
  const std::string missing = path("missing"), directory = directory_.string();
  EXPECT_EQ(refusal_of([&] { read_file(missing); }), "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(refusal_of([&] { MappedFile file(missing); }), "cannot read '" + missing + "': No such file or directory");
  EXPECT_EQ(refusal_of([&] { LineReader file(missing); }), "cannot read '" + missing + "': No such file or directory");
  const std::string refusal = "cannot read '" + directory + "': it is a directory, not a file";
  EXPECT_EQ(refusal_of([&] { read_file(directory); }), refusal);
  EXPECT_EQ(refusal_of([&] { MappedFile file(directory); }), refusal);
  EXPECT_EQ(refusal_of([&] { LineReader file(directory); }), refusal);
}

TEST_F(Files, maps_a_file) {
  const MappedFile file(put("text", "hello"));
  EXPECT_TRUE(std::ranges::equal(file.bytes(), std::as_bytes(std::span("hello", 5))));
  EXPECT_TRUE(MappedFile(put("empty", "")).bytes().empty());
}

TEST_F(Files, has_line_reports_whether_a_line_is_buffered) {
  LineReader reader(put("lines", "a\nb\nc"));
  std::string line;
  EXPECT_TRUE(reader.has_line());
  EXPECT_TRUE(reader.next(line) && reader.has_line());
  EXPECT_TRUE(reader.next(line) && !reader.has_line()) << "the last line may be incomplete";
  EXPECT_TRUE(reader.next(line) && !reader.has_line());
  EXPECT_FALSE(reader.next(line));
}

TEST_F(Files, only_lf_and_crlf_end_a_line) {
  EXPECT_EQ(lines_of(put("lf", "a\nb\n")), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(put("open", "a\nb")), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(put("crlf", "a\r\n\r\nb\r\n")), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of(put("cr", "a\rb\n")), (Lines{"a\rb"}));
  EXPECT_EQ(lines_of(put("unicode", "a\u2028b\u0085c\vd\fe\n")), (Lines{"a\u2028b\u0085c\vd\fe"}));
  EXPECT_EQ(lines_of(put("nul", std::string_view("a\0b\n", 4))), (Lines{std::string("a\0b", 3)}));
  EXPECT_EQ(lines_of(put("empty", "")), Lines{});
  EXPECT_EQ(lines_of(put("blank", "\n\n")), (Lines{"", ""}));
  EXPECT_EQ(lines_of(put("mark",
                         "\xEF\xBB\xBF"
                         "a\n\xEF\xBB\xBF"
                         "b\n")),
            (Lines{"a",
                   "\xEF\xBB\xBF"
                   "b"}));
  EXPECT_EQ(lines_of(put("one byte", "\x1f")), (Lines{"\x1f"}));
}

TEST_F(Files, long_lines_cross_chunks) {
  const std::string long_line(200'000, 'y');
  const std::string edge(65535, 'z');  // the CR of its CRLF is the last byte of a chunk
  const std::string text = edge + "\r\n" + long_line + "\n\nlast";
  EXPECT_EQ(lines_of(put("plain", text)), (Lines{edge, long_line, "", "last"}));
  EXPECT_EQ(lines_of(put("packed", gzip(text))), (Lines{edge, long_line, "", "last"}));
}

TEST_F(Files, a_line_of_many_megabytes_is_an_error_with_its_number) {
  const std::string longest(16 << 20, 'y'), text = "first\n" + longest + "\n" + longest + "y\nlast\n";
  for (const std::string& file : {put("plain", text), put("packed", gzip(text))}) {
    LineReader reader(file);
    std::string line;
    EXPECT_TRUE(reader.next(line) && reader.next(line));
    EXPECT_EQ(line.size(), longest.size());
    EXPECT_EQ(refusal_of([&] { reader.next(line); }),
              file + ":3: a line of more than 16 MiB; give a text file with one sentence per line");
  }
}

TEST_F(Files, gzip_is_recognized_by_its_bytes) {
  EXPECT_EQ(lines_of(put("a.txt", gzip("a\nb\n"))), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(put("b.gz", "plain\n")), (Lines{"plain"}));
  EXPECT_EQ(lines_of(put("members", gzip("a\nb") + gzip("") + gzip("c\n"))), (Lines{"a", "bc"}));
  EXPECT_EQ(lines_of(put("padded", gzip("a\n") + std::string(100'000, '\0'))), (Lines{"a"}));
  EXPECT_EQ(lines_of(put("nothing", gzip(""))), Lines{});
}

TEST_F(Files, damaged_gzip_is_an_error) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = gzip(text);
  for (const std::size_t size : {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
    const std::string cut = put("cut", packed.substr(0, size));
    EXPECT_EQ(refusal_of([&] { lines_of(cut); }),
              "'" + cut + "' is truncated: its gzip data ends too early; copy or download it again")
        << size;
  }
  std::string wrong = packed;
  wrong[wrong.size() - 6] ^= 1;  // the checksum
  EXPECT_EQ(refusal_of([&] { lines_of(put("wrong", wrong)); }),
            "'" + path("wrong") + "' is damaged: its gzip data is not valid; copy or download it again");
  EXPECT_EQ(refusal_of([&] { lines_of(put("tail", packed + "garbage")); }),
            "'" + path("tail") + "' is damaged: its gzip data is not valid; copy or download it again");
}

TEST_F(Files, reads_a_slow_pipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string packed = gzip("through\na pipe\n");
  const pid_t child = ::fork();
  if (child == 0) {
    for (const char c : packed) {
      if (::write(ends[1], &c, 1) != 1) ::_exit(1);
      ::usleep(2'000);  // so that the reader gets single bytes
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  EXPECT_EQ(lines_of("/dev/fd/" + std::to_string(ends[0])), (Lines{"through", "a pipe"}));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Files, an_empty_first_line_of_a_pipe_does_not_wait_for_more) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "\n", 1), 1);
  // A reader that waits for a second byte gets it after a while.
  std::promise<void> opened;
  auto waited = std::async(std::launch::async, [&, ready = opened.get_future()] {
    if (ready.wait_for(std::chrono::seconds(10)) == std::future_status::ready) return false;
    return ::write(ends[1], "x", 1) == 1;
  });
  LineReader reader("/dev/fd/" + std::to_string(ends[0]));
  opened.set_value();
  EXPECT_FALSE(waited.get());
  EXPECT_TRUE(reader.has_line());
  std::string line = "?";
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  ::close(ends[1]);
  EXPECT_FALSE(reader.next(line));
  ::close(ends[0]);
}

TEST_F(Files, a_dash_is_standard_input) {
  const int saved = ::dup(STDIN_FILENO), file = ::open(put("in", "a\nb").c_str(), O_RDONLY);
  ASSERT_EQ(::dup2(file, STDIN_FILENO), STDIN_FILENO);
  EXPECT_EQ(lines_of("-"), (Lines{"a", "b"}));
  EXPECT_EQ(LineReader("-").name(), "standard input");
  ::close(STDIN_FILENO);
  EXPECT_EQ(refusal_of([] { LineReader("-"); }), "cannot read standard input: Bad file descriptor");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
}

TEST_F(Files, atomic_write_keeps_the_order_of_small_and_large) {
  std::string expected;
  AtomicFile file(path("mixed"));
  for (const std::size_t size : {1u, 70'000u, 3u, 65'535u, 1u, 65'536u, 0u, 40'000u, 40'000u}) {
    const std::string part(size, static_cast<char>('a' + expected.size() % 26));
    file.write(part);
    expected += part;
  }
  file.commit();
  EXPECT_EQ(read_file(path("mixed")), expected);
}

TEST_F(Files, atomic_write_replaces_only_on_commit) {
  const std::string target = put("model", "old");
  {
    AtomicFile file(target);
    file.write("new");
    EXPECT_EQ(read_file(target), "old");
  }
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(entries(), 1u) << "the temporary is left behind";
  AtomicFile file(target);
  const std::string big(200'000, 'n');
  file.write(big);
  file.write("!");
  file.commit();
  EXPECT_EQ(read_file(target), big + "!");
  EXPECT_EQ(entries(), 1u);
  EXPECT_THROW(file.commit(), InternalError);
  EXPECT_THROW(file.write("x"), InternalError);
}

TEST_F(Files, atomic_write_that_cannot_take_its_name_leaves_nothing) {
  {
    AtomicFile file(path("model"));
    file.write("new");
    fs::create_directory(path("model"));
    EXPECT_EQ(refusal_of([&] { file.commit(); }), "cannot write '" + path("model") + "': Is a directory");
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, stale_files_are_removed_unless_a_process_writes_to_them) {
  const std::string stale = put(".heed-1-0.tmp", "killed"), own = put("kept.tmp", "mine"),
                    used = put(".heed-1-1.tmp", "");
  fs::create_symlink("kept.tmp", path(".heed-1-2.tmp"));
  const int writer = ::open(used.c_str(), O_WRONLY);
  ASSERT_EQ(::flock(writer, LOCK_EX | LOCK_NB), 0);
  AtomicFile file(path("model"));
  file.write("new");
  remove_stale_files(directory_.string());
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(used));
  EXPECT_EQ(read_file(own), "mine");
  file.commit();
  EXPECT_EQ(read_file(path("model")), "new");
  ::close(writer);
  remove_stale_files(directory_.string());
  EXPECT_FALSE(fs::exists(used));
  EXPECT_EQ(read_file(own), "mine");
  EXPECT_NO_THROW(remove_stale_files(path("no/where")));
}

// Even if it is killed in the middle of a file.
TEST_F(Files, a_killed_writer_leaves_nothing_that_stays) {
  const std::string target = put("model", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(target);
    file.write(std::string(200'000, 'n'));
    ::raise(SIGKILL);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  remove_stale_files(directory_.string());
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(read_file(target), "old");
}

TEST_F(Files, atomic_write_keeps_permissions_and_links) {
  const std::string target = put("model", "old"), link = path("link");
  ASSERT_EQ(::chmod(target.c_str(), 0640), 0);
  fs::create_symlink("model", link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(target), "new");
  EXPECT_EQ(fs::status(target).permissions(), fs::perms(0640));
  write_file_atomically("/dev/null", "gone");
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

TEST_F(Files, atomic_write_errors_name_path_reason_and_remedy) {
  const std::string directory = directory_.string(), nowhere = path("no/where");
  EXPECT_EQ(refusal_of([&] { write_file_atomically(directory, "x"); }),
            "cannot write '" + directory + "': it is a directory, not a file");
  EXPECT_EQ(refusal_of([&] { write_file_atomically(nowhere, "x"); }),
            "cannot write '" + nowhere + "': No such file or directory; create the directory first");
  EXPECT_EQ(refusal_of([&] { write_file_atomically("", "x"); }), "cannot write '': this is not a file name");
  EXPECT_EQ(refusal_of([&] { write_file_atomically("/dev/full", "x"); }),
            "cannot write '/dev/full': No space left on device; free some space or write elsewhere");
}

TEST_F(Files, a_full_disk_keeps_the_old_file) {
  const std::string target = put("model", "old");
  // A file size limit simulates a full disk: write() fails midway in the same way.
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 100'000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string failure = refusal_of([&] { write_file_atomically(target, std::string(300'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(failure, "cannot write '" + target + "': File too large");
  EXPECT_EQ(read_file(target), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, a_link_is_not_followed_to_a_file_of_others) {
  const std::string file = put("precious", "x"), link = path("lock");
  fs::create_symlink("precious", link);
  EXPECT_EQ(refusal_of([&] { open_own_file(link, O_TRUNC); }),
            "cannot write '" + link + "': it is a symbolic link; remove it");
  EXPECT_EQ(read_file(file), "x");
  EXPECT_GE(open_own_file(path("new")).get(), 0);
  EXPECT_GE(open_own_file(path("new")).get(), 0);
}

TEST_F(Files, creates_directories) {
  make_directories(path("a/b/c"));
  make_directories(path("a/b/c"));
  EXPECT_TRUE(fs::is_directory(path("a/b/c")));
  const std::string file = put("file", "");
  for (const std::string& directory : {file + "/x/y", file})
    EXPECT_EQ(refusal_of([&] { make_directories(directory); }),
              "cannot create the directory '" + directory + "': '" + file + "' is a file; choose another name");
}

}  // namespace
}  // namespace heed
