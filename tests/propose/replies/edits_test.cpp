#include "propose/replies/edits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

constexpr const char* k_source = "a = 1\nclass C:\n    def f(self):\n        return a\n\nb = 2\n";

std::string edited(const std::string& reply) {
  const auto result = apply_edits(k_source, edits_in(reply));
  return result ? *result : "error: " + result.error().what;
}

TEST(Edits, SearchAndReplace) {
  EXPECT_EQ(edited("Some words.\n<<<<<<< SEARCH\na = 1\n=======\na = 3\n>>>>>>> REPLACE\n"
                   "More.\n<<<<<<< SEARCH\nb = 2\n=======\nb = 4\nc = 5\n>>>>>>> REPLACE\n"),
            "a = 3\nclass C:\n    def f(self):\n        return a\n\nb = 4\nc = 5\n");
}

TEST(Edits, BlanksAtLineEndsDoNotMatter) {
  EXPECT_EQ(edited("<<<<<<< SEARCH\na = 1   \n=======\na = 3\n>>>>>>> REPLACE\n").substr(0, 6),
            "a = 3\n");
}

TEST(Edits, IndentationIsAdapted) {
  EXPECT_EQ(edited("<<<<<<< SEARCH\ndef f(self):\n    return a\n=======\ndef f(self):\n    x = a\n"
                   "    return x\n>>>>>>> REPLACE\n"),
            "a = 1\nclass C:\n    def f(self):\n        x = a\n        return x\n\nb = 2\n");
}

TEST(Edits, DeletesAndReplacesTheLastLine) {
  EXPECT_EQ(edited("<<<<<<< SEARCH\nb = 2\n=======\n>>>>>>> REPLACE\n"),
            "a = 1\nclass C:\n    def f(self):\n        return a\n\n");
}

TEST(Edits, UnifiedDiff) {
  EXPECT_EQ(edited("```diff\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 3\n class C:\n"
                   "@@ -6 +6 @@\n-b = 2\n+b = 4\n```\n"),
            "a = 3\nclass C:\n    def f(self):\n        return a\n\nb = 4\n");
}

TEST(Edits, SaysWhichEditMatchesNothing) {
  EXPECT_EQ(edited("<<<<<<< SEARCH\na = 1\n=======\na = 3\n>>>>>>> REPLACE\n"
                   "<<<<<<< SEARCH\nzzz = 7\n=======\n>>>>>>> REPLACE\n"),
            "error: edit 2 of 2 matches nothing in the parent; it begins with 'zzz = 7'");
}

TEST(Edits, ACutOffEditIsLeftOut) {
  EXPECT_TRUE(edits_in("<<<<<<< SEARCH\na = 1\n=======\na = 3\n").empty());
  EXPECT_TRUE(has_edits("<<<<<<< SEARCH\na = 1\n"));
  EXPECT_FALSE(has_edits("@decorator\na = 1\n"));
}

TEST(Edits, RepeatedLinesTakeLinearTime) {
  const std::string blank_source(200000, '\n');
  const Edit edit{std::string("x\n") + std::string(100000, '\n') + "y\n", "z\n"};
  EXPECT_FALSE(apply_edits(blank_source, {edit}));
}

RC_GTEST_PROP(Edits, TakeAnyBytes, (std::string reply, std::string source)) {
  for (const std::string& text :
       {reply, "<<<<<<<\n" + reply + "\n=======\n" + source + "\n>>>>>>>\n",
        "@@ -1 +1 @@\n" + reply}) {
    apply_edits(source, edits_in(text));
  }
}

}  // namespace
}  // namespace cupel::propose
