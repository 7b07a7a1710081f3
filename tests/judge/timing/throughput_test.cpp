// The time per call of calls that nobody waits for: what is told of it, and what it decides.
#include <gtest/gtest.h>

#include "judge/synthetic_channels.h"
#include "judge/timing/throughput.h"

namespace cupel::judge {
namespace {

using synthetic::judged;

constexpr std::int64_t k_exchange_ns = 10'000;

constexpr int k_row_calls = 5;

// Rows on a CPU; every `nth` call of the candidate takes `factor` times as long.
Evidence rows(double speedup, int nth = 0, int factor = 1) {
  Rng rng(1);
  const double exchange_ns = static_cast<double>(k_exchange_ns);
  Evidence evidence;
  evidence.programs = {
      synthetic::program("eager", {1e6, exchange_ns, 0.01, 0.02}, rng),
      synthetic::program("candidate", {1e6 / speedup, exchange_ns, 0.01, 0.02}, rng)};
  evidence.programs[0].role = Role::baseline;
  evidence.programs[0].trusted = true;
  evidence.exchanges_ns = {k_exchange_ns};
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].order = static_cast<std::int64_t>(i) / k_row_calls;
    calls[i].value_class = "nominal";
    if (nth > 0 && i % static_cast<std::size_t>(nth) == 0) calls[i].bracket_ns *= factor;
  }
  return evidence;
}

void add_bursts(ProgramEvidence& program, double call_ns) {
  for (int i = 0; i < 33; ++i) {
    BatchSample burst;
    burst.calls = i / 2 % 2 ? 8 : 2;
    burst.bracket_ns = 400'000 + static_cast<std::int64_t>(call_ns) * burst.calls + 500 * (i % 3);
    burst.copy_ns = 400'000 + 10'000 * burst.calls;
    burst.total_ns = burst.bracket_ns + burst.copy_ns + 300'000;
    burst.first_input = 7000 + 10 * i;
    burst.counted = i > 0;
    program.batches.push_back(burst);
  }
}

// Calls on a GPU of which one program takes 1.5 times as long as the other, and bursts.
Evidence bursts(double over_ns, double candidate_ns) {
  Evidence evidence = synthetic::round(1.5);
  add_bursts(evidence.programs[0], over_ns);
  add_bursts(evidence.programs[1], candidate_ns);
  return evidence;
}

Evidence by_throughput(Evidence evidence) {
  evidence.metric = Metric::throughput;
  return evidence;
}

TEST(Throughput, IsToldBesideTheLatencyOfRows) {
  const Verdict verdict = judged(rows(2));
  ASSERT_EQ(verdict.other_ratios.size(), 1U);
  EXPECT_EQ(verdict.metric, Metric::latency);
  EXPECT_NEAR(verdict.other_ratio()->ratio, 2, 0.05);
  EXPECT_NEAR(verdict.other_ratio()->over_ms, 1, 0.02);
}

// A fifth of the calls takes four times as long: latency is the usual call's, throughput the
// mean's.
TEST(Throughput, OfRowsCountsEveryCall) {
  const Evidence evidence = rows(2, 5, 4);
  const Verdict verdict = judged(by_throughput(evidence));
  EXPECT_EQ(verdict.metric, Metric::throughput);
  ASSERT_FALSE(verdict.ratios.empty());
  EXPECT_NEAR(verdict.ratios.front().ratio, 2 / 1.6, 0.1);
  EXPECT_GT(verdict.ratios.front().low, 1);
}

TEST(Throughput, AWinInRowsIsOneByEither) {
  EXPECT_EQ(judged(rows(2)).outcome, Outcome::faster);
  EXPECT_EQ(judged(by_throughput(rows(2))).outcome, Outcome::faster);
  EXPECT_EQ(judged(by_throughput(rows(0.5))).outcome, Outcome::slower);
}

