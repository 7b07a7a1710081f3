#include "engine/rounds/beside.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

using Programs = std::vector<Candidate>;

Programs programs(int count) {
  Programs made;
  for (int i = 0; i < count; ++i) {
    made.push_back(make_candidate("program " + std::to_string(i), "p" + std::to_string(i)));
  }
  return made;
}

// Answers like a script, and may run out of memory with many programs at once.
class Crowded final : public Evaluator {
 public:
  Crowded(Script script, std::size_t room) : scripted_(std::move(script)), room_(room) {}

  Result<Admitted> admit() override { return scripted_.admit(); }
  Status readmit(const Admitted& admitted) override { return scripted_.readmit(admitted); }
  int programs_beside() const override { return 8; }
  Result<Judgement> judge(const Programs& asked) override {
    sizes.push_back(asked.size());
    if (asked.size() > room_) return infra_error("no memory left");
    return scripted_.judge(asked);
  }
  Result<std::vector<Judgement>> judge_beside(const Programs& asked) override {
    const auto joined = [this](const Programs& some) { return judge(some); };
    return judge_together(asked, joined, [](const Verdict&) { return false; });
  }

  std::vector<std::size_t> sizes;

 private:
  ScriptedEvaluator scripted_;
  std::size_t room_;
};

JudgeTogether joined(Evaluator& evaluator) {
  return [&evaluator](const Programs& some) { return evaluator.judge(some); };
}

const auto k_never = [](const Verdict&) { return false; };

Script script_of(const Programs& all, Outcome outcome, double ratio) {
  Script script;
  for (const Candidate& program : all) script.programs[program.id] = {outcome, ratio};
  return script;
}

TEST(ProgramsFitting, FollowsTheTaskAndTheMemory) {
  TaskFacts facts;
  EXPECT_EQ(programs_fitting(facts, 45LL << 30), 16);
  facts.weight_bytes = 1LL << 30;
  EXPECT_EQ(programs_fitting(facts, 45LL << 30), 9);
  facts.weight_bytes = 100LL << 30;
  EXPECT_EQ(programs_fitting(facts, 45LL << 30), 2) << "two programs always";
}

TEST(ProgramsFitting, CountsWhatTheReferenceMakesInACall) {
  TaskFacts facts;
  facts.weight_bytes = 1LL << 20;
  facts.input_bytes = 256LL << 20;
  facts.peak_bytes = facts.weight_bytes + facts.input_bytes + (8LL << 30);
  EXPECT_EQ(programs_fitting(facts, 45LL << 30), 3);
  facts.peak_bytes = facts.weight_bytes + facts.input_bytes + (1LL << 30);
  EXPECT_EQ(programs_fitting(facts, 45LL << 30), 9);
}

TEST(PartOf, SpeaksOfItsOwnProgramOnly) {
  const Programs all = programs(3);
  Crowded evaluator(script_of(all, Outcome::faster, 2), 8);
  auto joint = evaluator.judge(all);
  ASSERT_TRUE(joint);
  joint->verdicts[1].device_ratios = joint->verdicts[1].ratios;
  joint->verdicts[1].device_ratios.push_back({"another", all[0].id});
  const Judgement part = part_of(*joint, 1);
  ASSERT_EQ(part.verdicts.size(), 1u);
  EXPECT_EQ(part.verdicts[0].candidate_id, all[1].id);
  EXPECT_EQ(part.verdicts[0].ratios.size(), 1u);
  EXPECT_EQ(part.verdicts[0].device_ratios.size(), 1u);
  ASSERT_EQ(part.evidence.programs.size(), 2u);
  EXPECT_EQ(part.evidence.programs[0].role, Role::baseline);
  EXPECT_EQ(part.evidence.programs[1].candidate_id, all[1].id);
}

TEST(JudgeTogether, OneRoundForAll) {
  const Programs all = programs(5);
  Crowded evaluator(script_of(all, Outcome::faster, 2), 8);
  const auto judgements = judge_together(all, joined(evaluator), k_never);
  ASSERT_TRUE(judgements);
  ASSERT_EQ(judgements->size(), 5u);
  EXPECT_EQ((*judgements)[4].verdicts.front().candidate_id, all[4].id);
  EXPECT_EQ(evaluator.sizes, std::vector<std::size_t>{5});
}

TEST(JudgeTogether, WhatDoesNotFitGoesInHalves) {
  const Programs all = programs(5);
  Crowded evaluator(script_of(all, Outcome::faster, 2), 2);
  const auto judgements = judge_together(all, joined(evaluator), k_never);
  ASSERT_TRUE(judgements);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*judgements)[i].verdicts.front().candidate_id, all[i].id);
    EXPECT_EQ((*judgements)[i].verdicts.front().outcome, Outcome::faster);
  }
}

TEST(JudgeTogether, WhatOthersMayBeToBlameForIsJudgedAlone) {
  const Programs all = programs(3);
  Script script = script_of(all, Outcome::faster, 2);
  script.programs[all[1].id].outcome = Outcome::out_of_memory;
  script.programs[all[2].id].outcome = Outcome::wrong;
  Crowded evaluator(script, 8);
  const auto judgements = judge_together(all, joined(evaluator), k_never);
  ASSERT_TRUE(judgements);
  EXPECT_EQ(evaluator.sizes, (std::vector<std::size_t>{3, 1}));
  EXPECT_EQ((*judgements)[1].verdicts.front().outcome, Outcome::out_of_memory);
}

TEST(JudgeTogether, WhatIsOpenIsJudgedAlone) {
  const Programs all = programs(4);
  Crowded evaluator(script_of(all, Outcome::faster, 2), 8);
  const auto judgements = judge_together(all, joined(evaluator), [&](const Verdict& verdict) {
    return verdict.candidate_id == all[2].id;
  });
  ASSERT_TRUE(judgements);
  EXPECT_EQ(evaluator.sizes, (std::vector<std::size_t>{4, 1}));
}

TEST(JudgeBesideOrFault, AnErrorOfOursIsAFaultOfEach) {
  const Programs all = programs(2);
  Crowded evaluator({}, 0);
  const auto judgements = judge_beside_or_fault(evaluator, all);
  ASSERT_TRUE(judgements);
  ASSERT_EQ(judgements->size(), 2u);
  for (const Judgement& judgement : *judgements) {
    EXPECT_EQ(judgement.verdicts.front().outcome, Outcome::infra_fault);
  }
}

// A whole run: seeds side by side, the user's files alone, and the same winner as one by one.
TEST(EngineBeside, JudgesSeedsSideBySide) {
  const RunRequest request = scripted_request(9);
  Script script = make_script(3, candidates_of(request));
  script.table_infra_faults = 0;
  for (auto& [id, program] : script.programs) program.fails_in_table = false;
  const auto winner_with = [&](Evaluator& evaluator) {
    const TempDir directory = scratch();
    FakeClock clock;
    auto journal = open_or_die(directory.path(), clock);
    SilentSink sink;
    const auto record = run(request, evaluator, journal, sink);
    EXPECT_TRUE(record) << record.error().describe();
    EXPECT_EQ(record->judged.size(), 9u);
    return record ? record->winner_id : "";
  };
  Crowded beside(script, 100);
  ScriptedEvaluator alone(script);
  EXPECT_EQ(winner_with(beside), winner_with(alone));
  const std::size_t seeds = 9 - request.files.size();
  EXPECT_EQ(std::count(beside.sizes.begin(), beside.sizes.end(), seeds), 1);
}

}  // namespace
}  // namespace cupel::engine
