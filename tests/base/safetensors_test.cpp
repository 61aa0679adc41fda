#include "base/safetensors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "base/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// A file with this header and data, and the length field that fits.
std::string make(std::string_view header, std::string_view data = "") {
  const std::uint64_t size = header.size();
  std::string file(sizeof size, '\0');
  std::memcpy(file.data(), &size, sizeof size);
  return file.append(header).append(data);
}

// A file with one tensor of four bytes.
std::string with_tensor(std::string_view description) {
  return make(fmt::format(R"({{"w":{}}})", description), "abcd");
}

std::string error_of(std::string_view file, bool verify_checksum = false) {
  try {
    Safetensors read(bytes_of(file), "m.st", {.verify_checksum = verify_checksum});
    return "no error";
  } catch (const InputError& error) {
    return error.what();
  }
}

#define EXPECT_ERROR(file, part)                                                                  \
  do {                                                                                            \
    const std::string sentence = error_of(file);                                                  \
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;                                \
    EXPECT_NE(sentence.find("'m.st'"), std::string::npos) << "the path is missing: " << sentence; \
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;                                \
  } while (false)

class SafetensorsFiles : public ::testing::Test {
 protected:
  SafetensorsFiles() {
    std::string pattern = (fs::temp_directory_path() / "heed-safetensors-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~SafetensorsFiles() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

struct Sample {
  std::vector<float> weights = {1.5F, -2.25F, 0.0F, 3e38F, 1e-40F, -0.0F};
  std::vector<std::int64_t> ids = {0, -1, std::numeric_limits<std::int64_t>::max()};
  std::vector<std::uint8_t> flags = {1, 0, 1};
  double loss = 0.1;
  Metadata metadata = {{"heed.format", "1"}, {"words", "a\nb\t\"c\"\\ é 𝄞 \x01"}, {"empty", ""}};

  // The flags have an odd number of bytes, so that what follows is not aligned.
  std::vector<StoredTensor> tensors() const {
    return {{.name = "flags", .type = StoredType::boolean, .shape = {3}, .data = std::as_bytes(std::span(flags))},
            {.name = "encoder.weight", .shape = {2, 3}, .data = std::as_bytes(std::span(weights))},
            {.name = "nothing", .type = StoredType::f16, .shape = {0, 7}, .data = {}},
            {.name = "ids", .type = StoredType::i64, .shape = {3}, .data = std::as_bytes(std::span(ids))},
            {.name = "löss", .type = StoredType::f64, .shape = {}, .data = std::as_bytes(std::span(&loss, 1))}};
  }
};

TEST_F(SafetensorsFiles, ReadsWhatWasWritten) {
  const Sample sample;
  write_safetensors(path("m"), sample.metadata, sample.tensors());
  // Moved once: the views must survive it.
  Safetensors first(path("m"), {.verify_checksum = true});
  const Safetensors file = std::move(first);

  ASSERT_EQ(file.metadata().size(), 4U);
  EXPECT_EQ(file.metadata()[0].first, kChecksumKey);
  EXPECT_EQ(Metadata(file.metadata().begin() + 1, file.metadata().end()), sample.metadata);
  ASSERT_NE(file.find_metadata("heed.format"), nullptr);
  EXPECT_EQ(*file.find_metadata("heed.format"), "1");
  EXPECT_EQ(file.find_metadata("other"), nullptr);

  const auto written = sample.tensors();
  ASSERT_EQ(file.tensors().size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(file.tensors()[i].name, written[i].name);
    EXPECT_EQ(file.tensors()[i].type, written[i].type);
    EXPECT_EQ(file.tensors()[i].shape, written[i].shape);
    EXPECT_EQ(file.tensors()[i].elements(), written[i].elements());
    EXPECT_EQ(file.tensors()[i].file, path("m"));
  }
  const auto weights = file.tensor("encoder.weight").values<float>();
  ASSERT_EQ(weights.size(), sample.weights.size());
  EXPECT_EQ(std::memcmp(weights.data(), sample.weights.data(), 4 * weights.size()), 0);
  EXPECT_EQ(file.tensor("ids").values<std::int64_t>(), sample.ids);
  EXPECT_EQ(file.tensor("löss").values<double>(), std::vector{sample.loss});
  EXPECT_EQ(file.tensor("nothing").elements(), 0);
  std::vector<float> none;
  file.tensor("nothing").convert_to(none);
  EXPECT_EQ(file.find("weights"), nullptr);
  EXPECT_THROW(file.tensor("weights"), InputError);
}

TEST_F(SafetensorsFiles, WritesTheSameBytesForTheSameContent) {
  const Sample sample;
  write_safetensors(path("a"), sample.metadata, sample.tensors());
  write_safetensors(path("b"), Safetensors(path("a")).metadata(), Safetensors(path("a")).tensors());
  const std::string bytes = read_file(path("a"));
  EXPECT_EQ(bytes, read_file(path("b"))) << "read and written back";
  EXPECT_EQ(bytes.substr(8, 34), R"({"__metadata__":{"heed.checksum":")");
}

TEST_F(SafetensorsFiles, AlignsTheData) {
  for (std::size_t length = 0; length < 64; length += 9) {
    write_safetensors(path("m"), {{"a", std::string(length, 'x')}}, Sample().tensors());
    std::uint64_t header = 0;
    std::memcpy(&header, read_file(path("m")).data(), sizeof header);
    EXPECT_EQ((8 + header) % 64, 0U) << length;
  }
}

TEST_F(SafetensorsFiles, WritesWithoutChecksumOrMetadata) {
  const Sample sample;
  write_safetensors(path("a"), {{std::string(kChecksumKey), "0123"}}, sample.tensors(), false);
  EXPECT_TRUE(Safetensors(path("a")).metadata().empty());
  EXPECT_EQ(read_file(path("a")).find("__metadata__"), std::string::npos);
  write_safetensors(path("b"), {}, {}, false);
  EXPECT_TRUE(Safetensors(path("b")).tensors().empty());
}

TEST_F(SafetensorsFiles, RefusesToWriteInvalidFiles) {
  const float number = 1;
  const auto data = std::as_bytes(std::span(&number, 1));
  const StoredTensor good{.name = "w", .shape = {1}, .data = data};
  const auto write = [&](const Metadata& metadata, std::vector<StoredTensor> tensors) {
    write_safetensors(path("m"), metadata, tensors);
  };
  EXPECT_THROW(write({}, {good, good}), ShapeError);
  EXPECT_THROW(write({{"a", ""}, {"a", ""}}, {good}), ShapeError);
  EXPECT_THROW(write({}, {{.name = "__metadata__", .shape = {1}, .data = data}}), ShapeError);
  EXPECT_THROW(write({}, {{.name = "w", .shape = {2}, .data = data}}), ShapeError);
  EXPECT_THROW(write({}, {{.name = "w", .type = StoredType::u8, .shape = {-1, 0}, .data = {}}}), ShapeError);
  EXPECT_THROW(write({}, {{.name = "w\xff", .shape = {1}, .data = data}}), InputError);
  EXPECT_THROW(write({{"a", "\x80"}}, {good}), InputError);
  EXPECT_THROW(write({{"a", std::string(100'000'001, 'x')}}, {good}), InputError);
  EXPECT_FALSE(fs::exists(path("m")));
}

TEST_F(SafetensorsFiles, FindsAnyFlippedByte) {
  const Sample sample;
  write_safetensors(path("m"), sample.metadata, sample.tensors());
  const std::string good = read_file(path("m"));
  EXPECT_EQ(error_of(good, true), "no error");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0x01, 0x20, 0xff}) {
      std::string bad = good;
      bad[i] ^= static_cast<char>(flip);
      const std::string sentence = error_of(bad, true);
      // A flipped byte in the checksum itself gives another message, but there must be one.
      const bool place = i >= 8 && i < 42;
      EXPECT_NE(sentence.find(place ? "'m.st'" : "'m.st' is damaged: its checksum is "), std::string::npos)
          << "byte " << i << ": " << sentence;
    }
  }
}

