// Character encodings and compression of text files.
#include "base/encoding.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/byte_source.h"
#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "support/compressed.h"
#include "support/files.h"

namespace heed {
namespace {

using namespace std::string_literals;
using testing::gzip, testing::xz, testing::zstd;
using Lines = std::vector<std::string>;

std::string utf16(std::u16string_view text, bool big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    (bytes += big ? high : low) += big ? low : high;
  }
  return bytes;
}

std::string decoded(Encoding encoding, std::string_view bytes, std::size_t step = 1000) {
  Decoder decoder(encoding);
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += step) decoder.decode(bytes.substr(at, step), false, text);
  decoder.decode("", true, text);
  return text;
}

class Encodings : public ::testing::Test {
 protected:
  std::string put(const std::string& bytes) {
    const std::string path = directory_.file("text");
    write_file_atomically(path, bytes);
    return path;
  }
  Lines lines_of(const std::string& bytes, Encoding encoding = Encoding::detect) {
    LineReader reader(put(bytes), encoding);
    Lines lines;
    for (std::string line; reader.next(line);) lines.push_back(line);
    note_ = reader.note();
    return lines;
  }
  std::string refusal_of(const std::string& bytes) {
    try {
      lines_of(bytes);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  testing::TemporaryDirectory directory_;
  std::string note_;
};

TEST(Decoder, converts_whatever_the_parts) {
  const std::u16string text = u"\uFEFFa\u00E4\u20AC\U0001F600\n";
  for (const std::size_t step : {1, 2, 3, 5, 1000}) {
    EXPECT_EQ(decoded(Encoding::utf16, utf16(text, false), step), "aä€😀\n");
    EXPECT_EQ(decoded(Encoding::utf16, utf16(text, true), step), "aä€😀\n");
    EXPECT_EQ(decoded(Encoding::utf16be, utf16(text.substr(1), true), step), "aä€😀\n");
    EXPECT_EQ(decoded(Encoding::cp1252, "\x80 \xE4\xDF \x93z\x94", step), "€ äß “z”");
    EXPECT_EQ(decoded(Encoding::utf8, "aä", step), "aä");
  }
}

TEST(Decoder, marks_what_has_no_meaning_as_invalid) {
  for (const auto& [encoding, bytes] : {std::pair{Encoding::utf16le, utf16(u"a", false) + "\x00\xD8"s},
                                        {Encoding::utf16le, utf16(u"a", false) + "b"},
                                        {Encoding::utf16be, "\xDC\x00"s},
                                        {Encoding::utf16be, "\xD8\x00\x00\x61"s},
                                        {Encoding::cp1252, "a\x81"s}})
    EXPECT_FALSE(is_valid_utf8(decoded(encoding, bytes)));
}

TEST(DetectEncoding, knows_western_text_from_other_bytes) {
  const auto is = [](std::string_view sample) {
    return enum_names(Encoding{})[static_cast<int>(detect_encoding(sample))];
  };
  EXPECT_EQ(is("Gr\xFC\xDF"
               "e aus K\xF6ln, f\xFCr dich\n"),
            "cp1252");
  EXPECT_EQ(is("it\x92s \x93good\x94 \x96 caf\xE9 d\xE9j\xE0 vu\n"), "cp1252");
  EXPECT_EQ(is("Grüße aus Köln, für dich\n"), "utf-8");
  EXPECT_EQ(is("Gr\xFC\xDF"
               "e aus K\xF6ln: Grüße\n"),
            "utf-8")
      << "some of it is valid UTF-8";
  EXPECT_EQ(is("caf\xE9\n"), "utf-8") << "too little to tell";
  EXPECT_EQ(is("b\xFF"
               "d\xC3 and \xFE here\n"),
            "utf-8");
  EXPECT_EQ(is("\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0\n"), "utf-8") << "Russian in CP1251";
  EXPECT_EQ(is("za\xBF\xF3\xB3\xE6 g\xEA\x9Cl\xB9 ja\x9F\xF1\n"), "utf-8") << "Polish in CP1250";
  EXPECT_EQ(is("P\xF8\xEDli\x9A \x9Elu\x9Dou\xE8k\xFD k\xF9\xF2\n"), "utf-8") << "Czech in CP1250";
  EXPECT_EQ(is("gr\xFC\xDF"
               "e \x01 f\xFCr\n"),
            "utf-8")
      << "a control character";
  EXPECT_EQ(is("a page with the words \xCF\xF0\xE8\xE2\xE5\xF2 and \xEC\xE8\xF0 in the middle of it"), "utf-8")
      << "a run of letters of another alphabet";
  EXPECT_EQ(is(""), "utf-8");
}

TEST(DetectEncoding, knows_utf16_with_and_without_a_mark) {
  const auto is = [](std::string_view sample) { return detect_encoding(sample); };
  for (const std::u16string_view text :
       {u"Gr\u00FC\u00DFe und mehr\n", u"\u041F\u0440\u0438\u0432\u0435\u0442, \u043C\u0438\u0440\n",
        u"\u4E0A\u6D77\u662F\u4E2D\u56FD\u7684\u57CE\u5E02\n\u4F60\u597D\n"}) {
    EXPECT_EQ(is(utf16(text, false)), Encoding::utf16le);
    EXPECT_EQ(is(utf16(text, true)), Encoding::utf16be);
    EXPECT_EQ(is("\xFF\xFE" + utf16(text, false)), Encoding::utf16le);
    EXPECT_EQ(is("\xFE\xFF" + utf16(text, true)), Encoding::utf16be);
  }
  EXPECT_EQ(is("a\0b"s), Encoding::utf8);
  EXPECT_EQ(is("zero \0 in here, and \0 there\n"s), Encoding::utf8);
  EXPECT_EQ(is("\xFF\xFE\x00\xDC\x41\x41"s), Encoding::utf8) << "half of a pair of surrogates";
}

TEST(DetectEncoding, takes_ascii_with_a_zero_after_a_line_feed_for_utf8) {
  EXPECT_EQ(detect_encoding("We see a dog.\r\n\0\xFF abc\nHere.."s), Encoding::utf8);
  EXPECT_EQ(detect_encoding("We see a dog. The cats\0\n will drink the milk"s), Encoding::utf8);
}

TEST_F(Encodings, text_that_began_as_ascii_is_not_utf16) {
  std::string bytes;
  while (bytes.size() < (std::size_t{2} << 20)) bytes += "0123456789abcde\n";
  const std::size_t lines = bytes.size() / 16;
  for (int i = 0; i < 1000; ++i) bytes += utf16(u"Gr\u00FC\u00DFe und mehr\n", false);
  LineReader reader(put(bytes));
  std::string line;
  for (std::size_t i = 0; i < lines; ++i) ASSERT_TRUE(reader.next(line) && line == "0123456789abcde");
  while (reader.next(line)) EXPECT_NE(line, "Grüße und mehr");
  EXPECT_EQ(reader.note(), "");
}

TEST_F(Encodings, the_same_lines_in_every_encoding_and_compression) {
  const std::string text = "Grüße\n\nfür dich, déjà vu\nEnde";
  const Lines expected = {"Grüße", "", "für dich, déjà vu", "Ende"};
  const std::u16string wide = u"Gr\u00FC\u00DFe\n\nf\u00FCr dich, d\u00E9j\u00E0 vu\nEnde";
  const std::string narrow =
      "Gr\xFC\xDF"
      "e\n\nf\xFCr dich, d\xE9j\xE0 vu\nEnde";
  for (const std::string& bytes : {text, "\xEF\xBB\xBF" + text, utf16(wide, false), utf16(wide, true),
                                   "\xFF\xFE" + utf16(wide, false), "\xFE\xFF" + utf16(wide, true), narrow})
    for (const std::string& packed :
         {bytes, gzip(bytes), zstd(bytes), xz(bytes), gzip(bytes.substr(0, 9)) + gzip(bytes.substr(9)),
          zstd(bytes.substr(0, 9)) + zstd(bytes.substr(9)), xz(bytes.substr(0, 9)) + xz(bytes.substr(9))}) {
      EXPECT_EQ(lines_of(packed), expected);
      EXPECT_EQ(note_.empty(), bytes.ends_with(text)) << note_;
    }
  EXPECT_EQ(lines_of(narrow, Encoding::utf8)[0],
            "Gr\xFC\xDF"
            "e")
      << "as told";
  EXPECT_EQ(lines_of("caf\xE9", Encoding::latin1), Lines{"café"});
  EXPECT_EQ(note_, "");
}

TEST_F(Encodings, text_that_is_not_ascii_may_come_late) {
  const std::string ascii(200'000, 'a');
  EXPECT_EQ(lines_of(ascii + "\nGr\xFC\xDF"
                             "e f\xFCr dich\n"),
            (Lines{ascii, "Grüße für dich"}));
  EXPECT_EQ(lines_of(ascii + "\nGrüße für dich\n"), (Lines{ascii, "Grüße für dich"}));
  EXPECT_EQ(lines_of(ascii + "\na\0b\0c\0d\0e\0f\0g\0h\0\n\0\n"s)[0], ascii) << "UTF-16 cannot begin here";
}

TEST_F(Encodings, damaged_zstd_and_xz_are_errors) {
  const std::string text(100'000, 'x');
  for (const auto& [packed, name] : {std::pair{zstd(text + "\n"), "zstd"}, {xz(text + "\n"), "xz"}}) {
    for (const std::size_t size : {packed.size() - 1, packed.size() / 2, std::size_t{7}})
      EXPECT_EQ(refusal_of(packed.substr(0, size)),
                fmt::format("'{}' is truncated: its {} data ends too early; copy or download it again",
                            directory_.file("text"), name));
    std::string wrong = packed;
    wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 0x55);
    EXPECT_NE(refusal_of(wrong), "none");
    EXPECT_EQ(refusal_of(packed + "text that follows"),
              fmt::format("'{}' is damaged: its {} data is not valid; copy or download it again",
                          directory_.file("text"), name));
  }
}

TEST_F(Encodings, a_pipe_is_read_as_utf8_unless_a_mark_says_otherwise) {
  const auto through_pipe = [](const std::string& bytes) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    LineReader reader("/dev/fd/" + std::to_string(ends[0]));
    ::close(ends[0]);
    Lines lines;
    for (std::string line; reader.next(line);) lines.push_back(line);
    return lines;
  };
  EXPECT_EQ(through_pipe("Gr\xFC\xDF"
                         "e f\xFCr dich\n"),
            Lines{"Gr\xFC\xDF"
                  "e f\xFCr dich"});
  EXPECT_EQ(through_pipe("\xFF\xFE" + utf16(u"Gr\u00FCn\n", false)), Lines{"Grün"});
  EXPECT_EQ(through_pipe("\xEF\xBB\xBFGrün\n"), Lines{"Grün"});
  EXPECT_EQ(through_pipe(xz("a\nb\n")), (Lines{"a", "b"}));
  EXPECT_EQ(through_pipe(zstd("\xEF\xBB\xBF"
                              "a\n")),
            Lines{"a"});
}

}  // namespace
}  // namespace heed
