#include "search/published/pike_b.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "simulated_search.h"

namespace cupel::search {
namespace {

using Kind = Proposal::Kind;

World flawless() {
  World world;
  world.fails = world.suspect = world.duplicate = world.silent = world.empty_reply = 0;
  world.in_order = true;
  return world;
}

PikeB plain() {
  return PikeB({});
}

std::vector<Proposal> charged_of(const SimulatedSearch& search) {
  std::vector<Proposal> charged;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.charged) charged.push_back(proposal);
  }
  return charged;
}

// Children that each parent has in a phase, in the order of their branches.
std::vector<int> families(const SimulatedSearch& search, int phase) {
  std::vector<std::string> order;
  std::map<std::string, int> sizes;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.phase != phase || proposal.fix_round > 0) continue;
    const std::string parent = proposal.parents.empty() ? "original" : proposal.parents.front();
    if (sizes[parent]++ == 0) order.push_back(parent);
  }
  std::vector<int> shares;
  for (const std::string& parent : order) shares.push_back(sizes[parent]);
  return shares;
}

// A world in which only so many of phase 0 are correct, and no fix helps.
SimulatedSearch after_phase_zero(int correct, World world = flawless()) {
  world.outcome = [correct](const Proposal& proposal) {
    const bool works = proposal.phase > 0 || proposal.branch < correct;
    return works ? Outcome::faster : Outcome::wrong;
  };
  SimulatedSearch search(world);
  const PikeB strategy = plain();
  do {
    search.ask(strategy);
  } while (search.asked().back().phase == 0 && search.advance());
  return search;
}

TEST(PikeB, BrainstormsFirstAndFree) {
  SimulatedSearch search(flawless());
  const Step step = search.ask(plain());
  ASSERT_EQ(step.drafts.size(), 1u);
  EXPECT_EQ(step.drafts[0].proposal.kind, Kind::brainstorm);
  EXPECT_FALSE(step.drafts[0].proposal.charged);
  EXPECT_TRUE(search.ask(plain()).drafts.empty()) << "it waits for the ideas";
}

TEST(PikeB, WritesOnePerIdea) {
  World world = flawless();
  world.ideas = 12;
  SimulatedSearch search(world);
  search.ask(plain());
  search.advance();
  const Step step = search.ask(plain());
  ASSERT_EQ(step.drafts.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    const Proposal& proposal = step.drafts[i].proposal;
    EXPECT_EQ(proposal.kind, Kind::write);
    EXPECT_EQ(proposal.idea, "idea " + std::to_string(i + 1));
    EXPECT_TRUE(proposal.charged);
    EXPECT_EQ(proposal.branch, static_cast<int>(i));
  }
}

TEST(PikeB, FewIdeasGiveFewWrites) {
  World world = flawless();
  world.ideas = 6;
  SimulatedSearch search(world);
  search.ask(plain());
  search.advance();
  EXPECT_EQ(search.ask(plain()).drafts.size(), 6u);
}

TEST(PikeB, WithoutIdeasItWritesFromTheTask) {
  World world = flawless();
  world.silent = 1;
  SimulatedSearch search(world);
  for (int i = 0; i < k_brainstorms_max; ++i) {
    EXPECT_EQ(search.ask(plain()).drafts.size(), 1u);
    search.advance();
  }
  const Step step = search.ask(plain());
  ASSERT_EQ(step.drafts.size(), 10u);
  EXPECT_TRUE(step.drafts[0].proposal.idea.empty());
}

TEST(PikeB, SplitsTheChildren) {
  EXPECT_EQ(families(after_phase_zero(10), 1), (std::vector<int>{3, 3, 2, 2}));
  EXPECT_EQ(families(after_phase_zero(4), 1), (std::vector<int>{3, 3, 2, 2}));
  EXPECT_EQ(families(after_phase_zero(3), 1), (std::vector<int>{4, 3, 3}));
  EXPECT_EQ(families(after_phase_zero(2), 1), (std::vector<int>{5, 5}));
  EXPECT_EQ(families(after_phase_zero(1), 1), (std::vector<int>{10}));
}