TEST_F(SafetensorsFiles, FindsAnyTruncation) {
  const Sample sample;
  write_safetensors(path("m"), sample.metadata, sample.tensors());
  const std::string good = read_file(path("m"));
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), sizeof header);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(error_of(good.substr(0, size), true), "no error") << size;
    const std::string sentence = error_of(good.substr(0, size));
    EXPECT_NE(sentence.find(size == 0 ? "empty" : "truncated"), std::string::npos) << size << ": " << sentence;
  }
  // A file that lacks data is reported as truncated even if its checksum is verified.
  EXPECT_NE(error_of(good.substr(0, good.size() - 1), true).find("truncated"), std::string::npos);
  EXPECT_NE(error_of(good + "x").find("1 bytes follow"), std::string::npos);
}

TEST_F(SafetensorsFiles, RequiresAChecksumIfVerified) {
  const Sample sample;
  write_safetensors(path("m"), sample.metadata, sample.tensors(), false);
  EXPECT_NE(error_of(read_file(path("m")), true).find("has no checksum"), std::string::npos);
  const std::string elsewhere = make(R"({"__metadata__":{"a":"b","heed.checksum":"0000000000000000"}})");
  EXPECT_EQ(error_of(elsewhere), "no error");
  EXPECT_NE(error_of(elsewhere, true).find("has no checksum where heed writes it"), std::string::npos);
}

