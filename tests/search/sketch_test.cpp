#include "search/published/sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace cupel::search {
namespace {

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i)
    text += "  x" + std::to_string(i) + " = f(" + std::to_string(i) + ")\n";
  return text;
}

double between(const std::string& left, const std::string& right) {
  return distance(sketch_of(left), sketch_of(right));
}

TEST(Sketch, EqualSourcesAreAtNoDistance) {
  EXPECT_EQ(between(lines(0, 100), lines(0, 100)), 0);
  EXPECT_EQ(between("", ""), 0);
  EXPECT_EQ(between("", "\n  \n\t\n"), 0);
}

TEST(Sketch, WhiteSpaceDoesNotCount) {
  EXPECT_EQ(between("a = 1\n\n    b = 2", "a=1\r\nb  =2\n"), 0);
}

TEST(Sketch, StrangersAreFar) {
  EXPECT_GT(between(lines(0, 200), lines(1000, 1200)), 0.95);
  EXPECT_EQ(between("a", ""), 1);
}

TEST(Sketch, TheDistanceIsTheShareOfLinesThatDiffer) {
  // Of the 200 + k lines of both, 2 k are in one only: distance 2k / (200 + k). The estimate's
  // standard error is at most 1/16 (64 slots); five of them.
  for (const int moved : {10, 50, 100}) {
    const double truth = 2.0 * moved / (200 + moved);
    EXPECT_NEAR(between(lines(0, 200), lines(moved, 200 + moved)), truth, 5.0 / 16) << moved;
  }
}

TEST(Sketch, IsSymmetric) {
  EXPECT_EQ(between(lines(0, 90), lines(30, 120)), between(lines(30, 120), lines(0, 90)));
}

// Over many pairs the estimate has no bias: the mean's error is that of one over the root of 400.
TEST(Sketch, HasNoBias) {
  double sum = 0;
  for (int pair = 0; pair < 400; ++pair) {
    const int start = 10'000 * pair;
    sum += between(lines(start, start + 200), lines(start + 50, start + 250));
  }
  EXPECT_NEAR(sum / 400, 2.0 * 50 / 250, 5.0 / 16 / 20);
}

}  // namespace
}  // namespace cupel::search
