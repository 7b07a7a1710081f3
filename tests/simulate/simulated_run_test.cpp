#include "simulate/simulated_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "simulate/lane.h"
#include "simulate/verdicts.h"

namespace cupel::simulate {
namespace {

using search::Budget;
using search::Draft;
using search::History;
using search::Step;

// A strategy from a function.
class Scripted final : public search::Strategy {
 public:
  using Function = std::function<Step(const History&, const Budget&)>;
  explicit Scripted(Function function) : function_(std::move(function)) {}
  std::string_view name() const override { return "scripted"; }
  Step next(const History& history, const Budget& budget, Rng&) const override {
    return function_(history, budget);
  }

 private:
  Function function_;
};

Draft ask(Proposal::Kind kind, std::vector<std::string> parents = {}) {
  Draft draft;
  draft.proposal.kind = kind;
  draft.proposal.parents = std::move(parents);
  draft.proposal.charged = true;
  return draft;
}

std::size_t made(const History& history) {
  return history.judged.size() + history.pending.size() + history.rejected.size();
}

// `count` writes at once, then nothing.
Scripted writes(std::size_t count) {
  return Scripted([count](const History& history, const Budget&) {
    Step step;
    while (made(history) + step.drafts.size() < count) {
      step.drafts.push_back(ask(Proposal::Kind::write));
    }
    return step;
  });
}

// One after the other: improves the best, writes where there is none.
Step climb(const History& history, const Budget& budget) {
  Step step;
  if (!history.pending.empty() || budget.queries_left <= 0) return step;
  const Judged* best = nullptr;
  for (const Judged& entry : history.judged) {
    if (entry.verdict.ratios.empty()) continue;
    if (!best || entry.verdict.ratios[0].ratio > best->verdict.ratios[0].ratio) best = &entry;
  }
  step.drafts = {best ? ask(Proposal::Kind::improve, {best->candidate.id})
                      : ask(Proposal::Kind::write)};
  return step;
}

Trace run(const search::Strategy& strategy, const RunLimits& limits, std::uint64_t seed = 1) {
  const World world;
  return simulate_run(strategy, world, Landscape(world.landscape, seed), limits, seed);
}

TEST(SimulatedRun, EqualArgumentsGiveEqualTraces) {
  RunLimits limits;
  limits.queries_max = 40;
  const Trace one = run(Scripted(climb), limits);
  const Trace other = run(Scripted(climb), limits);
  EXPECT_EQ(one.end.usd, other.end.usd);
  EXPECT_EQ(one.end.log_gain, other.end.log_gain);
  EXPECT_EQ(one.milestones.size(), other.milestones.size());
  EXPECT_NE(one.end.usd, run(Scripted(climb), limits, 2).end.usd);
}

TEST(SimulatedRun, NeverSpendsMoreThanTheBudget) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RunLimits limits;
    limits.usd_max = 1.5;
    const Trace trace = run(writes(100), limits, seed);
    EXPECT_LE(trace.end.usd, 1.5);
    EXPECT_GT(trace.end.usd, 1.2);  // less than the worst case of a call is left
    EXPECT_GT(trace.starved, 0);
  }
}

TEST(SimulatedRun, QueriesAreCountedWhereTheyAreCharged) {
  RunLimits limits;
  limits.queries_max = 12;
  const Trace trace = run(writes(100), limits);
  EXPECT_EQ(trace.end.queries, 12);
  EXPECT_EQ(trace.candidates, 12);
  EXPECT_EQ(trace.starved, 88);
}

TEST(SimulatedRun, CallsInParallelTakeNoLongerThanOneAndTheDevice) {
  RunLimits limits;
  limits.llm_slots = 1;
  const double alone = run(writes(10), limits).end.seconds;
  limits.llm_slots = 10;
  EXPECT_LT(run(writes(10), limits).end.seconds, alone / 3);
}

TEST(SimulatedRun, AStrategyIsToldHowManySlotsAreFree) {
  std::set<int> seen;
  const Scripted strategy([&](const History& history, const Budget& budget) {
    seen.insert(budget.slots);
    Step step;
    if (made(history) == 0) step.drafts.assign(3, ask(Proposal::Kind::write));
    return step;
  });
  RunLimits limits;
  limits.llm_slots = 3;
  run(strategy, limits);
  EXPECT_TRUE(seen.contains(3));
  EXPECT_TRUE(seen.contains(1));
  EXPECT_EQ(*seen.rbegin(), 3);
}