TEST_F(SafetensorsFiles, RecognizesOtherFormats) {
  EXPECT_ERROR("", "is empty");
  EXPECT_ERROR("abc", "looks like a text file");
  EXPECT_ERROR("\1\2\3", "only 3 bytes; copy or download it again");
  EXPECT_ERROR(std::string(100, '\0'), "does not begin with '{'");
  EXPECT_ERROR("The quick brown fox jumps over the lazy dog.",
               "is not a safetensors file: it looks like a text file; a model is a .safetensors file or the directory");
  EXPECT_ERROR(std::string(4094, 'a') + " \u00e4\u00e4 and so on", "looks like a text file");
  EXPECT_ERROR(std::string("PK\3\4\0\0\0\0", 8) + std::string(40, 'x'), "PyTorch checkpoint");
  EXPECT_ERROR(std::string("\x80\x02\x8a\nl\xfc\x9c\x46\xf9\x20\x6a\xa8", 12), "safetensors.torch.save_file");
  EXPECT_ERROR("\x1f\x8b\x08 and so on", "gzip");
  EXPECT_ERROR("version https://git-lfs.github.com/spec/v1", "Git LFS");
  try {
    Safetensors file(directory_.string());
    ADD_FAILURE() << "a directory was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("directory"), std::string::npos);
  }
  EXPECT_THROW(Safetensors(path("not there")), InputError);
}

TEST(Safetensors, ReadsTheHeaderLength) {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff{}";
  EXPECT_ERROR(huge, "is not a safetensors file,");
  EXPECT_ERROR(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10), "is not a safetensors file,");
  EXPECT_ERROR(std::string("\x00\xe1\xf5\x05\0\0\0\0{}", 10), "100000000 bytes, but only 2 follow");
  EXPECT_ERROR(std::string("\x03\0\0\0\0\0\0\0{}", 10), "3 bytes, but only 2 follow");
  EXPECT_ERROR(std::string("\x01\0\0\0\0\0\0\0{}", 10), "does not begin");
  EXPECT_EQ(error_of(make("{}")), "no error");
  // 640 bytes of header: the length field begins like a pickle.
  EXPECT_EQ(error_of(make("{}" + std::string(638, ' '))), "no error");
}