TEST(PikeB, TheOriginalIsTheLastResort) {
  const SimulatedSearch search = after_phase_zero(0);
  EXPECT_EQ(families(search, 1), (std::vector<int>{10}));
  const Proposal child = search.asked().back();
  EXPECT_EQ(child.phase, 1);
  EXPECT_EQ(child.kind, Kind::write);
  EXPECT_TRUE(child.parents.empty());
  EXPECT_NE(child.reason.find("original program"), std::string::npos);
}

TEST(PikeB, ParentsAreTheFastestOfThePhase) {
  World world = flawless();
  world.speed = [](const Proposal& proposal) { return 1 + 0.01 * proposal.branch; };
  const SimulatedSearch search = after_phase_zero(10, world);
  std::vector<std::string> parents;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.phase == 1) parents.push_back(proposal.reason);
  }
  ASSERT_EQ(parents.size(), 10u);
  // The brainstorm is p0001, so branch 9 of phase 0 is p0011.
  EXPECT_EQ(parents[0], "child 1 of 3 of p0011, best of phase 0 (1.09x)");
  EXPECT_EQ(parents[4], "child 2 of 3 of p0010, second best of phase 0 (1.08x)");
  EXPECT_EQ(parents[9], "child 2 of 2 of p0008, fourth best of phase 0 (1.06x)");
}

