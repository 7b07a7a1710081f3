#include "engine/rehearse/scripted_evaluator.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/scripted_run.h"

namespace cupel::engine {
namespace {

TEST(Script, FollowsFromItsSeed) {
  const std::vector<Candidate> candidates = candidates_of(scripted_request(40));
  std::set<Outcome> outcomes;
  bool differs = false;
  for (const Candidate& candidate : candidates) {
    const Script one = make_script(1, candidates);
    const Script other = make_script(2, candidates);
    const ScriptedProgram program = one.programs.at(candidate.id);
    EXPECT_EQ(program.ratio, make_script(1, candidates).programs.at(candidate.id).ratio);
    differs = differs || program.ratio != other.programs.at(candidate.id).ratio;
    outcomes.insert(program.outcome);
  }
  EXPECT_TRUE(differs);
  EXPECT_GE(outcomes.size(), 4u);
}

TEST(ScriptedEvaluator, RatiosOfARoundAgree) {
  const std::vector<Candidate> two{make_candidate("a", "a"), make_candidate("b", "b")};
  Script script;
  script.programs[two[0].id] = {Outcome::faster, 3};
  script.programs[two[1].id] = {Outcome::faster, 2};
  const auto judgement = ScriptedEvaluator(script).judge(two);
  ASSERT_TRUE(judgement);
  EXPECT_DOUBLE_EQ(judgement->verdicts[0].ratios[0].ratio, 3);
  EXPECT_DOUBLE_EQ(judgement->verdicts[0].ratios[1].ratio, 1.5);
  EXPECT_EQ(judgement->verdicts[0].ratios[1].over_id, two[1].id);
  EXPECT_EQ(judgement->evidence.programs.size(), 3u);
}

TEST(ScriptedEvaluator, FaultsComeFirstAndCanBeRecalled) {
  const Candidate candidate = make_candidate("a", "a");
  Script script;
  script.programs[candidate.id] = {Outcome::faster, 3, 2};
  ScriptedEvaluator evaluator(script);
  const auto outcome = [&] { return evaluator.judge({candidate})->verdicts[0].outcome; };
  EXPECT_EQ(outcome(), Outcome::infra_fault);
  EXPECT_EQ(outcome(), Outcome::infra_fault);
  EXPECT_EQ(outcome(), Outcome::faster);
  evaluator.recall_faults(candidate.id, 1);
  EXPECT_EQ(outcome(), Outcome::infra_fault);
  EXPECT_EQ(outcome(), Outcome::faster);
}

TEST(ScriptedEvaluator, AuditsComeOutAsTheScriptSays) {
  const Candidate candidate = make_candidate("a", "a");
  Script script;
  script.programs[candidate.id] = {Outcome::faster, 2};
  script.programs[candidate.id].audited_share = 0.75;
  script.audit_infra_faults = 1;
  ScriptedEvaluator evaluator(script);
  EXPECT_EQ(evaluator.audit(candidate)->verdicts[0].outcome, Outcome::infra_fault);
  EXPECT_DOUBLE_EQ(evaluator.audit(candidate)->verdicts[0].ratios.at(0).ratio, 1.5);
  EXPECT_EQ(evaluator.audit(candidate)->evidence.programs.size(), 3u);
}

}  // namespace
}  // namespace cupel::engine
