#include "shards/claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "support/files.h"

namespace heed::shards {
namespace {

using testing::TemporaryDirectory;

constexpr const char* kElsewhere = "elsewhere boot/pid:[1] 4711 99 ";

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

class ClaimsTest : public ::testing::Test {
 protected:
  ClaimsTest() { make_directories(path()); }
  std::string path() const { return directory_.file("claims"); }
  std::string file(const std::string& name) const { return path() + "/" + name; }
  bool exists(const std::string& name) const { return std::filesystem::exists(file(name)); }

  TemporaryDirectory directory_;
};

TEST_F(ClaimsTest, OneOfTwoGetsAName) {
  Claims a(path(), 60), b(path(), 60);
  a.refresh();
  b.refresh();
  EXPECT_FALSE(a.is_held("7"));
  auto claim = a.take("7");
  ASSERT_NE(claim, nullptr);
  EXPECT_EQ(b.take("7"), nullptr) << "b has not looked since";
  EXPECT_NE(b.take("8"), nullptr);
  b.refresh();
  EXPECT_TRUE(b.is_held("7"));
  claim.reset();
  EXPECT_FALSE(exists("7.0"));
  b.refresh();
  EXPECT_FALSE(b.is_held("7"));
  EXPECT_NE(b.take("7"), nullptr);
}

TEST_F(ClaimsTest, AHeartbeatKeepsAClaimForLongerThanTheLease) {
  Claims holder(path(), 0.3), other(path(), 0.3);
  const auto claim = holder.take("7");
  const std::string before = read_file(file("7.0"));
  for (int i = 0; i < 10; ++i) {
    sleep_for(0.1);
    other.refresh();
    EXPECT_TRUE(other.is_held("7")) << i;
  }
  EXPECT_NE(read_file(file("7.0")), before);
  EXPECT_EQ(read_file(file("7.0")).size(), before.size());
}

TEST_F(ClaimsTest, AnUnchangedClaimIsTakenOverAfterTheLeaseOfTheWatcher) {
  write_file_atomically(file("7.0"), std::string(kElsewhere) + "0000000001\n");
  // A clock of the future or the past means nothing.
  std::filesystem::last_write_time(file("7.0"),
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(999));
  Claims a(path(), 0.3), b(path(), 0.3);
  a.refresh();
  b.refresh();
  EXPECT_TRUE(a.is_held("7")) << "seen for the first time";
  sleep_for(0.2);
  write_file_atomically(file("7.0"), std::string(kElsewhere) + "0000000002\n");
  a.refresh();
  b.refresh();
  sleep_for(0.2);
  a.refresh();
  b.refresh();
  EXPECT_TRUE(a.is_held("7")) << "changed 0.2 s ago";
  sleep_for(0.2);
  a.refresh();
  b.refresh();
  EXPECT_FALSE(a.is_held("7"));
  auto claim = a.take("7");
  EXPECT_NE(claim, nullptr);
  EXPECT_TRUE(exists("7.1"));
  EXPECT_EQ(b.take("7"), nullptr) << "b saw the same dead worker, but a was faster";
  b.refresh();
  EXPECT_TRUE(b.is_held("7")) << "by a";
  claim.reset();
  EXPECT_FALSE(exists("7.0") || exists("7.1"));
}

TEST_F(ClaimsTest, AWorkerThatEndedOnThisMachineIsDeadAtOnce) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Claims claims(path(), 60);
    auto claim = claims.take("7");
    ::_exit(claim ? 0 : 1);  // without releasing it
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(exists("7.0"));
  Claims claims(path(), 60);
  claims.refresh();
  EXPECT_FALSE(claims.is_held("7"));
  EXPECT_NE(claims.take("7"), nullptr);
}

TEST_F(ClaimsTest, AnEmptyClaimIsHeldUntilTheLeaseEnds) {
  write_file_atomically(file("7.0"), "");
  Claims claims(path(), 0.1);
  claims.refresh();
  EXPECT_TRUE(claims.is_held("7"));
  sleep_for(0.15);
  claims.refresh();
  EXPECT_FALSE(claims.is_held("7"));
}

TEST_F(ClaimsTest, OtherFilesAreIgnoredAndAMissingDirectoryIsAnError) {
  for (const char* name : {"notes", "notes.txt", ".0x", "7.a"}) write_file_atomically(file(name), "");
  Claims claims(path(), 60);
  claims.refresh();
  EXPECT_FALSE(claims.is_held("notes"));
  EXPECT_FALSE(claims.is_held("7"));
  Claims nowhere(directory_.file("nowhere"), 60);
  EXPECT_THROW(nowhere.refresh(), InputError);
  EXPECT_THROW(nowhere.take("7"), InputError);
}

}  // namespace
}  // namespace heed::shards
