#include "judge/judge.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "judge/codes.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::error_of;
using synthetic::has_reason;
using synthetic::judged;

void expect_verdict(const Verdict& verdict, Outcome outcome, Fault fault, const char* code) {
  EXPECT_EQ(to_string(verdict.outcome), to_string(outcome)) << verdict.feedback;
  EXPECT_EQ(to_string(verdict.fault), to_string(fault));
  ASSERT_FALSE(verdict.reasons.empty());
  EXPECT_EQ(verdict.reasons.front().code, code);
  EXPECT_FALSE(verdict.feedback.empty());
  for (const Reason& reason : verdict.reasons) EXPECT_NE(find_code(reason.code), nullptr);
  EXPECT_TRUE(decode_verdict(encode(verdict)));
}

void expect_wrong(const Evidence& evidence, const char* code) {
  const Verdict verdict = judged(evidence);
  expect_verdict(verdict, Outcome::wrong, Fault::candidate, code);
  EXPECT_TRUE(verdict.ratios.empty());
}

OutputCheck& check_of_class(ProgramEvidence& program, const char* name, int instance = 0) {
  for (OutputCheck& check : program.checks) {
    if (check.value_class == name && check.instance == instance) return check;
  }
  return program.checks.front();
}

TEST(Codes, AreUniqueAndFound) {
  std::set<std::string_view> seen;
  for (const Code& entry : k_codes) EXPECT_TRUE(seen.insert(entry.code).second) << entry.code;
  EXPECT_EQ(find_code("no such code"), nullptr);
}

TEST(Judge, Faster) {
  const Verdict verdict = judged(synthetic::round(1.5));
  expect_verdict(verdict, Outcome::faster, Fault::nobody, "faster");
  ASSERT_EQ(verdict.ratios.size(), 1u);
  EXPECT_NEAR(verdict.ratios[0].ratio, 1.5, 0.02);
  EXPECT_EQ(verdict.ratios[0].pairs, 44);
  EXPECT_EQ(verdict.ratios[0].over, "eager.py");
  EXPECT_NEAR(verdict.ratios[0].candidate_ms, 1 / 1.5, 0.02);
  EXPECT_EQ(verdict.checked_calls, 62);
  EXPECT_TRUE(verdict.close_1e4);
  EXPECT_DOUBLE_EQ(verdict.error_max, 3e-6);
}

TEST(Judge, Slower) {
  expect_verdict(judged(synthetic::round(0.9)), Outcome::slower, Fault::nobody, "slower");
}

TEST(Judge, Same) {
  const auto round = [](int number) {
    return synthetic::round(1.0, static_cast<std::uint64_t>(number));
  };
  expect_verdict(judged(synthetic::over_rounds(4, round)), Outcome::same, Fault::nobody, "same");
  expect_verdict(judged(synthetic::round(1.0)), Outcome::ambiguous, Fault::nobody,
                 "interval_too_wide");  // one pair of processes does not show it
}

TEST(Judge, AmbiguousWhenTheIntervalIsWide) {
  const Verdict verdict = judged(synthetic::round(1.03, 3, 20, 0.2));
  expect_verdict(verdict, Outcome::ambiguous, Fault::nobody, "interval_too_wide");
}

TEST(Judge, AmbiguousWhenCorrectButHardlyTimed) {
  const Verdict few = judged(synthetic::round(2, 1, 4));
  expect_verdict(few, Outcome::ambiguous, Fault::nobody, "too_few_calls");
  Evidence untimed = synthetic::round(2);
  untimed.programs[1].calls.clear();
  expect_verdict(judged(untimed), Outcome::ambiguous, Fault::nobody, "too_few_calls");
}

TEST(Judge, FewBlocksDecideWithAWord) {
  const Verdict verdict = judged(synthetic::round(2, 1, 10));
  expect_verdict(verdict, Outcome::faster, Fault::nobody, "faster");
  EXPECT_TRUE(has_reason(verdict, "few_blocks"));
}