TEST(PikeB, OnlyThePreviousPhaseHasChildren) {
  World world = flawless();
  world.speed = [](const Proposal& proposal) { return 100.0 - proposal.phase; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  std::map<std::string, int> phase_of;
  for (const Judged& judged : search.state().judged) {
    phase_of[judged.candidate.id] = judged.proposal.phase;
  }
  for (const Proposal& proposal : search.asked()) {
    if (proposal.kind != Kind::improve) continue;
    EXPECT_EQ(phase_of.at(proposal.parents.front()), proposal.phase - 1);
  }
}

TEST(PikeB, SeedsAreNoParents) {
  World world = flawless();
  SimulatedSearch search(world);
  Judged seed;
  seed.proposal.id = "p0000";
  seed.proposal.label = "compile";
  seed.candidate = make_candidate("seed", "seed");
  seed.verdict.outcome = Outcome::faster;
  seed.verdict.ratios = {{"eager", "eager", 50, 49, 51, 0.02, 1, 100}};
  Call call = after_phase_zero(10).state();
  call.judged.insert(call.judged.begin(), seed);
  call.pending.clear();
  Rng rng(1);
  for (const Draft& draft : plain().next(call.history(), {}, rng).drafts) {
    EXPECT_NE(draft.proposal.parents, std::vector<std::string>{seed.candidate.id});
  }
}

TEST(PikeB, NothingOfTheNextPhaseWhileOneIsPending) {
  SimulatedSearch search(World{});
  const auto locked = [](const Call& call) {
    for (const Draft& draft : call.step.drafts) {
      for (const Proposal& pending : call.pending) {
        if (asks_agent(pending.kind)) {
          EXPECT_EQ(pending.phase, draft.proposal.phase);
        }
      }
    }
  };
  EXPECT_TRUE(search.run(plain(), locked));
}

TEST(PikeB, FixesAreChargedAndAtMostFive) {
  World world = flawless();
  world.queries = 60;
  world.outcome = [](const Proposal&) { return Outcome::runtime_error; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  const auto charged = charged_of(search);
  ASSERT_EQ(charged.size(), 60u) << "one phase: 10 writes with 5 fixes each";
  std::map<int, int> of_round;
  for (const Proposal& proposal : charged) ++of_round[proposal.fix_round];
  EXPECT_EQ(of_round, (std::map<int, int>{{0, 10}, {1, 10}, {2, 10}, {3, 10}, {4, 10}, {5, 10}}));
}

TEST(PikeB, AFixMendsTheLastProgramOfItsBranch) {
  World world = flawless();
  world.queries = 60;
  world.outcome = [](const Proposal&) { return Outcome::runtime_error; };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  std::map<std::string, const Judged*> by_id;
  for (const Judged& judged : search.state().judged) by_id[judged.candidate.id] = &judged;
  for (const Proposal& proposal : search.asked()) {
    if (proposal.kind != Kind::fix) continue;
    const Proposal& mended = by_id.at(proposal.parents.front())->proposal;
    EXPECT_EQ(mended.branch, proposal.branch);
    EXPECT_EQ(mended.fix_round, proposal.fix_round - 1);
  }
}

TEST(PikeB, AReplyWithoutAProgramIsAskedForAgain) {
  World world = flawless();
  world.outcome = [](const Proposal& proposal) {
    return proposal.fix_round == 0 ? Outcome::invalid_reply : Outcome::faster;
  };
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  for (const Proposal& proposal : search.asked()) {
    if (proposal.fix_round == 0) continue;
    EXPECT_NE(proposal.kind, Kind::fix);
    EXPECT_TRUE(proposal.charged);
  }
}

TEST(PikeB, ASuspectIsNotMended) {
  World world = flawless();
  world.queries = 10;
  world.outcome = [](const Proposal&) { return Outcome::suspect; };
  world.queries = 25;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  for (const Proposal& proposal : charged_of(search)) EXPECT_EQ(proposal.fix_round, 0);
}

TEST(PikeB, SpendsTheWholeBudget) {
  SimulatedSearch search(World{});
  ASSERT_TRUE(search.run(plain()));
  EXPECT_EQ(charged_of(search).size(), 300u);
}

TEST(PikeB, ItsOwnLimitHoldsWithoutABudget) {
  World world;
  world.queries = 1'000'000;
  SimulatedSearch search(world);
  ASSERT_TRUE(search.run(plain()));
  EXPECT_EQ(charged_of(search).size(), 300u);
}

TEST(PikeB, EndsWhereEverythingIsTurnedAway) {
  World world = flawless();
  world.duplicate = 1;
  SimulatedSearch search(world);
  EXPECT_TRUE(search.run(plain()));
}

// A sitting that was cut while it wrote down a phase's proposals goes on with the same plan.
TEST(PikeB, APhaseCutShortIsCompleted) {
  Call call = after_phase_zero(4).state();
  ASSERT_EQ(call.pending.size(), 10u);
  const std::vector<Proposal> all = call.pending;
  for (std::size_t kept = 0; kept <= all.size(); ++kept) {
    call.pending.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
    Rng rng(7);
    const Step step = plain().next(call.history(), {}, rng);
    ASSERT_EQ(step.drafts.size(), all.size() - kept);
    for (std::size_t i = 0; i < step.drafts.size(); ++i) {
      EXPECT_EQ(step.drafts[i].proposal.reason, all[kept + i].reason);
    }
  }
}

TEST(PikeB, CheapFixesGoToTheCheapModel) {
  PikeBOptions options;
  options.fix_tier = Tier::cheap;
  SimulatedSearch search(World{});
  ASSERT_TRUE(search.run(PikeB(options)));
  for (const Proposal& proposal : charged_of(search)) {
    EXPECT_EQ(proposal.tier, proposal.fix_round > 0 ? Tier::cheap : Tier::strong);
  }
}

TEST(PikeB, WithoutFixesOrBrainstorm) {
  PikeBOptions options;
  options.fixes_max = 0;
  options.brainstorms = false;
  SimulatedSearch search(World{});
  ASSERT_TRUE(search.run(PikeB(options)));
  for (const Proposal& proposal : search.asked()) {
    EXPECT_EQ(proposal.fix_round, 0);
    EXPECT_NE(proposal.kind, Kind::brainstorm);
  }
  EXPECT_EQ(charged_of(search).size(), 300u);
}

}  // namespace
}  // namespace cupel::search
