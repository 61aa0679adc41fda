#include "text/protected_spans.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace heed::text {
namespace {

// "number:12 url:www.example.org"
std::string found_in(const std::string& text) {
  const std::u32string characters = decode_utf8(text);
  std::string all;
  for (const ProtectedSpan& found : find_protected_spans(characters)) {
    if (!all.empty()) all += " | ";
    all += std::string(name_of(found.kind)) + ":" +
           encode_utf8(std::u32string_view(characters).substr(found.span.from, found.span.to - found.span.from));
  }
  return all;
}

struct Case {
  const char* text;
  const char* found;
};

class ProtectedSpans : public ::testing::TestWithParam<Case> {};

TEST_P(ProtectedSpans, AreFound) {
  EXPECT_EQ(found_in(GetParam().text), GetParam().found) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Addresses, ProtectedSpans,
    ::testing::Values(Case{"See https://example.org/a?b=1&c=%20#top.", "url:https://example.org/a?b=1&c=%20#top"},
                      Case{"(http://example.org/a_(b))", "url:http://example.org/a_(b)"},
                      Case{"Visit www.example.de, now", "url:www.example.de"},
                      Case{"file:///etc/hosts", "url:file:///etc/hosts"},
                      Case{"on example.com/help!", "url:example.com/help"},
                      Case{"mailto:me@example.org?", "url:mailto:me@example.org"},
                      Case{"请访问https://example.com/路。", "url:https://example.com/"},
                      Case{"Mail first.last+tag@mail.example.co.uk.", "email:first.last+tag@mail.example.co.uk"},
                      Case{"me@home", ""}, Case{"@name and a@b", ""}, Case{"http: and https://", ""},
                      Case{"I am here.Com on", ""}, Case{"wwwhat", ""}));

INSTANTIATE_TEST_SUITE_P(Paths, ProtectedSpans,
                         ::testing::Values(Case{"in /usr/share/doc and ~/notes", "path:/usr/share/doc | path:~/notes"},
                                           Case{"run ./a.out or ../b.", "path:./a.out | path:../b"},
                                           Case{R"(C:\Users\me\x.txt or \\server\share)",
                                                R"(path:C:\Users\me\x.txt | path:\\server\share)"},
                                           Case{R"(%APPDATA%\LibreOffice\4)", R"(path:%APPDATA%\LibreOffice\4)"},
                                           Case{"Open src/main.cpp, readme.md and *.ODT.",
                                                "path:src/main.cpp | path:readme.md | path:*.ODT"},
                                           Case{"and/or, he/she, km/h, Mr.C, j.c., m.h", ""}, Case{"a / b // c", ""},
                                           Case{"Größe.txt", "path:Größe.txt"}, Case{"We went home.So did they", ""}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, ProtectedSpans,
    ::testing::Values(
        Case{"In 1999, 3.5 or 1,000,000.", "number:1999 | number:3.5 | number:1,000,000"},
        Case{"-5 +3 −2 (7)", "number:-5 | number:+3 | number:−2 | number:7"}, Case{"10-20", "number:10 | number:20"},
        Case{"1/2 and 1.2.3", "number:1/2 | number:1.2.3"}, Case{"1\u202F000\u00A0000", "number:1\u202F000\u00A0000"},
        Case{"1st 2nd 3D B2B H2O A4 v1.2 mp3 x_1 80s", ""}, Case{"am 5. Mai", "number:5"},
        Case{"价格是5元", "number:5"}, Case{"٣٫٥ and १२", "number:٣ | number:٥ | number:१२"},
        Case{"May 5th, 2024 or the first of May", "number:2024"},
        Case{"2024-12-31 31.12.2024 12/31/2024", "date:2024-12-31 | date:31.12.2024 | date:12/31/2024"},
        Case{"at 10:30 or 23:59:59.5", "date:10:30 | date:23:59:59.5"},
        Case{"2024-12-31T10:30:00Z, 2024-12-31T10:30+01:00", "date:2024-12-31T10:30:00Z | date:2024-12-31T10:30+01:00"},
        Case{"3.5 kg, 20% or 5 °C", "quantity:3.5 kg | quantity:20% | quantity:5 °C"},
        Case{"100km/h and 10\u00A0m²", "quantity:100km/h | quantity:10\u00A0m²"},
        Case{"$5, €3.20 and 7 €", "quantity:$5 | quantity:€3.20 | quantity:7 €"}, Case{"♪ la ♪♪", "emoji:♪ | emoji:♪♪"},
        Case{"Version\u00A01.2, v1.2, May\u202F2002", "number:1.2 | number:2002"},
        Case{"5 men, 5 m, 5 s", "number:5 | quantity:5 m | quantity:5 s"}, Case{"100%.", "quantity:100%"}));

INSTANTIATE_TEST_SUITE_P(
    Code, ProtectedSpans,
    ::testing::Values(Case{"Use `a b` and ``c ` d``.", "code:`a b` | code:``c ` d``"}, Case{"a ` b", ""},
                      Case{"`` a `b`", "code:`b`"}, Case{"````a````", ""},
                      Case{"<b>bold</b> <x id=\"1\"/> <br>", "tag:<b> | tag:</b> | tag:<x id=\"1\"/> | tag:<br>"},
                      Case{"a < b and c > d, <3, <-", "number:3"}, Case{"<a <b>", "tag:<b>"}, Case{"<a", ""}));

INSTANTIATE_TEST_SUITE_P(
    Placeholders, ProtectedSpans,
    ::testing::Values(
        Case{"Hi {name}, {0} {user.id} {} {n:>5} {x!r}",
             "placeholder:{name} | placeholder:{0} | placeholder:{user.id} | placeholder:{} | placeholder:{n:>5} | "
             "placeholder:{x!r}"},
        Case{"{{x}} {{ a b }} {% if y %}", "placeholder:{{x}} | placeholder:{{ a b }} | placeholder:{% if y %}"},
        Case{"{n, plural, one {# file} other {# files}}", "placeholder:{n, plural, one {# file} other {# files}}"},
        Case{"{when, date, short} {a, b} {a set}", "placeholder:{when, date, short}"}, Case{"{a", ""},
        Case{"a} {b", ""}, Case{"{{}} {{{x}}}", "placeholder:{} | placeholder:{{x}}"},
        Case{"%s %d %1$d %-5.2f %ld %(name)s %{x} %% %1",
             "placeholder:%s | placeholder:%d | placeholder:%1$d | placeholder:%-5.2f | placeholder:%ld | "
             "placeholder:%(name)s | placeholder:%{x} | placeholder:%% | placeholder:%1"},
        Case{"50 % sure, 50% discount, % d, %discount", "quantity:50 % | quantity:50%"},
        Case{"100%% of %s, -5%%, 3.5%% %%",
             "placeholder:100%% | placeholder:%s | placeholder:-5%% | "
             "placeholder:3.5%% | placeholder:%%"},
        Case{"%d%s %d%% 3%s 100%ige 5%-7%",
             "placeholder:%d | placeholder:%s | placeholder:%d | placeholder:%% | "
             "number:3 | placeholder:%s | number:100 | quantity:5% | quantity:-7%"},
        Case{"%1bold%2, a%20b %-, %+", "placeholder:%1 | placeholder:%2"},
        Case{"%PRODUCTNAME and $(ARG1)", "placeholder:%PRODUCTNAME | placeholder:$(ARG1)"},
        Case{"${x} #{y} $x $( )", "placeholder:${x} | placeholder:#{y}"}, Case{"it &apos;s &quot;x&quot;", ""}));

INSTANTIATE_TEST_SUITE_P(Emoji, ProtectedSpans,
                         ::testing::Values(Case{"Yes 😀!", "emoji:😀"},
                                           Case{"a👍🏽b ❤️ 👩‍💻🎉",
                                                "emoji:👍🏽 | emoji:❤️ | emoji:👩‍💻🎉"},
                                           Case{"🇩🇪 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
                                                "emoji:🇩🇪 | emoji:1️⃣ | emoji:🏴󠁧󠁢󠁥󠁮󠁧󠁿"},
                                           Case{"© ™ → ♥ 日本", ""}));

TEST(ProtectedSpans, AreInOrderAndTakeLinearTime) {
  const std::u32string parts[] = {U"{",  U"}", U"`",  U"``", U"<a ", U">", U"%", U"${", U"$(", U"1",   U",1", U"’1",
                                  U"-1", U"@", U"a.", U"/",  U"://", U"&", U"😀", U" ",  U"x",  U"{a:", U"\\", U"+"};
  std::mt19937 random(5);
  for (int trial = 0; trial < 500; ++trial) {
    std::u32string text;
    for (unsigned n = random() % 40; n > 0; --n) text += parts[random() % std::size(parts)];
    std::uint32_t end = 0;
    for (const ProtectedSpan& found : find_protected_spans(text)) {
      ASSERT_LE(end, found.span.from);
      ASSERT_LT(found.span.from, found.span.to);
      end = found.span.to;
    }
    ASSERT_LE(end, text.size());
  }
  // One part over and over, alone and behind another: quadratic time would take minutes.
  const auto start = std::chrono::steady_clock::now();
  for (const std::u32string& part : parts) {
    for (const char32_t* const other : {U"", U"{a:", U"1", U"x"}) {
      std::u32string text;
      while (text.size() < 100'000) text += part + std::u32string(other);
      find_protected_spans(text += U"x");
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(ProtectedSpans, AreTheSameNumberInAnotherSpelling) {
  EXPECT_EQ(numeric_key(U"1,000 kg"), numeric_key(U"1.000\u00A0kg"));
  EXPECT_EQ(numeric_key(U"$5"), numeric_key(U"5 $"));
  EXPECT_EQ(numeric_key(U"−5"), numeric_key(U"-5"));
  EXPECT_EQ(numeric_key(U"10:30"), numeric_key(U"10.30"));
  EXPECT_EQ(numeric_key(U"٣"), numeric_key(U"3"));
  EXPECT_NE(numeric_key(U"5 kg"), numeric_key(U"5 g"));
  EXPECT_NE(numeric_key(U"5"), numeric_key(U"-5"));
  EXPECT_NE(numeric_key(U"12"), numeric_key(U"21"));
}

}  // namespace
}  // namespace heed::text
