#include "judge/checks.h"

#include <gtest/gtest.h>

#include <utility>

#include "judge/leaf_rule.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::error_of;

Admission admission_of(const OutputError& sampled, Policy policy, const TaskFacts& facts) {
  AdmissionEvidence evidence = synthetic::lint();
  for (auto& report : evidence.classes) report.outputs = {sampled};
  return admit(evidence, policy, facts);
}

// One nominal input: the reference is off by `own` on it, the candidate by `got`.
bool passes(const OutputError& own, const OutputError& got, Policy policy,
            const OutputError& sampled = error_of(1e-7, 1e-6), const std::string& dtype = "float32",
            int instance = 0) {
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = dtype;
  const Admission admission = admission_of(sampled, policy, facts);
  ProgramEvidence candidate;
  candidate.checks.push_back({7, "nominal", instance, {got}, {own}});
  return summarize(candidate, facts, admission).failed.empty();
}

TEST(Checks, AHarderInputThanTheSamplesAllowsMore) {
  const OutputError hard = error_of(1e-5, 1e-4);
  EXPECT_FALSE(passes(error_of(1e-7, 1e-6), hard, Policy::eager));
  EXPECT_TRUE(passes(error_of(1e-6, 1e-5), hard, Policy::eager));
}

TEST(Checks, OverAllElementsAUselessReferenceAllowsNoMoreThanTells) {
  const OutputError useless = error_of(1, 9), sampled = error_of(1e-3, 5e-3);
  EXPECT_TRUE(passes(useless, error_of(0.09, 0.2), Policy::eager));
  EXPECT_FALSE(passes(useless, error_of(0.11, 0.2), Policy::eager));
  EXPECT_TRUE(passes(useless, error_of(0.49, 0.2), Policy::tf32, sampled));
  EXPECT_FALSE(passes(useless, error_of(0.51, 0.2), Policy::tf32, sampled));
  EXPECT_FALSE(passes(useless, error_of(0.11, 0.2), Policy::tf32, sampled, "float32", 1));
}

TEST(Checks, SingleElementsMayBeAsFarOffAsTheReferenceItself) {
  const OutputError sampled = error_of(1e-3, 5e-3), own = error_of(2e-3, 2);
  EXPECT_TRUE(passes(own, error_of(5e-3, 5), Policy::half, sampled));
  EXPECT_FALSE(passes(own, error_of(5e-3, 9), Policy::half, sampled));
}

TEST(Checks, OfALowPrecisionOutputAReferenceAllowsNoMoreThanItsPrecisionDoes) {
  const OutputError own = error_of(1e-3, 1e-2);
  EXPECT_TRUE(passes(own, error_of(3e-3, 3e-2), Policy::eager, own, "bfloat16"));
  EXPECT_FALSE(passes(own, error_of(8e-3, 8e-2), Policy::eager, own, "bfloat16"));
}

TEST(Checks, BesideOutliersOneElementMayBeOffByMoreAndAllTogetherMayNot) {
  const OutputError own = error_of(1e-7, 1e-6);
  const auto passes_on = [&own](std::string_view value_class, const OutputError& got) {
    Admission admission;
    admission.k = admission.k_rms = 32;
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, value_class);
    return got.max <= rule.max(own) && got.rms <= rule.rms(own);
  };
  EXPECT_FALSE(passes_on("nominal", error_of(1e-6, 1e-4)));
  EXPECT_TRUE(passes_on("spikes", error_of(1e-6, 1e-4)));
  EXPECT_TRUE(passes_on("extremes", error_of(1e-6, 6e-4)));
  EXPECT_FALSE(passes_on("extremes", error_of(1e-6, 1e-3)));
  EXPECT_FALSE(passes_on("spikes", error_of(1e-4, 1e-4)));
}

