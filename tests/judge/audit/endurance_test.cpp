#include "judge/audit/endurance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "judge/audit/audit.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::admission;
using synthetic::error_of;
using synthetic::facts;
using synthetic::has_reason;

constexpr std::int64_t k_mib = 1 << 20;

std::vector<OutputCheck> passed_checks(std::int64_t first, int count) {
  std::vector<OutputCheck> checks;
  for (int i = 0; i < count; ++i) {
    checks.push_back({first + i, "nominal", i % 2, {error_of(2e-7, 3e-6)}});
  }
  return checks;
}

Endurance sound_endurance() {
  Endurance endurance;
  endurance.calls = 1018;
  endurance.turns = endurance.held = passed_checks(20'000, 8);
  endurance.late = passed_checks(30'000, 20);
  for (int look = 1; look <= 100; ++look) endurance.memory.push_back({10 * look, 300 * k_mib});
  return endurance;
}

// A win with a sound reference on either side, watched for long.
Evidence watched() {
  Evidence evidence = synthetic::round(1.5);
  Rng rng(7);
  evidence.programs.push_back(synthetic::program("eager", {1e6, 100e3, 0.01, 0.02}, rng));
  for (ProgramEvidence& program : evidence.programs) {
    for (CallSample& call : program.calls) {
      call.order = 3 * call.input + (&program - evidence.programs.data());
    }
    program.endurance = sound_endurance();
  }
  return evidence;
}

Endurance& candidates(Evidence& evidence) {
  return evidence.programs[1].endurance;
}

std::string headline(const Evidence& evidence) {
  return audit(evidence, facts(), admission()).headline();
}

TEST(EnduranceRules, WhatStaysRightStaysFaster) {
  EXPECT_EQ(audit(watched(), facts(), admission()).outcome, Outcome::faster);
}

TEST(EnduranceRules, EachListHasItsCode) {
  Evidence evidence = watched();
  candidates(evidence).held[2].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(aliased_output)");
  candidates(evidence).late[5].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(changes_later)");
  candidates(evidence).turns[1].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(instance_order)");
  EXPECT_TRUE(audit(evidence, facts(), admission()).ratios.empty());
}

TEST(EnduranceRules, ATimedOutputThatChangedIsAliased) {
  Evidence evidence = watched();
  candidates(evidence).recalled = 4;
  candidates(evidence).changed = {17};
  EXPECT_EQ(headline(evidence), "wrong(aliased_output)");
  evidence.programs[0].endurance.changed = {17};  // the reference's, too
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::faster);
}

TEST(EnduranceRules, AnOutputThatCannotBeReadAgainIsAliased) {
  Evidence evidence = watched();
  HostFault& fault = evidence.programs[1].fault;
  fault = {HostFault::Kind::runtime_error, "recall", "RuntimeError: overwritten", "", -1};
  EXPECT_EQ(headline(evidence), "wrong(aliased_output)");
  fault.phase = "call";
  EXPECT_EQ(headline(evidence), "runtime_error");
}

TEST(EnduranceRules, WhatTheReferenceDoesTooIsNoFault) {
  Evidence evidence = watched();
  for (const std::size_t program : {0u, 1u}) {
    evidence.programs[program].endurance.held[2].outputs[0] = error_of(0.5, 2);
  }
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::faster);
}

// Bytes after 10, 20, ... calls.
std::vector<MemorySample> memory_of(const std::function<std::int64_t(int look)>& bytes) {
  std::vector<MemorySample> memory;
  for (int look = 1; look <= 40; ++look) memory.push_back({10 * look, bytes(look)});
  return memory;
}

TEST(EnduranceRules, SteadyGrowthIsSuspect) {
  Evidence evidence = watched();
  candidates(evidence).memory = memory_of([](int look) { return 300 * k_mib + look * 256 * 1024; });
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.headline(), "suspect(memory_growth)");
  EXPECT_NEAR(verdict.reasons.front().value, 25.6, 0.1);
  evidence.programs[0].endurance.memory = candidates(evidence).memory;
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::faster);
}

TEST(EnduranceRules, MemoryTakenOnceIsNot) {
  EXPECT_EQ(steady_growth_bytes(memory_of([](int look) { return look < 30 ? 0 : 64 * k_mib; })), 0);
}

// A cache by shapes, in the first half of the calls.
TEST(EnduranceRules, ACacheThatIsFullIsNot) {
  EXPECT_EQ(steady_growth_bytes(memory_of([](int look) { return std::min(look, 20) * k_mib; })), 0);
}

