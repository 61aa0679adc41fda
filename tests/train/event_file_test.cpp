// What event files contain. tests/system/runs_test.py reads them with a reader that shares no code with heed.
#include "train/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ctime>

#include "base/checksum.h"
#include "base/files.h"
#include "support/files.h"
#include "train/run_log.h"

namespace heed::train {
namespace {

constexpr const char* kStart = "{\"kind\":\"start\",\"system\":\"heed\"}\n";
constexpr const char* kFirst =
    "{\"kind\":\"update\",\"update\":1,\"loss\":2.5,\"learning_rate\":0.001,\"seconds\":1.5}\n";
constexpr const char* kSecond = "{\"kind\":\"validation\",\"update\":300,\"loss\":1,\"bleu\":31.5,\"seconds\":2}\n";

std::string u32(std::uint32_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

// A record, put together by hand.
std::string framed(const std::string& event) {
  const auto masked = [](const std::string& bytes) {
    const std::uint32_t crc = crc32c(bytes);
    return u32(((crc >> 15) | (crc << 17)) + 0xa282ead8U);
  };
  const std::string length = u32(static_cast<std::uint32_t>(event.size())) + u32(0);
  return length + masked(length) + event + masked(event);
}

TEST(EventFile, HasTheBytesOfTheFormat) {
  using std::string_literals::operator""s;
  const std::string time_of_start = "\x09\0\0\0\0\0\0\xF0\x3F"s;    // field 1, double 1.0
  const std::string time = "\x09\0\0\0\0\0\0\x08\x40"s;             // 3.0
  const std::string value = "\x0a\x0avalid/bleu\x15\0\0\xFC\x41"s;  // tag, float 31.5
  const std::string summary = "\x2a\x13\x0a\x11"s + value;          // field 5, one value
  const std::string expected = framed(time_of_start +
                                      "\x1a\x0d"
                                      "brain.Event:2") +
                               framed(time + "\x10\xac\x02" + summary);  // step 300 as a varint
  EXPECT_EQ(event_file(std::string(kStart) + kSecond, 1), expected);
}

TEST(EventFile, LeavesOutWhatIsNoMeasurement) {
  const std::string nothing = event_file("", 1);
  for (const char* line : {"{\"kind\":\"update\",\"update\":1,\"loss\":null,\"seconds\":1}\n",
                           "{\"kind\":\"end\",\"update\":1,\"seconds\":1}\n", "nonsense\n", "[]\n", "{\"kind\":7}\n",
                           "{\"kind\":\"update\",\"update\":-1,\"loss\":1,\"seconds\":1}\n",
                           "{\"kind\":\"update\",\"update\":1,\"loss\":\"1\",\"seconds\":1}\n",
                           "{\"kind\":\"update\",\"update\":1,\"loss\":1e300,\"seconds\":1}\n"})
    EXPECT_EQ(event_file(line, 1), nothing) << line;
  EXPECT_GT(event_file(kFirst, 1).size(), nothing.size());
}

class EventLogs : public ::testing::Test {
 protected:
  std::string path() const { return directory_.file(kEventFile); }
  std::string content() const { return read_file(path()); }
  // As the first record tells it.
  double started() const {
    double time = 0;
    std::memcpy(&time, content().data() + 13, sizeof time);
    return time;
  }

  heed::testing::TemporaryDirectory directory_;
};

TEST_F(EventLogs, GrowLikeAFileWrittenAtOnce) {
  EventLog log;
  log.open(path(), 10);
  log.follow(kStart);
  log.write(Json::parse(kFirst));
  log.write(Json::parse(kSecond));
  log.write({{"kind", "update"}, {"update", 2}, {"loss", NAN}, {"seconds", 1.0}});
  EXPECT_EQ(content(), event_file(std::string(kStart) + kFirst + kSecond, started()));
  EXPECT_NEAR(started(), static_cast<double>(std::time(nullptr)) - 10, 60);
}

TEST_F(EventLogs, FollowALogThatWasTruncated) {
  const std::string both = std::string(kStart) + kFirst + kSecond, one = std::string(kStart) + kFirst;
  write_file_atomically(path(), event_file(both, 1234.5) + "torn");
  EventLog log;
  log.open(path(), 10);
  log.follow(one);
  EXPECT_EQ(content(), event_file(one, 1234.5));  // the run keeps its start
  log.write(Json::parse(kSecond));
  EXPECT_EQ(content(), event_file(both, 1234.5));
  log.follow(one);
  EXPECT_EQ(content(), event_file(one, 1234.5));
}

TEST_F(EventLogs, ShrinkWithTheLog) {
  RunLog log;
  const std::string metrics = directory_.file("metrics.jsonl");
  log.open(metrics, directory_.file("samples.jsonl"), {});
  log.open_events(path(), 0);
  log.write_line(Json::parse(kFirst));
  const RunLog::Position checkpoint = log.position();
  log.write_line(Json::parse(kSecond));
  EXPECT_EQ(content(), event_file(read_file(metrics), started()));
  log.truncate(checkpoint);
  EXPECT_EQ(content(), event_file(kFirst, started()));
}

TEST_F(EventLogs, ReplaceWhatIsNotAnEventFile) {
  for (const std::string& before : {std::string("short"), std::string(500, 'x')}) {
    write_file_atomically(path(), before);
    EventLog log;
    log.open(path(), 0);
    log.follow(kFirst);
    EXPECT_EQ(content(), event_file(kFirst, started()));
    EXPECT_GT(started(), 1e9);
  }
}

}  // namespace
}  // namespace heed::train
