#include "base/words.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

TEST(Words, AreFoundWhole) {
  const std::string_view text = "rows = row + ROW * row_2 + row";
  EXPECT_EQ(find_word(text, "row"), 7U);
  EXPECT_EQ(find_word(text, "row", 8), text.size() - 3);
  EXPECT_EQ(find_word(text, "row_2"), 19U);
  EXPECT_EQ(find_word(text, "ro"), text.npos);
  EXPECT_EQ(find_word("", "row"), text.npos);
}

TEST(Words, AreOfAsciiAlone) {
  EXPECT_TRUE(is_word_char('_') && is_word_char('7') && is_word_char('Q'));
  EXPECT_FALSE(is_word_char('-') || is_word_char('\xE9') || is_word_char('\0'));
}

}  // namespace
}  // namespace cupel
