#include "judge/admission.h"

#include <gtest/gtest.h>

#include <limits>

#include "judge/leaf.h"
#include "judge/leaf_rule.h"
#include "judge/limits.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::error_of;
using synthetic::lint;

bool accepts(const Admission& admission, const OutputError& error) {
  return !first_failure(std::vector<OutputError>{error}, admission.tolerances.at(0));
}

// Errors as the referee reports them (excess over 8 ulp, in spreads), measured with torch on normal
// data: the reference, an honest reordering, and the next lower precision.
struct Measured {
  const char* name;
  std::int64_t terms;
  OutputError reference, honest, lower;
};
std::vector<Measured> measured() {
  return {{"matmul 64", 64, error_of(2.17e-8, 3.63e-7), error_of(2.33e-8, 3.63e-7),
           error_of(3.01e-4, 1.32e-3)},
          {"matmul 4,096", 4096, error_of(9.91e-8, 9.30e-7), error_of(7.52e-7, 5.83e-6),
           error_of(2.81e-4, 9.41e-4)},
          {"matmul 32,768", 32768, error_of(1.26e-7, 9.59e-7), error_of(2.80e-6, 2.19e-5),
           error_of(2.88e-4, 1.12e-3)},
          {"sum 32,768", 32768, error_of(5.47e-8, 2.96e-7), error_of(2.15e-6, 5.41e-6),
           error_of(2.40e-4, 5.84e-4)},
          {"sum 1,000,000", 1000000, error_of(2.70e-8, 1.06e-7), error_of(1.50e-5, 4.92e-5),
           error_of(2.02e-4, 5.69e-4)},
          {"gelu, tanh for erf", 1, error_of(3.52e-8, 1.56e-6), error_of(3.52e-8, 1.56e-6),
           error_of(2.19e-4, 8.04e-4)},
          {"layer norm at 100, one-pass", 256, error_of(3.84e-6, 1.33e-5),
           error_of(3.84e-6, 1.33e-5), error_of(5.66e-4, 5.74e-3)}};
}

Admission admitted(const Measured& entry, Policy policy) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {entry.reference};
  return admit(evidence, policy, synthetic::facts());
}

// The reference in order is off by as much as another program in order.
TEST(Admission, HonestReorderingPasses) {
  for (const Measured& entry : measured()) {
    const Admission admission = admitted(entry, Policy::eager);
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, "nominal");
    EXPECT_LE(entry.honest.rms, rule.rms(entry.reference, entry.honest)) << entry.name;
    EXPECT_LE(entry.honest.max, rule.max(entry.reference, entry.honest)) << entry.name;
    if (entry.terms > 4096) continue;
    EXPECT_TRUE(accepts(admission, entry.honest)) << entry.name;
    EXPECT_TRUE(accepts(admitted(entry, Policy::exact), entry.honest)) << entry.name;
  }
}

TEST(Admission, TheNextLowerPrecisionFailsWithRoomToSpare) {
  for (const Measured& entry : measured()) {
    const OutputError third = error_of(entry.lower.rms / 3, entry.lower.max / 3);
    EXPECT_FALSE(accepts(admitted(entry, Policy::eager), third)) << entry.name;
    EXPECT_FALSE(accepts(admitted(entry, Policy::exact), third)) << entry.name;
  }
}

TEST(Admission, LowPrecisionPoliciesAllowTheirOwnErrorAndNotTheNext) {
  for (const Policy policy : {Policy::half, Policy::tf32}) {
    Measured entry{"", 1000000, error_of(3e-4, 1.3e-3), {}, {}};
    EXPECT_TRUE(accepts(admitted(entry, policy), error_of(6e-4, 2.6e-3)));
    EXPECT_FALSE(accepts(admitted(entry, policy), error_of(2.4e-3, 1e-2)));  // 8x: bf16 for tf32
  }
}

TEST(Admission, ABfloat16OutputIsJudgedByItsOwnPrecision) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {error_of(1e-3, 2e-2)};
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = "bfloat16";
  const Admission admission = admit(evidence, Policy::eager, facts);
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_TRUE(accepts(admission, error_of(2e-3, 4e-2)));
  EXPECT_FALSE(accepts(admission, error_of(1e-2, 2e-1)));
}

TEST(Admission, AModelInHalfPrecisionMayBeOffByAPerCent) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {error_of(1e-2, 4e-2)};
  evidence.mutants = {{"rescale_1.01", "nominal", {error_of(1e-2, 4e-2)}}};
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = "bfloat16";
  EXPECT_FALSE(admit(evidence, Policy::eager, facts).degenerate.empty());
  evidence.in_half = true;
  const Admission admission = admit(evidence, Policy::eager, facts);
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_EQ(
      admission.evidence.notes,
      std::vector<std::string>{"a rescale by one per cent is within what its own arithmetic does"});
}

