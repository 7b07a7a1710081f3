#include "judge/timing/device_time.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace cupel::judge {
namespace {

constexpr int k_turns = 24;

ProgramEvidence program(const std::string& id, std::int64_t device_ns, int turns = k_turns) {
  ProgramEvidence program;
  program.candidate_id = id;
  program.label = id + ".py";
  for (int turn = 0; turn < turns; ++turn) {
    program.queued.push_back({turn, 0, device_ns + 10 * (turn % 3)});
  }
  return program;
}

Evidence evidence(std::initializer_list<ProgramEvidence> programs) {
  Evidence evidence;
  evidence.programs = programs;
  return evidence;
}

Ratio over(const std::string& id) {
  Ratio ratio;
  ratio.over = id + ".py";
  ratio.over_id = id;
  return ratio;
}

TEST(DeviceTime, IsARatioOfClaimedTimesOverEachOther) {
  const auto ratios = device_ratios(
      evidence({program("eager", 40'000), program("rival", 30'000), program("candidate", 20'000)}),
      2, {over("eager"), over("rival")});
  ASSERT_EQ(ratios.size(), 2U);
  EXPECT_EQ(ratios[0].over, "eager.py");
  EXPECT_NEAR(ratios[0].ratio, 2, 0.01);
  EXPECT_LT(ratios[0].low, ratios[0].ratio);
  EXPECT_LT(ratios[0].ratio, ratios[0].high);
  EXPECT_NEAR(ratios[0].candidate_ms, 0.02, 1e-4);
  EXPECT_NEAR(ratios[0].over_ms, 0.04, 1e-4);
  EXPECT_EQ(ratios[0].pairs, k_turns);
  EXPECT_EQ(ratios[1].over_id, "rival");
  EXPECT_NEAR(ratios[1].ratio, 1.5, 0.01);
}

// A wrong program's latency is compared with nobody's.
TEST(DeviceTime, IsOverThoseAloneWhoseLatencyCounts) {
  const Evidence round =
      evidence({program("eager", 40'000), program("wrong", 1'000), program("candidate", 20'000)});
  const auto ratios = device_ratios(round, 2, {over("eager")});
  ASSERT_EQ(ratios.size(), 1U);
  EXPECT_EQ(ratios[0].over_id, "eager");
}

TEST(DeviceTime, OverTheBaselineIsFoundByItsName) {
  Verdict verdict;
  verdict.ratios = {over("eager"), over("rival")};
  verdict.device_ratios = {over("rival")};
  EXPECT_EQ(verdict.device_ratio(), nullptr);
  verdict.device_ratios.push_back(over("eager"));
  ASSERT_NE(verdict.device_ratio(), nullptr);
  EXPECT_EQ(verdict.device_ratio()->over_id, "eager");
}

TEST(DeviceTime, CallsThatCouldNotBeQueuedGoWithTheirPairs) {
  ProgramEvidence half = program("candidate", 20'000);
  for (std::size_t turn = 0; turn < k_turns / 2; ++turn) half.queued[turn].device_ns = -1;
  const auto ratios = device_ratios(evidence({program("eager", 40'000), half}), 1, {over("eager")});
  ASSERT_EQ(ratios.size(), 1U);
  EXPECT_EQ(ratios[0].pairs, k_turns / 2);
  EXPECT_NEAR(ratios[0].ratio, 2, 0.01);
}

TEST(DeviceTime, IsUnknownWhereNoCallWasQueued) {
  EXPECT_TRUE(
      device_ratios(evidence({program("eager", 40'000), program("idle", -100)}), 1, {over("eager")})
          .empty());
  EXPECT_TRUE(
      device_ratios(evidence({program("eager", 1, 0), program("other", 1, 0)}), 1, {over("eager")})
          .empty());
}

TEST(DeviceTime, PairsOnlyCallsOfOneRound) {
  ProgramEvidence later = program("candidate", 20'000);
  for (auto& call : later.queued) call.round = 1;
  EXPECT_TRUE(
      device_ratios(evidence({program("eager", 40'000), later}), 1, {over("eager")}).empty());
}

}  // namespace
}  // namespace cupel::judge
