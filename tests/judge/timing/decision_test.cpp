// The clocks, the channels, the sum of all calls, the floor: what a candidate's claims must
// survive.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "judge/synthetic_channels.h"
#include "judge/timing/decision.h"

namespace cupel::judge {
namespace {

using synthetic::add_batches;
using synthetic::deny_in_batches;
using synthetic::has_reason;
using synthetic::judged;

// Hides a share of every call behind the claim: the bracket keeps what the claim loses.
Evidence with_lying_clock(double honest_speedup, double claimed_share) {
  Evidence evidence = synthetic::round(honest_speedup);
  for (CallSample& call : evidence.programs[1].calls) {
    call.claim_ns = static_cast<std::int64_t>(claimed_share * static_cast<double>(call.claim_ns));
  }
  return evidence;
}

Evidence lying_rounds(int rounds, double honest_speedup, double claimed_share) {
  return synthetic::over_rounds(
      rounds, [=](int) { return with_lying_clock(honest_speedup, claimed_share); });
}

TEST(Clocks, ALyingClockIsSuspectWhenItWouldWin) {
  const Verdict verdict = judged(lying_rounds(2, 1.0, 0.5));
  EXPECT_EQ(verdict.headline(), "suspect(clock)");
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.02);
}

TEST(Clocks, OneRoundAccusesNobody) {
  const Verdict verdict = judged(with_lying_clock(1.0, 0.5));
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.02);
}

TEST(Clocks, LyingOnFewerThanHalfOfTheCallsDoesNotPay) {
  Evidence evidence = synthetic::round(1.0);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); i += 3) calls[i].claim_ns /= 4;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.02);
}

TEST(Clocks, HidingALittleDoesNotPay) {
  for (const std::int64_t hidden_ns : {22'000, 40'000, 60'000}) {
    const Evidence evidence = synthetic::over_rounds(6, [=](int number) {
      Evidence round = synthetic::round(1.0, static_cast<std::uint64_t>(number), 60, 0.002);
      for (CallSample& call : round.programs[1].calls) call.claim_ns -= hidden_ns;
      return round;
    });
    const Verdict verdict = judged(evidence);
    EXPECT_NE(verdict.outcome, Outcome::faster) << hidden_ns;
  }
}

TEST(Clocks, AnHonestWinIsToldByTheJudgesClock) {
  const Verdict verdict = judged(with_lying_clock(3.0, 0.8));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 3, 0.06);
}

TEST(Clocks, AClaimThatLeavesOutMoreThanItTellsIsNoWin) {
  EXPECT_EQ(judged(lying_rounds(2, 3.0, 0.3)).headline(), "suspect(clock)");
}

// It leaves out a third of what it claims, and wins by the judge's clock as well; that
// batches deny the gain makes it no liar.
TEST(Clocks, AWinThatAnotherChannelDoesNotShowIsNoLie) {
  Evidence evidence = lying_rounds(2, 3.0, 0.75);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  deny_in_batches(evidence);
  EXPECT_EQ(judged(evidence).headline().substr(0, 9), "ambiguous");
}

// Nine in ten exchanges of one program, in one of two rounds: what a machine might do once.
TEST(Clocks, WhatIsLeftOutInOneRoundAloneIsNoLie) {
  const Evidence evidence = synthetic::over_rounds(
      2, [](int number) { return with_lying_clock(1.0, number == 0 ? 0.4 : 0.9); });
  EXPECT_TRUE(is_correct(judged(evidence).outcome));
}

// Other processes take milliseconds between a claim's end and the reply, of the candidate's calls
// more often: the baseline runs longer and is interrupted within its claims.
Evidence on_a_busy_machine(double speedup, std::uint64_t seed) {
  Evidence evidence = synthetic::round(speedup, seed, 36, 0.3);
  Rng rng(seed + 1000);
  for (std::size_t i : {0, 1}) {
    for (CallSample& call : evidence.programs[i].calls) {
      const bool interrupted = rng.uniform() < (i == 0 ? 0.35 : 0.6);
      if (interrupted) call.bracket_ns += static_cast<std::int64_t>(3e6 + 8e6 * rng.uniform());
    }
  }
  return evidence;
}