TEST(Judge, SaysWhatOfTheWeightsWasNotVaried) {
  Evidence evidence = synthetic::round(2);
  EXPECT_FALSE(has_reason(judged(evidence), "weights_untrained"));
  evidence.untrained = {"weights are varied at 0.25 of what training does", "another"};
  const Verdict verdict = judged(evidence);
  expect_verdict(verdict, Outcome::faster, Fault::nobody, "faster");
  ASSERT_TRUE(has_reason(verdict, "weights_untrained"));
  EXPECT_EQ(verdict.reasons.back().text,
            "weights are varied at 0.25 of what training does; another");
  evidence.programs[1].weights = "seeded";
  EXPECT_FALSE(has_reason(judged(evidence), "weights_untrained"));
}

TEST(Judge, SaysWhichValueClassesNeverCame) {
  Evidence evidence = synthetic::round(2);
  EXPECT_FALSE(has_reason(judged(evidence), "values_unchecked"));
  std::erase_if(evidence.programs[1].checks,
                [](const OutputCheck& check) { return check.value_class == "large"; });
  const Verdict verdict = judged(evidence);
  expect_verdict(verdict, Outcome::faster, Fault::nobody, "faster");
  ASSERT_TRUE(has_reason(verdict, "values_unchecked"));
  EXPECT_EQ(verdict.reasons.back().text,
            "the round ended before inputs of these classes came: large");
}

TEST(Judge, AWinNeedsASecondSetOfWeightsWhereThereAreWeights) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].checks.resize(60);
  expect_verdict(judged(evidence), Outcome::ambiguous, Fault::nobody, "weights_unchecked");
  TaskFacts facts = synthetic::facts();
  facts.weight_bytes = 0;
  EXPECT_EQ(judge(evidence, 1, facts, synthetic::admission()).outcome, Outcome::faster);
}

TEST(Judge, SaysWhatOfASlowerOneWasNotChecked) {
  Evidence evidence = synthetic::round(0.9);
  EXPECT_FALSE(has_reason(judged(evidence), "weights_unchecked"));
  EXPECT_EQ(judged(evidence).feedback.find("as far as"), std::string::npos);
  evidence.programs[1].checks.resize(60);
  EXPECT_TRUE(judged(evidence).feedback.starts_with("right as far as it was checked, and slower"));
  std::erase_if(evidence.programs[1].checks,
                [](const OutputCheck& check) { return check.value_class == "large"; });
  const Verdict verdict = judged(evidence);
  expect_verdict(verdict, Outcome::slower, Fault::nobody, "slower");
  EXPECT_TRUE(has_reason(verdict, "weights_unchecked"));
  EXPECT_TRUE(has_reason(verdict, "values_unchecked"));
  EXPECT_TRUE(verdict.feedback.starts_with("right as far as it was checked, and slower"));
}

TEST(Judge, UncheckedCallsAreNotTimed) {
  Evidence evidence = synthetic::round(1.0);
  auto& candidate = evidence.programs[1];
  for (std::size_t call = 20; call < 60; ++call) candidate.calls[call].claim_ns = 1000;
  candidate.checks.erase(candidate.checks.begin() + 20, candidate.checks.begin() + 60);
  EXPECT_EQ(judged(evidence).ratios.at(0).pairs, 14);
}

TEST(Judge, RatiosOverRivalsFollow) {
  Evidence evidence = synthetic::round(2);
  Rng rng(9);
  evidence.programs.push_back(synthetic::program("rival", {0.8e6, 100e3}, rng));
  evidence.programs.push_back(synthetic::program("broken", {0.8e6, 100e3}, rng));
  evidence.programs[3].checks[0].outputs[0] = error_of(1, 1);
  const Verdict verdict = judged(evidence);
  ASSERT_EQ(verdict.ratios.size(), 2u);
  EXPECT_EQ(verdict.ratios[1].over_id, "rival");
  EXPECT_NEAR(verdict.ratios[1].ratio, 1.6, 0.03);
}

TEST(Judge, DegenerateTasksAreNamed) {
  Admission admission = synthetic::admission();
  admission.degenerate = {"zeros are accepted"};
  const Verdict verdict = judge(synthetic::round(2), 1, synthetic::facts(), admission);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "degenerate_task"));
}

