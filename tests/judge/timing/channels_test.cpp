// What batches must show of a gain.
#include <gtest/gtest.h>

#include "judge/synthetic_channels.h"

namespace cupel::judge {
namespace {

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

TEST(Channels, AGainThatNobodyAuditedIsInDoubt) {
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

}  // namespace
}  // namespace cupel::judge
