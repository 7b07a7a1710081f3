#include "judge/audit/surroundings.h"

#include <gtest/gtest.h>

#include "judge/audit/audit.h"
#include "judge/synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::admission;
using synthetic::error_of;
using synthetic::facts;
using synthetic::has_reason;

Evidence audited() {
  Evidence evidence = synthetic::round(1.5);
  Rng rng(7);
  evidence.programs.push_back(synthetic::program("eager", {1e6, 100e3, 0.01, 0.02}, rng));
  evidence.surroundings = synthetic::round(1).programs;
  return evidence;
}

Verdict verdict_on(const Evidence& evidence) {
  return audit(evidence, facts(), admission(), {});
}

TEST(Surroundings, WhoIsRightThereToo) {
  EXPECT_EQ(verdict_on(audited()).outcome, Outcome::faster);
}

TEST(Surroundings, WhoIsWrongThereIsWrong) {
  Evidence evidence = audited();
  evidence.surroundings[1].checks[3].outputs[0] = error_of(0.5, 2);
  EXPECT_EQ(verdict_on(evidence).headline(), "wrong(surroundings)");
}

TEST(Surroundings, WhoBreaksThereIsWrongToo) {
  Evidence evidence = audited();
  evidence.surroundings[1].fault = {HostFault::Kind::runtime_error, "call", "not here", "", 0};
  const Verdict verdict = verdict_on(evidence);
  EXPECT_EQ(verdict.headline(), "wrong(surroundings)");
  EXPECT_NE(verdict.feedback.find("not here"), std::string::npos);
}

TEST(Surroundings, ATimeoutThereIsATimeoutSinceTheMachineMayBeBusy) {
  Evidence evidence = audited();
  evidence.surroundings[1].fault = {HostFault::Kind::timeout, "call", "no answer", "", 0};
  EXPECT_EQ(verdict_on(evidence).headline(), "timeout");
}

TEST(Surroundings, AReferenceThatFailsThereIsNoted) {
  Evidence evidence = audited();
  evidence.surroundings[0].fault = {HostFault::Kind::runtime_error, "call", "no data", "", 0};
  const Verdict verdict = verdict_on(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_TRUE(has_reason(verdict, "surroundings_unchecked"));
}

TEST(Surroundings, WhereOursFailedNothingIsProven) {
  Evidence evidence = audited();
  evidence.surroundings[1].fault = {HostFault::Kind::infra, "", "no jail", "", 0};
  const Verdict verdict = verdict_on(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::infra_fault);
  EXPECT_EQ(verdict.fault, Fault::us);
}

TEST(Surroundings, WithoutAJailThereIsNothingToSay) {
  Evidence evidence = audited();
  evidence.surroundings.clear();
  const Verdict verdict = verdict_on(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_FALSE(has_reason(verdict, "surroundings_unchecked"));
}

}  // namespace
}  // namespace cupel::judge