TEST(Judge, WrongForm) {
  for (const char* kind : {"structure", "shape", "dtype", "type"}) {
    Evidence evidence = synthetic::round(2);
    evidence.programs[1].mismatches = {{kind, "f32[2]", "f32[3]", 11}};
    expect_wrong(evidence, kind);
  }
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].mismatches = {{"on another planet", "a", "b", 1}};
  expect_wrong(evidence, "type");
}

TEST(Judge, StridesAreTheCandidatesChoiceUnlessStrict) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].mismatches = {{"strides", "[1,2]", "[2,1]", 11}};
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  TaskSettings strict;
  strict.strict_strides = true;
  expect_verdict(judged(evidence, strict), Outcome::wrong, Fault::candidate, "strides");
}

TEST(Judge, WrongMutatedInputUnlessTheReferenceMutates) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].mutated_inputs = {12};
  expect_wrong(evidence, "mutated_input");
  TaskSettings lenient;
  lenient.allow_mutated_inputs = true;
  EXPECT_EQ(judged(evidence, lenient).outcome, Outcome::faster);
}

TEST(Judge, WrongNan) {
  Evidence evidence = synthetic::round(2);
  auto& check = check_of_class(evidence.programs[1], "nominal");
  check.outputs[0] = error_of(std::numeric_limits<double>::infinity(), 1);
  check.outputs[0].nonfinite = 7;
  expect_wrong(evidence, "nan");
}

TEST(Judge, WrongValueShowsTheElement) {
  Evidence evidence = synthetic::round(2);
  OutputError& error = check_of_class(evidence.programs[1], "nominal").outputs[0];
  error = error_of(1e-7, 0.31);
  error.worst_index = 1234;
  error.worst_got = 0.5;
  error.worst_want = 0.25;
  expect_wrong(evidence, "value");
  const std::string feedback = judged(evidence).feedback;
  EXPECT_NE(feedback.find("element 1234 is 0.5, must be 0.25"), std::string::npos) << feedback;
  EXPECT_NE(feedback.find("error 0.31 spreads, allowed 4.73e-05"), std::string::npos) << feedback;
}

TEST(Judge, AProgramThatTakesNoStateIsToldHow) {
  Evidence evidence = synthetic::round(2);
  EXPECT_EQ(judged(evidence).feedback.find("takes no state"), std::string::npos);
  evidence.programs[1].weights = "seeded";
  EXPECT_NE(judged(evidence).feedback.find("keep the names and shapes"), std::string::npos);
}

TEST(Judge, WhatIsNotFiniteIsCalledSo) {
  Evidence evidence = synthetic::round(2);
  OutputError& error = check_of_class(evidence.programs[1], "nominal").outputs[0];
  error.nonfinite = 1;
  error.worst_got = std::numeric_limits<double>::quiet_NaN();
  error.worst_want = -std::numeric_limits<double>::infinity();
  const std::string feedback = judged(evidence).feedback;
  EXPECT_NE(feedback.find("is NaN, must be -Inf"), std::string::npos) << feedback;
}

TEST(Judge, WhoeverLeavesOutANaNIsToldHowThatHappens) {
  AdmissionEvidence lint = synthetic::lint();
  lint.classes[1].name = "nonfinite";
  const Admission admission = admit(lint, Policy::eager, synthetic::facts());
  Evidence evidence = synthetic::round(2);
  OutputCheck& check = check_of_class(evidence.programs[1], "large");
  check.value_class = "nonfinite";
  check.outputs[0].nonfinite = 1;
  check.outputs[0].worst_got = 2;
  check.outputs[0].worst_want = std::numeric_limits<double>::quiet_NaN();
  const auto tells = [&] {
    return judge(evidence, 1, synthetic::facts(), admission).feedback.find("fmaxf") !=
           std::string::npos;
  };
  EXPECT_TRUE(tells());
  check.outputs[0].worst_want = 3;
  EXPECT_FALSE(tells());
}

