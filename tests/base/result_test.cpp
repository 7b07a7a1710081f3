#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace cupel {
namespace {

TEST(Error, DescribesWhereWhatAndHintOnOneLine) {
  const Error full{ErrorTag::input, "no Model class", "a.py:3", "define Model"};
  EXPECT_EQ(full.describe(), "a.py:3: no Model class (define Model)");
}

TEST(Error, LeavesOutWhatIsEmpty) {
  const Error bare{ErrorTag::infra, "the socket closed", "", ""};
  EXPECT_EQ(bare.describe(), "the socket closed");
}

TEST(Error, MakersSetTheTag) {
  EXPECT_EQ(Status(input_error("x")).error().tag, ErrorTag::input);
  EXPECT_EQ(Status(environment_error("x")).error().tag, ErrorTag::environment);
  EXPECT_EQ(Status(infra_error("x")).error().tag, ErrorTag::infra);
  EXPECT_EQ(Status(bug_error("x")).error().tag, ErrorTag::bug);
}

TEST(Error, TagsHaveDistinctNames) {
  EXPECT_EQ(to_string(ErrorTag::input), "input");
  EXPECT_EQ(to_string(ErrorTag::environment), "environment");
  EXPECT_EQ(to_string(ErrorTag::infra), "infra");
  EXPECT_EQ(to_string(ErrorTag::bug), "bug");
}

TEST(Error, ErrnoErrorCarriesTheSystemsText) {
  errno = ENOENT;
  const Status failed = errno_error("cannot open", "x.txt");
  EXPECT_EQ(failed.error().tag, ErrorTag::infra);
  EXPECT_EQ(failed.error().describe(), "x.txt: cannot open: No such file or directory");
}

TEST(CheckDeathTest, BrokenInvariantAbortsAndNamesTheCondition) {
  EXPECT_DEATH(CUPEL_CHECK(1 + 1 == 3), "broken invariant: 1 \\+ 1 == 3 .*result_test.cpp");
}

}  // namespace
}  // namespace cupel
