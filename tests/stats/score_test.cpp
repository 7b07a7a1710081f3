#include "stats/score.h"

#include <gtest/gtest.h>

#include <vector>

namespace cupel::stats {
namespace {

TEST(Score, GeomeanOfKnownNumbers) {
  const std::vector<double> speedups{1, 2, 4};
  EXPECT_DOUBLE_EQ(geomean(speedups), 2);
}

TEST(Score, FloorKeepsTheOriginalWhereNothingWasFaster) {
  const std::vector<double> speedups{0.25, 4};
  EXPECT_DOUBLE_EQ(geomean(speedups), 1);
  EXPECT_DOUBLE_EQ(geomean(speedups, 1), 2);
}

TEST(Score, FastPCountsStrictlyFasterTasks) {
  const std::vector<double> speedups{0, 1, 1.5, 3};
  EXPECT_DOUBLE_EQ(fast_p(speedups, 0), 0.75);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 1), 0.5);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 2), 0.25);
}

}  // namespace
}  // namespace cupel::stats