TEST(Judge, WrongValueInASmallPart) {
  Evidence evidence = synthetic::round(2);
  OutputError& error = check_of_class(evidence.programs[1], "nominal").outputs[0];
  error.group = 1000;
  error.group_name = "rows of about 2e-04 (most of it in 7)";
  expect_wrong(evidence, "value");
  EXPECT_NE(judged(evidence).feedback.find("rows of about 2e-04 (most of it in 7) are off by 1e+03 "
                                           "times what the reference is among them, allowed 32"),
            std::string::npos)
      << judged(evidence).feedback;
  // The element with the largest error is none of theirs.
  EXPECT_EQ(judged(evidence).feedback.find("element "), std::string::npos);
}

TEST(Judge, WrongValueBesideTensors) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].mismatches.push_back({"value", "int 3", "int 4", 7});
  expect_wrong(evidence, "value");
  EXPECT_NE(judged(evidence).feedback.find("got int 3, must be int 4 (input 7)"),
            std::string::npos);
}

TEST(Judge, WrongMissingOutputs) {
  Evidence evidence = synthetic::round(2);
  check_of_class(evidence.programs[1], "nominal").outputs.clear();
  expect_wrong(evidence, "structure");
}

TEST(Judge, WrongRange) {
  Evidence evidence = synthetic::round(2);
  check_of_class(evidence.programs[1], "large").outputs[0] = error_of(0.3, 2);
  expect_wrong(evidence, "range");
  EXPECT_NE(judged(evidence).feedback.find("range of the inputs"), std::string::npos);
}

TEST(Judge, WrongWeights) {
  Evidence evidence = synthetic::round(2);
  check_of_class(evidence.programs[1], "nominal", 1).outputs[0] = error_of(0.3, 2);
  expect_wrong(evidence, "weights");
}

TEST(Judge, WrongNondeterministic) {
  Evidence evidence = synthetic::round(2);
  OutputCheck again = evidence.programs[1].checks[0];
  again.outputs[0] = error_of(0.3, 2);
  evidence.programs[1].checks.push_back(again);
  expect_wrong(evidence, "nondeterministic");
}

TEST(Judge, ClassesWithoutToleranceProveNothing) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].checks.push_back({2000, "unreliable", 0, {error_of(1, 1)}});
  EXPECT_EQ(judged(evidence).outcome, Outcome::faster);
  Admission nothing;
  expect_verdict(judge(evidence, 1, synthetic::facts(), nothing), Outcome::infra_fault, Fault::us,
                 "no_evidence");
  nothing.degenerate = {"ill-conditioned"};
  const Verdict verdict = judge(evidence, 1, synthetic::facts(), nothing);
  expect_verdict(verdict, Outcome::degenerate, Fault::reference, "no_usable_class");
  EXPECT_NE(verdict.feedback.find("ill-conditioned"), std::string::npos);
}

TEST(Judge, SuspectLateWrite) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].late_writes = {12};
  expect_verdict(judged(evidence), Outcome::suspect, Fault::candidate, "late_write");
  Evidence poisoned = synthetic::round(2);
  OutputError& error = check_of_class(poisoned.programs[1], "nominal").outputs[0];
  error.nonfinite = error.poison = 1000;
  expect_verdict(judged(poisoned), Outcome::suspect, Fault::candidate, "late_write");
}

TEST(Judge, PoisonByChanceInBytesIsNoLateWrite) {
  Evidence evidence = synthetic::round(2);
  OutputError& error = check_of_class(evidence.programs[1], "nominal").outputs[0];
  error.mismatched = 10;
  error.poison = 5;
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = "bool";
  const Verdict verdict = judge(evidence, 1, facts, synthetic::admission());
  EXPECT_EQ(verdict.headline(), "wrong(value)");
}

