// The clocks, the mean, the floor: what a candidate's claims must survive.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "judge/repeat.h"
#include "judge/synthetic_evidence.h"
#include "judge/timing.h"

namespace cupel::judge {
namespace {

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

void expect_unshown(const Evidence& evidence) {
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "gain_unshown");
}

void add_batches(ProgramEvidence& program, double per_call_ns) {
  for (const int calls : {4, 8, 12, 16, 20, 24}) {
    const auto total = static_cast<std::int64_t>(80e3 + per_call_ns * calls);
    program.batches.push_back({calls, total, total - 80000});
  }
}

TEST(ClockAudit, ALyingClockIsSuspectWhenItWouldWin) {
  const Verdict verdict = judged(with_lying_clock(1.0, 0.5));
  EXPECT_EQ(verdict.headline(), "suspect(clock)");
  EXPECT_TRUE(has_reason(verdict, "time_outside_window"));
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.02);
}

TEST(ClockAudit, LyingOnFewerThanHalfOfTheCallsDoesNotPay) {
  Evidence evidence = synthetic::round(1.0);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); i += 3) calls[i].claim_ns /= 4;
  const Verdict verdict = judged(evidence);
  EXPECT_NE(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.02);
  EXPECT_TRUE(has_reason(verdict, "time_outside_window"));
}

TEST(ClockAudit, HidingJustUnderTheSlackDoesNotPay) {
  Evidence evidence = synthetic::round(1.0, 4, 60, 0.002);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns -= 22000;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "clock_margin");
}

TEST(ClockAudit, AnHonestWinSurvivesTheCharge) {
  const Verdict verdict = judged(with_lying_clock(3.0, 0.8));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 3, 0.06);
  EXPECT_TRUE(has_reason(verdict, "time_outside_window"));
}

TEST(ClockAudit, AClaimThatLeavesOutMoreThanItTellsIsNoWin) {
  const Verdict verdict = judged(with_lying_clock(3.0, 0.3));
  EXPECT_EQ(verdict.outcome, Outcome::suspect);
  EXPECT_EQ(verdict.reasons.front().code, "clock");
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

TEST(ClockAudit, ABusyMachineAccusesNobody) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Verdict verdict = judged(on_a_busy_machine(4, seed));
    EXPECT_NE(verdict.outcome, Outcome::suspect) << seed << ": " << verdict.reasons.front().text;
  }
}

TEST(ClockAudit, ABusyMachineHidesNoLie) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Evidence evidence = on_a_busy_machine(1, seed);
    for (CallSample& call : evidence.programs[1].calls) call.claim_ns /= 4;
    EXPECT_NE(judged(evidence).outcome, Outcome::faster) << seed;
  }
}

TEST(ClockAudit, CopyingAnotherLayoutIsChargedAndNoLie) {
  Evidence evidence = synthetic::round(1.2);
  evidence.programs[1].layout_differs = true;
  for (CallSample& call : evidence.programs[1].calls) {
    call.copy_ns += 400000;
    call.bracket_ns += 400000;
  }
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::slower);
  EXPECT_TRUE(has_reason(verdict, "layout_charged"));
  EXPECT_FALSE(has_reason(verdict, "time_outside_window"));
}

TEST(ClockAudit, AClaimLongerThanItsBracketOrEmptyIsSuspect) {
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

TEST(SlopeAudit, AgreeingBatchesChangeNothing) {
  Evidence evidence = synthetic::round(1.5);
  add_batches(evidence.programs[0], 1.02e6);
  add_batches(evidence.programs[1], 0.69e6);
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_FALSE(has_reason(verdict, "slope_differs"));
}

TEST(SlopeAudit, AWinThatBatchesDenyIsSuspect) {
  Evidence evidence = synthetic::round(1.5);
  add_batches(evidence.programs[0], 1.0e6);
  add_batches(evidence.programs[1], 1.0e6);
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.headline(), "suspect(clock)");
  EXPECT_TRUE(has_reason(verdict, "slope_differs"));
}

