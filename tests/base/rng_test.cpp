#include "base/rng.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace cupel {
namespace {

std::vector<std::uint64_t> draws(Rng rng, int count) {
  std::vector<std::uint64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(rng.next());
  return values;
}

// Computed from the definitions of splitmix64 and xoshiro256** with the state seeded by 0.
TEST(Rng, FirstDrawsAreThoseOfTheAlgorithm) {
  Rng rng(0);
  EXPECT_EQ(rng.next(), 11091344671253066420ULL);
  EXPECT_EQ(rng.next(), 13793997310169335082ULL);
}

RC_GTEST_PROP(Rng, SameSeedSameDraws, (std::uint64_t seed)) {
  RC_ASSERT(draws(Rng(seed), 20) == draws(Rng(seed), 20));
}

RC_GTEST_PROP(Rng, OtherSeedOtherDraws, (std::uint64_t seed)) {
  RC_ASSERT(draws(Rng(seed), 4) != draws(Rng(seed + 1), 4));
}

RC_GTEST_PROP(Rng, BelowStaysBelow, (std::uint64_t seed, std::uint64_t bound)) {
  RC_PRE(bound > 0U);
  Rng rng(seed);
  for (int i = 0; i < 20; ++i) RC_ASSERT(rng.below(bound) < bound);
}

RC_GTEST_PROP(Rng, UniformStaysInTheUnitInterval, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int i = 0; i < 20; ++i) {
    const double draw = rng.uniform();
    RC_ASSERT(draw >= 0.0 && draw < 1.0);
  }
}

// 60,000 draws over 6 faces: each count is 10,000 with a standard deviation of 91.
TEST(Rng, BelowIsEvenlySpread) {
  Rng rng(42);
  std::vector<int> counts(6, 0);
  for (int i = 0; i < 60000; ++i) ++counts[rng.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * 91);
}

// With a bound of 3/4 of the range, taking the remainder alone would draw the lower third of
// [0, bound) twice as often: half of all draws instead of a third.
TEST(Rng, BelowRejectsTheBiasedTail) {
  Rng rng(7);
  const std::uint64_t bound = 3ULL << 62;
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += rng.below(bound) < bound / 3;
  EXPECT_NEAR(low, 10000, 5 * 82);
}

TEST(Rng, BelowOneIsZero) {
  Rng rng(1);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(RngDeathTest, BelowZeroIsABrokenInvariant) {
  Rng rng(1);
  EXPECT_DEATH(rng.below(0), "broken invariant");
}

TEST(Rng, ForksDifferByStreamAndRepeat) {
  EXPECT_EQ(draws(Rng(5).fork(1), 8), draws(Rng(5).fork(1), 8));
  EXPECT_NE(draws(Rng(5).fork(1), 8), draws(Rng(5).fork(2), 8));
}

RC_GTEST_PROP(Rng, ShuffleKeepsTheItems, (std::uint64_t seed, std::vector<int> items)) {
  Rng rng(seed);
  auto shuffled = items;
  rng.shuffle(shuffled);
  RC_ASSERT(std::is_permutation(items.begin(), items.end(), shuffled.begin(), shuffled.end()));
}

TEST(Rng, ShuffleReachesEveryOrder) {
  Rng rng(3);
  std::set<std::vector<int>> seen;
  for (int i = 0; i < 400; ++i) {
    std::vector<int> items{1, 2, 3};
    rng.shuffle(items);
    seen.insert(items);
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST(SecretSeed, IsNotRepeated) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 64; ++i) seen.insert(secret_seed());
  EXPECT_EQ(seen.size(), 64U);
}

}  // namespace
}  // namespace cupel