TEST(Clocks, ABusyMachineAccusesNobody) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Verdict verdict = judged(synthetic::over_rounds(2, [seed](int number) {
      return on_a_busy_machine(4, 2 * seed + static_cast<std::uint64_t>(number));
    }));
    EXPECT_NE(verdict.outcome, Outcome::suspect) << seed << ": " << verdict.reasons.front().text;
  }
}

TEST(Clocks, ABusyMachineHidesNoLie) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evidence evidence = on_a_busy_machine(1, seed);
    for (CallSample& call : evidence.programs[1].calls) call.claim_ns /= 4;
    EXPECT_NE(judged(evidence).outcome, Outcome::faster) << seed;
  }
}

TEST(Clocks, CopyingOutputsThatHaveGapsIsChargedAndNoLie) {
  Evidence evidence = synthetic::round(1.2);
  evidence.programs[1].layout_differs = true;
  for (CallSample& call : evidence.programs[1].calls) {
    call.bracket_ns += 400000;
  }
  EXPECT_EQ(judged(evidence).outcome, Outcome::slower);
}

TEST(Clocks, AClaimLongerThanItsBracketOrEmptyIsSuspect) {
  Evidence longer = synthetic::round(1.5);
  longer.programs[1].calls[5].claim_ns = longer.programs[1].calls[5].bracket_ns + 50000;
  EXPECT_EQ(judged(longer).headline(), "suspect(clock)");
  Evidence empty = synthetic::round(1.5);
  empty.programs[1].calls[5].claim_ns = 0;
  EXPECT_EQ(judged(empty).headline(), "suspect(clock)");
  Evidence negative = synthetic::round(1.5);
  for (CallSample& call : negative.programs[1].calls) call.claim_ns = -call.claim_ns;
  EXPECT_EQ(judged(negative).headline(), "suspect(clock)");
}

// All calls are cheap but every `period`th, which is dear.
Evidence with_deferred_work(std::size_t period, double cheap, double dear) {
  Evidence evidence = synthetic::round(1.0);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].value_class = "nominal";
    const double factor = i % period == period - 1 ? dear : cheap;
    const auto claim = static_cast<std::int64_t>(static_cast<double>(calls[i].claim_ns) * factor);
    calls[i].bracket_ns += claim - calls[i].claim_ns;
    calls[i].claim_ns = claim;
  }
  return evidence;
}

void expect_deferred(const Verdict& verdict) {
  EXPECT_TRUE(verdict.outcome == Outcome::ambiguous || verdict.outcome == Outcome::slower);
  if (verdict.outcome == Outcome::ambiguous) {
    EXPECT_EQ(verdict.reasons.front().code, "deferred_work");
  }
}

TEST(SumOfCalls, WorkPutOffIsNoGain) {
  const Verdict verdict = judged(with_deferred_work(8, 0.1, 7.3));
  expect_deferred(verdict);
  EXPECT_TRUE(has_reason(verdict, "mean_charged"));
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.25);
}

TEST(SumOfCalls, WorkPutOffOftenNeverWins) {
  // Every other block holds a dear call: too mixed for certainty, and still no win.
  expect_deferred(judged(with_deferred_work(4, 0.1, 3.7)));
}

TEST(SumOfCalls, AnUnevenProgramThatStillWinsIsChargedItsMean) {
  const Verdict verdict = judged(with_deferred_work(4, 0.2, 0.8));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "mean_charged"));
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1 / 0.35, 0.2);
}

