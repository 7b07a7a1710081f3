#include "judge/checks.h"

#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::error_of;

// One nominal input: the baseline is off by `own` on it, the candidate by `got`.
bool passes(const OutputError& own, const OutputError& got, Policy policy,
            const OutputError& sampled = error_of(1e-7, 1e-6),
            const std::string& dtype = "float32") {
  AdmissionEvidence evidence = synthetic::lint();
  for (auto& report : evidence.classes) report.outputs = {sampled};
  TaskFacts facts = synthetic::facts();
  facts.outputs[0].dtype = dtype;
  const Admission admission = admit(evidence, policy, facts);
  ProgramEvidence baseline;
  baseline.checks.push_back({7, "nominal", 0, {own}});
  ProgramEvidence candidate;
  candidate.checks.push_back({7, "nominal", 0, {got}});
  return summarize(candidate, baseline, facts, admission).failed.empty();
}

TEST(Checks, AHarderInputThanTheSamplesAllowsMore) {
  const OutputError hard = error_of(1e-5, 1e-4);
  EXPECT_FALSE(passes(error_of(1e-7, 1e-6), hard, Policy::eager));
  EXPECT_TRUE(passes(error_of(1e-6, 1e-5), hard, Policy::eager));
}

TEST(Checks, AnInputOnWhichTheBaselineIsUselessAllowsNoMoreThanAdmissionDoes) {
  EXPECT_FALSE(passes(error_of(1, 9), error_of(0.05, 0.2), Policy::eager));
  EXPECT_TRUE(passes(error_of(1, 9), error_of(0.05, 0.2), Policy::tf32, error_of(3e-4, 1e-3)));
  EXPECT_FALSE(passes(error_of(1, 9), error_of(0.05, 0.6), Policy::tf32, error_of(3e-4, 1e-3)));
  EXPECT_FALSE(passes(error_of(1, 9), error_of(0.2, 0.3), Policy::tf32, error_of(3e-4, 1e-3)));
}

TEST(Checks, OfALowPrecisionOutputABaselineAllowsNoMoreThanItsPrecisionDoes) {
  const OutputError own = error_of(1e-3, 1e-2);
  EXPECT_TRUE(passes(own, error_of(3e-3, 3e-2), Policy::eager, own, "bfloat16"));
  EXPECT_FALSE(passes(own, error_of(8e-3, 8e-2), Policy::eager, own, "bfloat16"));
}

Admission half_admission(const OutputError& sampled) {
  AdmissionEvidence evidence = synthetic::lint();
  for (auto& report : evidence.classes) report.outputs = {sampled};
  return admit(evidence, Policy::half, synthetic::facts());
}

// Under `half` the baseline computes in float32: it is right on every input.
bool passes_under_half(OutputCheck check, const Admission& admission) {
  ProgramEvidence baseline;
  baseline.checks.push_back({7, "nominal", 0, {error_of(1e-7, 1e-6)}});
  ProgramEvidence candidate;
  candidate.checks.push_back(std::move(check));
  return summarize(candidate, baseline, synthetic::facts(), admission).failed.empty();
}

TEST(Checks, UnderHalfItIsHalfPrecisionThatTellsHowHardAnInputIs) {
  const Admission admission = half_admission(error_of(1e-3, 5e-3));
  const OutputCheck hard{7, "nominal", 0, {error_of(5e-3, 6e-2)}};
  ASSERT_TRUE(wants_own_error(hard, admission));
  EXPECT_FALSE(passes_under_half(hard, admission));
  OutputCheck told = hard;
  told.own = {error_of(2e-3, 3e-2)};
  EXPECT_TRUE(passes_under_half(told, admission));
  told.own = {error_of(1e-3, 5e-3)};
  EXPECT_FALSE(passes_under_half(told, admission));
}

TEST(Checks, UnderHalfSingleElementsMayBeAsFarOffAsHalfPrecisionItself) {
  const Admission admission = half_admission(error_of(1e-3, 5e-3));
  OutputCheck hard{7, "nominal", 0, {error_of(5e-3, 5)}};
  hard.own = {error_of(2e-3, 2)};
  EXPECT_TRUE(passes_under_half(hard, admission));
  hard.outputs = {error_of(5e-3, 9)};
  EXPECT_FALSE(passes_under_half(hard, admission));
  hard.outputs = {error_of(0.11, 5)};
  hard.own = {error_of(0.1, 2)};
  EXPECT_FALSE(passes_under_half(hard, admission));  // over all elements that would tell nothing
}

TEST(Checks, UnderHalfASliceThatHalfPrecisionMissesAsWellIsHard) {
  OutputError sampled = error_of(1e-3, 5e-3);
  sampled.slice = 0.006;
  const Admission admission = half_admission(sampled);
  OutputCheck hard{7, "nominal", 0, {sampled}};
  hard.outputs[0].slice = 0.07;
  ASSERT_TRUE(wants_own_error(hard, admission));
  EXPECT_FALSE(passes_under_half(hard, admission));
  hard.own = hard.outputs;
  EXPECT_TRUE(passes_under_half(hard, admission));
}

TEST(Checks, TheReferencesOwnErrorIsWantedWhereItCouldDecide) {
  const Admission half = half_admission(error_of(1e-3, 5e-3));
  EXPECT_FALSE(wants_own_error({7, "nominal", 0, {error_of(1e-3, 5e-3)}}, half));
  EXPECT_FALSE(wants_own_error({7, "unknown", 0, {error_of(1, 9)}}, half));
  OutputError infinite = error_of(1e-3, 5e-3);
  infinite.nonfinite = 1;
  EXPECT_FALSE(wants_own_error({7, "nominal", 0, {infinite}}, half));
  EXPECT_FALSE(wants_own_error({7, "nominal", 0, {error_of(1, 9)}}, synthetic::admission()));
}

}  // namespace
}  // namespace cupel::judge
