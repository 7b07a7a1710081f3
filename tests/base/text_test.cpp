#include "base/text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cupel
