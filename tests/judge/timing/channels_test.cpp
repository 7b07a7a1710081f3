// What batches and bare calls must show of a gain.
#include <gtest/gtest.h>

#include "judge/synthetic_channels.h"

namespace cupel::judge {
namespace {

using synthetic::add_bare;
using synthetic::add_batches;
using synthetic::expect_unshown;
using synthetic::judged;

TEST(Batches, AgreeingOnesChangeNothing) {
  Evidence evidence = synthetic::round(1.5);
  add_batches(evidence.programs[0], 1.02e6);
  add_batches(evidence.programs[1], 0.69e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(Batches, AWinThatTheyDenyIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_batches(evidence.programs[0], 1.0e6);
  add_batches(evidence.programs[1], 1.0e6);
  expect_unshown(evidence);
}

TEST(Batches, ACommonCostOfThemIsNobodysFault) {
  Evidence evidence = synthetic::round(4);
  add_batches(evidence.programs[0], 1.5e6);
  add_batches(evidence.programs[1], 0.75e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(Batches, ALargeGainMustShowInThemHoweverMuchTheyCostBeside) {
  Evidence evidence = synthetic::round(4);
  add_batches(evidence.programs[0], 2.0e6);
  Evidence hidden = evidence;
  add_batches(evidence.programs[1], 1.4e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  add_batches(hidden.programs[1], 1.85e6);
  expect_unshown(hidden);
}

TEST(Batches, ABaselineThatIsQuickerInThemIsNoReproach) {
  Evidence evidence = synthetic::round(2);
  add_batches(evidence.programs[0], 0.8e6);
  add_batches(evidence.programs[1], 0.52e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareCalls, AGainThatBareCallsShowIsOne) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareCalls, AGainThatBareCallsDoNotShowIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.98e6);
  expect_unshown(evidence);
}

TEST(BareCalls, ALargeGainThatBareCallsDenyIsInDoubt) {
  Evidence evidence = synthetic::round(3);
  add_bare(evidence, 1.0e6, 0.98e6);
  expect_unshown(evidence);
}

// What the host takes beside the call, and the time in which it could see the input arrive.
TEST(BareCalls, AGainThatAFasterHostCouldShowIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 150e3);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  for (BareSample& call : evidence.programs[0].bare) call.seen_ns = 60'000;
  expect_unshown(evidence);
}

// No host can leave out the judge's own reading; how long that took, neither of both may stretch.
TEST(BareCalls, TheJudgesReadingIsNotTheHosts) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 230e3);
  expect_unshown(evidence);
  for (BareSample& call : evidence.programs[0].bare) call.read_ns = 60'000;
  expect_unshown(evidence);
  for (BareSample& call : evidence.programs[1].bare) call.read_ns = 90'000;
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

// What is beyond a quicker host's reach in the median must be so beyond its noise.
TEST(BareCalls, AGainWithinTheNoiseOfTheHostsPartIsInDoubt) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 0.8e6, 195e3);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  auto& calls = evidence.programs[0].bare;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].seen_ns = 1500 * static_cast<std::int64_t>(i);
  }
  expect_unshown(evidence);
}

TEST(BareCalls, NoiseOfLongCallsHidesNoHostsMicroseconds) {
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

TEST(BareCalls, AGainThatNobodyAuditedIsInDoubt) {
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

TEST(BareCalls, TooFewBareCallsSayNothing) {
  Evidence evidence = synthetic::round(1.5);
  add_bare(evidence, 1.0e6, 1.0e6);
  for (ProgramEvidence& program : evidence.programs) program.bare.resize(2);
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

TEST(BareCalls, ALoserIsNotAskedForAGain) {
  Evidence evidence = synthetic::round(0.7);
  add_bare(evidence, 1.0e6, 1.5e6);
  EXPECT_EQ(judged(evidence).outcome, Outcome::slower);
}

}  // namespace
}  // namespace cupel::judge
