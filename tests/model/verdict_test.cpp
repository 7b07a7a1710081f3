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
