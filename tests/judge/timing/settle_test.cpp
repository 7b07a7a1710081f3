#include "judge/timing/settle.h"

#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

Stop stop(const Evidence& evidence) {
  return stop_of(evidence, 1, synthetic::facts(), synthetic::admission());
}

TEST(Settle, GoesOnWhileTheIntervalIsWide) {
  EXPECT_EQ(stop(synthetic::round(1.0, 1, 0)), Stop::go_on);
  EXPECT_EQ(stop(synthetic::round(1.0, 1, 10, 0.001)), Stop::go_on);
  EXPECT_EQ(stop(synthetic::round(1.02, 1, 40, 0.1)), Stop::go_on);
}

TEST(Settle, StopsAtAFaultOrAFailedCheck) {
  Evidence fault = synthetic::round(1.0);
  fault.programs[1].fault.kind = HostFault::Kind::timeout;
  EXPECT_EQ(stop(fault), Stop::fault);
  Evidence wrong = synthetic::round(1.0, 1, 2);
  wrong.programs[1].checks[0].outputs[0] = synthetic::error_of(1, 1);
  EXPECT_EQ(stop(wrong), Stop::failed_check);
  Evidence late = synthetic::round(1.0, 1, 2);
  late.programs[1].late_writes = {10};
  EXPECT_EQ(stop(late), Stop::failed_check);
}

TEST(Settle, StopsEarlyForAClearLoser) {
  EXPECT_EQ(stop(synthetic::round(0.5, 1, 10, 0.02)), Stop::go_on);
  EXPECT_EQ(stop(synthetic::round(0.5, 1, 16, 0.02)), Stop::clear_loser);
  EXPECT_NE(stop(synthetic::round(2.0, 1, 16, 0.02)), Stop::clear_loser);
}

TEST(Settle, GoesOnWhileBracketsDoNotShowAWin) {
  Evidence evidence = synthetic::round(1.1, 1, 40, 0.002);
  EXPECT_EQ(stop(evidence), Stop::tight);
  for (ProgramEvidence& program : evidence.programs) {
    for (std::size_t i = 0; i < program.calls.size(); ++i) {
      // Not the same on one input: nothing of it cancels.
      const std::size_t noise = (i + 5 * (&program - evidence.programs.data())) * 7919 % 13;
      program.calls[i].bracket_ns += static_cast<std::int64_t>(noise) * 300'000;
    }
  }
  EXPECT_EQ(stop(evidence), Stop::go_on);
}

TEST(Settle, StopsWhenTight) {
  EXPECT_EQ(stop(synthetic::round(1.0, 1, 40, 0.002)), Stop::tight);
  EXPECT_EQ(stop(synthetic::round(1.5, 1, 60, 0.015)), Stop::tight);
  EXPECT_EQ(stop(synthetic::round(1.5, 1, 60, 0.2)), Stop::go_on);
}

TEST(Settle, GoesOnUntilEveryValueClassWasChecked) {
  Evidence evidence = synthetic::round(1.5, 1, 60, 0.002);
  std::erase_if(evidence.programs[1].checks,
                [](const OutputCheck& check) { return check.value_class == "large"; });
  EXPECT_EQ(stop(evidence), Stop::go_on);
  evidence.programs[1].checks.push_back({70, "large", 0, {synthetic::error_of(2e-7, 3e-6)}});
  EXPECT_EQ(stop(evidence), Stop::tight);
}

TEST(Settle, ARoundStopsWhenAllItsProgramsDo) {
  Evidence evidence = synthetic::round(1.5, 1, 60, 0.015);
  Rng rng(3);
  evidence.programs.push_back(synthetic::program("noisy", {1e6, 1e5, 0.2}, rng));
  const auto facts = synthetic::facts();
  const auto admission = synthetic::admission();
  EXPECT_FALSE(settled(evidence, facts, admission).stop);
  evidence.programs[2].fault.kind = HostFault::Kind::runtime_error;
  EXPECT_TRUE(settled(evidence, facts, admission).stop);
  EXPECT_EQ(settled(evidence, facts, admission).reason, "settled");
  evidence.programs[1].fault.kind = HostFault::Kind::runtime_error;
  EXPECT_EQ(settled(evidence, facts, admission).reason, "fault");
}

}  // namespace
}  // namespace cupel::judge
