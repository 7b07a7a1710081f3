#include "judge/timing/repeat.h"

#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

Verdict timed(Outcome outcome, double ratio, double half_width) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.ratios = {
      {"eager", "id", ratio, ratio * (1 - half_width), ratio * (1 + half_width), 1, ratio, 50}};
  return verdict;
}

Evidence two_rounds(double first_speedup, double second_speedup) {
  return synthetic::over_rounds(2, [=](int number) {
    return synthetic::round(number == 0 ? first_speedup : second_speedup,
                            static_cast<std::uint64_t>(number) + 1);
  });
}

TEST(Repeat, OpenAndUnsureResultsAreRepeated) {
  EXPECT_TRUE(wants_repeat(timed(Outcome::ambiguous, 1.01, 0.03), 1, {}));
  EXPECT_TRUE(wants_repeat(timed(Outcome::faster, 1.05, 0.035), 1, {}));
  EXPECT_TRUE(wants_repeat(timed(Outcome::slower, 0.95, 0.035), 1, {}));
}

TEST(Repeat, SureResultsAndFailuresAreNot) {
  EXPECT_FALSE(wants_repeat(timed(Outcome::faster, 1.5, 0.05), 1, {}));
  EXPECT_FALSE(wants_repeat(timed(Outcome::slower, 0.5, 0.05), 1, {}));
  EXPECT_FALSE(wants_repeat(timed(Outcome::same, 1, 0.01), 1, {}));
  Verdict late = timed(Outcome::suspect, 1.05, 0.035);
  late.reasons = {{"late_write", "", 1, 0}};
  EXPECT_FALSE(wants_repeat(late, 1, {}));
  Verdict untimed;
  untimed.outcome = Outcome::ambiguous;
  EXPECT_FALSE(wants_repeat(untimed, 1, {}));
}

TEST(Repeat, AGainOverARivalIsPursuedWhereItCounts) {
  Verdict verdict = timed(Outcome::faster, 1.5, 0.05);
  verdict.ratios.push_back({"rival", "r", 1.03, 0.99, 1.07, 1, 1.03, 50, false});
  EXPECT_FALSE(wants_repeat(verdict, 1, {}));
  EXPECT_TRUE(wants_repeat(verdict, 1, {}, Rivals::heeded));
  EXPECT_FALSE(wants_repeat(verdict, 6, {}, Rivals::heeded));
  verdict.ratios[1] = {"rival", "r", 0.9, 0.87, 0.93, 1, 0.9, 50, false};
  EXPECT_FALSE(wants_repeat(verdict, 1, {}, Rivals::heeded));
  verdict.ratios[1] = {"rival", "r", 1.3, 1.25, 1.35, 1, 1.3, 50, true};
  EXPECT_FALSE(wants_repeat(verdict, 1, {}, Rivals::heeded));
}

TEST(Repeat, LimitsEndIt) {
  const Verdict open = timed(Outcome::ambiguous, 0.99, 0.02);
  EXPECT_FALSE(wants_repeat(open, 6, {}));
  EXPECT_TRUE(wants_repeat(open, 1, {3, 20, 1.0}));
  EXPECT_FALSE(wants_repeat(open, 1, {3, 20, 1.02}));
}

// One round cannot know by how much processes differ.
TEST(Repeat, WhatIsToldRestsOnTwoRounds) {
  const Evidence twice = two_rounds(2, 2);
  Evidence one = twice;
  one.rounds = 1;
  for (const Outcome told : {Outcome::faster, Outcome::slower}) {
    EXPECT_TRUE(rests_on_few(one, {timed(told, 2, 0.01)}, 3, {}));
    EXPECT_FALSE(rests_on_few(twice, {timed(told, 2, 0.01)}, 3, {}));
    EXPECT_TRUE(rests_on_few(one, {timed(told, 2, 0.01)}, 50, {}));  // however long it took
    EXPECT_FALSE(rests_on_few(one, {timed(told, 2, 0.01)}, 3, {.told_seconds_max = 0}));
  }
  EXPECT_FALSE(rests_on_few(one, {timed(Outcome::ambiguous, 1, 0.05)}, 3, {}));
}

TEST(Repeat, AWideIntervalIsMadeNarrowerIfThatIsQuick) {
  Evidence evidence = two_rounds(2, 2);
  const std::vector<Verdict> wide{timed(Outcome::slower, 0.5, 0.01),
                                  timed(Outcome::faster, 2, 0.12)};
  EXPECT_TRUE(rests_on_few(evidence, wide, 4, {}));
  EXPECT_FALSE(rests_on_few(evidence, {wide.front()}, 4, {}));
  EXPECT_FALSE(rests_on_few(evidence, wide, 12, {}));
  evidence.rounds = RepeatLimits().rounds_max;
  EXPECT_FALSE(rests_on_few(evidence, wide, 4, {}));
}

TEST(Repeat, RoundsAreJudgedTogether) {
  const Verdict verdict = synthetic::judged(two_rounds(1.06, 1.06));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_EQ(verdict.ratios.front().pairs, 88);
  EXPECT_NEAR(verdict.ratios.front().ratio, 1.06, 0.01);
}

TEST(Repeat, RoundsThatDisagreeLeaveItOpen) {
  EXPECT_EQ(synthetic::judged(synthetic::round(1.15, 1)).outcome, Outcome::faster);
  EXPECT_EQ(synthetic::judged(two_rounds(1.15, 0.9)).outcome, Outcome::ambiguous);
}

TEST(Repeat, AFailureInAnyRoundDecides) {
  Evidence evidence = synthetic::round(1.5, 1);
  Evidence further = synthetic::round(1.5, 2);
  further.programs[1].checks[3].outputs = {synthetic::error_of(1, 4)};
  append_round(evidence, std::move(further));
  EXPECT_EQ(synthetic::judged(evidence).outcome, Outcome::wrong);
}

TEST(Repeat, CostsAndRoundsAddUp) {
  Evidence evidence = synthetic::round(1, 1);
  evidence.cost.wall_ms = 1000;
  Evidence further = synthetic::round(1, 2);
  further.cost.wall_ms = 500;
  append_round(evidence, std::move(further));
  EXPECT_EQ(evidence.rounds, 2);
  EXPECT_DOUBLE_EQ(evidence.cost.wall_ms, 1500);
  EXPECT_EQ(evidence.programs[1].calls.back().round, 1);
}

// One of an audit's rounds goes on after the timing; in each are calls read once more.
TEST(Repeat, EnduranceIsOfOneRoundRecalledCallsOfEach) {
  Evidence evidence = synthetic::round(1, 1);
  evidence.programs[1].endurance.recalled = 4;
  evidence.programs[1].endurance.changed = {7};
  Evidence last = synthetic::round(1, 2);
  last.programs[1].endurance.calls = 200;
  last.programs[1].endurance.recalled = 5;
  last.programs[1].endurance.changed = {9};
  last.programs[1].endurance.memory = {{10, 1 << 20}};
  append_round(evidence, std::move(last));
  Evidence further = synthetic::round(1, 3);
  further.programs[1].endurance.recalled = 6;
  append_round(evidence, std::move(further));
  const Endurance& whole = evidence.programs[1].endurance;
  EXPECT_EQ(whole.recalled, 15);
  EXPECT_EQ(whole.changed.size(), 2U);
  EXPECT_EQ(whole.calls, 200);
  EXPECT_EQ(whole.memory.size(), 1U);
}

}  // namespace
}  // namespace cupel::judge