TEST(SimulatedRun, MoreQueriesFindMore) {
  RunLimits limits;
  limits.queries_max = 60;
  double early = 0;
  double late = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Trace trace = run(Scripted(climb), limits, seed);
    EXPECT_EQ(log_gain_at_queries(trace, 60), trace.end.log_gain);
    EXPECT_EQ(log_gain_at_usd(trace, 0), 0);
    early += log_gain_at_queries(trace, 10);
    late += trace.end.log_gain;
  }
  EXPECT_GT(early, 0);
  EXPECT_GT(late, 1.2 * early);
}

TEST(SimulatedRun, FixesMendAndAreCountedOncePerFailure) {
  const Scripted mends_all([](const History& history, const Budget&) {
    Step step;
    if (made(history) == 0) step.drafts.assign(200, ask(Proposal::Kind::write));
    std::set<std::string> handled;
    for (const Judged& entry : history.judged) {
      for (const auto& parent : entry.proposal.parents) handled.insert(parent);
    }
    for (const Proposal& entry : history.pending) {
      for (const auto& parent : entry.parents) handled.insert(parent);
    }
    for (const Judged& entry : history.judged) {
      if (is_correct(entry.verdict.outcome) || handled.contains(entry.candidate.id)) continue;
      step.drafts.push_back(ask(Proposal::Kind::fix, {entry.candidate.id}));
    }
    return step;
  });
  const Trace trace = run(mends_all, {});
  EXPECT_EQ(trace.candidates, 200);
  EXPECT_GT(trace.failures, 20);
  EXPECT_EQ(trace.fixed, trace.failures);  // it does not give up
  EXPECT_GT(trace.fixes, trace.failures);
}

TEST(SimulatedRun, SeedsAreFreeAndCanBeImproved) {
  const Scripted on_seed([](const History& history, const Budget& budget) {
    Step step;
    if (made(history) == 0) {
      Draft seed;
      seed.proposal.kind = Proposal::Kind::seed;
      step.drafts = {seed};
    } else if (history.pending.empty() && budget.queries_left > 0) {
      step.drafts = {ask(Proposal::Kind::improve, {history.judged.front().candidate.id})};
    }
    return step;
  });
  RunLimits limits;
  limits.queries_max = 0;
  const World world;
  const Landscape landscape(world.landscape, 9);
  const Trace free = simulate_run(on_seed, world, landscape, limits, 9);
  EXPECT_EQ(free.end.usd, 0);
  EXPECT_DOUBLE_EQ(free.end.log_gain, landscape.log_seed());
  limits.queries_max = 30;
  EXPECT_GT(simulate_run(on_seed, world, landscape, limits, 9).end.log_gain, landscape.log_seed());
}

TEST(SimulatedRun, ABrainstormAnswersWithTexts) {
  std::size_t ideas = 0;
  const Scripted strategy([&](const History& history, const Budget&) {
    Step step;
    if (!history.answered.empty()) ideas = history.answered.front().texts.size();
    if (history.pending.empty() && history.answered.empty()) {
      step.drafts = {ask(Proposal::Kind::brainstorm)};
    }
    return step;
  });
  const Trace trace = run(strategy, {});
  EXPECT_EQ(ideas, 10U);
  EXPECT_GT(trace.end.usd, 0);
  EXPECT_EQ(trace.candidates, 0);
}

TEST(SimulatedVerdicts, SayWhatTheirIntervalsSay) {
  Rng rng(1);
  EXPECT_EQ(timed_verdict(0.5, 0.001, rng).outcome, Outcome::faster);
  EXPECT_EQ(timed_verdict(-0.5, 0.001, rng).outcome, Outcome::slower);
  EXPECT_EQ(timed_verdict(0, 1e-9, rng).outcome == Outcome::faster, false);
  EXPECT_FALSE(is_correct(failing_verdict(rng).outcome));
}

TEST(SimulatedVerdicts, SourcesGrowWithIdeasAndDiffer) {
  const World world;
  const Landscape landscape(world.landscape, 1);
  Program program = landscape.blank(0);
  const auto empty = source_of(program, 1).size();
  program.quality[0] = 0.5;
  EXPECT_GT(source_of(program, 1).size(), empty);
  EXPECT_NE(source_of(program, 1), source_of(program, 2));
}

TEST(Lane, ServesInTheOrderOfCalls) {
  Lane lane(2);
  EXPECT_EQ(lane.take(0, 10), 10);
  EXPECT_EQ(lane.take(0, 4), 4);
  EXPECT_EQ(lane.take(1, 5), 9);
  EXPECT_EQ(lane.take(20, 5), 25);
}

}  // namespace
}  // namespace cupel::simulate
