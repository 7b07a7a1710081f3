#include "simulate/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace cupel::simulate {
namespace {

// A run that finds `log_gain` for `usd` and spends twice that.
Trace trace_of(double usd, double log_gain) {
  Trace trace;
  trace.milestones = {{usd, 10, 100, log_gain}};
  trace.end = {2 * usd, 20, 200, log_gain};
  return trace;
}

std::vector<Trace> equal_traces(double usd, double log_gain) {
  return std::vector<Trace>(40, trace_of(usd, log_gain));
}

// Writes until the budget is spent.
class Writer final : public search::Strategy {
 public:
  std::string_view name() const override { return "writer"; }
  search::Step next(const search::History&, const search::Budget& budget, Rng&) const override {
    search::Step step;
    if (budget.queries_left <= 0 || budget.slots <= 0) return step;
    search::Draft draft;
    draft.proposal.kind = Proposal::Kind::write;
    draft.proposal.charged = true;
    step.drafts = {draft};
    return step;
  }
};

TEST(Experiment, ScoresAreReadAtTheirBudgets) {
  const auto traces = equal_traces(3, std::log(2.0));
  EXPECT_DOUBLE_EQ(score_at_usd(traces, 2.9).geomean, 1);
  EXPECT_NEAR(score_at_usd(traces, 3).geomean, 2, 1e-9);
  EXPECT_DOUBLE_EQ(score_at_queries(traces, 9).geomean, 1);
  EXPECT_NEAR(score_at_queries(traces, 10).geomean, 2, 1e-9);
  EXPECT_NEAR(score_at_end(traces).interval.low, 2, 1e-12);
}

TEST(Experiment, ThePriceIsWhereTheCurveCrosses) {
  EXPECT_NEAR(price_of(equal_traces(3, std::log(2.0)), 1.9).usd, 3, 0.05);
  EXPECT_EQ(price_of(equal_traces(3, std::log(2.0)), 2.1).usd,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(price_of(equal_traces(3, std::log(2.0)), 1).usd, 0);
}

TEST(Experiment, TheRelativePriceIsAPartOfWhatTheChampionSpent) {
  const auto champion = equal_traces(5, 1);  // spends 10
  EXPECT_NEAR(relative_price(equal_traces(2, 1.01), champion).usd, 0.2, 0.01);
  EXPECT_TRUE(std::isinf(relative_price(equal_traces(2, 0.9), champion).usd));
}

TEST(Experiment, ThreadsDoNotChangeTheResult) {
  RunLimits limits;
  limits.queries_max = 10;
  const auto one = simulate_runs(Writer(), World(), limits, {20, 4, 1});
  const auto two = simulate_runs(Writer(), World(), limits, {20, 4, 2});
  ASSERT_EQ(one.size(), 20U);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].end.usd, two[i].end.usd);
    EXPECT_EQ(one[i].end.log_gain, two[i].end.log_gain);
  }
}

// Judges the free variant, and asks for nothing else.
class FreeOnly final : public search::Strategy {
 public:
  explicit FreeOnly(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  search::Step next(const search::History& history, const search::Budget&, Rng&) const override {
    search::Step step;
    if (history.judged.empty() && history.pending.empty()) step.drafts.resize(1);
    return step;
  }

 private:
  std::string name_;
};

TEST(Experiment, EveryStrategyMeetsTheSameTasks) {
  const World world;
  const Sample sample{5, 11, 1};
  const auto one = simulate_runs(FreeOnly("one"), world, {}, sample);
  const auto other = simulate_runs(FreeOnly("other"), world, {}, sample);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].end.log_gain, other[i].end.log_gain);
  }
  EXPECT_NE(one[0].end.log_gain, one[1].end.log_gain);
}

TEST(Experiment, FiguresAreMeansOverRunsAndShares) {
  Trace trace = trace_of(1, 0.5);
  trace.candidates = 10;
  trace.failures = 4;
  trace.fixed = 3;
  trace.fixes = 8;
  const std::vector<Trace> traces{trace, trace};
  const Figures figures = figures_of(traces);
  EXPECT_DOUBLE_EQ(figures.usd, 2);
  EXPECT_DOUBLE_EQ(figures.queries, 20);
  EXPECT_DOUBLE_EQ(figures.candidates, 10);
  EXPECT_DOUBLE_EQ(figures.failure_share, 0.4);
  EXPECT_DOUBLE_EQ(figures.fixed_share, 0.75);
  EXPECT_DOUBLE_EQ(figures.fixes_per_failure, 2);
}

}  // namespace
}  // namespace cupel::simulate
