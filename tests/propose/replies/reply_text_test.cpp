#include "propose/replies/reply_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

TEST(ReplyText, LineEndsMarksAndBytes) {
  EXPECT_EQ(regular_text("\xef\xbb\xbf"
                         "a\r\nb\rc\n"),
            "a\nb\nc\n");
  EXPECT_EQ(regular_text(std::string("a\0b\xff", 4)), "ab\xef\xbf\xbd");
  EXPECT_EQ(regular_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(regular_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
}

TEST(ReplyText, ThoughtsAreLeftOut) {
  EXPECT_EQ(regular_text("<think>\n```python\nx\n```\n</think>\nanswer"), "\nanswer");
  EXPECT_EQ(regular_text("a </think> b"), "a </think> b");
  EXPECT_EQ(regular_text("1. a draft\n</think>\n\nanswer"), "\n\nanswer");
  EXPECT_EQ(regular_text("say <think>\n</think>\nb"), "say <think>\n</think>\nb");
}

TEST(ReplyText, CodeBlocks) {
  const auto blocks =
      code_blocks("a\n```Python\nx = 1\n```\nb\n~~~~cpp\n```\n~~~\n~~~~\n```\nopen");
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].language, "python");
  EXPECT_EQ(blocks[0].text, "x = 1\n");
  EXPECT_TRUE(blocks[0].closed);
  EXPECT_EQ(blocks[1].language + "|" + blocks[1].text, "cpp|```\n~~~\n");
  EXPECT_EQ(blocks[2].text, "open\n");
  EXPECT_FALSE(blocks[2].closed);
}

TEST(ReplyText, ABlockOfAListIsIndentedAsAWhole) {
  const auto blocks = code_blocks("1. So:\n   ```python\n   if x:\n     y\n   ```\n");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].text, "if x:\n  y\n");
}

TEST(ReplyText, AFenceWithALanguageEndsAnUnclosedOne) {
  const auto blocks = code_blocks("```python\na\n```cpp\nb\n```\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].text + blocks[1].text, "a\nb\n");
}

TEST(ReplyText, InlineCodeIsNoFence) {
  EXPECT_TRUE(code_blocks("```x``` is code\n``y``\n").empty());
}

TEST(ReplyText, ProseIsWhatIsOutside) {
  EXPECT_EQ(prose_of("a\n```\nx\n```\nb"), "a\nb\n");
}

TEST(ReplyText, BareModules) {
  const std::string module =
      "import torch\n\nclass ModelNew(torch.nn.Module):\n    pass\n\nX = 1\n";
  EXPECT_EQ(
      bare_module("Here is the program.\n\n" + module + "\nThis fuses everything into one pass.\n"),
      module + "\n");
  EXPECT_EQ(bare_module("Nothing at all"), "");
  EXPECT_EQ(bare_module("from the start, it is slow\n" + module), module);
}

RC_GTEST_PROP(ReplyText, TakesAnyBytes, (std::string bytes)) {
  const std::string text = regular_text(bytes);
  RC_ASSERT(regular_text(text).size() <= text.size());
  code_blocks(bytes);
  prose_of(bytes);
  bare_module("import x\n" + bytes);
}

}  // namespace
}  // namespace cupel::propose
