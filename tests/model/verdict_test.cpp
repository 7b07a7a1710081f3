#include "model/verdict.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

Verdict verdict_of(Outcome outcome) {
  Verdict verdict;
  verdict.outcome = outcome;
  return verdict;
}

TEST(Verdict, HeadlineOfACorrectProgramIsItsRatio) {
  Verdict verdict = verdict_of(Outcome::faster);
  verdict.ratios.push_back({"eager", "id", 1.42, 1.4, 1.44, 1.0, 1.42, 40});
  EXPECT_EQ(verdict.headline(), "faster 1.420x [1.400, 1.440]");
}

TEST(Verdict, HeadlineSaysFirstThatTheTaskIsDegenerate) {
  Verdict verdict = verdict_of(Outcome::faster);
  verdict.ratios.push_back({"eager", "id", 7.1, 7, 7.2, 1.0, 7.1, 40});
  verdict.reasons = {{"faster", "", 7.1, 1}, {"degenerate_task", "zeros pass", 1, 0}};
  EXPECT_TRUE(verdict.on_degenerate_task());
  EXPECT_EQ(verdict.headline(), "degenerate task, faster 7.100x [7.000, 7.200]");
  verdict.outcome = Outcome::wrong;
  verdict.reasons = {{"value", "", 1, 0}, {"degenerate_task", "zeros pass", 1, 0}};
  EXPECT_EQ(verdict.headline(), "wrong(value)");
}

TEST(Verdict, HeadlineOfAFailureIsItsFirstReason) {
  Verdict verdict = verdict_of(Outcome::wrong);
  verdict.reasons.push_back({"range", "wrong beyond the task's range", 1, 0});
  verdict.reasons.push_back({"nan", "", 1, 0});
  EXPECT_EQ(verdict.headline(), "wrong(range)");
}

TEST(Verdict, HeadlineDoesNotSayTheSameWordTwice) {
  Verdict verdict = verdict_of(Outcome::timeout);
  verdict.reasons.push_back({"timeout", "", 30, 30});
  EXPECT_EQ(verdict.headline(), "timeout");
  EXPECT_EQ(verdict_of(Outcome::same).headline(), "same");
}

TEST(Verdict, RatiosOfAWrongProgramAreNotItsHeadline) {
  Verdict verdict = verdict_of(Outcome::wrong);
  verdict.ratios.push_back({"eager", "id", 100, 99, 101, 1, 100, 40});
  EXPECT_EQ(verdict.headline(), "wrong");
}

TEST(Verdict, CorrectOutcomesAreTheFirstFour) {
  for (int i = 0; i <= static_cast<int>(Outcome::infra_fault); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(is_correct(outcome), outcome <= Outcome::ambiguous) << to_string(outcome);
  }
}

}  // namespace
}  // namespace cupel
