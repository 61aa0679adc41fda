#include "translate/attached_marks.h"

#include <gtest/gtest.h>

#include "translate/marked_patterns.h"

namespace heed::translate {
namespace {

using testing::parse_marks;
using testing::show_marks;

std::string taken_out(std::string_view pattern) {
  return show_marks(AttachedMarks(parse_marks(pattern)).text());
}

TEST(AttachedMarks, TakesReferencesOutOfAText) {
  EXPECT_EQ(taken_out("man[1] sees a dog.[[12]] Yes[*][†]."), "man0[] sees a dog.1[] Yes3[]4[].");
  EXPECT_EQ(taken_out("v[1.2] now"), "v0[] now");
  EXPECT_EQ(taken_out("[the man{®}] sees[(a)]"), "0[the man1[]] sees2[]");
}

TEST(AttachedMarks, LeavesEverythingElse) {
  for (const char* pattern : {"see [1] now", "H[2]O", "apple[s] fall", "3.[5] kg", "$[5] each", "([1])", "[1] man",
                              "a[ 1]", "[a] b|[c] 5", "man|", "1990[–1995 and on]"})
    EXPECT_EQ(AttachedMarks(parse_marks(pattern)).text(), parse_marks(pattern)) << pattern;
}

TEST(AttachedMarks, AreRestored) {
  for (const char* pattern :
       {"man[1] sees a dog.[[12]] Yes[*][†].", "[the man{®}] sees[(a)]", "a[b|]", "x[1][|2] [y]"}) {
    const text::MarkedText source = parse_marks(pattern);
    const AttachedMarks marks(source);
    EXPECT_EQ(marks.restored(marks.text()), source) << pattern;
  }
  // In another order, and within a mark that has to grow.
  const AttachedMarks marks(parse_marks("a[1] [b[2] c]"));
  text::MarkedText translation{.text = "B C A", .marks = {{{0, 3}, 1, -1}, {{1, 1}, 2, 0}, {{5, 5}, 0, -1}}};
  EXPECT_EQ(show_marks(marks.restored(translation)), "1[B2[2] C] A0[1]");
}

TEST(InsertAtMarks, MovesWhatFollows) {
  text::MarkedText marked = parse_marks("[a]|b [c|] d");
  insert_at_marks(marked, [](const text::Mark& mark, char32_t before, char32_t after) {
    return mark.id == 1 ? MarkInsertion{std::u32string(1, before), U"x", std::u32string(1, after)}
                        : MarkInsertion{.inside = U"y"};
  });
  EXPECT_EQ(show_marks(marked), "0[a]a1[x]bb 2[c3[y]] d");
}

}  // namespace
}  // namespace heed::translate