TEST(SlopeAudit, ACommonCostOfBatchesIsNobodysFault) {
  Evidence evidence = synthetic::round(4);
  add_batches(evidence.programs[0], 1.5e6);
  add_batches(evidence.programs[1], 0.75e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(SlopeAudit, ALargeGainMustShowInBatchesHoweverMuchTheyCostBeside) {
  Evidence evidence = synthetic::round(4);
  add_batches(evidence.programs[0], 2.0e6);
  Evidence hidden = evidence;
  add_batches(evidence.programs[1], 1.4e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  add_batches(hidden.programs[1], 1.85e6);
  EXPECT_EQ(judged(hidden).headline(), "suspect(clock)");
}

TEST(SlopeAudit, ALargeGainInMissesIsInDoubtAndNoLie) {
  Evidence evidence = synthetic::round(3);
  add_batches(evidence.programs[0], 2.0e6);
  add_batches(evidence.programs[1], 1.95e6);
  for (BatchSample& batch : evidence.programs[0].batches) batch.claim_ns = batch.calls * 200'000;
  expect_unshown(evidence);
}

TEST(SlopeAudit, ABaselineThatIsQuickerInBatchesIsNoReproach) {
  Evidence evidence = synthetic::round(2);
  add_batches(evidence.programs[0], 0.8e6);
  add_batches(evidence.programs[1], 0.52e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

// Bare calls on inputs that both programs got.
void add_bare(Evidence& evidence, double baseline_ns, double candidate_ns, double host_ns = 5e3) {
  for (int i = 0; i < 8; ++i) {
    const auto jitter = 1000 * (i % 3);
    BareSample call;
    call.input = 5000 + i;
    call.bracket_ns = static_cast<std::int64_t>(baseline_ns) + jitter;
    call.claim_ns = call.bracket_ns - static_cast<std::int64_t>(host_ns);
    evidence.programs[0].bare.push_back(call);
    call.bracket_ns = static_cast<std::int64_t>(candidate_ns) + 1000 - jitter;
    evidence.programs[1].bare.push_back(call);
  }
}

TEST(BareAudit, AGainThatBareCallsShowIsOne) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareAudit, AGainThatBareCallsDoNotShowIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.98e6);
  expect_unshown(evidence);
}

TEST(BareAudit, ALargeGainThatBareCallsDenyIsSuspect) {
  Evidence evidence = synthetic::round(3);
  add_bare(evidence, 1.0e6, 0.98e6);
  EXPECT_EQ(judged(evidence).headline(), "suspect(clock)");
}

// What the host takes beside the call, and the time in which it could see the input arrive.
TEST(BareAudit, AGainThatAFasterHostCouldShowIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 150e3);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  for (BareSample& call : evidence.programs[0].bare) call.seen_ns = 60'000;
  expect_unshown(evidence);
}

// No host can leave out the judge's own reading; how long that took, neither of both may stretch.
TEST(BareAudit, TheJudgesReadingIsNotTheHosts) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 230e3);
  expect_unshown(evidence);
  for (BareSample& call : evidence.programs[0].bare) call.read_ns = 60'000;
  expect_unshown(evidence);
  for (BareSample& call : evidence.programs[1].bare) call.read_ns = 90'000;
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

// What is beyond a quicker host's reach in the median must be so beyond its noise.
TEST(BareAudit, AGainWithinTheNoiseOfTheHostsPartIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 195e3);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  auto& calls = evidence.programs[0].bare;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].seen_ns = 1500 * static_cast<std::int64_t>(i);
  }
  expect_unshown(evidence);
}

