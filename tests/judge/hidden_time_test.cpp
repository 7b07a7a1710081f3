// Time left out of claims: in the noise of a busy machine, and against another program than the
// baseline.
#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::judged;

// On a machine so busy that brackets scatter by more than a call takes, claims of nothing are no
// win.
TEST(BusyMachine, HidesNoWholeCalls) {
  for (const std::size_t every : {1, 2}) {
    Evidence evidence = synthetic::round(1.0);
    for (ProgramEvidence& program : evidence.programs) {
      for (std::size_t i = 0; i < program.calls.size(); ++i) {
        program.calls[i].bracket_ns += static_cast<std::int64_t>(i * 7919 % 13) * 150'000;
      }
    }
    auto& calls = evidence.programs[1].calls;
    for (std::size_t i = 0; i < calls.size(); i += every) calls[i].claim_ns = 2000;
    const Verdict verdict = judged(evidence);
    EXPECT_NE(verdict.outcome, Outcome::faster) << every;
    EXPECT_NE(verdict.outcome, Outcome::same) << every;
  }
}

// As fast as another program that is faster than the baseline, and just under the slack beyond it.
TEST(HiddenTime, BeatsNoRivalEither) {
  Rng rng(5);
  Evidence evidence = synthetic::round(2.0, 4, 60, 0.002);
  evidence.programs.push_back(synthetic::program("rival", {0.5e6, 100e3, 0.002, 0.02}, rng));
  EXPECT_NEAR(judged(evidence).ratios.at(1).ratio, 1, 0.01);
  for (CallSample& call : evidence.programs[1].calls) call.claim_ns -= 22000;
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_GT(verdict.ratios.at(1).ratio, 1.02);
  EXPECT_LE(verdict.ratios.at(1).low, 1.0);
}

TEST(BusyMachine, KeepsAnHonestWin) {
  Evidence evidence = synthetic::round(2.0);
  for (std::size_t program : {0, 1}) {
    auto& calls = evidence.programs[program].calls;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i].bracket_ns += static_cast<std::int64_t>((i + program) * 7919 % 13) * 150'000;
    }
  }
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
}

}  // namespace
}  // namespace cupel::judge
