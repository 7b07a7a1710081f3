#include "search/published/sakana.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "simulated_search.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

World flawless() {
  World world;
  world.fails = world.suspect = world.duplicate = world.empty_reply = 0;
  return world;
}

std::map<int, std::vector<Proposal>> by_phase(const SimulatedSearch& search) {
  std::map<int, std::vector<Proposal>> phases;
  for (const Proposal& proposal : search.asked()) phases[proposal.phase].push_back(proposal);
  return phases;
}

TEST(Sakana, ConvertsThenTranslatesThenEvolves) {
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(Sakana({})));
  auto phases = by_phase(search);
  ASSERT_EQ(phases[0].size(), 1u);
  EXPECT_EQ(phases[0][0].kind, Kind::convert);
  ASSERT_EQ(phases[1].size(), 4u);
  for (const Proposal& proposal : phases[1]) {
    EXPECT_EQ(proposal.kind, Kind::translate);
    EXPECT_EQ(proposal.parents.front(), search.state().judged.front().candidate.id);
  }
  ASSERT_EQ(phases[2].size(), 8u);
  const auto crossings = std::ranges::count(phases[2], Kind::cross, &Proposal::kind);
  const auto improvements = std::ranges::count(phases[2], Kind::improve, &Proposal::kind);
  EXPECT_EQ(crossings, 4);
  EXPECT_EQ(improvements, 4);
}

TEST(Sakana, TranslatesTheOriginalWhereNothingConverts) {
  World world = flawless();
  world.outcome = [](const Proposal& proposal) {
    return proposal.phase == 0 ? Outcome::wrong : Outcome::faster;
  };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Sakana({})));
  auto phases = by_phase(search);
  EXPECT_EQ(phases[0].size(), 4u) << "the conversion and three fixes";
  for (const Proposal& proposal : phases[1]) EXPECT_TRUE(proposal.parents.empty());
}

TEST(Sakana, TheFunctionalFormIsNoElite) {
  World world = flawless();
  world.speed = [](const Proposal& proposal) { return proposal.phase == 0 ? 9.0 : 1.5; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Sakana({})));
  const std::string converted = search.state().judged.front().candidate.id;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.phase < 2) continue;
    EXPECT_EQ(std::ranges::count(proposal.parents, converted), 0);
  }
}

TEST(Sakana, WritesFromTheTaskWhereNothingIsCorrect) {
  World world = flawless();
  world.outcome = [](const Proposal&) { return Outcome::impossible; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Sakana({})));
  for (const auto& [phase, proposals] : by_phase(search)) {
    if (phase > 0) {
      EXPECT_EQ(proposals.front().kind, Kind::write);
    }
  }
}

TEST(Sakana, ParentsOfACrossingDiffer) {
  SimulatedSearch search(World{});
  ASSERT_TRUE(search.run(Sakana({})));
  for (const Proposal& proposal : search.asked()) {
    const std::set<std::string> distinct(proposal.parents.begin(), proposal.parents.end());
    EXPECT_EQ(distinct.size(), proposal.parents.size());
    EXPECT_LE(proposal.parents.size(), 3u);
  }
}

TEST(Sakana, ComposesAfterTenGenerations) {
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(Sakana({})));
  for (const Proposal& proposal : search.asked()) {
    EXPECT_EQ(proposal.idea.starts_with("Compose"), proposal.phase >= 12) << proposal.phase;
  }
  EXPECT_GT(search.asked().back().phase, 12);
}

}  // namespace
}  // namespace cupel::search
