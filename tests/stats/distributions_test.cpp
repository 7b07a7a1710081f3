#include "stats/distributions.h"

#include <gtest/gtest.h>

namespace cupel::stats {
namespace {

TEST(Distributions, StudentQuantilesMatchTables) {
  EXPECT_NEAR(student_two_sided_quantile(0.95, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_two_sided_quantile(0.99, 2), 9.9248, 1e-4);
  EXPECT_NEAR(student_two_sided_quantile(0.95, 3), 3.1824, 1e-4);
  EXPECT_NEAR(student_two_sided_quantile(0.99, 4), 4.6041, 1e-4);
  EXPECT_NEAR(student_two_sided_quantile(0.999, 9), 4.7809, 1e-4);
  EXPECT_NEAR(student_two_sided_quantile(0.95, 200), 1.9719, 1e-4);
}

TEST(Distributions, MedianRankMatchesTheBinomialTable) {
  double lost = 0;
  EXPECT_EQ(median_rank(5, 0.025, &lost), 0);
  EXPECT_EQ(median_rank(6, 0.025, &lost), 1);
  EXPECT_DOUBLE_EQ(lost, 1.0 / 64);
  EXPECT_EQ(median_rank(20, 0.025, &lost), 6);  // P(Bin(20, 1/2) <= 5) = 0.0207
  EXPECT_NEAR(lost, 0.020695, 1e-6);
  EXPECT_EQ(median_rank(7, 0.005), 0);
  EXPECT_EQ(median_rank(8, 0.005), 1);
  EXPECT_EQ(median_rank(10, 0.0005), 0);
  EXPECT_EQ(median_rank(11, 0.0005), 1);
}

TEST(Distributions, MedianRankSurvivesLargeSamples) {
  const auto rank = median_rank(5000, 0.025);
  EXPECT_NEAR(static_cast<double>(rank), 2500 - 1.96 * 0.5 * 70.71, 2);
}

}  // namespace
}  // namespace cupel::stats
