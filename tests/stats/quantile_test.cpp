#include "stats/quantile.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace cupel::stats {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
}

TEST(Quantile, MadIgnoresOneOutlier) {
  const std::vector<double> values{1, 2, 3, 4, 1e9};
  EXPECT_DOUBLE_EQ(mad_sigma(values), 1.4826);
}

TEST(Quantile, IsMonotoneAndInsideTheSample) {
  EXPECT_TRUE(rc::check("quantiles", [] {
    const auto ints = *rc::gen::nonEmpty<std::vector<int>>();
    const std::vector<double> values(ints.begin(), ints.end());
    const double a = *rc::gen::inRange(0, 101) / 100.0, b = *rc::gen::inRange(0, 101) / 100.0;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    RC_ASSERT(quantile(values, std::min(a, b)) <= quantile(values, std::max(a, b)));
    RC_ASSERT(*low <= quantile(values, a) && quantile(values, a) <= *high);
  }));
}

}  // namespace
}  // namespace cupel::stats
