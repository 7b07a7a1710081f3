#include "search/cupel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "search/strategies.h"
#include "simulated_search.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

World flawless() {
  World world;
  world.fails = world.suspect = world.duplicate = world.silent = world.empty_reply = 0;
  return world;
}

CupelOptions endless() {
  CupelOptions options;
  options.stop.log_gain_per_usd_min = 0;
  return options;
}

TEST(Cupel, WritesOnePerIdeaThenExploits) {
  World world = flawless();
  world.in_order = true;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  const auto asked = search.asked();
  EXPECT_EQ(asked[0].kind, Kind::brainstorm);
  EXPECT_FALSE(asked[0].charged);
  for (std::size_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(asked[i].kind, Kind::write);
    EXPECT_EQ(asked[i].idea, "idea " + std::to_string(i));
  }
  EXPECT_TRUE(asked[11].kind == Kind::improve || asked[11].kind == Kind::cross);
}

TEST(Cupel, FillsTheSlotsAndNoMore) {
  SimulatedSearch search(World{});
  bool waited = false;
  ASSERT_TRUE(search.run(Cupel(endless()), [&](const Call& call) {
    EXPECT_LE(static_cast<int>(call.step.drafts.size()), call.budget.slots);
    const int idle = call.budget.slots - static_cast<int>(call.step.drafts.size());
    waited |= call.judged.size() > 20 && call.budget.queries_left > 20 && idle > 0;
  }));
  EXPECT_FALSE(waited) << "it never waits for a phase";
}

TEST(Cupel, StalenessIsBounded) {
  World world = flawless();
  world.lanes = 1000;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless()), [](const Call& call) {
    EXPECT_LE(call.pending.size() + call.step.drafts.size(), 20u);
  }));
}

// Twelve queries in flight at once would be twelve guesses.
TEST(Cupel, FewQueriesAreSpentWithVerdictsAtHand) {
  World world = flawless();
  world.lanes = 1000;
  world.queries = 12;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless()), [](const Call& call) {
    EXPECT_LE(call.pending.size() + call.step.drafts.size(), 4u);
  }));
  const auto asked = search.asked();
  EXPECT_EQ(asked.size(), 13u);
  EXPECT_EQ(std::ranges::count(asked, Kind::write, &Proposal::kind), 6);
}

TEST(Cupel, FewIdeasAreNotPaddedWithWritesWithoutOne) {
  World world = flawless();
  world.ideas = 3;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  EXPECT_EQ(std::ranges::count(search.asked(), Kind::write, &Proposal::kind), 3);
}

// The fastest program of all is found early; PIKE-B would forget it after a phase.
TEST(Cupel, ElitesAreNeverForgotten) {
  World world = flawless();
  world.in_order = true;
  world.speed = [](const Proposal& proposal) {
    return proposal.phase == 0 && proposal.branch == 3 ? 5.0 : 1.0 + 0.001 * proposal.branch;
  };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  const std::string best = search.state().judged[3].candidate.id;
  int late = 0;
  const auto asked = search.asked();
  for (std::size_t i = 200; i < asked.size(); ++i)
    late += static_cast<int>(std::ranges::count(asked[i].parents, best));
  EXPECT_GT(late, 20);
}

TEST(Cupel, TheFastestSeedIsAParent) {
  StrategyInputs inputs;
  inputs.seeds = {{"eager", "eager", "s0", 0},
                  {"compile", "torch.compile", "s1", 0},
                  {"max", "max-autotune", "s2", 0}};
  World world = flawless();
  world.in_order = true;
  world.speed = [](const Proposal& proposal) {
    if (proposal.label == "max") return 3.0;
    return proposal.label == "compile" ? 2.9 : 1.0;
  };
  const std::string fastest = make_candidate("source of p0003", "").id;
  std::map<std::string, int> free_parents;
  for (const char* name : {"cupel:no-stop", "cupel:no-free-parents+no-stop"}) {
    SimulatedSearch search(world);
    ASSERT_TRUE(search.run(**make_strategy(name, inputs)));
    const std::string second = make_candidate("source of p0002", "").id;
    for (const Proposal& proposal : search.asked()) {
      free_parents[name] += static_cast<int>(std::ranges::count(proposal.parents, fastest));
      EXPECT_EQ(std::ranges::count(proposal.parents, second), 0) << "one free parent is enough";
    }
  }
  EXPECT_GT(free_parents["cupel:no-stop"], 20);
  EXPECT_EQ(free_parents["cupel:no-free-parents+no-stop"], 0);
}

