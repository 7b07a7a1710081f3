#include "engine/turn/labelling.h"

#include <gtest/gtest.h>

#include "engine/plan/schedule.h"
#include "engine/scripted_search.h"

namespace cupel::engine {
namespace {

// A run with two programs of agents and a seed, none of them judged.
class Labelling : public testing::Test {
 protected:
  Labelling() : directory_(scratch()), journal_(begun(directory_.path(), clock_)) {
    script_.labels = true;
    add("p0001", Proposal::Kind::write, "m = Model(1)");
    add("p0002", Proposal::Kind::write, "kernel = 2");
    add("p0003", Proposal::Kind::seed, "free = 3");
  }

  void add(const std::string& id, Proposal::Kind kind, const std::string& source) {
    Proposed proposed;
    proposed.proposal.id = id;
    proposed.proposal.kind = kind;
    proposed.candidate = make_candidate(source, id);
    CUPEL_CHECK(journal_.propose(proposed).has_value());
  }

  FakeClock clock_;
  TempDir directory_;
  journal::Journal journal_;
  Script script_;
};

TEST_F(Labelling, ComesBeforeDeviceTimeAndPutsTheWorthlessLast) {
  ScriptedSitting made(journal_, clock_, script_);
  Sitting& sitting = made.sitting;
  const auto open_ones = journal_.state().open;
  EXPECT_TRUE(awaits_labels(sitting, open_ones[0]));
  EXPECT_FALSE(awaits_labels(sitting, open_ones[2]));
  ASSERT_TRUE(start_labels(sitting).has_value());
  auto done = made.lanes.next(1);
  ASSERT_TRUE(done.has_value());
  ASSERT_TRUE(take_labels(sitting, std::get<LabelledPrograms>(std::move(done->outcome))));
  EXPECT_FALSE(awaits_labels(sitting, open_ones[0]));
  EXPECT_FALSE(start_labels(sitting).has_value());
  EXPECT_EQ(describe(journal_.state().record.labels.at(open_ones[0].candidate.id)),
            "calls the reference (line 1)");
  const auto order = measuring_order(journal_.state(), {open_ones[0], open_ones[1]}, 0, 1000);
  ASSERT_EQ(order.size(), 2U);
  EXPECT_EQ(order[0].proposal.id, "p0002");
}

TEST_F(Labelling, WhatCannotBeLabelledIsJudgedAllTheSame) {
  ScriptedSitting made(journal_, clock_, script_);
  Sitting& sitting = made.sitting;
  const auto first = journal_.state().open.front();
  ASSERT_TRUE(take_labels(sitting, {{first.candidate.id}, infra_error("the referee is gone")}));
  EXPECT_FALSE(awaits_labels(sitting, first));
  EXPECT_TRUE(journal_.state().record.labels.at(first.candidate.id).empty());
}

TEST(LabelledSearch, JudgesEveryProgramThatItBought) {
  const TempDir directory = scratch();
  FakeClock clock;
  journal::Journal journal = open_or_die(directory.path(), clock);
  ScriptedProvider provider({});
  const Agents agents = scripted_agents(provider);
  Script script;
  script.others_seed = 3;
  script.labels = true;
  script.profiles = true;
  ScriptedEvaluator evaluator(script);
  SimulatedLanes lanes({}, evaluator, agents, clock);
  SilentSink sink;
  const auto record = run(search_request(12), Means(evaluator, agents, &lanes), journal, sink);
  ASSERT_TRUE(record.has_value()) << record.error().describe();
  EXPECT_TRUE(record->finished);
  EXPECT_TRUE(journal.state().open.empty());
  EXPECT_FALSE(journal.state().record.labels.empty());
}

}  // namespace
}  // namespace cupel::engine
