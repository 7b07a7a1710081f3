// Warm calls: what is told of them, and what must show.
#include <gtest/gtest.h>

#include "judge/synthetic_channels.h"

namespace cupel::judge {
namespace {

using synthetic::add_batches;
using synthetic::deny_in_batches;
using synthetic::expect_unshown;
using synthetic::has_reason;
using synthetic::judged;

constexpr std::int64_t k_exchange_ns = 10'000;

// Both programs' calls in rows; an exchange costs what one with a program that does nothing does.
Evidence warm_round(double speedup, double baseline_ns = 1e6, std::uint64_t seed = 1) {
  Rng rng(seed);
  Evidence evidence;
  const double exchange_ns = static_cast<double>(k_exchange_ns);
  evidence.programs = {
      synthetic::program("eager", {baseline_ns, exchange_ns, 0.01, 0.02}, rng),
      synthetic::program("candidate", {baseline_ns / speedup, exchange_ns, 0.01, 0.02}, rng)};
  evidence.programs[0].role = Role::baseline;
  evidence.programs[0].trusted = true;
  evidence.exchanges_ns = {k_exchange_ns};
  return evidence;
}

// Of programs of 60 us and 20 us the exchange of 10 us would make a 2.3 of a 3.
TEST(WarmCalls, TheExchangeIsInNoRatio) {
  const Verdict verdict = judged(warm_round(3, 60e3));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 3, 0.06);
  EXPECT_NEAR(verdict.ratios.at(0).over_ms, 0.06, 0.001);
  EXPECT_NEAR(verdict.ratios.at(0).candidate_ms, 0.02, 0.001);
}

TEST(WarmCalls, AClaimEntersNoRatio) {
  Evidence evidence = warm_round(1.5);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns = call.claim_ns * 9 / 10;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1.5, 0.03);
}

TEST(WarmCalls, AWinByClaimsAloneIsNone) {
  Evidence evidence = warm_round(1.0);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns /= 2;
  const Verdict verdict = judged(evidence);
  EXPECT_NE(verdict.outcome, Outcome::faster);
  EXPECT_NE(verdict.outcome, Outcome::same);
}

// What a host that knows better than ours could leave out of an exchange, or do before it.
TEST(WarmCalls, AGainThatAQuickerHostCouldShowIsInDoubt) {
  Evidence evidence = warm_round(1.2, 120e3);  // 20 us
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  for (CallSample& call : evidence.programs[1].calls) call.seen_ns = 12'000;
  expect_unshown(evidence);
  evidence = warm_round(1.2, 120e3);
  evidence.exchanges_ns = {0};  // of that none is the exchange's
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  expect_unshown(warm_round(1.08, 120e3));
}

// Large inputs: of every eight calls four are revealed to hosts that stand still, which adds
// `cold_ns` to everybody's and `kept_ns` to the candidate's.
Evidence half_still(Evidence evidence, std::int64_t cold_ns, std::int64_t kept_ns = 0) {
  for (ProgramEvidence& program : evidence.programs) {
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
      CallSample& call = program.calls[i];
      if (i / 4 % 2 == 0) {
        call.seen_ns = 300'000;
        continue;
      }
      call.bracket_ns += cold_ns + (&program == &evidence.programs[1] ? kept_ns : 0);
    }
  }
  evidence.still_exchanges_ns = {3 * k_exchange_ns};
  return evidence;
}