TEST(Cupel, MendsCheaplyThenStrongly) {
  World world = flawless();
  world.outcome = [](const Proposal&) { return Outcome::wrong; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  std::map<int, std::set<Tier>> tiers;
  for (const Proposal& proposal : search.asked()) {
    tiers[proposal.fix_round].insert(proposal.tier);
  }
  EXPECT_EQ(tiers[0], std::set<Tier>{Tier::strong});
  EXPECT_EQ(tiers[1], std::set<Tier>{Tier::cheap});
  EXPECT_EQ(tiers[2], std::set<Tier>{Tier::cheap});
  EXPECT_EQ(tiers[3], std::set<Tier>{Tier::strong}) << "the same error came back twice";
  EXPECT_EQ(tiers.rbegin()->first, 3) << "and again: hopeless";
}

TEST(Cupel, GivesUpOnWhatIsTooSlow) {
  World world = flawless();
  world.outcome = [](const Proposal&) { return Outcome::timeout; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  for (const Proposal& proposal : search.asked()) EXPECT_LE(proposal.fix_round, 1);
}

TEST(Cupel, CrossesEachPairOnce) {
  SimulatedSearch search(flawless());
  ASSERT_TRUE(search.run(Cupel(endless())));
  std::set<std::set<std::string>> pairs;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.kind != Kind::cross) continue;
    ASSERT_GE(proposal.parents.size(), 2u);
    for (std::size_t i = 1; i < proposal.parents.size(); ++i) {
      EXPECT_TRUE(pairs.insert({proposal.parents[0], proposal.parents[i]}).second);
    }
  }
  EXPECT_GE(pairs.size(), 1u);
}

TEST(Cupel, AnalysesTheLeaderOnceAndCarriesOutThePlan) {
  World world = flawless();
  world.in_order = true;
  world.speed = [](const Proposal& proposal) { return proposal.phase == 0 ? 1.5 : 1.2; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  std::set<std::string> analysed;
  int carried_out = 0;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.kind == Kind::analyse) {
      EXPECT_TRUE(proposal.charged);
      EXPECT_TRUE(analysed.insert(proposal.parents.front()).second);
    } else if (proposal.idea.starts_with("plan of")) {
      EXPECT_EQ(proposal.kind, Kind::improve);
      EXPECT_TRUE(analysed.contains(proposal.parents.front()));
      ++carried_out;
    }
  }
  EXPECT_GE(analysed.size(), 1u);
  EXPECT_GE(carried_out, 1);
}

// No agent is asked while numbers are changed, and they are changed when no query is left, too.
TEST(Cupel, TunesWhatLeads) {
  StrategyInputs inputs;
  inputs.queries_max = 12;
  Call state;
  state.budget.queries_left = 12;
  Judged judged;
  judged.proposal = {"p0001", Kind::write, "write"};
  judged.proposal.charged = true;
  judged.candidate = {"a", "", "TILE = 8  # tune: 4 8 16"};
  judged.verdict.outcome = Outcome::faster;
  judged.verdict.ratios = {{"eager", "eager", 2, 2, 2, 0.5, 1, 100}};
  state.judged.push_back(judged);
  Rng rng(1);
  const auto count = [&](const char* name) {
    const Step step = (*make_strategy(name, inputs))->next(state.history(), state.budget, rng);
    return std::ranges::count_if(step.drafts, [](const Draft& draft) {
      return draft.proposal.kind == Kind::tune && !draft.source.empty();
    });
  };
  EXPECT_EQ(count("cupel"), 2);
  EXPECT_EQ(count("cupel:no-tune"), 0);
  state.budget.queries_left = 0;
  EXPECT_EQ(count("cupel"), 2);
  state.budget.seconds_left = 0;
  EXPECT_EQ(count("cupel"), 0);
}

TEST(Cupel, AsksForNewIdeasWhenNothingIsGained) {
  World world = flawless();
  world.speed = [](const Proposal&) { return 1.5; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  const auto asked = search.asked();
  EXPECT_EQ(std::ranges::count(asked, Kind::brainstorm, &Proposal::kind), 4);
  // Later ideas are applied to the fastest program instead of the task.
  const auto last =
      std::ranges::find_if(asked.rbegin(), asked.rend(),
                           [](const Proposal& proposal) { return !proposal.idea.empty(); });
  EXPECT_EQ(last->kind, Kind::improve);
}

TEST(Cupel, KeepsItsIdeasWhileItGains) {
  World world = flawless();
  world.speed = [](const Proposal& proposal) {
    return 1 + 0.1 * proposal.phase + 0.01 * proposal.branch;
  };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel(endless())));
  EXPECT_EQ(std::ranges::count(search.asked(), Kind::brainstorm, &Proposal::kind), 1);
}

TEST(Cupel, StopsWhenTheNextDollarIsNotWorthIt) {
  World world = flawless();
  world.speed = [](const Proposal&) { return 1.0; };
  world.usd_of_reply = 0.5;
  SimulatedSearch search(world);
  std::string why;
  ASSERT_TRUE(search.run(Cupel({}), [&](const Call& call) { why = call.step.stop; }));
  EXPECT_NE(why.find("the next dollar"), std::string::npos) << why;
  EXPECT_GE(search.asked().size(), 50u);
  EXPECT_LT(search.asked().size(), 100u);
}

TEST(Cupel, GoesOnWhileItGains) {
  World world = flawless();
  world.speed = [](const Proposal& proposal) {
    return 1 + 0.1 * proposal.phase + 0.01 * proposal.branch;
  };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(Cupel({})));
  EXPECT_GE(search.asked().size(), 300u);
}

}  // namespace
}  // namespace cupel::search
