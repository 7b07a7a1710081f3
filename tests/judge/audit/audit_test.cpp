#include "judge/audit/audit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::admission;
using synthetic::facts;
using synthetic::has_reason;

// Three programs in turn, the turn reversed every eight inputs; a reference that follows the
// candidate takes `disturbed` times as long.
Evidence audit_of(double speedup, double disturbed, int pairs = 64) {
  Evidence evidence = synthetic::round(speedup, 3, pairs, 0.01);
  Rng rng(4);
  evidence.programs.push_back(synthetic::program("eager", {1e6, 100e3, 0.01, 0.02}, rng, pairs));
  evidence.programs[2].trusted = true;
  for (int input = 0; input < pairs; ++input) {
    const bool reversed = (input / 8) % 2 == 1;
    for (std::size_t at = 0; at < k_audit_programs; ++at) {
      const std::size_t program = reversed ? k_audit_programs - 1 - at : at;
      CallSample& call = evidence.programs[program].calls[static_cast<std::size_t>(input)];
      call.order = 3 * input + static_cast<std::int64_t>(at);
    }
    // In either direction the middle is the candidate, and the last follows it.
    CallSample& victim = evidence.programs[reversed ? 0 : 2].calls[static_cast<std::size_t>(input)];
    const auto extra = static_cast<std::int64_t>((disturbed - 1) * 1e6);
    victim.claim_ns += extra;
    victim.bracket_ns += extra;
  }
  return evidence;
}

TEST(Audit, AFasterProgramStaysFaster) {
  const Verdict verdict = audit(audit_of(1.5, 1.0), facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1.5, 0.02);
  EXPECT_FALSE(has_reason(verdict, "disturbs"));
}

TEST(Audit, SlowingDownTheReferenceGainsNothing) {
  const Evidence evidence = audit_of(1.0, 1.3);
  EXPECT_NEAR(disturbance(evidence), 1.3, 0.02);
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1.0, 0.02);
  EXPECT_NE(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "disturbs"));
}

TEST(Audit, ProcessesThatDifferAreNoDisturbance) {
  Evidence evidence = audit_of(1.0, 1.0);
  for (CallSample& call : evidence.programs[2].calls) call.claim_ns += 100'000;
  EXPECT_NEAR(disturbance(evidence), 1.0, 0.01);
}

TEST(Audit, EachInputHasOneBaselineCall) {
  const Evidence evidence = audit_of(1.0, 1.0);
  const Evidence pairs = undisturbed(evidence);
  ASSERT_EQ(pairs.programs.size(), 2U);
  EXPECT_EQ(pairs.programs[0].calls.size(), evidence.programs[0].calls.size());
  EXPECT_EQ(pairs.programs[0].checks.size(), evidence.programs[0].checks.size());
}

TEST(Audit, AnInputOnWhichNobodyCouldBeDisturbedCounts) {
  Evidence evidence = audit_of(1.0, 1.0);
  evidence.programs[1].calls[5].order = -9;  // no reference's call comes right behind it
  const auto& later = evidence.programs[2].calls[5];
  const auto baseline = undisturbed(evidence).programs[0].calls;
  EXPECT_EQ(baseline.size(), evidence.programs[0].calls.size());
  EXPECT_TRUE(std::any_of(baseline.begin(), baseline.end(), [&](const CallSample& call) {
    return call.input == later.input && call.order == later.order;
  }));
}

TEST(Audit, TooFewCallsTellNothing) {
  EXPECT_EQ(disturbance(audit_of(1.0, 1.3, 8)), 1.0);
}

TEST(Audit, AWrongWinnerIsWrong) {
  Evidence evidence = audit_of(2.0, 1.0);
  evidence.programs[1].checks[3].outputs[0] = synthetic::error_of(1e-7, 0.31);
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::wrong);
}

TEST(Audit, AReferenceThatFailsIsNobodysGain) {
  Evidence evidence = audit_of(2.0, 1.0);
  evidence.programs[2].checks[3].outputs[0] = synthetic::error_of(1e-7, 0.31);
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.headline(), "infra_fault(baseline_wrong)");
}

TEST(Audit, AFaultThatIsNotTheReferencesIsToldAsWhatItIs) {
  Evidence evidence = audit_of(2.0, 1.0);
  evidence.infra_fault = "the device is not quiet";
  EXPECT_EQ(audit(evidence, facts(), admission()).headline(), "infra_fault(round_failed)");
  evidence = audit_of(2.0, 1.0);
  evidence.programs[2].fault = {HostFault::Kind::infra, "call", "a full disk", "", -1};
  EXPECT_EQ(audit(evidence, facts(), admission()).headline(), "infra_fault(host_failed)");
}

TEST(Audit, AReferenceThatDoesNotAnswerIsNotWrong) {
  Evidence evidence = audit_of(2.0, 1.0);
  evidence.programs[2].fault = {HostFault::Kind::timeout, "call", "it took too long", "", 3};
  EXPECT_EQ(audit(evidence, facts(), admission()).headline(), "infra_fault(baseline_failed)");
}

TEST(Audit, AReferenceThatOnlyTheClocksAccuseIsSound) {
  Evidence evidence = audit_of(2.0, 1.0);
  for (CallSample& call : evidence.programs[2].calls) call.claim_ns /= 4;
  EXPECT_NE(audit(evidence, facts(), admission()).outcome, Outcome::infra_fault);
}

TEST(Audit, ItsRatioTakesThePlaceOfTheEarlierOne) {
  Verdict before;
  before.outcome = Outcome::faster;
  before.ratios = {{"eager", "e", 1.6, 1.55, 1.65, 1, 1.6, 50},
                   {"compiled", "c", 1.2, 1.15, 1.25, 1, 1.2, 50}};
  const Verdict audited = audit(audit_of(1.5, 1.0), facts(), admission());
  const Verdict verdict = confirmed(before, audited);
  ASSERT_EQ(verdict.ratios.size(), 2u);
  EXPECT_EQ(verdict.ratios[0].ratio, audited.ratios[0].ratio);
  EXPECT_EQ(verdict.ratios[1].over_id, "c");
  EXPECT_TRUE(has_reason(verdict, "audited"));
  EXPECT_NE(verdict.reasons.back().text.find("1.600x [1.550, 1.650]"), std::string::npos);
  EXPECT_EQ(verdict.headline(), audited.headline());
}

}  // namespace
}  // namespace cupel::judge