// A call of 140 us that takes 60 us more where its host has stood still.
TEST(WarmCalls, OfLargeInputsTheRatioIsThatOfRunningHosts) {
  const Verdict verdict = judged(half_still(warm_round(7), 60'000));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 7, 0.2);
  EXPECT_NE(verdict.reasons.front().text.find("nobody sees come"), std::string::npos);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

// Who begins as the input arrives is quick only where it can see that.
TEST(WarmCalls, AGainByAnInputSeenEarlyIsNone) {
  expect_unshown(half_still(warm_round(2), 60'000, 500'000));
}

// More than a tenth of all calls' time lies where it is not told.
TEST(WarmCalls, WorkLeftForHostsThatStandStillIsCharged) {
  const Verdict verdict = judged(half_still(warm_round(2), 60'000, 250'000));
  EXPECT_TRUE(has_reason(verdict, "mean_charged"));
  EXPECT_LT(verdict.ratios.at(0).ratio, 1.7);
}

TEST(WarmCalls, WorkPutOffToTheFirstCallsOfRowsIsNoGain) {
  Evidence evidence = warm_round(2);
  for (ProgramEvidence& program : evidence.programs) {
    for (std::size_t i = 0; i < 8; ++i) {
      CallSample call = program.calls[i];
      call.input += 10'000;
      if (program.role == Role::candidate) call.bracket_ns *= 12;
      program.untimed.push_back(call);
    }
  }
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "deferred_work");
}

// Calls that do not count are on inputs that a program knows: nothing is gained by doing nothing.
TEST(WarmCalls, CallsThatNobodyChecksDoNotDiluteTheOthers) {
  Evidence evidence = warm_round(4);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); i += 6) calls[i].bracket_ns *= 24;
  for (ProgramEvidence& program : evidence.programs) {
    program.untimed = program.calls;
    for (CallSample& call : program.untimed) {
      call.input += 10'000;
      if (program.role == Role::candidate) call.bracket_ns = k_exchange_ns;
    }
  }
  const Verdict verdict = judged(evidence);
  EXPECT_NE(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "mean_charged"));
}

// On a busy machine the reference's long calls scatter by more than a short candidate takes.
TEST(WarmCalls, TheReferencesNoiseIsNotTheCandidates) {
  Rng rng(3);
  Evidence evidence = warm_round(20, 10e6);
  const auto disturb = [&rng](CallSample& call) {
    if (rng.uniform() < 0.4) call.bracket_ns += static_cast<std::int64_t>(8e6 * rng.uniform());
  };
  for (CallSample& call : evidence.programs[0].calls) disturb(call);
  for (ProgramEvidence& program : evidence.programs) {
    program.untimed = program.calls;
    for (CallSample& call : program.untimed) call.input += 10'000;
  }
  for (CallSample& call : evidence.programs[0].untimed) {
    call.bracket_ns = evidence.programs[0].calls[0].bracket_ns;
    disturb(call);
  }
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_GT(verdict.ratios.at(0).ratio, 18);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

// Of 60 us that both programs' first calls take longer, a quick one is not to be told less.
TEST(WarmCalls, CachesThatAreColdForBothChangeNoRatio) {
  Evidence evidence = warm_round(10, 600e3);
  for (ProgramEvidence& program : evidence.programs) {
    for (std::size_t i = 0; i < 8; ++i) {
      CallSample call = program.calls[i];
      call.input += 10'000;
      call.bracket_ns += 60'000;
      program.untimed.push_back(call);
    }
  }
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 10, 0.2);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

TEST(WarmCalls, AGainThatBatchesDenyIsInDoubt) {
  Evidence evidence = warm_round(1.5);
  deny_in_batches(evidence);
  expect_unshown(evidence);
}

// Rounds have exchanges of their own.
TEST(WarmCalls, EachRoundHasItsOwnExchange) {
  const Verdict verdict = judged(synthetic::over_rounds(3, [](int number) {
    Evidence round = warm_round(3, 60e3, static_cast<std::uint64_t>(number) + 1);
    for (ProgramEvidence& program : round.programs) {
      for (CallSample& call : program.calls) call.bracket_ns += number * 5000;
    }
    round.exchanges_ns.front() += number * 5000;
    return round;
  }));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 3, 0.06);
}

TEST(WarmCalls, WhatCupelWroteNeedsNoProof) {
  Evidence evidence = warm_round(1.08, 120e3);
  evidence.programs[1].trusted = true;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1.08, 0.01);
}

}  // namespace
}  // namespace cupel::judge
