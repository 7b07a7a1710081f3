#include "stats/paired.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "stats/synthetic_noise.h"

namespace cupel::stats {
namespace {

using testing_noise::lognormal;

std::vector<PairedTime> noisy_pairs(Rng& rng, int blocks, double ratio, double sigma) {
  std::vector<PairedTime> pairs;
  for (int i = 0; i < 2 * blocks; ++i) {
    pairs.push_back({lognormal(rng, 1e6 * ratio, sigma), lognormal(rng, 1e6, sigma), i / 2, 0});
  }
  return pairs;
}

std::vector<PairedTime> any_pairs() {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  const int blocks = *rc::gen::inRange(1, 40);
  return noisy_pairs(rng, blocks, 0.5 + rng.uniform() * 2, rng.uniform() * 0.2);
}

void expect_near(const PairedRatio& left, const PairedRatio& right) {
  RC_ASSERT(std::abs(left.ratio / right.ratio - 1) < 1e-9);
  RC_ASSERT(std::abs(left.total_95.low / right.total_95.low - 1) < 1e-9);
  RC_ASSERT(std::abs(left.total_99.high / right.total_99.high - 1) < 1e-9);
}

TEST(PairedRatio, SwappingRolesInvertsIt) {
  EXPECT_TRUE(rc::check("swap", [] {
    auto pairs = any_pairs();
    const PairedRatio forth = paired_ratio(pairs);
    for (PairedTime& pair : pairs) std::swap(pair.baseline_ns, pair.candidate_ns);
    const PairedRatio back = paired_ratio(pairs);
    RC_ASSERT(std::abs(forth.ratio * back.ratio - 1) < 1e-9);
    RC_ASSERT(std::abs(forth.total_95.low * back.total_95.high - 1) < 1e-9);
    RC_ASSERT(std::abs(forth.total_99.high * back.total_99.low - 1) < 1e-9);
  }));
}

TEST(PairedRatio, ScalingAllTimesChangesNothing) {
  EXPECT_TRUE(rc::check("scale", [] {
    auto pairs = any_pairs();
    const PairedRatio before = paired_ratio(pairs);
    const double scale = *rc::gen::inRange(1, 1000) / 17.0;
    for (PairedTime& pair : pairs) pair.baseline_ns *= scale, pair.candidate_ns *= scale;
    expect_near(paired_ratio(pairs), before);
  }));
}

TEST(PairedRatio, IntervalsContainTheEstimateAndNest) {
  EXPECT_TRUE(rc::check("nest", [] {
    const PairedRatio ratio = paired_ratio(any_pairs());
    RC_ASSERT(ratio.within_95.contains(ratio.ratio));
    RC_ASSERT(ratio.total_95.low <= ratio.within_95.low);
    RC_ASSERT(ratio.total_99.low <= ratio.total_95.low);
    RC_ASSERT(ratio.total_999.low <= ratio.total_99.low);
    RC_ASSERT(ratio.total_999.high >= ratio.total_99.high);
    RC_ASSERT(ratio.total_99.high >= ratio.total_95.high);
    RC_ASSERT(ratio.total_95.high >= ratio.within_95.high);
  }));
}

// Candidate, twin, twin, candidate under a machine that slows down steadily.
TEST(PairedRatio, LinearDriftCancelsInABlock) {
  std::vector<PairedTime> pairs;
  double speed = 1;
  const auto next = [&speed](double ns) { return ns * std::exp(0.01 * (speed += 1)); };
  for (int block = 0; block < 20; ++block) {
    const double c1 = next(1e6), b1 = next(2e6), b2 = next(2e6), c2 = next(1e6);
    pairs.push_back({b1, c1, block});
    pairs.push_back({b2, c2, block});
  }
  EXPECT_NEAR(paired_ratio(pairs, 0).ratio, 2, 1e-9);
  EXPECT_LT(paired_ratio(pairs, 0).half_width(), 1e-9);
}

TEST(PairedRatio, IncompleteBlocksAreLeftOut) {
  const std::vector<PairedTime> pairs{{2, 1, 0}, {2, 1, 0}, {9, 1, 1}, {2, 1, 2}, {2, 1, 2}};
  const PairedRatio ratio = paired_ratio(pairs);
  EXPECT_EQ(ratio.blocks, 2);
  EXPECT_EQ(ratio.pairs, 4);
  EXPECT_NEAR(ratio.ratio, 2, 1e-12);
  EXPECT_TRUE(ratio.few_blocks);
}

TEST(PairedRatio, NoPairsAndOnePairAreFinite) {
  EXPECT_EQ(paired_ratio({}).blocks, 0);
  const std::vector<PairedTime> one{{3, 1, 0}};
  EXPECT_NEAR(paired_ratio(one).ratio, 3, 1e-12);
  EXPECT_TRUE(std::isfinite(paired_ratio(one).total_99.high));
  EXPECT_TRUE(std::isfinite(paired_mean_ratio(one, 1).total_99.high));
}

TEST(PairedRatio, ProcessNoiseWidensInQuadrature) {
  const std::vector<PairedTime> pairs(20, PairedTime{1, 1, 0});
  std::vector<PairedTime> blocks = pairs;
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].block = static_cast<long>(i / 2);
  EXPECT_NEAR(paired_ratio(blocks, 0.01).total_95.high, std::exp(0.02447), 1e-5);  // t, 6 degrees
  EXPECT_NEAR(paired_ratio(blocks, 0).total_95.high, 1, 1e-12);
}

// The whole interval, process noise and all, over many pairs of processes.
TEST(PairedRatio, CoversTheTruthAtLeastAsOftenAsItSays) {
  Rng rng(11);
  int hits_95 = 0, hits_99 = 0;
  constexpr int k_rounds = 1500;
  for (int round = 0; round < k_rounds; ++round) {
    const double bias = std::exp(k_process_sigma * testing_noise::normal(rng));
    const PairedRatio ratio = paired_ratio(noisy_pairs(rng, 25, 1.3 * bias, 0.03));
    hits_95 += ratio.total_95.contains(1.3) ? 1 : 0;
    hits_99 += ratio.total_99.contains(1.3) ? 1 : 0;
  }
  EXPECT_GE(hits_95, k_rounds * 0.94);
  EXPECT_GE(hits_99, k_rounds * 0.983);
}

// Further rounds in fresh processes average out what no number of calls in one pair of processes
// can.
TEST(PairedRatio, CoversTheTruthOverRoundsWithUnequalProcesses) {
  Rng rng(12);
  int hits_95 = 0, hits_99 = 0;
  constexpr int k_judgements = 1500, k_rounds = 4;
  for (int judgement = 0; judgement < k_judgements; ++judgement) {
    std::vector<PairedTime> pairs;
    for (int round = 0; round < k_rounds; ++round) {
      const double bias = std::exp(k_process_sigma * testing_noise::normal(rng));
      for (PairedTime pair : noisy_pairs(rng, 12, 1.3 * bias, 0.02)) {
        pairs.push_back({pair.baseline_ns, pair.candidate_ns, pair.block + 100 * round, round});
      }
    }
    const PairedRatio ratio = paired_ratio(pairs);
    EXPECT_EQ(ratio.rounds, k_rounds);
    hits_95 += ratio.total_95.contains(1.3) ? 1 : 0;
    hits_99 += ratio.total_99.contains(1.3) ? 1 : 0;
  }
  EXPECT_GE(hits_95, k_judgements * 0.94);
  EXPECT_GE(hits_99, k_judgements * 0.983);
}

TEST(PairedRatio, ScatteredRoundsWidenTheInterval) {
  std::vector<PairedTime> steady, scattered;
  for (int i = 0; i < 40; ++i) {
    const int round = i / 10;
    steady.push_back({1.07, 1, i / 2, round});
    scattered.push_back({round % 2 ? 1.15 : 0.95, 1, i / 2, round});
  }
  EXPECT_GT(paired_ratio(steady).total_99.low, 1.03);
  EXPECT_LT(paired_ratio(scattered).total_99.low, 1);
}

// Not the median of all blocks, which the round with the most calls would decide.
TEST(PairedRatio, EveryPairOfProcessesCountsAlike) {
  std::vector<PairedTime> pairs;
  for (int i = 0; i < 100; ++i) {
    const int round = i < 80 ? 0 : 1;
    pairs.push_back({round == 0 ? 1.0 : 1.1, 1, i / 2, round});
  }
  EXPECT_NEAR(paired_ratio(pairs).ratio, std::sqrt(1.1), 1e-12);
}

TEST(PairedMeanRatio, CountsWhatTheMedianOverlooks) {
  std::vector<PairedTime> pairs;
  for (int i = 0; i < 80; ++i) pairs.push_back({100, i % 4 == 3 ? 370.0 : 10.0, i / 2});
  EXPECT_GT(paired_ratio(pairs).ratio, 1.5);
  const PairedRatio mean = paired_mean_ratio(pairs, 3);
  EXPECT_NEAR(mean.ratio, 1, 1e-9);
  EXPECT_TRUE(mean.total_95.contains(1));
  EXPECT_DOUBLE_EQ(mean.total_95.low, paired_mean_ratio(pairs, 3).total_95.low);
}

}  // namespace
}  // namespace cupel::stats
