#include "stats/slope.h"

#include <gtest/gtest.h>

#include <vector>

namespace cupel::stats {
namespace {

TEST(TheilSen, FindsTheLineThroughAnOutlier) {
  std::vector<Point> points;
  for (int x = 1; x <= 9; ++x) points.push_back({static_cast<double>(x), 100.0 + 7 * x});
  points[4].y = 1e6;
  const auto slope = theil_sen(points);
  ASSERT_TRUE(slope);
  EXPECT_DOUBLE_EQ(slope->slope, 7);
  EXPECT_NEAR(slope->error, 0, 1e-9);
}

TEST(TheilSen, NeedsDifferentPositions) {
  EXPECT_FALSE(theil_sen(std::vector<Point>{{1, 1}, {2, 2}}));
  EXPECT_FALSE(theil_sen(std::vector<Point>{{1, 1}, {1, 2}, {1, 3}}));
}

}  // namespace
}  // namespace cupel::stats