TEST(Throughput, OfBurstsIsWhatAFurtherCallAdds) {
  const Verdict verdict = judged(bursts(0.9e6, 0.3e6));
  EXPECT_NEAR(verdict.ratios.front().ratio, 1.5, 0.05);
  ASSERT_NE(verdict.other_ratio(), nullptr);
  EXPECT_NEAR(verdict.other_ratio()->ratio, 3, 0.05);
  EXPECT_NEAR(verdict.other_ratio()->over_ms, 0.9, 0.02);
  const Verdict by = judged(by_throughput(bursts(0.9e6, 0.3e6)));
  EXPECT_EQ(by.outcome, Outcome::faster);
  EXPECT_NEAR(by.ratios.front().ratio, 3, 0.05);
  EXPECT_NEAR(by.other_ratio()->ratio, 1.5, 0.05);
}

// What a burst's calls do not show of its work its whole time does.
TEST(Throughput, IsNoMoreThanTheWholeTimeOfBurstsShows) {
  for (const auto from : {&BatchSample::open_ns, &BatchSample::copy_ns}) {
    Evidence evidence = bursts(0.9e6, 0.3e6);
    for (BatchSample& burst : evidence.programs[1].batches) {
      burst.*from += 290'000 * burst.calls;
      burst.bracket_ns -= 290'000 * burst.calls;
    }
    const Verdict verdict = judged(by_throughput(evidence));
    EXPECT_NEAR(verdict.ratios.front().ratio, 3, 0.1);
    EXPECT_NEAR(judged(evidence).other_ratio()->ratio, 3, 0.1);
  }
}

// It makes its calls elsewhere, and delays its short bursts so that nothing seems to be added
// there.
TEST(Throughput, IsNoMoreThanLongBurstsShowWhateverShortOnesDo) {
  Evidence evidence = bursts(0.9e6, 0.3e6);
  for (BatchSample& burst : evidence.programs[1].batches) {
    const std::int64_t moved = 290'000 * burst.calls;
    burst.open_ns += moved;
    burst.bracket_ns -= moved;
    if (burst.calls > 2) continue;
    burst.open_ns += 2'000'000;
    burst.total_ns += 2'000'000;
  }
  const Verdict verdict = judged(by_throughput(evidence));
  EXPECT_LT(verdict.ratios.front().ratio, 3.2);
}

TEST(Throughput, WhoIsSlowerInBurstsIsSlowerByIt) {
  EXPECT_EQ(judged(by_throughput(bursts(0.3e6, 0.9e6))).outcome, Outcome::slower);
}

// Single calls must show some of it, too.
TEST(Throughput, AGainThatSingleCallsDenyIsInDoubt) {
  Evidence evidence = bursts(0.9e6, 0.3e6);
  EXPECT_TRUE(judged(evidence).other_ratio()->proven);
  for (CallSample& call : evidence.programs[1].calls) call.bracket_ns = call.bracket_ns * 3 / 2;
  EXPECT_EQ(judged(by_throughput(evidence)).outcome, Outcome::ambiguous);
  EXPECT_FALSE(judged(evidence).other_ratio()->proven);
}

// Calls too long for bursts wait for nobody worth the name.
TEST(Throughput, WithoutBurstsItIsTheLatency) {
  Evidence evidence = synthetic::round(1.5);
  EXPECT_TRUE(judged(evidence).other_ratios.empty());
  const Verdict verdict = judged(by_throughput(evidence));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.front().ratio, 1.5, 0.05);
}

// Of two rounds no pair is made of bursts of both.
TEST(Throughput, BurstsPairWithinTheirRound) {
  const Evidence evidence =
      synthetic::over_rounds(2, [](int) { return by_throughput(bursts(0.9e6, 0.3e6)); });
  const Verdict verdict = judged(evidence);
  EXPECT_NEAR(verdict.ratios.front().ratio, 3, 0.05);
  EXPECT_EQ(verdict.ratios.front().pairs, 32);
}

}  // namespace
}  // namespace cupel::judge