TEST(BareAudit, NoiseOfLongCallsHidesNoHostsMicroseconds) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 20e6, 18e6, 50e3);
  auto& calls = evidence.programs[0].bare;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::int64_t slower = i % 2 ? 3'000'000 : 0;
    calls[i].bracket_ns += slower;
    calls[i].claim_ns += slower;
  }
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareAudit, AGainThatNobodyAuditedIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  evidence.programs[1].unaudited = "the round ended before";
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "gain_unshown");
  EXPECT_EQ(verdict.reasons.front().text, "its gain was not audited: the round ended before");
  Evidence further = synthetic::round(1.5);
  append_round(evidence, std::move(further));
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

// It misses less than the baseline does, and in warm caches there is nothing to miss.
TEST(BareAudit, ALargeGainInMissesIsInDoubtAndNoLie) {
  Evidence evidence = synthetic::round(3);
  add_bare(evidence, 0.25e6, 0.24e6);
  expect_unshown(evidence);
}

TEST(BareAudit, TooFewBareCallsSayNothing) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 1.0e6);
  for (ProgramEvidence& program : evidence.programs) program.bare.resize(2);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareAudit, ALoserIsNotAskedForAGain) {
  Evidence evidence = synthetic::round(0.7);
  add_bare(evidence, 1.0e6, 1.5e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::slower);
}

// All calls are cheap but every `period`th, which is dear.
Evidence with_deferred_work(std::size_t period, double cheap, double dear) {
  Evidence evidence = synthetic::round(1.0);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const double factor = i % period == period - 1 ? dear : cheap;
    const auto claim = static_cast<std::int64_t>(static_cast<double>(calls[i].claim_ns) * factor);
    calls[i].bracket_ns += claim - calls[i].claim_ns;
    calls[i].claim_ns = claim;
  }
  return evidence;
}

TEST(MeanCharge, WorkPutOffIsSuspect) {
  const Verdict verdict = judged(with_deferred_work(8, 0.1, 7.3));
  EXPECT_EQ(verdict.headline(), "suspect(deferred_work)");
  EXPECT_TRUE(has_reason(verdict, "mean_charged"));
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.25);
}

TEST(MeanCharge, WorkPutOffOftenNeverWins) {
  // Every other block holds a dear call: too mixed for certainty, and still no win.
  EXPECT_EQ(judged(with_deferred_work(4, 0.1, 3.7)).outcome, Outcome::ambiguous);
}

TEST(MeanCharge, AnUnevenProgramThatStillWinsIsChargedItsMean) {
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
      program.repeats.push_back(call);
    }
  }
}

TEST(MeanCharge, WorkPutOffToUntimedCallsIsSuspect) {
  Evidence evidence = synthetic::round(2);
  add_repeats(evidence, 12);
  EXPECT_EQ(judged(evidence).headline(), "suspect(deferred_work)");
}

TEST(MeanCharge, UntimedCallsLikeTheTimedOnesChangeNothing) {
  Evidence evidence = synthetic::round(2);
  add_repeats(evidence, 1.1);
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

TEST(MeanCharge, FewSlowCallsThatNobodyElseHasAreCharged) {
  // 3 in 200 are less than 2 %, but the other side has none.
  Evidence evidence = synthetic::round(1.3, 1, 200);
  for (const std::size_t at : {20U, 90U, 150U, 180U}) {
    CallSample& call = evidence.programs[1].calls[at];
    call.bracket_ns += 30 * call.claim_ns;
    call.claim_ns *= 31;
  }
  EXPECT_TRUE(has_reason(judged(evidence), "mean_charged"));
}

TEST(MeanCharge, SmallHiccupsOfTheOtherExcuseNoLargeOnes) {
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

TEST(MeanCharge, OneHiccupIsForgiven) {
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

TEST(Sensitivity, AKnownSlowdownIsCalledSlower) {
  int slower_3 = 0, slower_10 = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    slower_3 += judged(synthetic::round(0.97, seed, 60, 0.015)).outcome == Outcome::slower;
    slower_10 += judged(synthetic::round(0.90, seed, 60, 0.015)).outcome == Outcome::slower;
  }
  EXPECT_GE(slower_3, 90);
  EXPECT_GE(slower_10, 99);
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
