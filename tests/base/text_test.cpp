#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel {
namespace {

constexpr std::size_t k_long = 1000;

TEST(PlainText, LeavesOrdinaryTextAlone) {
  const std::string text = "Grüße, \xE4\xB8\x96\xE7\x95\x8C:\n\t42 \xF0\x9F\x99\x82";
  EXPECT_EQ(plain_text(text, k_long), text);
}

TEST(PlainText, TakesOutWhatATerminalObeys) {
  EXPECT_EQ(plain_text("a\033[2Jb\rc\x7F\b", k_long), "a [2Jb c  ");
  EXPECT_EQ(plain_text("\xC2\x9B"
                       "31m",
                       k_long),
            " 31m");                                       // CSI in one character
  EXPECT_EQ(plain_text("x\xE2\x80\xAEy", k_long), "x y");  // right to left from here
  EXPECT_EQ(plain_text("x\xE2\x81\xA6y\xE2\x80\x8Bz", k_long), "x y z");
}

// Tags and selectors of variants spell texts that only a program reads.
TEST(PlainText, TakesOutWhatNobodySees) {
  EXPECT_EQ(plain_text("x\U000E0041\U000E0042y\uFE0Fz\u00ADw", k_long), "x  y z w");
}

TEST(VisibleText, WritesOutWhatAReaderWouldNotSee) {
  EXPECT_EQ(visible_text("a\033[2Jb\n\tc\x7F", k_long), "a\\x1b[2Jb\n\tc\\x7f");
  EXPECT_EQ(visible_text("x\u202Ey\U000E0041z\u200B", k_long), "x\\u202ey\\U000e0041z\\u200b");
  EXPECT_EQ(visible_text("a\xFF\xC2", k_long), "a\\xff\\xc2");
  EXPECT_EQ(visible_text("Grüße \xF0\x9F\x99\x82", k_long), "Grüße \xF0\x9F\x99\x82");
}

RC_GTEST_PROP(VisibleText, StaysWithinTheLimitAndShowsAllOfIt,
              (std::string text, unsigned char limit)) {
  const std::string visible = visible_text(text, limit);
  RC_ASSERT(visible.size() <= limit);
  RC_ASSERT(plain_text(visible, k_long) == visible);
}

TEST(PlainText, IsValidWhateverTheBytesAre) {
  EXPECT_EQ(plain_text("a\x9B\xFF\xC2", k_long), "a???");
  EXPECT_EQ(plain_text("\xE2\x28\xA1", k_long), "?(?");
}

TEST(PlainText, BytesThatAreNoCharacterAreFound) {
  EXPECT_EQ(invalid_utf8("a\xC3\xBC\xF0\x9F\x99\x82"), std::string_view::npos);
  EXPECT_EQ(invalid_utf8("a\xC3\xBC\xFF"), 3u);
  EXPECT_EQ(invalid_utf8("\xED\xA0\x80"), 0u);
}

TEST(PlainText, IsCutAtACharactersEnd) {
  EXPECT_EQ(plain_text("abc", 2), "ab");
  EXPECT_EQ(plain_text("a\xC3\xBC", 2), "a");
}

TEST(CutEnd, SaysThatSomethingIsLeftOut) {
  EXPECT_EQ(cut_end("abc", 3), "abc");
  EXPECT_EQ(cut_end("abcdefghij", 8), "abcd ...");
}

TEST(CutEnd, NeverInsideOfACharacter) {
  EXPECT_EQ(cut_end("\xc3\xa4\xc3\xa4\xc3\xa4", 5), " ...");  // one byte is no room for a letter
  EXPECT_EQ(cut_end("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 7), "\xc3\xa4 ...");
}

TEST(OneLine, IsOneAndPlain) {
  EXPECT_EQ(one_line("a\nb\tc", 100), "a b c");
  EXPECT_EQ(one_line("x\xE2\x80\xA8y\xFF", 100), "x y?");  // a separator of lines
}

RC_GTEST_PROP(OneLine, StaysWithinTheLimit, (std::string text, unsigned char limit)) {
  RC_ASSERT(cut_end(text, limit).size() <= limit);
  RC_ASSERT(one_line(text, limit).size() <= limit);
}

TEST(LowerCase, IsOfAsciiAlone) {
  EXPECT_EQ(lower_case("AbZ_9\xC3\x9C"), "abz_9\xC3\x9C");
}

}  // namespace
}  // namespace cupel
