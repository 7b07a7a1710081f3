// Bursts on a GPU: calls in a row of which none waits for the one before.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::judged;

constexpr double k_fixed_ns = 400e3;  // of a burst, whatever it holds
constexpr double k_copy_ns = 10e3;    // of a call's outputs
constexpr double k_open_ns = 40e3;    // of a call's inputs
constexpr std::int64_t k_first_input = 7000;

void add_bursts(ProgramEvidence& program, double call_ns, double copy_ns = k_copy_ns,
                int round = 0) {
  for (int i = 0; i < 20; ++i) {
    const double calls = i % 2 ? 8 : 2;
    BatchSample burst;
    burst.calls = static_cast<std::int64_t>(calls);
    burst.bracket_ns = static_cast<std::int64_t>(k_fixed_ns + calls * call_ns) + 1500 * (i % 3);
    burst.open_ns = static_cast<std::int64_t>(50e3 + calls * k_open_ns) + 700 * (i % 2);
    burst.copy_ns = static_cast<std::int64_t>(k_fixed_ns + calls * copy_ns);
    burst.total_ns = burst.open_ns + burst.bracket_ns + burst.copy_ns + 300'000;
    burst.first_input = k_first_input + 10 * i;
    burst.counted = i > 0;
    burst.round = round;
    if (i == 0) burst.bracket_ns = burst.total_ns = 50'000'000;
    program.batches.push_back(burst);
  }
}

// A candidate that is half as fast again in single calls of a millisecond.
Evidence with_bursts(double baseline_ns, double candidate_ns,
                     double candidate_copy_ns = k_copy_ns) {
  Evidence evidence = synthetic::round(1.5);
  add_bursts(evidence.programs[0], baseline_ns);
  add_bursts(evidence.programs[1], candidate_ns, candidate_copy_ns);
  return evidence;
}

void expect_unshown(const Evidence& evidence) {
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "gain_unshown");
}

TEST(Bursts, AGainOfWhichAQuarterShowsIsOne) {
  EXPECT_EQ(judged(with_bursts(0.8e6, 0.7e6)).outcome, Outcome::faster);
  EXPECT_NE(judged(with_bursts(0.8e6, 0.7e6)).reasons.front().text.find("nobody waits for"),
            std::string::npos);
}

TEST(Bursts, AGainThatTheyDoNotShowIsInDoubtHoweverSmall) {
  expect_unshown(with_bursts(0.8e6, 0.8e6));
  expect_unshown(with_bursts(0.8e6, 0.74e6));
}

// Where medians of single calls show no gain at all, and their ratio on equal inputs does.
TEST(Bursts, AWinOfWhichTheyShowNothingIsInDoubtWhateverMediansSay) {
  Evidence evidence = with_bursts(0.8e6, 0.8e6);
  auto& calls = evidence.programs[1].calls;
  for (std::size_t i = 0; i < calls.size() / 2; ++i) {
    const auto more = calls[i].claim_ns;
    calls[i].claim_ns += more;
    calls[i].bracket_ns += more;
    auto& twin = evidence.programs[0].calls[i];
    const auto as_much = 3 * twin.claim_ns;
    twin.claim_ns += as_much;
    twin.bracket_ns += as_much;
  }
  expect_unshown(evidence);
}

TEST(Bursts, ALargeGainThatTheyDenyIsInDoubt) {
  Evidence evidence = synthetic::round(3);
  add_bursts(evidence.programs[0], 0.9e6);
  add_bursts(evidence.programs[1], 0.9e6);
  expect_unshown(evidence);
}

// Nanoseconds a call of both programs, round by round.
Evidence with_rounds(const std::vector<std::pair<double, double>>& calls_ns) {
  Evidence evidence = synthetic::round(1.5);
  int round = 0;
  for (const auto& [baseline_ns, candidate_ns] : calls_ns) {
    add_bursts(evidence.programs[0], baseline_ns, k_copy_ns, round);
    add_bursts(evidence.programs[1], candidate_ns, k_copy_ns, round++);
  }
  return evidence;
}

TEST(Bursts, WhatAllProgramsOfARoundShareHidesNoGain) {
  EXPECT_EQ(judged(with_rounds({{0.9e6, 0.8e6}, {0.4e6, 0.3e6}})).outcome, Outcome::faster);
}