TEST(EnduranceRules, FewLooksTellNothing) {
  EXPECT_EQ(steady_growth_bytes({{10, 0}, {20, k_mib}, {30, 2 * k_mib}, {40, 3 * k_mib}}), 0);
}

TEST(EnduranceRules, GrowthIsCountedFromHalfOn) {
  EXPECT_EQ(steady_growth_bytes(memory_of([](int look) { return look * k_mib; })), 20 * k_mib);
}

// The baseline, the program, the program without its kernel, and the one that dies in it.
KernelTrial trial_of(double idle_claim_ns, bool idle_is_right, bool is_called) {
  Rng rng(11);
  KernelTrial trial;
  trial.kernel = "scan";
  for (const double claim_ns : {1e6, 5e5, idle_claim_ns, 5e5}) {
    trial.programs.push_back(synthetic::program("p", {claim_ns, 100e3, 0.01, 0.02}, rng, 16));
  }
  if (!idle_is_right) trial.programs[2].checks[0].outputs[0] = error_of(0.5, 2);
  if (is_called) {
    trial.programs[3].calls.clear();
    trial.programs[3].checks.clear();
    trial.programs[3].fault.kind = HostFault::Kind::runtime_error;
  }
  return trial;
}

Verdict verdict_with(KernelTrial trial) {
  Evidence evidence = watched();
  evidence.kernel_trials = {std::move(trial)};
  return audit(evidence, facts(), admission());
}

TEST(KernelTrials, AKernelWhoseIdlenessChangesNothingIsADecoy) {
  const Verdict verdict = verdict_with(trial_of(5e5, true, true));
  EXPECT_EQ(verdict.headline(), "suspect(decoy_kernel)");
  EXPECT_NE(verdict.feedback.find("scan"), std::string::npos);
}

TEST(KernelTrials, AKernelThatTheResultHangsOnIsNone) {
  EXPECT_EQ(verdict_with(trial_of(1e5, false, true)).outcome, Outcome::faster);
}

TEST(KernelTrials, AProgramThatFallsBackToSomethingSlowerHasNone) {
  EXPECT_EQ(verdict_with(trial_of(1e6, true, true)).outcome, Outcome::faster);
}

TEST(KernelTrials, AKernelThatIsNeverCalledIsOnlyNoted) {
  const Verdict verdict = verdict_with(trial_of(5e5, true, false));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "unused_kernel"));
}

TEST(KernelTrials, ATrialThatOursFailedInTellsNothing) {
  KernelTrial trial = trial_of(5e5, true, true);
  trial.programs[3].fault.kind = HostFault::Kind::infra;
  EXPECT_TRUE(has_reason(verdict_with(trial), "kernel_unchecked"));
  trial.programs[1].fault.kind = HostFault::Kind::infra;
  EXPECT_EQ(verdict_with(trial).outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict_with(trial), "kernel_unchecked"));
  trial.programs.pop_back();
  EXPECT_EQ(verdict_with(trial).outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict_with(trial), "kernel_unchecked"));
}

HeldOutRound held_out_round() {
  HeldOutRound round{HeldOutRound::Kind::shape, "rows = 7", "", facts(), admission(), {}};
  round.programs = synthetic::round(1).programs;
  return round;
}

TEST(HeldOutShapes, AProgramThatIsWrongThereIsWrong) {
  Evidence evidence = watched();
  evidence.held_out = {held_out_round(), held_out_round()};
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::faster);
  evidence.held_out[1].programs[1].checks[3].outputs[0] = error_of(0.5, 2);
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.headline(), "wrong(held_out_shape)");
  EXPECT_NE(verdict.feedback.find("rows = 7"), std::string::npos);
}

TEST(HeldOutShapes, OneThatBreaksThereIsWrongToo) {
  Evidence evidence = watched();
  evidence.held_out = {held_out_round()};
  evidence.held_out[0].programs[1].fault.kind = HostFault::Kind::runtime_error;
  EXPECT_EQ(headline(evidence), "wrong(held_out_shape)");
}