TEST(Judge, HostFaultsKeepTheirNames) {
  using Kind = HostFault::Kind;
  const std::pair<Kind, Outcome> kinds[] = {{Kind::build_error, Outcome::build_error},
                                            {Kind::runtime_error, Outcome::runtime_error},
                                            {Kind::timeout, Outcome::timeout},
                                            {Kind::out_of_memory, Outcome::out_of_memory},
                                            {Kind::invalid_reply, Outcome::invalid_reply}};
  for (const auto& [kind, outcome] : kinds) {
    Evidence evidence = synthetic::round(2);
    evidence.programs[1].fault = {kind, "call", "it broke", "line 1\nline 2", 12};
    const Verdict verdict = judged(evidence);
    expect_verdict(verdict, outcome, Fault::candidate, std::string(to_string(outcome)).c_str());
    EXPECT_NE(verdict.feedback.find("in phase 'call': it broke\nline 1"), std::string::npos);
    EXPECT_EQ(verdict.headline(), to_string(outcome));
    evidence.programs[1].fault.value_class = "zeros";
    EXPECT_NE(judged(evidence).feedback.find("in phase 'call', on 'zeros' inputs: it broke"),
              std::string::npos);
  }
}

// Of a program that is right so far, and raises in a call of that class.
Evidence raising(const char* value_class, const char* what) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].fault = {
      HostFault::Kind::runtime_error, "call", what, "line 1", 12, value_class};
  return evidence;
}

TEST(Judge, WhoRaisesWhereAnOptionHasAnotherValueIsRightOnTheTasksOwnAlone) {
  const char* what = "ValueError: takes dim=1 only (candidate.py, line 9)";
  const Verdict verdict = judged(raising("other_values", what));
  EXPECT_EQ(verdict.headline(), "wrong(range)");
  EXPECT_NE(verdict.feedback.find("takes dim=1 only"), std::string::npos);
  EXPECT_EQ(judged(raising("nominal", what)).outcome, Outcome::runtime_error);
  EXPECT_EQ(judged(raising("other_values", "the process ended: killed by signal 11")).outcome,
            Outcome::runtime_error);
  Evidence wrong_before = raising("other_values", what);
  wrong_before.programs[1].checks[0].outputs[0] = error_of(1, 1);
  EXPECT_EQ(judged(wrong_before).outcome, Outcome::runtime_error);
}

TEST(Judge, LongLogsAreCutToTheirTail) {
  Evidence evidence = synthetic::round(2);
  evidence.programs[1].fault = {HostFault::Kind::build_error, "import", "g++ failed",
                                std::string(100000, 'x') + "\nthe last line", -1};
  const std::string feedback = judged(evidence).feedback;
  EXPECT_LT(feedback.size(), 3000u);
  EXPECT_NE(feedback.find("the last line"), std::string::npos);
}

TEST(Judge, InfraFaults) {
  Evidence failed = synthetic::round(2);
  failed.infra_fault = "the referee died";
  expect_verdict(judged(failed), Outcome::infra_fault, Fault::us, "round_failed");
  Evidence host = synthetic::round(2);
  host.programs[1].fault = {HostFault::Kind::infra, "import", "no jail", "", -1};
  expect_verdict(judged(host), Outcome::infra_fault, Fault::us, "host_failed");
  Evidence baseline = synthetic::round(2);
  baseline.programs[0].fault = {HostFault::Kind::timeout, "call", "60 s", "", -1};
  expect_verdict(judged(baseline), Outcome::infra_fault, Fault::reference, "baseline_failed");
  Evidence broken = synthetic::round(2);
  broken.programs[0].checks[3].outputs[0] = error_of(1, 1);
  expect_verdict(judged(broken), Outcome::infra_fault, Fault::reference, "baseline_wrong");
}

TEST(Judge, PrecedenceOfFailures) {
  Evidence evidence = synthetic::round(2);
  auto& candidate = evidence.programs[1];
  candidate.late_writes = {2000};
  EXPECT_EQ(judged(evidence).outcome, Outcome::suspect);
  candidate.checks[0].outputs[0] = error_of(1, 1);
  EXPECT_EQ(judged(evidence).outcome, Outcome::wrong);
  candidate.fault.kind = HostFault::Kind::timeout;
  EXPECT_EQ(judged(evidence).outcome, Outcome::timeout);
  evidence.infra_fault = "out of descriptors";
  EXPECT_EQ(judged(evidence).outcome, Outcome::infra_fault);
}

}  // namespace
}  // namespace cupel::judge
