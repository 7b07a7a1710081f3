#include "search/published/pike_o.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "simulated_search.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

World flawless() {
  World world;
  world.fails = world.suspect = world.duplicate = world.empty_reply = 0;
  world.lanes = 100;
  return world;
}

TEST(PikeO, StartsEveryIslandFromTheOriginal) {
  SimulatedSearch search(flawless());
  const Step step = search.ask(PikeO({}));
  ASSERT_EQ(step.drafts.size(), 10u);
  std::map<int, int> on_island;
  for (const Draft& draft : step.drafts) {
    EXPECT_EQ(draft.proposal.kind, Kind::write);
    EXPECT_TRUE(draft.proposal.charged);
    ++on_island[draft.proposal.branch];
  }
  EXPECT_EQ(on_island, (std::map<int, int>{{0, 4}, {1, 3}, {2, 3}})) << "in turn";
}

TEST(PikeO, NeverBrainstorms) {
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(PikeO({})));
  for (const Proposal& proposal : search.asked()) EXPECT_NE(proposal.kind, Kind::brainstorm);
  EXPECT_EQ(search.asked().size(), 300u);
}

TEST(PikeO, CrossesAParentWithTheBestThreeOfItsIsland) {
  World world = flawless();
  world.long_sources = true;
  world.queries = 140;  // islands migrate after 50 children each
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(PikeO({})));
  std::map<std::string, const Judged*> by_id;
  for (const Judged& judged : search.state().judged) by_id[judged.candidate.id] = &judged;
  std::size_t largest = 0;
  for (const Proposal& proposal : search.asked()) {
    largest = std::max(largest, proposal.parents.size());
    for (std::size_t i = 1; i < proposal.parents.size(); ++i) {
      EXPECT_NE(proposal.parents[i], proposal.parents[0]);
      EXPECT_EQ(by_id.at(proposal.parents[i])->proposal.branch, proposal.branch);
    }
    if (proposal.parents.size() > 1) {
      EXPECT_EQ(proposal.kind, Kind::cross);
    }
  }
  EXPECT_EQ(largest, 4u);
}

TEST(PikeO, KeepsNoMoreInFlightThanItRunsInParallel) {
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(PikeO({}), [](const Call& call) {
    EXPECT_LE(call.pending.size() + call.step.drafts.size(), 10u);
  }));
}

TEST(PikeO, MutatesOneParentAtATimeOnTheLadder) {
  PikeOOptions options;
  options.inspirations = 0;
  options.sizes.islands = 1;
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(PikeO(options)));
  for (const Proposal& proposal : search.asked()) {
    EXPECT_LE(proposal.parents.size(), 1u);
    EXPECT_TRUE(proposal.kind == Kind::write || proposal.kind == Kind::improve);
  }
}

TEST(PikeO, ExploitsAShortArchiveAtTheLadderEnd) {
  PikeOOptions options;
  options.inspirations = 0;
  options.parallel = 1;
  options.sizes.islands = 1;
  options.sizes.archive = 4;
  options.ratios = {0, 1};
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(PikeO(options), [](const Call& call) {
    if (call.step.drafts.empty() || call.judged.size() < 4) return;
    const std::string parent = call.step.drafts[0].proposal.parents.at(0);
    std::vector<Judged> ranked = call.judged;
    std::ranges::sort(ranked, std::greater<>(),
                      [](const Judged& judged) { return judged.verdict.ratios.front().ratio; });
    const auto found =
        std::ranges::find(ranked, parent, [](const Judged& judged) { return judged.candidate.id; });
    EXPECT_LT(found - ranked.begin(), 4);
  }));
}

TEST(PikeO, MendsAtMostFiveTimes) {
  World world = flawless();
  world.outcome = [](const Proposal&) { return Outcome::timeout; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(PikeO({})));
  std::map<int, int> of_round;
  for (const Proposal& proposal : search.asked()) ++of_round[proposal.fix_round];
  EXPECT_EQ(of_round.size(), 6u);
  EXPECT_EQ(of_round.rbegin()->first, 5);
}

TEST(PikeO, DrawsItsParents) {
  const World world = flawless();
  SimulatedSearch search(world);
  const PikeO strategy({});
  ASSERT_TRUE(search.run(strategy));
  Call call = search.state();
  call.judged.resize(40);
  call.pending.clear();
  call.rejected.clear();
  Rng one(1);
  Rng same(1);
  Rng other(2);
  const std::string step = text_of(strategy.next(call.history(), {}, one));
  EXPECT_EQ(step, text_of(strategy.next(call.history(), {}, same)));
  EXPECT_NE(step, text_of(strategy.next(call.history(), {}, other)));
}

}  // namespace
}  // namespace cupel::search
