#include "propose/prompts/data.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

TEST(Quoted, NothingInsideClosesTheQuotesOrALine) {
  EXPECT_EQ(quoted("a \"b\"\n```c", 100), "\"a 'b' '''c\"");
  EXPECT_EQ(quoted("", 100), "\"\"");
  EXPECT_LE(quoted(std::string(1000, 'x'), 100).size(), 102U);
}

TEST(Quoted, WhatAReaderWouldNotSeeIsWrittenOut) {
  EXPECT_EQ(quoted("a\033[8mb\U000E0041\r", 100), "\"a\\x1b[8mb\\U000e0041\\x0d\"");
}

RC_GTEST_PROP(Quoted, IsOneLineBetweenItsOwnQuotes, (std::string text, unsigned char limit)) {
  const std::string line = quoted(text, limit);
  RC_ASSERT(line.size() <= limit + 2u);
  RC_ASSERT(line.find('\n') == std::string::npos && line.find('`') == std::string::npos);
  RC_ASSERT(line.find('"') == 0u && line.find('"', 1) == line.size() - 1);
}

TEST(Fenced, NothingInsideClosesTheFence) {
  EXPECT_EQ(fenced("python", "a\n````\n", 100), "`````python\na\n````\n`````\n");
}

TEST(Fenced, WhatAReaderWouldNotSeeIsWrittenOut) {
  EXPECT_EQ(fenced("", "a\u202Eb\n\tc\n", 100), "```\na\\u202eb\n\tc\n```\n");
}

TEST(Fenced, IsCutAndSaysSo) {
  const std::string text = fenced("", std::string(5000, '\n') + "last\n", 200);
  EXPECT_LE(text.size(), 208U);
  EXPECT_NE(text.find("bytes left out ...]\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("last\n```\n"));
}

}  // namespace
}  // namespace cupel::propose
