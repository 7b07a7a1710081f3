// Time left out of claims: in the noise of a busy machine, and against another program than the
// baseline.
#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"
#include "judge/timing/readings.h"

namespace cupel::judge {
namespace {

using synthetic::judged;

// Calls of two programs, each disturbed by itself.
Evidence disturbed_round(std::uint64_t seed, const synthetic::Timing& baseline,
                         const synthetic::Timing& candidate) {
  Rng rng(seed);
  Evidence evidence;
  evidence.programs = {synthetic::program("eager", baseline, rng, 240),
                       synthetic::program("candidate", candidate, rng, 240)};
  evidence.programs[0].role = Role::baseline;
  return evidence;
}

void claim_a_tenth(Evidence& evidence) {
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns /= 10;
}

void expect_no_gain(const Evidence& evidence, std::uint64_t which) {
  const Verdict verdict = judged(evidence);
  EXPECT_NE(verdict.outcome, Outcome::faster) << which;
  EXPECT_NE(verdict.outcome, Outcome::same) << which;
}

// On a machine so busy that brackets scatter by more than a call takes, claims of nothing are no
// win.
TEST(BusyMachine, HidesNoWholeCalls) {
  for (const std::size_t every : {1, 2}) {
    Evidence evidence = synthetic::round(1.0);
    for (ProgramEvidence& program : evidence.programs) {
      for (std::size_t i = 0; i < program.calls.size(); ++i) {
        program.calls[i].bracket_ns += static_cast<std::int64_t>(i * 7919 % 13) * 150'000;
      }
    }
    auto& calls = evidence.programs[1].calls;
    for (std::size_t i = 0; i < calls.size(); i += every) calls[i].claim_ns = 2000;
    expect_no_gain(evidence, every);
  }
}

// Where each call is disturbed by itself, and by more than it takes, some look as if they had been
// charged too much, and a claim of a tenth would be believed of those.
TEST(BusyMachine, HidesNothingInWhatDisturbsSingleCalls) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const synthetic::Timing disturbed{60e3, 150e3, 0.02, 0.6};
    Evidence evidence = disturbed_round(seed, disturbed, disturbed);
    claim_a_tenth(evidence);
    expect_no_gain(evidence, seed);
  }
}

// Brackets that are really shorter, by what a program saves in the exchange, do not make claims of
// a tenth true: no more is told than they show.
TEST(BusyMachine, TellsNoMoreThanBracketsShow) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evidence evidence = disturbed_round(seed, {80e3, 150e3, 0.02, 0.35}, {80e3, 120e3, 0.02, 0.35});
    claim_a_tenth(evidence);
    EXPECT_LT(judged(evidence).ratios.at(0).ratio, 2.5) << seed;
  }
}

// As fast as another program that is faster than the baseline, by claims that hide 22 us.
TEST(HiddenTime, BeatsNoRivalEither) {
  Rng rng(5);
  Evidence evidence = synthetic::round(2.0, 4, 60, 0.002);
  evidence.programs.push_back(synthetic::program("rival", {0.5e6, 100e3, 0.002, 0.02}, rng));
  EXPECT_NEAR(judged(evidence).ratios.at(1).ratio, 1, 0.01);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns -= 22000;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_LT(verdict.ratios.at(1).ratio, 1.06);
  EXPECT_FALSE(verdict.ratios.at(1).proven);
}

TEST(HiddenTime, IsNoPartOfTheRatio) {
  Evidence evidence = synthetic::round(2.0, 4, 60, 0.002);
  EXPECT_NEAR(judged(evidence).ratios.at(0).ratio, 2, 0.01);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns -= 50000;  // 2.22 by claims
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 2, 0.03);
}

TEST(HiddenTime, IsSoughtInWhatBracketsShow) {
  EXPECT_DOUBLE_EQ(ratio_of_calls(1, 1.1, 1), 1);
  EXPECT_DOUBLE_EQ(ratio_of_calls(1.1 / 0.6, 1.1, 1), 2);
  EXPECT_DOUBLE_EQ(ratio_of_calls(1.1 / 2.1, 1.1, 1), 0.5);
  EXPECT_GT(ratio_of_calls(100, 1.1, 1), 1000);  // more than all of the time
}

TEST(BusyMachine, DoubtsNobodyWhoIsDisturbedAsOften) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Evidence evidence =
        disturbed_round(seed, {80e3, 150e3, 0.02, 0.35}, {30e3, 150e3, 0.02, 0.35});
    EXPECT_EQ(judged(evidence).outcome, Outcome::faster) << seed;
  }
}

TEST(BusyMachine, KeepsAnHonestWin) {
  Rng rng(6);
  Evidence evidence = synthetic::round(2.0);
  for (ProgramEvidence& program : evidence.programs) {
    for (CallSample& call : program.calls) {
      call.bracket_ns += static_cast<std::int64_t>(rng.below(1'500'000));
    }
  }
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

}  // namespace
}  // namespace cupel::judge
