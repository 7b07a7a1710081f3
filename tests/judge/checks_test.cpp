#include "judge/checks.h"

#include <gtest/gtest.h>

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
            const OutputError& sampled = error_of(1e-7, 1e-6),
            const std::string& dtype = "float32") {
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = dtype;
  const Admission admission = admission_of(sampled, policy, facts);
  ProgramEvidence candidate;
  candidate.checks.push_back({7, "nominal", 0, {got}, {own}});
  return summarize(candidate, facts, admission).failed.empty();
}

TEST(Checks, AHarderInputThanTheSamplesAllowsMore) {
  const OutputError hard = error_of(1e-5, 1e-4);
  EXPECT_FALSE(passes(error_of(1e-7, 1e-6), hard, Policy::eager));
  EXPECT_TRUE(passes(error_of(1e-6, 1e-5), hard, Policy::eager));
}

TEST(Checks, OverAllElementsAUselessReferenceAllowsNoMoreThanTells) {
  EXPECT_TRUE(passes(error_of(1, 9), error_of(0.09, 0.2), Policy::eager));
  EXPECT_FALSE(passes(error_of(1, 9), error_of(0.11, 0.2), Policy::eager));
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
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, {value_class});
    return got.max <= rule.max(own) && got.rms <= rule.rms(own);
  };
  EXPECT_FALSE(passes_on("nominal", error_of(1e-6, 1e-4)));
  EXPECT_TRUE(passes_on("spikes", error_of(1e-6, 1e-4)));
  EXPECT_TRUE(passes_on("extremes", error_of(1e-6, 6e-4)));
  EXPECT_FALSE(passes_on("extremes", error_of(1e-6, 1e-3)));
  EXPECT_FALSE(passes_on("spikes", error_of(1e-4, 1e-4)));
}

// In multiples of what the reference is off by.
TEST(Checks, ALongSumMayBeOffByAsMuchAsInOrder) {
  const double own_size = 1e-5;  // what is hidden of it counts little
  const auto passes_of = [own_size](std::int64_t terms, bool low, double largest, double rms) {
    Admission admission;
    admission.k = admission.k_rms = low ? 4 : 12;
    admission.low_precision = low;
    admission.evidence.reduction_length = terms;
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, {"nominal"});
    const OutputError own = error_of(own_size, own_size);
    return largest * own_size <= rule.max(own) && rms * own_size <= rule.rms(own);
  };
  EXPECT_TRUE(passes_of(4096, false, 60, 20));
  EXPECT_FALSE(passes_of(4096, false, 70, 20));
  EXPECT_FALSE(passes_of(4096, false, 60, 22));
  EXPECT_TRUE(passes_of(65536, false, 250, 80));
  EXPECT_FALSE(passes_of(65536, false, 250, 90));
  EXPECT_FALSE(passes_of(1000, false, 35, 10));
  EXPECT_FALSE(passes_of(1000, false, 30, 13));
  EXPECT_TRUE(passes_of(1 << 24, false, 250, 240));
  EXPECT_FALSE(passes_of(1 << 24, false, 270, 200));
  EXPECT_FALSE(passes_of(1 << 24, false, 200, 270));
  EXPECT_FALSE(passes_of(4096, true, 6, 3));
}

// Uniform on [0, 1): what lower precision makes of them falls with their number.
TEST(Checks, UnderExactALongSumOfLowerPrecisionIsRefused) {
  const double own_size = 1e-5;
  const auto passes_of = [own_size](std::int64_t terms, Policy policy, double rms) {
    Admission admission;
    admission.k = tolerance_multiple(policy, terms);
    admission.k_rms = rms_multiple(policy, terms);
    admission.evidence.reduction_length = terms;
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, {"nominal"});
    return rms * own_size <= rule.rms(error_of(own_size, own_size));
  };
  EXPECT_FALSE(passes_of(4096, Policy::exact, 70));
  EXPECT_FALSE(passes_of(12288, Policy::exact, 37));
  EXPECT_FALSE(passes_of(16384, Policy::exact, 30));
  EXPECT_TRUE(passes_of(4096, Policy::exact, 17));
  EXPECT_TRUE(passes_of(16384, Policy::eager, 40));
}

// Terms of both signs: next to nothing of the reference's error shows beside what is hidden.
TEST(Checks, WhatIsHiddenCountsNothingInOrder) {
  Admission admission;
  admission.k = 32;
  admission.k_rms = 12;
  admission.evidence.reduction_length = 4096;
  const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, {"nominal"});
  for (const double own : {1e-8, 1e-7, 4.7e-7}) {
    EXPECT_DOUBLE_EQ(rule.rms(error_of(own, own)), 12 * (own + rule.hidden_rms));
  }
}

// A reference that adds up as badly as a GPU does: 12 times its error is what three of four
// products of two-term operands make.
TEST(Checks, UnderExactOperandsOfTwoTermsAreRefusedWhateverTheReferencesOrder) {
  for (const double own : {1e-8, 1e-7, 2.1e-7, 4.6e-7}) {
    Admission admission;
    admission.k = 32;
    admission.k_rms = 12;
    admission.evidence.reduction_length = 4096;
    admission.evidence.in_two_terms = {2.9e-6 / (own + 1.2e-7)};
    const LeafRule rule = leaf_rule(admission, synthetic::facts(), 0, {"nominal"});
    EXPECT_LT(rule.rms(error_of(own, own)), 2.9e-6);
    EXPECT_GT(rule.rms(error_of(own, own)), 1.5e-6);
    EXPECT_EQ(leaf_rule(admission, synthetic::facts(), 0, {"large"}).k_rms, 12);
  }
}

// Whole numbers, say, have no further bits to leave out.
TEST(Checks, WhereOperandsOfTwoTermsMakeNoDifferenceTheyTellNothing) {
  Admission admission;
  admission.k = 32;
  admission.k_rms = 12;
  admission.evidence.in_two_terms = {1.5};
  EXPECT_EQ(leaf_rule(admission, synthetic::facts(), 0, {"nominal"}).k_rms, 12);
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
