#include "judge/repeat.h"

#include <gtest/gtest.h>

#include <vector>

namespace cupel::judge {
namespace {

Verdict timed(Outcome outcome, double ratio) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.reasons = {{std::string(to_string(outcome)), "", 0, 0}};
  verdict.ratios = {{"eager", "id", ratio, ratio * 0.99, ratio * 1.01, 1, ratio, 50}};
  verdict.close_1e2 = true;
  verdict.checked_calls = 60;
  return verdict;
}

Verdict wrong() {
  Verdict verdict;
  verdict.outcome = Outcome::wrong;
  verdict.reasons = {{"value", "", 0, 0}};
  return verdict;
}

TEST(Repeat, OnlyCloseWinsAndLossesNeedIt) {
  EXPECT_TRUE(needs_repeat(timed(Outcome::faster, 1.05)));
  EXPECT_TRUE(needs_repeat(timed(Outcome::slower, 0.95)));
  EXPECT_FALSE(needs_repeat(timed(Outcome::faster, 1.5)));
  EXPECT_FALSE(needs_repeat(timed(Outcome::slower, 0.5)));
  EXPECT_FALSE(needs_repeat(timed(Outcome::same, 1.0)));
  EXPECT_FALSE(needs_repeat(wrong()));
}

TEST(Repeat, AgreeingRoundsKeepTheOutcomeAndPoolTheRatio) {
  const std::vector<Verdict> rounds{timed(Outcome::faster, 1.02), timed(Outcome::faster, 1.08)};
  const Verdict combined = combine(rounds);
  EXPECT_EQ(combined.outcome, Outcome::faster);
  EXPECT_NEAR(combined.ratios.front().ratio, 1.0496, 1e-3);
  EXPECT_NEAR(combined.ratios.front().low, 1.02 * 0.99, 1e-9);
  EXPECT_NEAR(combined.ratios.front().high, 1.08 * 1.01, 1e-9);
  EXPECT_EQ(combined.ratios.front().pairs, 100);
  EXPECT_EQ(combined.checked_calls, 120);
}

TEST(Repeat, DisagreeingRoundsAreAmbiguous) {
  const std::vector<Verdict> rounds{timed(Outcome::faster, 1.05), timed(Outcome::same, 1.0)};
  const Verdict combined = combine(rounds);
  EXPECT_EQ(combined.outcome, Outcome::ambiguous);
  EXPECT_EQ(combined.reasons.front().code, "not_reproduced");
  EXPECT_LE(combined.ratios.front().low, 1.0);
}

TEST(Repeat, AFailureInAnyRoundDecides) {
  const std::vector<Verdict> rounds{timed(Outcome::faster, 1.05), wrong()};
  EXPECT_EQ(combine(rounds).outcome, Outcome::wrong);
}

}  // namespace
}  // namespace cupel::judge
