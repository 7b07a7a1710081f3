#include "search/published/kernelbench.h"

#include <gtest/gtest.h>

#include <map>

#include "simulated_search.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

World world_with(Outcome outcome) {
  World world;
  world.duplicate = 0;
  world.queries = 30;
  world.outcome = [outcome](const Proposal&) { return outcome; };
  return world;
}

KernelBench refining() {
  KernelBenchOptions options;
  options.turns = k_refinement_turns;
  return KernelBench(options);
}

TEST(KernelBench, SamplesKnowNothingOfEachOther) {
  SimulatedSearch search(World{});
  ASSERT_TRUE(search.run(KernelBench({})));
  ASSERT_EQ(search.asked().size(), 300u);
  for (const Proposal& proposal : search.asked()) {
    EXPECT_EQ(proposal.kind, Kind::write);
    EXPECT_TRUE(proposal.parents.empty());
    EXPECT_TRUE(proposal.charged);
  }
}

TEST(KernelBench, FillsTheSlots) {
  World world;
  world.lanes = 7;
  SimulatedSearch search(world);
  EXPECT_EQ(search.ask(KernelBench({})).drafts.size(), 7u);
}

TEST(KernelBench, RefinesCorrectProgramsForTenTurns) {
  SimulatedSearch search(world_with(Outcome::slower));
  ASSERT_TRUE(search.run(refining()));
  std::map<int, int> turns;
  for (const Proposal& proposal : search.asked()) {
    EXPECT_EQ(proposal.kind, proposal.phase == 0 ? Kind::write : Kind::improve);
    turns[proposal.branch] = std::max(turns[proposal.branch], proposal.phase + 1);
  }
  for (const auto& [conversation, count] : turns) EXPECT_LE(count, 10) << conversation;
}

TEST(KernelBench, EachTurnGetsTheVerdictOnTheOneBefore) {
  World world = world_with(Outcome::wrong);
  world.lanes = 1;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(refining()));
  const auto asked = search.asked();
  ASSERT_EQ(asked.size(), 30u) << "three conversations of ten turns";
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(asked[i].branch, static_cast<int>(i / 10));
    EXPECT_EQ(asked[i].phase, static_cast<int>(i % 10));
    if (i % 10 == 0) continue;
    EXPECT_EQ(asked[i].kind, Kind::fix);
    EXPECT_EQ(asked[i].parents.front(), search.state().judged[i - 1].candidate.id);
  }
}

TEST(KernelBench, ASuspectEndsTheConversation) {
  SimulatedSearch search(world_with(Outcome::suspect));
  ASSERT_TRUE(search.run(refining()));
  for (const Proposal& proposal : search.asked()) EXPECT_EQ(proposal.phase, 0);
}

}  // namespace
}  // namespace cupel::search
