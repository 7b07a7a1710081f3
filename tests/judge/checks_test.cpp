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

}  // namespace
}  // namespace cupel::judge