TEST(Safetensors, RejectsHeadersThatAreNotOneJsonObject) {
  EXPECT_ERROR(make("[]"), "does not begin with '{'");
  EXPECT_ERROR(make(" {}"), "does not begin with '{'");
  EXPECT_ERROR(make("{}{}"), "is damaged; copy or download it again (its header: this is not valid JSON");
  EXPECT_ERROR(make("{} x"), "not valid JSON");
  EXPECT_ERROR(make("{\"w\""), "ends too early");
  EXPECT_ERROR(make(std::string("{}\0\0", 4)), "is NUL, which JSON does not allow");
  EXPECT_ERROR(make(std::string("{}\0{\"", 5)), "is NUL, which JSON does not allow");
  EXPECT_ERROR(make("{\"\xff\":1}"), "JSON");
  const std::string deep = "{\"w\":" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_ERROR(make(deep), "nested deeper");
  std::string deeper;
  for (int i = 0; i < 100'000; ++i) deeper += "{\"w\":";
  EXPECT_ERROR(make(deeper), "nested deeper");
}

TEST(Safetensors, RejectsBadMetadata) {
  EXPECT_EQ(error_of(make(R"({"__metadata__":{}})")), "no error");
  EXPECT_ERROR(make(R"({"__metadata__":[]})"), "metadata is not a JSON object");
  EXPECT_ERROR(make(R"({"__metadata__":null})"), "metadata is not a JSON object");
  EXPECT_ERROR(make(R"({"__metadata__":{"a":1}})"), "metadata 'a' is not a string");
  EXPECT_ERROR(make(R"({"__metadata__":{"a":"1","a":"2"}})"), "twice");
  EXPECT_ERROR(make(R"({"__metadata__":{},"__metadata__":{}})"), "twice");
}

TEST(Safetensors, RejectsBadTensorDescriptions) {
  EXPECT_EQ(error_of(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})")), "no error");
  EXPECT_EQ(error_of(with_tensor(R"({"data_offsets":[0,4],"dtype":"U8","shape":[2,1,2]})")), "no error");
  EXPECT_EQ(error_of(with_tensor(R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})")), "no error");
  EXPECT_ERROR(with_tensor("1"), "tensor 'w' is not described by a JSON object");
  EXPECT_ERROR(with_tensor("{}"), "must have dtype, shape and data_offsets");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"offsets":[0,4]})"), "must have");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":0})"), "nothing else");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]})"), "dtype 'F8_E4M3'");
  EXPECT_ERROR(with_tensor(R"({"dtype":"f32","shape":[1],"data_offsets":[0,4]})"), "dtype 'f32'");
  EXPECT_ERROR(with_tensor(R"({"dtype":7,"shape":[1],"data_offsets":[0,4]})"), "dtype that is not a string");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":1,"data_offsets":[0,4]})"), "not a list");
  for (const char* size :
       {"-1", "1.0", "1e0", "\"1\"", "null", "[1]", "true", "9223372036854775808", "99999999999999999999999", "-0"})
    EXPECT_ERROR(with_tensor(fmt::format(R"({{"dtype":"F32","shape":[{}],"data_offsets":[0,4]}})", size)), "integers");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4.0]})"), "integers");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), "begin and an end");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})"), "begin and an end");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})"), "begin and an end");
  const std::string one = R"("w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_ERROR(make("{" + one + "," + one + "}"), "'w' occurs twice");
  EXPECT_ERROR(make("{\"a\\n\\u001b[31m\":1}"), "tensor 'a␊␛[31m'");
  EXPECT_ERROR(make("{\"" + std::string(5000, 'a') + "\":1}"), "aaa…'");
}