TEST(Checks, AnotherOrderOfSumsMayBeOffByThreeTimesWhatTheReferenceIsInOrder) {
  const OutputError own = error_of(1e-7, 1e-6);
  OutputError in_order = error_of(5e-6, 4e-5);
  in_order.group = 40;
  const auto passes_in = [&](double rms, double max, double group, std::vector<OutputError> known) {
    OutputError got = error_of(rms, max);
    got.group = group;
    ProgramEvidence candidate;
    candidate.checks.push_back({7, "nominal", 0, {got}, {own}, std::move(known)});
    const TaskFacts facts = synthetic::facts();
    return summarize(candidate, facts, admission_of(own, Policy::eager, facts)).failed.empty();
  };
  EXPECT_TRUE(passes_in(1.4e-5, 1.1e-4, 119, {in_order}));
  EXPECT_FALSE(passes_in(1.4e-5, 1.1e-4, 119, {}));
  EXPECT_FALSE(passes_in(1.6e-5, 1.1e-4, 119, {in_order}));
  EXPECT_FALSE(passes_in(1.4e-5, 1.3e-4, 119, {in_order}));
  EXPECT_FALSE(passes_in(1.4e-5, 1.1e-4, 121, {in_order}));
}

// Two million terms of one sign in order are off by 1.6e-3: more than TF32 operands are.
TEST(Checks, AnOrderMayBeOffByLessThanLowerPrecisionIs) {
  Admission admission;
  admission.k = admission.k_rms = 32;
  const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, "nominal");
  const OutputError own = error_of(3e-8, 3e-8);
  EXPECT_DOUBLE_EQ(rule.rms(own, error_of(1e-5, 1e-5)), 3e-5);
  EXPECT_LT(rule.rms(own, error_of(1.6e-3, 1.6e-3)), 2.0e-4);
  EXPECT_LT(rule.max(own, error_of(1.6e-3, 1.6e-3)), 5.2e-4);
  OutputError in_order;
  in_order.group = 1e5;
  EXPECT_DOUBLE_EQ(rule.group(in_order), 16384);
}

// A reference that adds up as badly as a GPU does: 12 times its error is what three of four
// products of two-term operands make.
TEST(Checks, UnderExactOperandsOfTwoTermsAreRefusedWhateverTheReferencesOrder) {
  for (const double own : {1e-8, 1e-7, 2.1e-7, 4.6e-7}) {
    Admission admission;
    admission.k = 32;
    admission.k_rms = 12;
    admission.evidence.in_two_terms = {2.9e-6 / (own + 1.2e-7)};
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, "nominal");
    EXPECT_LT(rule.rms(error_of(own, own)), 2.9e-6);
    EXPECT_GT(rule.rms(error_of(own, own)), 1.5e-6);
    EXPECT_EQ(leaf_rule(admission, synthetic::facts(), 0, "large").k_rms, 12);
  }
}

// Whole numbers, say, have no further bits to leave out.
TEST(Checks, WhereOperandsOfTwoTermsMakeNoDifferenceTheyTellNothing) {
  Admission admission;
  admission.k = 32;
  admission.k_rms = 12;
  admission.evidence.in_two_terms = {1.5};
  EXPECT_EQ(leaf_rule(admission, synthetic::facts(), 0, "nominal").k_rms, 12);
}

TEST(Checks, AGroupMayBeOffByTheMultipleOfWhatTheReferenceIs) {
  OutputError got = error_of(1e-7, 1e-6);
  const auto at = [&got](double multiple) {
    got.group = multiple;
    return got;
  };
  EXPECT_TRUE(passes(got, at(31), Policy::eager));
  EXPECT_FALSE(passes(got, at(33), Policy::eager));
  EXPECT_TRUE(passes(got, at(31), Policy::exact));
  EXPECT_FALSE(passes(got, at(5), Policy::half));
  EXPECT_FALSE(passes(got, at(5), Policy::eager, got, "float16"));
}

}  // namespace
}  // namespace cupel::judge