// Untimed calls of both sides, those of the candidate `factor` times as long as its timed ones.
void add_repeats(Evidence& evidence, double factor) {
  for (std::size_t side = 0; side < 2; ++side) {
    auto& program = evidence.programs[side];
    for (std::int64_t turn = 0; turn < 8; ++turn) {
      CallSample call = program.calls[static_cast<std::size_t>(turn)];
      call.input = turn;
      const auto extra = static_cast<std::int64_t>(
          side == 1 ? (factor - 1) * static_cast<double>(call.claim_ns) : 0);
      call.claim_ns += extra;
      call.bracket_ns += extra;
      program.untimed.push_back(call);
    }
  }
}

TEST(SumOfCalls, WorkPutOffToUntimedCallsIsNoGain) {
  Evidence evidence = synthetic::round(2);
  evidence.device.clear();
  evidence.exchanges_ns = {90'000};
  add_repeats(evidence, 12);
  expect_deferred(judged(evidence));
}

TEST(SumOfCalls, UntimedCallsLikeTheTimedOnesChangeNothing) {
  Evidence evidence = synthetic::round(2);
  evidence.device.clear();
  evidence.exchanges_ns = {90'000};
  add_repeats(evidence, 1.1);
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

TEST(SumOfCalls, FewSlowCallsThatNobodyElseHasAreCharged) {
  // 3 in 200 are less than 2 %, but the other side has none.
  Evidence evidence = synthetic::round(1.3, 1, 200);
  for (const std::size_t at : {20U, 90U, 150U, 180U}) {
    CallSample& call = evidence.programs[1].calls[at];
    call.bracket_ns += 30 * call.claim_ns;
    call.claim_ns *= 31;
  }
  EXPECT_TRUE(has_reason(judged(evidence), "mean_charged"));
}

TEST(SumOfCalls, SmallHiccupsOfTheOtherExcuseNoLargeOnes) {
  Evidence evidence = synthetic::round(1.3, 1, 200);
  const auto slow_down = [&](std::size_t program, std::size_t at, std::int64_t times) {
    CallSample& call = evidence.programs[program].calls[at];
    call.bracket_ns += (times - 1) * call.claim_ns;
    call.claim_ns *= times;
  };
  for (const std::size_t at : {20U, 90U, 150U, 180U}) slow_down(1, at, 31);
  for (const std::size_t at : {25U, 60U, 95U, 130U}) slow_down(0, at, 2);
  EXPECT_TRUE(has_reason(judged(evidence), "mean_charged"));
  for (const std::size_t at : {25U, 60U, 95U, 130U}) slow_down(0, at, 12);
  EXPECT_FALSE(has_reason(judged(evidence), "mean_charged"));
}

TEST(SumOfCalls, OneHiccupIsForgiven) {
  Evidence evidence = synthetic::round(1.5);
  CallSample& call = evidence.programs[1].calls[7];
  call.claim_ns *= 50;
  call.bracket_ns += call.claim_ns;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

TEST(Floor, AClaimUnderTheFloorIsImpossible) {
  Evidence evidence = synthetic::round(10);
  evidence.floor_ms = 0.3;
  EXPECT_EQ(judged(evidence).headline(), "impossible(below_floor)");
  evidence.floor_ms = 0.05;
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(Floor, AFloorThatTheBaselineBreaksIsUnsound) {
  Evidence evidence = synthetic::round(10);
  evidence.floor_ms = 3;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "floor_unsound"));
}

TEST(Decision, FollowsTheBounds) {
  stats::PairedRatio ratio;
  ratio.blocks = 10;
  ratio.total_95 = {0.99, 1.01};
  ratio.total_99 = {0.985, 1.015};
  EXPECT_EQ(decide(ratio), Outcome::same);
  ratio.total_95 = {0.97, 1.01};
  EXPECT_EQ(decide(ratio), Outcome::ambiguous);
  ratio.total_99 = {1.001, 1.1};
  EXPECT_EQ(decide(ratio), Outcome::faster);
  ratio.total_99 = {0.9, 0.999};
  EXPECT_EQ(decide(ratio), Outcome::slower);
  ratio.blocks = 2;
  EXPECT_EQ(decide(ratio), Outcome::ambiguous);
}

// Two equal programs in two processes that differ by the assumed process noise.
double share_decided(double sigma, double hiccups, int rounds) {
  Rng noise(77);
  int decided = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    const double bias = std::exp(stats::k_process_sigma * testing_noise::normal(noise));
    Evidence evidence = synthetic::round(bias, static_cast<std::uint64_t>(seed) + 1000, 60, sigma);
    for (ProgramEvidence& program : evidence.programs) {
      for (CallSample& call : program.calls) {
        if (noise.uniform() >= hiccups) continue;
        call.bracket_ns += 4 * call.claim_ns;
        call.claim_ns *= 5;
      }
    }
    const Outcome outcome = judged(evidence).outcome;
    decided += outcome == Outcome::faster || outcome == Outcome::slower ? 1 : 0;
    EXPECT_TRUE(is_correct(outcome)) << to_string(outcome) << " seed " << seed;
  }
  return static_cast<double>(decided) / rounds;
}

TEST(Identity, EqualProgramsAreRarelyTold) {
  EXPECT_LE(share_decided(0.005, 0, 300), 0.05);
  EXPECT_LE(share_decided(0.03, 0, 300), 0.05);
  EXPECT_LE(share_decided(0.15, 0, 300), 0.05);
}

TEST(Identity, HiccupsOfTheMachineDoNotDecide) {
  EXPECT_LE(share_decided(0.02, 0.05, 300), 0.05);
}

TEST(Sensitivity, ALargeSlowdownIsToldInOneRound) {
  int slower = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    slower += judged(synthetic::round(0.90, seed, 60, 0.015)).outcome == Outcome::slower;
  }
  EXPECT_GE(slower, 99);
}

// A program of Cupel's own that hides as much as it likes, and shows nothing in any channel.
TEST(Provenance, WhatCupelWroteIsTakenAtItsWord) {
  Evidence evidence = lying_rounds(2, 1.0, 0.5);
  deny_in_batches(evidence);
  evidence.programs[1].unaudited = "the round ended before";
  EXPECT_EQ(judged(evidence).outcome, Outcome::suspect);
  evidence.programs[1].trusted = true;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 2, 0.04);
}