TEST(Safetensors, RejectsShapesThatDoNotFitTheBytes) {
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"),
               "takes 8 bytes, but its data_offsets cover 4");
  EXPECT_ERROR(with_tensor(R"({"dtype":"U8","shape":[3],"data_offsets":[0,4]})"),
               "takes 3 bytes, but its data_offsets cover 4");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,4]})"),
               "[1152921504606846976] and type F32, which takes 4611686018427387904 bytes");
  // 2^32 * 2^32 elements: the product wraps around to 0.
  EXPECT_ERROR(with_tensor(R"({"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]})"),
               "does not fit into memory");
  EXPECT_ERROR(with_tensor(R"({"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]})"),
               "does not fit into memory");
  EXPECT_ERROR(with_tensor(R"({"dtype":"U8","shape":[1152921504606846976],"data_offsets":[0,1152921504606846976]})"),
               "truncated: its tensors take 1152921504606846976 bytes, but it has only 4 of them");
}

TEST(Safetensors, RejectsOverlapsAndGaps) {
  const auto two = [](int from, int to, std::string_view data) {
    return make(fmt::format(R"({{"a":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}},)"
                            R"("b":{{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}}})",
                            to - from, from, to),
                data);
  };
  EXPECT_EQ(error_of(two(2, 4, "abcd")), "no error") << "the header's order need not be the data's";
  EXPECT_EQ(error_of(two(2, 2, "ab")), "no error");
  EXPECT_EQ(error_of(two(0, 0, "ab")), "no error");
  EXPECT_ERROR(two(1, 4, "abcd"), "tensor 'a' overlaps");
  EXPECT_ERROR(two(0, 2, "ab"), "overlaps");
  EXPECT_ERROR(two(1, 1, "ab"), "overlaps");
  EXPECT_ERROR(two(3, 4, "abcd"), "tensor 'a' leaves a gap before it");
  EXPECT_ERROR(two(2, 4, "abc"), "truncated");
  EXPECT_ERROR(two(2, 4, "abcde"), "1 bytes follow");
}

StoredTensor stored(StoredType type, std::string_view data) {
  const auto bytes = bytes_of(data);
  return {.name = "w",
          .type = type,
          .shape = {static_cast<Index>(bytes.size() / size_of(type))},
          .data = bytes,
          .file = "m.st"};
}

TEST(StoredTensor, ConvertsHalfPrecision) {
  // 1, -2, the largest, the smallest subnormal, the largest subnormal, -0, infinity, NaN
  const std::uint16_t f16[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x8000, 0x7c00, 0x7e00};
  std::string text(reinterpret_cast<const char*>(f16), sizeof f16);
  float values[8];
  stored(StoredType::f16, text).convert_to(values);
  const float expected[] = {1, -2, 65504, 0x1p-24F, 0x3ffp-24F, -0.0F, INFINITY};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(values[i], expected[i]) << i;
  EXPECT_TRUE(std::signbit(values[5]));
  EXPECT_TRUE(std::isnan(values[7]));

  const std::uint16_t bf16[] = {0x3f80, 0xc049};
  text.assign(reinterpret_cast<const char*>(bf16), sizeof bf16);
  stored(StoredType::bf16, text).convert_to(std::span(values, 2));
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[1], -3.140625F);

  const double f64[] = {0.1, -1e300};
  text.assign(reinterpret_cast<const char*>(f64), sizeof f64);
  stored(StoredType::f64, text).convert_to(std::span(values, 2));
  EXPECT_EQ(values[0], 0.1F);
  EXPECT_EQ(values[1], -INFINITY);
}

TEST(StoredTensor, RejectsOtherTypesAndSizes) {
  const StoredTensor ints = stored(StoredType::i32, "abcdefgh");
  float two[2];
  EXPECT_THROW(ints.copy_to(std::span<float>(two)), InputError);
  EXPECT_THROW(ints.convert_to(two), InputError);
  EXPECT_THROW(ints.values<std::int64_t>(), InputError);
  const StoredTensor floats = stored(StoredType::f32, "abcdefgh");
  EXPECT_THROW(floats.copy_to(std::span<float>(two, 1)), ShapeError);
  EXPECT_THROW(floats.convert_to(std::span<float>(two, 1)), ShapeError);
  EXPECT_THROW(stored(StoredType::f16, "ab").convert_to(two), ShapeError);
  const Index right[] = {2};
  const Index wrong[] = {1, 2};
  EXPECT_NO_THROW(floats.expect_shape(right));
  try {
    floats.expect_shape(wrong);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'m.st': the tensor 'w' has shape [2], expected [1,2]");
  }
}

