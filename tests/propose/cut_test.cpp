#include "propose/cut.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

TEST(Cut, ShortTextsStayAsTheyAre) {
  EXPECT_EQ(cut_middle("abc\ndef\n", 8), "abc\ndef\n");
}

TEST(Cut, SaysWhatIsLeftOut) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line " + std::to_string(i) + "\n";
  const std::string middle = cut_middle(lines, 200);
  EXPECT_TRUE(middle.starts_with("line 0\nline 1\n")) << middle;
  EXPECT_TRUE(middle.ends_with("line 98\nline 99\n")) << middle;
  EXPECT_NE(middle.find("bytes left out ...]\n"), std::string::npos);
}

RC_GTEST_PROP(Cut, StaysWithinTheLimit, (std::string text, unsigned char limit)) {
  const std::size_t room = 64 + limit;  // the note itself takes some
  RC_ASSERT(cut_middle(text, room).size() <= room);
}

}  // namespace
}  // namespace cupel::propose
