#include "engine/rehearse/what_if.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

// A recorded search of the default kind: priced answers of 20 s.
RunRecord record_search(const std::filesystem::path& directory, const std::string& strategy,
                        std::int64_t queries, std::uint64_t seed) {
  FakeClock clock;
  journal::Journal journal = open_or_die(directory, clock);
  ScriptedAgentsSettings settings;
  settings.seed = seed;
  settings.nano_usd_max = 100'000'000;
  ScriptedProvider provider(settings);
  const Agents agents = scripted_agents(provider);
  ScriptedEvaluator evaluator = evaluator_of(seed);
  SimulatedLanesSettings work;
  work.measure_s = [](const std::string&) { return 4.0; };
  SimulatedLanes lanes(work, evaluator, agents, clock);
  SilentSink sink;
  RunRequest request = scripted_request(6);
  request.options.llm = "scripted";
  request.options.slots = 6;
  request.options.strategy = strategy;
  request.options.queries_max = queries;
  auto record = run(request, Means(evaluator, agents, &lanes), journal, sink);
  if (!record) throw std::runtime_error(record.error().describe());
  return *record;
}

TEST(WhatIf, TheSameStrategyMakesTheSameOfItsOwnPrograms) {
  const TempDir directory = scratch();
  const RunRecord record = record_search(directory.path(), "pike-b", 30, 5);
  const auto results = what_if({directory.path()}, {"pike-b"});
  ASSERT_TRUE(results) << results.error().describe();
  ASSERT_EQ(results->size(), 2u);
  const WhatIf& own = results->front();
  const WhatIf& again = results->back();
  EXPECT_EQ(own.strategy, "as recorded");
  EXPECT_EQ(usd_of(own.nano_usd), record.cost_usd);
  EXPECT_EQ(again.drawn, own.recorded);
  EXPECT_EQ(again.like_for_like, again.drawn);
  EXPECT_DOUBLE_EQ(again.best, own.best);
  EXPECT_DOUBLE_EQ(again.best_free, own.best_free);
  EXPECT_EQ(again.best_id, own.best_id);
  EXPECT_GT(own.nano_usd_until_best, 0);
  EXPECT_LE(own.nano_usd_until_best, own.nano_usd);
}

TEST(WhatIf, AnotherStrategyDrawsNoProgramTwiceAndPaysWhatItCost) {
  const TempDir one = scratch(), two = scratch();
  record_search(one.path(), "pike-b", 20, 5);
  record_search(two.path(), "kernelbench", 20, 6);
  const auto results =
      what_if({one.path(), two.path()}, {"cupel", "kernelbench:refine", "pike-o", "sakana"});
  ASSERT_TRUE(results) << results.error().describe();
  const WhatIf& own = results->front();
  for (const WhatIf& result : *results) {
    EXPECT_EQ(result.recorded, own.recorded);
    EXPECT_LE(result.drawn, result.recorded) << result.strategy;
    EXPECT_GT(result.drawn, 0) << result.strategy;
    EXPECT_LE(result.like_for_like, result.drawn) << result.strategy;
    EXPECT_LE(result.nano_usd, own.nano_usd) << result.strategy;
    EXPECT_LE(result.best, own.best + 1e-12) << result.strategy;
    EXPECT_GT(result.seconds, 0) << result.strategy;
  }
  EXPECT_EQ(what_if({one.path(), two.path()}, {"cupel"})->back().drawn, (*results)[1].drawn);
}

TEST(WhatIf, ASmallerBudgetBuysFewerOfThem) {
  const TempDir directory = scratch();
  record_search(directory.path(), "pike-b", 30, 5);
  const auto all = what_if({directory.path()}, {"cupel"});
  const auto few = what_if({directory.path()}, {"cupel"}, {.queries_max = 7});
  const auto poor = what_if({directory.path()}, {"cupel"}, {.nano_usd_max = 500'000'000});
  ASSERT_TRUE(all && few && poor);
  EXPECT_EQ(few->back().drawn, 7);
  EXPECT_LE(few->back().best, all->back().best);
  EXPECT_LE(poor->back().nano_usd, 500'000'000);
  EXPECT_LT(poor->back().drawn, all->back().drawn);
  EXPECT_EQ(few->front().drawn, all->front().drawn);  // the run itself, whole
}

TEST(WhatIf, WhatHasNothingToDrawFromIsRefused) {
  const TempDir directory = scratch();
  {
    const SystemClock clock;
    journal::Journal journal = open_or_die(directory.path(), clock);
    ScriptedEvaluator evaluator(Script{});
    SilentSink sink;
    ASSERT_TRUE(run(scripted_request(4), evaluator, journal, sink));
  }
  const auto results = what_if({directory.path()}, {"cupel"});
  ASSERT_FALSE(results);
  EXPECT_NE(results.error().what.find("no agent's program"), std::string::npos);
}

}  // namespace
}  // namespace cupel::engine