TEST(Admission, WhatAModelInHalfPrecisionCountsIsHeldToItsPrecision) {
  AdmissionEvidence evidence = lint();
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = "int64";
  EXPECT_GT(leaf_rule(admit(evidence, Policy::eager, facts), facts, 0, "nominal").k, 4);
  evidence.in_half = true;
  EXPECT_DOUBLE_EQ(leaf_rule(admit(evidence, Policy::eager, facts), facts, 0, "nominal").k, 4);
}

// torch's defaults on a GPU: convolutions of the reference are TF32 already.
TEST(Admission, AReferenceInTf32AllowsItsOwnErrorAndNotTheNext) {
  AdmissionEvidence evidence = lint();
  evidence.uses_tf32 = true;
  for (auto& report : evidence.classes) report.outputs = {error_of(3e-4, 5e-3)};
  const Admission admission = admit(evidence, Policy::eager, synthetic::facts());
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_DOUBLE_EQ(admission.k, 4);
  EXPECT_TRUE(accepts(admission, error_of(6e-4, 1e-2)));
  EXPECT_FALSE(accepts(admission, error_of(2.4e-3, 1e-2)));  // bfloat16
  EXPECT_EQ(admission.evidence.notes.size(), 1u);
}

// Operands of two bfloat16 terms each are off by 3.9e-6 rms at any length, by 2e-5 at most.
TEST(Admission, ExactLeavesTheOrderOfTermsFreeAndNotTheirPrecision) {
  const OutputError two_terms = error_of(3.8e-6, 2e-5);
  for (const Measured& entry : measured()) {
    if (entry.terms > 4096 || entry.reference.rms > 1e-6) continue;
    EXPECT_TRUE(accepts(admitted(entry, Policy::eager), two_terms)) << entry.name;
    EXPECT_FALSE(accepts(admitted(entry, Policy::exact), two_terms)) << entry.name;
  }
}

TEST(Admission, TheMultipleOfTheRmsIsSmallerUnderExact) {
  EXPECT_DOUBLE_EQ(tolerance_multiple(Policy::exact), 32);
  EXPECT_DOUBLE_EQ(rms_multiple(Policy::exact), 12);
  EXPECT_DOUBLE_EQ(rms_multiple(Policy::eager), 32);
  EXPECT_DOUBLE_EQ(rms_multiple(Policy::half), 4);
}

TEST(Admission, AReferenceWhoseErrorIsHiddenLeavesRoom) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {error_of(0, 0)};
  const Admission admission = admit(evidence, Policy::eager, synthetic::facts());
  EXPECT_TRUE(accepts(admission, error_of(3e-6, 1.4e-5)));
  EXPECT_FALSE(accepts(admission, error_of(3e-6, 1.7e-5)));
  EXPECT_FALSE(accepts(admission, error_of(4.1e-6, 1.4e-5)));
  const Admission exact = admit(evidence, Policy::exact, synthetic::facts());
  EXPECT_TRUE(accepts(exact, error_of(1.4e-6, 1.4e-5)));
  EXPECT_FALSE(accepts(exact, error_of(1.5e-6, 1.4e-5)));
}

TEST(Admission, Float64OutputsAreHeldToFloat64) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {error_of(0, 0)};
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = "float64";
  const Admission admission = admit(evidence, Policy::exact, facts);
  EXPECT_TRUE(accepts(admission, error_of(1e-14, 1e-13)));
  EXPECT_FALSE(accepts(admission, error_of(2e-8, 1e-7)));  // computed in float32
}

TEST(Admission, WithoutAFloat64OracleAnErrorIsAssumed) {
  AdmissionEvidence evidence = lint();
  evidence.oracle = "float32";
  for (auto& report : evidence.classes) report.outputs = {error_of(0, 0)};
  const Admission admission = admit(evidence, Policy::exact, synthetic::facts());
  EXPECT_TRUE(accepts(admission, error_of(1e-6, 1e-5)));
  EXPECT_FALSE(accepts(admission, error_of(2.6e-4, 1e-3)));  // TF32 operands
  EXPECT_FALSE(admission.evidence.notes.empty());
}

TEST(Admission, IntegerLeavesAllowTheReferencesOwnMisses) {
  AdmissionEvidence evidence = lint();
  OutputError wrong;
  wrong.elements = 1000;
  wrong.mismatched = 1;
  EXPECT_FALSE(accepts(admit(evidence, Policy::eager), wrong));
  for (auto& report : evidence.classes) report.outputs[0].mismatched = 2;
  EXPECT_EQ(admit(evidence, Policy::eager).tolerances[0].mismatched_max[0], 64);
}

TEST(Admission, NanNeverPasses) {
  const Admission admission = admit(lint(), Policy::eager);
  OutputError nonfinite = error_of(0, 0);
  nonfinite.nonfinite = 1;
  EXPECT_FALSE(accepts(admission, nonfinite));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(accepts(admission, error_of(nan, 0)));
  EXPECT_FALSE(accepts(admission, error_of(0, nan)));
  EXPECT_TRUE(first_failure({}, admission.tolerances[0]));
}

