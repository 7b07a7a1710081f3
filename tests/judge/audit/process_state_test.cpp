#include "judge/audit/process_state.h"

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::admission;
using synthetic::facts;
using synthetic::has_reason;

const StateChange k_dtype{"torch.get_default_dtype", "torch.float32", "torch.float64"};
const StateChange k_threads{"torch.get_num_threads", "2", "1"};
const StateChange k_precision{"torch.get_float32_matmul_precision", "'highest'", "'medium'"};

// A win with a sound reference on either side.
Evidence audited() {
  Evidence evidence = synthetic::round(1.5);
  Rng rng(7);
  evidence.programs.push_back(synthetic::program("eager", {1e6, 100e3, 0.01, 0.02}, rng));
  return evidence;
}

Verdict verdict_on(const std::vector<StateChange>& own, const std::vector<StateChange>& twins,
                   Policy policy = Policy::eager) {
  Evidence evidence = audited();
  evidence.policy = policy;
  evidence.programs[0].endurance.left_behind = twins;
  evidence.programs[1].endurance.left_behind = own;
  return audit(evidence, facts(), admission(), {});
}

TEST(ProcessState, WhatCanMakeOtherCodeWrongIsWrong) {
  const Verdict verdict = verdict_on({k_threads, k_dtype}, {});
  EXPECT_EQ(verdict.headline(), "wrong(process_state)");
  EXPECT_NE(verdict.feedback.find("torch.get_default_dtype is torch.float64, was torch.float32"),
            std::string::npos);
  EXPECT_EQ(verdict.feedback.find("torch.get_num_threads"), std::string::npos);
  EXPECT_TRUE(verdict.ratios.empty());
}

TEST(ProcessState, WhatOnlyCostsTimeIsNoted) {
  const Verdict verdict = verdict_on({k_threads}, {});
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "leaves_behind"));
  EXPECT_FALSE(has_reason(verdict_on({}, {}), "leaves_behind"));
}

TEST(ProcessState, WhatTheReferenceDoesTooIsHeldAgainstNobody) {
  EXPECT_EQ(verdict_on({k_dtype}, {k_dtype}).outcome, Outcome::faster);
  const StateChange other{k_dtype.what, k_dtype.before, "torch.float16"};
  EXPECT_EQ(verdict_on({other}, {k_dtype}).outcome, Outcome::wrong);
}

TEST(ProcessState, PrecisionThatThePolicyAllowsIsNoted) {
  EXPECT_TRUE(breaks_other_code(k_precision, Policy::eager));
  EXPECT_TRUE(breaks_other_code(k_precision, Policy::exact));
  EXPECT_FALSE(breaks_other_code(k_precision, Policy::half));
  EXPECT_FALSE(breaks_other_code(k_precision, Policy::tf32));
  EXPECT_FALSE(
      breaks_other_code({"torch.backends.cudnn.allow_tf32", "True", "False"}, Policy::eager));
}

TEST(ProcessState, PrecisionOfOneKindOfProductsIsPrecisionToo) {
  const StateChange lower{"torch.backends.mkldnn.matmul.fp32_precision", "'none'", "'bf16'"};
  EXPECT_TRUE(breaks_other_code(lower, Policy::eager));
  EXPECT_FALSE(breaks_other_code(lower, Policy::half));
  EXPECT_FALSE(breaks_other_code({lower.what, "'none'", "'ieee'"}, Policy::eager));
}

TEST(ProcessState, RandomNumbersMayBeDrawnNotBegunAnew) {
  const StateChange drawn{"random numbers drawn in calls", "none", "torch"};
  const StateChange anew{"random numbers of torch", "go on from call to call",
                         "begin anew in each"};
  EXPECT_EQ(verdict_on({drawn}, {}).outcome, Outcome::faster);
  EXPECT_EQ(verdict_on({drawn, anew}, {drawn}).headline(), "wrong(process_state)");
  EXPECT_EQ(verdict_on({drawn, anew}, {drawn, anew}).outcome, Outcome::faster);
}

TEST(ProcessState, RandomNumbersThatOnlyTheReferenceDrawsAreNoted) {
  const StateChange drawn{"random numbers drawn in calls", "none", "torch"};
  const Verdict verdict = verdict_on({}, {drawn});
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "leaves_behind"));
  EXPECT_FALSE(has_reason(verdict_on({drawn}, {drawn}), "leaves_behind"));
}

TEST(ProcessState, OfSignalsThoseForUsersAreFree) {
  const std::string before = "<Handlers.SIG_DFL: 0>";
  EXPECT_FALSE(breaks_other_code({"handler of SIGUSR1", before, "<function>"}, Policy::eager));
  EXPECT_TRUE(breaks_other_code({"handler of SIGTERM", before, "<function>"}, Policy::eager));
}

TEST(ProcessState, OfTheEnvironmentOnlyArithmeticCounts) {
  EXPECT_FALSE(breaks_other_code({"environment variable PATH", "'a'", "'b'"}, Policy::eager));
  EXPECT_TRUE(breaks_other_code({"environment variable NVIDIA_TF32_OVERRIDE", "not set", "'1'"},
                                Policy::eager));
}

TEST(ProcessState, ManyChangesAreCountedAndSomeNamed) {
  std::vector<StateChange> many;
  for (int i = 0; i < 20; ++i) many.push_back({"torch.f" + std::to_string(i), "a", "b"});
  EXPECT_NE(verdict_on(many, {}).feedback.find("and 12 more"), std::string::npos);
}

}  // namespace
}  // namespace cupel::judge
