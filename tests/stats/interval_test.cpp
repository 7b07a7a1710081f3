#include "stats/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "stats/synthetic_noise.h"

namespace cupel::stats {
namespace {

using testing_noise::lognormal;

// Share of `rounds` samples of `n` whose interval holds the true median, 1.
double coverage(int n, double confidence, int rounds) {
  Rng rng(20240 + static_cast<std::uint64_t>(n));
  int hits = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(lognormal(rng, 1, 0.5));
    hits += median_interval(values, confidence).interval.contains(1) ? 1 : 0;
  }
  return static_cast<double>(hits) / rounds;
}

TEST(MedianInterval, IsTheTabledPairOfOrderStatistics) {
  std::vector<double> values;
  for (int i = 20; i >= 1; --i) values.push_back(i);
  const MedianInterval result = median_interval(values, 0.95);
  EXPECT_DOUBLE_EQ(result.interval.low, 6);
  EXPECT_DOUBLE_EQ(result.interval.high, 15);
  EXPECT_NEAR(result.coverage, 0.9586, 1e-4);
  EXPECT_TRUE(result.exact);
}

TEST(MedianInterval, CoversSkewedDataAsOftenAsItSays) {
  for (const int n : {8, 13, 30, 101}) {
    EXPECT_GE(coverage(n, 0.95, 2000), 0.94) << n;
    EXPECT_GE(coverage(n, 0.99, 2000), 0.984) << n;
  }
}

TEST(MedianInterval, FewValuesAreConservativeAndSaySo) {
  const std::vector<double> values{1.0, 1.1, 1.2};
  const MedianInterval result = median_interval(values, 0.99);
  EXPECT_FALSE(result.exact);
  EXPECT_DOUBLE_EQ(result.coverage, 0.75);
  EXPECT_LT(result.interval.low, 1.0 - 0.4);
  EXPECT_GT(result.interval.high, 1.2 + 0.4);
  for (const int n : {2, 3, 5}) EXPECT_GE(coverage(n, 0.95, 2000), 0.93) << n;
}

TEST(MedianInterval, OneValueTellsNothing) {
  const std::vector<double> one{2.0};
  EXPECT_TRUE(std::isinf(median_interval(one, 0.95).interval.high));
  EXPECT_DOUBLE_EQ(median_interval(one, 0.95).estimate, 2.0);
}

TEST(MedianInterval, ContainsItsEstimateAndGrowsWithConfidence) {
  EXPECT_TRUE(rc::check("intervals", [] {
    const auto ints = *rc::gen::nonEmpty<std::vector<int>>();
    const std::vector<double> values(ints.begin(), ints.end());
    const MedianInterval narrow = median_interval(values, 0.95);
    const MedianInterval wide = median_interval(values, 0.99);
    RC_ASSERT(narrow.interval.contains(narrow.estimate));
    RC_ASSERT(wide.interval.contains(wide.estimate));
  }));
}

TEST(Bootstrap, MeanIntervalMatchesNormalTheoryAndTheSeed) {
  Rng rng(5);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(10 + testing_noise::normal(rng));
  const Interval interval = bootstrap_mean(values, 0.95, 7);
  EXPECT_NEAR(interval.high - interval.low, 2 * 1.96 / 20, 0.03);
  EXPECT_TRUE(interval.contains(10));
  EXPECT_DOUBLE_EQ(bootstrap_mean(values, 0.95, 7).low, interval.low);
  EXPECT_NE(bootstrap_mean(values, 0.95, 8).low, interval.low);
}

TEST(Bootstrap, GeomeanIntervalIsTheMeanOfLogs) {
  const std::vector<double> values{0.5, 1, 2, 4, 8};
  const Interval interval = bootstrap_geomean(values, 0.95, 1);
  EXPECT_LT(interval.low, 2);
  EXPECT_GT(interval.high, 2);
  EXPECT_GE(interval.low, 0.5);
}

}  // namespace
}  // namespace cupel::stats