// The mean of both rounds is more than a quarter of the gain.
TEST(Bursts, AGainOfOnePairOfProcessesAloneIsInDoubt) {
  expect_unshown(with_rounds({{0.9e6, 0.55e6}, {0.9e6, 1.0e6}}));
}

TEST(Bursts, WorkThatIsLeftForTheCopyingIsCharged) {
  expect_unshown(with_bursts(0.8e6, 0.7e6, k_copy_ns + 50e3));
}

TEST(Bursts, WorkBetweenTheTurnsIsNotSaved) {
  Evidence evidence = with_bursts(0.8e6, 0.1e6);
  for (BatchSample& burst : evidence.programs[1].batches) burst.total_ns += burst.calls * 700'000;
  expect_unshown(evidence);
}

// Each of the candidate's bursts, by so much a call.
void shift(Evidence& evidence, std::int64_t BatchSample::*from, double by_ns) {
  for (BatchSample& burst : evidence.programs[1].batches) {
    const auto whole_ns = static_cast<std::int64_t>(by_ns) * burst.calls;
    burst.*from += whole_ns;
    burst.bracket_ns -= whole_ns;
  }
}

TEST(Bursts, WorkDoneAsInputsAreOpenedIsNotSaved) {
  Evidence evidence = with_bursts(0.8e6, 0.8e6);
  shift(evidence, &BatchSample::open_ns, 0.7e6);
  expect_unshown(evidence);
}

// It returns at once when it should open inputs, and opens them within its calls, for nothing.
TEST(Bursts, OpeningInLessTimeIsNoGain) {
  Evidence evidence = with_bursts(0.8e6, 0.8e6);
  for (BatchSample& burst : evidence.programs[1].batches) {
    burst.total_ns -= burst.open_ns;
    burst.open_ns = 0;
  }
  expect_unshown(evidence);
  evidence.metric = Metric::throughput;
  EXPECT_NE(judged(evidence).outcome, Outcome::faster);
}

// A slope is small, too, where short bursts take longer than they need.
TEST(Bursts, DelaysOfShortBurstsAreNoGain) {
  Evidence evidence = with_bursts(0.8e6, 0.8e6);
  for (BatchSample& burst : evidence.programs[1].batches) {
    if (burst.calls > 2) continue;
    burst.bracket_ns += 3'000'000;
    burst.total_ns += 3'000'000;
  }
  expect_unshown(evidence);
}

TEST(Bursts, CopyingNothingIsNoGain) {
  expect_unshown(with_bursts(0.8e6, 0.8e6, 0));
}

TEST(Bursts, OverAFreeVariantTheSameIsAskedFor) {
  Evidence evidence = with_bursts(0.9e6, 0.7e6);
  evidence.programs.push_back(synthetic::round(1.1).programs[1]);
  evidence.programs[2].candidate_id = "rival";
  evidence.programs[2].label = "rival";
  add_bursts(evidence.programs[2], 0.7e6);
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  ASSERT_EQ(verdict.ratios.size(), 2U);
  EXPECT_FALSE(verdict.ratios[1].proven);
  for (BatchSample& burst : evidence.programs[2].batches) {
    burst.bracket_ns += burst.calls * 200'000;
    burst.total_ns += burst.calls * 200'000;
  }
  EXPECT_TRUE(judged(evidence).ratios[1].proven);
}

// Single calls were right: the output of a call that others followed is not.
TEST(Bursts, AnOutputThatALaterCallSpoiltIsAliased) {
  Evidence evidence = with_bursts(0.8e6, 0.7e6);
  OutputCheck check = evidence.programs[1].checks.front();
  check.input = k_first_input + 10;  // of eight calls
  check.outputs.front().max = check.outputs.front().rms = 1;
  evidence.programs[1].checks.push_back(check);
  EXPECT_EQ(judged(evidence).headline(), "wrong(aliased_output)");
  evidence.programs[1].checks.back().input = k_first_input + 17;
  EXPECT_EQ(judged(evidence).headline(), "wrong(value)");
}

}  // namespace
}  // namespace cupel::judge
