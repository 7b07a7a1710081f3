#include "propose/prompts/shown_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

TEST(ShownLog, QuotesTheLinesThatTheCompilerMeans) {
  const std::string source = "S = r'''\nint a;\nextern \"C\" void k() { b = 1; }\n'''\n";
  EXPECT_EQ(shown_log("k.cpp:3:25: error: 'b' was not declared", source),
            "k.cpp:3:25: error: 'b' was not declared\n"
            "line 3 of k is: extern \"C\" void k() { b = 1; }\n");
  EXPECT_EQ(shown_log("k.cu(3): error: identifier", source),
            "k.cu(3): error: identifier\nline 3 of k is: extern \"C\" void k() { b = 1; }\n");
}

TEST(ShownLog, QuotesOnceAndOnlyWhatIsThere) {
  const std::string source = "S = r'''extern void k();'''\n";
  const std::string log = "k.cpp:1:1: error: x\nk.cpp:1:9: error: y\nk.cpp:99:1: error: z\n";
  EXPECT_EQ(shown_log(log, source), log + "line 1 of k is: extern void k();\n");
  EXPECT_EQ(shown_log("other.cpp:1:1: error: x\n", source), "other.cpp:1:1: error: x\n");
}

TEST(ShownLog, LeavesOutFramesOfOurs) {
  EXPECT_EQ(
      shown_log(
          "Traceback:\n  File \"/work/candidate.py\", line 1\n    k = f(\n        ^^^^\n"
          "  File \"/x/python/cupel/inline.py\", line 2\n    raise\n    ^^^\nBuildError: no\n",
          ""),
      "Traceback:\n  File \"/work/candidate.py\", line 1\n    k = f(\nBuildError: no\n");
}

RC_GTEST_PROP(ShownLog, TakesAnyBytes, (std::string log, std::string source)) {
  shown_log("k.cpp:1: error\n" + log, "'''extern k" + source);
}

}  // namespace
}  // namespace cupel::propose