TEST(Provenance, WhatCupelWroteMustBeRight) {
  Evidence evidence = synthetic::round(2.0);
  evidence.programs[1].trusted = true;
  evidence.programs[1].checks[3].outputs = {synthetic::error_of(1, 4)};
  EXPECT_EQ(judged(evidence).outcome, Outcome::wrong);
}

// A rival's true time stands, however little of it the judge's clock could prove; who claims to
// beat it is asked for proofs against that.
TEST(Provenance, WhoClaimsToBeatItMustProveIt) {
  Rng rng(5);
  Evidence evidence = synthetic::round(2.0, 4, 60, 0.002);
  evidence.programs.push_back(synthetic::program("rival", {0.75e6, 100e3, 0.002, 0.02}, rng));
  evidence.programs[2].trusted = true;
  EXPECT_TRUE(judged(evidence).ratios.at(1).proven);
  add_batches(evidence.programs[0], 1.0e6);
  add_batches(evidence.programs[1], 0.5e6);
  evidence.programs[2].batches = evidence.programs[1].batches;  // there no gain over the rival
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(1).ratio, 1.5, 0.02);
  EXPECT_FALSE(verdict.ratios.at(1).proven);
}

TEST(Judge, IsAFunctionOfItsArguments) {
  EXPECT_TRUE(rc::check("pure", [] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const double speedup = *rc::gen::inRange(50, 300) / 100.0;
    const Evidence evidence = synthetic::round(speedup, seed, *rc::gen::inRange(2, 40));
    const Verdict verdict = judged(evidence);
    RC_ASSERT(encode(verdict) == encode(judged(evidence)));
    if (verdict.ratios.empty()) return;
    const Ratio& ratio = verdict.ratios.front();
    RC_ASSERT(ratio.low <= ratio.ratio && ratio.ratio <= ratio.high);
  }));
}

}  // namespace
}  // namespace cupel::judge