TEST(Admission, ASoundTaskIsNotDegenerate) {
  const Admission admission = admit(lint(), Policy::eager, synthetic::facts());
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_TRUE(admission.weak_at_1e2.empty());
  EXPECT_EQ(admission.tolerances.size(), 2u);
}

TEST(Admission, AMutantAcceptedEverywhereIsAReason) {
  for (const char* name : {"zeros", "constant", "mean", "identity", "other_input",
                           "perturbed_weights", "skipped_tail", "rescale_1.01", "something_new"}) {
    AdmissionEvidence evidence = lint();
    evidence.mutants = {{name, "nominal", {error_of(0, 0)}}, {name, "large", {error_of(0, 0)}}};
    const Admission admission = admit(evidence, Policy::eager);
    ASSERT_EQ(admission.degenerate.size(), 1u) << name;
    EXPECT_NE(admission.degenerate[0].find("accepted"), std::string::npos);
    EXPECT_EQ(admission.weak_at_1e2, std::vector<std::string>{name});
  }
}

TEST(Admission, AMutantRejectedOnOneClassOrLeafIsRejected) {
  AdmissionEvidence evidence = lint();
  evidence.mutants = {{"zeros", "nominal", {error_of(0, 0)}}, {"zeros", "large", {error_of(1, 4)}}};
  const Admission admission = admit(evidence, Policy::eager);
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_EQ(admission.weak_at_1e2, std::vector<std::string>{"zeros"});
}

TEST(Admission, RescaleUnderLowPrecisionIsANoteOnly) {
  AdmissionEvidence evidence = lint();
  for (auto& report : evidence.classes) report.outputs = {error_of(5e-3, 5e-2)};
  evidence.mutants.push_back({"rescale", "nominal", {error_of(1e-2, 4e-2)}});
  const Admission admission = admit(evidence, Policy::half);
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_EQ(admission.evidence.notes.size(), 1u);
}

TEST(Admission, AnIllConditionedClassIsNotReliedOn) {
  AdmissionEvidence evidence = lint();
  evidence.classes[1].outputs = {error_of(1e-3, 1e-2)};
  const Admission admission = admit(evidence, Policy::eager);
  EXPECT_EQ(find_tolerance(admission, "large"), nullptr);
  EXPECT_TRUE(admission.degenerate.empty());
  EXPECT_EQ(admission.evidence.notes.size(), 1u);
}

TEST(Admission, AnIllConditionedNominalClassMakesTheTaskDegenerate) {
  AdmissionEvidence evidence = lint();
  evidence.classes[0].outputs = {error_of(1e-3, 1e-2)};
  EXPECT_TRUE(admit(evidence, Policy::eager).degenerate.at(0).starts_with("ill-conditioned"));
  evidence.classes.erase(evidence.classes.begin());
  EXPECT_TRUE(admit(evidence, Policy::eager).degenerate.at(0).starts_with("ill-conditioned"));
}

TEST(Admission, WhatIsConstantOnItsOwnInputsTellsNothingOfLowerPrecision) {
  AdmissionEvidence evidence = lint();
  evidence.mutants = {{"zeros", "nominal", {error_of(0, 0)}}, {"zeros", "large", {error_of(1, 1)}}};
  EXPECT_TRUE(admit(evidence, Policy::eager, synthetic::facts()).degenerate.empty());
  const Admission half = admit(evidence, Policy::half, synthetic::facts());
  ASSERT_EQ(half.degenerate.size(), 1U);
  EXPECT_NE(half.degenerate[0].find("ill-conditioned"), std::string::npos);
  EXPECT_EQ(find_tolerance(half, "nominal"), nullptr);
  EXPECT_NE(find_tolerance(half, "large"), nullptr);
  evidence.mutants.push_back({"zeros", "nominal", {error_of(1, 1)}});
  EXPECT_TRUE(admit(evidence, Policy::half, synthetic::facts()).degenerate.empty());
}

TEST(Admission, ANondeterministicReferenceIsDegenerate) {
  AdmissionEvidence evidence = lint();
  evidence.deterministic = false;
  evidence.input_fully_read = {true, false};
  const Admission admission = admit(evidence, Policy::eager);
  EXPECT_EQ(admission.degenerate.size(), 1u);
  EXPECT_EQ(admission.evidence.notes.size(), 1u);
  EXPECT_NE(admission.degenerate[0].find("it draws random numbers"), std::string::npos);
  evidence.changes_state = true;
  evidence.classes[0].kept = false;  // its own error is the first reason no more
  EXPECT_NE(
      admit(evidence, Policy::eager).degenerate[0].find("calls write to its buffers, which may"),
      std::string::npos);
}

}  // namespace
}  // namespace cupel::judge