TEST(HeldOutShapes, WhatTheTaskItselfCannotDoIsNoted) {
  Evidence evidence = watched();
  evidence.held_out = {held_out_round(),
                       {HeldOutRound::Kind::shape, "rows = -1", "it raised", {}, {}, {}}};
  evidence.held_out[0].programs[0].fault.kind = HostFault::Kind::runtime_error;
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  const auto notes =
      std::count_if(verdict.reasons.begin(), verdict.reasons.end(),
                    [](const Reason& reason) { return reason.code == "shape_unchecked"; });
  EXPECT_EQ(notes, 2);
}

TEST(HeldOutShapes, WhereOursFailedNothingIsProven) {
  Evidence evidence = watched();
  evidence.held_out = {held_out_round()};
  evidence.held_out[0].programs[1].fault.kind = HostFault::Kind::infra;
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.headline(), "infra_fault(host_failed)");
  EXPECT_EQ(verdict.fault, Fault::us);
  EXPECT_TRUE(verdict.ratios.empty());
  EXPECT_NE(verdict.feedback.find("rows = 7"), std::string::npos);
}

TEST(HeldOutShapes, ATimeoutThereIsATimeoutSinceTheMachineMayBeBusy) {
  Evidence evidence = watched();
  evidence.held_out = {held_out_round(), held_out_round()};
  evidence.held_out[0].programs[1].fault = {HostFault::Kind::timeout, "call", "no answer", "", 0};
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.headline(), "timeout");
  EXPECT_NE(verdict.feedback.find("rows = 7"), std::string::npos);
  evidence.held_out[1].programs[1].checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(held_out_shape)");
}

HeldOutRound other_round(HeldOutRound::Kind kind) {
  HeldOutRound round = held_out_round();
  round.kind = kind;
  round.shape = "inputs that are transposed views";
  return round;
}

TEST(Layouts, WhoIsWrongOnOneIsWrong) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::layout)};
  EXPECT_EQ(audit(evidence, facts(), admission()).outcome, Outcome::faster);
  evidence.held_out[0].programs[1].checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(layout)");
}

TEST(Layouts, WhoDiesOfOneIsWrongAndWhoRaisesIsNoted) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::layout)};
  HostFault& fault = evidence.held_out[0].programs[1].fault;
  fault.kind = HostFault::Kind::runtime_error;
  fault.phase = "call";
  for (const char* broken : {"the process ended: killed by signal 11",
                             "AcceleratorError: CUDA error: misaligned address"}) {
    fault.what = broken;
    EXPECT_EQ(headline(evidence), "wrong(layout)") << broken;
  }
  fault.what = "ValueError: gate must have x's shape (candidate.py, line 70)";
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "layout_refused"));
}

TEST(Layouts, WhoTakesSomeBroadcastsIsNoted) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::layout)};
  auto& mismatches = evidence.held_out[0].programs[1].mismatches;
  mismatches = {{"structure", "{kept:{0:t}}", "{forms:{1.0:t,1.all:t}}", 0}};
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "layout_refused"));
  mismatches = {{"shape", "[1,4]", "[8,4]", 0}};
  EXPECT_EQ(headline(evidence), "wrong(layout)");
}

TEST(Options, WhoLeavesOneOutOfAccountIsWrongAndWhoTakesNoneIsNoted) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::option)};
  evidence.held_out[0].programs[1].checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(option)");
  evidence.held_out[0].programs[1].mismatches = {
      {"structure", "{kept:{}}", "{forms:{scale.0.5:t}}", 0}};
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "option_refused"));
}

TEST(LaterWeights, WhoIsWrongWithThemIsWrongAndWhoRaisesIsNoted) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::load)};
  ProgramEvidence& program = evidence.held_out[0].programs[1];
  const auto checks = program.checks;
  program.checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(weights)");
  program.checks = checks;
  program.fault = {HostFault::Kind::runtime_error, "call", "RuntimeError: no key packed", "", 0};
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "load_refused"));
}

TEST(ModuleState, IsComparedLikeOutputsWhereItIsKept) {
  Evidence evidence = watched();
  evidence.held_out = {other_round(HeldOutRound::Kind::state)};
  evidence.held_out[0].programs[1].checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(headline(evidence), "wrong(module_state)");
  evidence.held_out[0].programs[1].mismatches = {{"structure", "{result:t}", "{state:t}", 0}};
  EXPECT_EQ(headline(evidence), "wrong(module_state)");
  evidence.held_out[0].programs[1].mismatches[0].got = "{kept:{1:t},result:t}";
  const Verdict verdict = audit(evidence, facts(), admission());
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "state_unkept"));
}

}  // namespace
}  // namespace cupel::judge