TEST(FindNonFinite, NamesTensorAndIndex) {
  const std::vector<float> clean = {1, -3e38F, 1e-45F};
  const std::vector<float> infinite = {0, 1, -INFINITY, NAN};
  const std::vector<double> nan = {0, std::nan("")};
  const std::vector<std::uint16_t> half = {0x7bff, 0x7c00};
  const std::vector<std::uint16_t> brain = {0x7f7f, 0x7fc0};
  const std::vector<std::int32_t> ints = {-1, 0x7f800000};
  const auto text = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
  };
  EXPECT_FALSE(find_non_finite(stored(StoredType::f32, text(clean))));
  EXPECT_FALSE(find_non_finite(stored(StoredType::i32, text(ints))));
  EXPECT_EQ(find_non_finite(stored(StoredType::f64, text(nan)))->index, 1);
  EXPECT_EQ(find_non_finite(stored(StoredType::f16, text(half)))->index, 1);
  EXPECT_EQ(find_non_finite(stored(StoredType::bf16, text(brain)))->index, 1);
  std::vector tensors = {stored(StoredType::f32, text(clean)), stored(StoredType::f32, text(infinite))};
  tensors[1].name = "bad";
  const auto found = find_non_finite(tensors);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tensor, "bad");
  EXPECT_EQ(found->index, 2);
  EXPECT_EQ(found->value, -INFINITY);
}

// The seeds of the fuzz target are read or rejected with a message.
TEST(Safetensors, ReadsOrRejectsEverySeedOfTheFuzzTarget) {
  const std::set<std::string> good = {"all_types", "empty_object", "escapes",   "f32",      "heed_sample",
                                      "metadata",  "padded",       "reordered", "unaligned"};
  std::size_t read = 0;
  for (const auto& entry : fs::directory_iterator("tests/fuzz/corpus/safetensors")) {
    const std::string name = entry.path().filename();
    const std::string sentence = error_of(read_file(entry.path()));
    EXPECT_EQ(sentence == "no error", good.contains(name)) << name << ": " << sentence;
    read += good.contains(name) ? 1 : 0;
  }
  EXPECT_EQ(read, good.size());
}

// safetensors_python_test.py runs this test with HEED_SAMPLE set and reads the file without heed.
TEST_F(SafetensorsFiles, WritesTheSampleForPython) {
  const char* chosen = std::getenv("HEED_SAMPLE");
  const std::string sample_path = chosen != nullptr ? chosen : path("sample");
  const Sample sample;
  write_safetensors(sample_path, sample.metadata, sample.tensors());
  EXPECT_EQ(Safetensors(sample_path).tensors().size(), 5U);
}

// Files that PyTorch wrote.
TEST(Safetensors, ReadsTheSharedGoldenFiles) {
  const char* shared = std::getenv("HEED_SHARED");
  const fs::path folder = fs::path(shared != nullptr ? shared : "../shared") / "parity";
  if (!fs::exists(folder)) GTEST_SKIP() << "no golden files at " << folder;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const Safetensors file(entry.path().string());
    ++files;
    EXPECT_NE(file.find_metadata("system"), nullptr) << entry.path();
    EXPECT_EQ(file.tensor("loss").values<float>().size(), 1U);
    EXPECT_FALSE(file.tensor("src/0").values<std::int64_t>().empty());
    EXPECT_FALSE(find_non_finite(file.tensors()));
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace heed
