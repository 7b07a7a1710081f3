#include "engine/turn/search_loop.h"

#include <gtest/gtest.h>

#include "engine/scripted_search.h"
#include "engine/turn/asking.h"
#include "journal/reader.h"

namespace cupel::engine {
namespace {

// Ten questions at once, three builds, a GPU: nothing disturbs measuring.
class AgentSearch : public testing::Test {
 protected:
  AgentSearch() : directory_(scratch()), journal_(open_or_die(directory_.path(), clock_)) {
    lanes_.builds_max = 3;
    lanes_.builds_disturb = false;
    lanes_.build_s = [](const std::string&) { return 5.0; };
    lanes_.measure_s = [](const std::string&) { return 2.0; };
    settings_.nano_usd_max = 10'000'000;
  }

  RunRecord run_it(const RunRequest& request) {
    ScriptedProvider provider(settings_);
    provider.on_ask = [this](const Prompt& prompt) { asked_.push_back(prompt.proposal_id); };
    const Agents agents = scripted_agents(provider);
    ScriptedEvaluator evaluator = evaluator_of(7);
    SimulatedLanes lanes(lanes_, evaluator, agents, clock_);
    auto record = run(request, Means(evaluator, agents, &lanes), journal_, sink_);
    EXPECT_TRUE(record) << record.error().describe();
    return record ? *record : RunRecord{};
  }

  std::size_t events_of(std::string_view kind) const {
    std::size_t count = 0;
    const auto events = journal::read_events(directory_.path());
    for (const journal::Event& event : *events) count += event.kind == kind;
    return count;
  }

  FakeClock clock_;
  TempDir directory_;
  journal::Journal journal_;
  SimulatedLanesSettings lanes_;
  ScriptedAgentsSettings settings_;
  SilentSink sink_;
  std::vector<std::string> asked_;
};

TEST_F(AgentSearch, EveryReplyIsBuiltJudgedAndPaid) {
  const RunRecord record = run_it(search_request(30));
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.judged.size(), 30u);
  EXPECT_EQ(record.queries, 30);
  EXPECT_EQ(asked_.size(), 31u);  // and the brainstorm
  EXPECT_EQ(events_of(journal::kind::k_built), 30u);
  EXPECT_EQ(events_of(journal::kind::k_answered), 1u);
  std::int64_t nano_usd = journal_.state().answered.front().nano_usd;
  for (const Judged& judged : record.judged) nano_usd += judged.nano_usd;
  EXPECT_EQ(nano_usd, journal_.state().nano_usd_spent);
  EXPECT_GT(record.cost_usd, 0);
}

TEST_F(AgentSearch, LanesWorkSideBySide) {
  const RunRecord record = run_it(search_request(30));
  // One after the other: 31 answers of 20 s and 30 builds of 5 s.
  EXPECT_LT(record.wall_s, 31 * 20 + 30 * 5 - 500);
  EXPECT_GE(record.wall_s, 20 + 3 * 20 + 5 + 2);
}

TEST_F(AgentSearch, AReplyWithoutACandidateIsAVerdict) {
  settings_.unusable = 1;
  RunRequest request = search_request(3);
  settings_.seed = 3;
  const RunRecord record = run_it(request);
  ASSERT_EQ(journal_.state().answered.size(), 1u);  // the brainstorm's, without ideas
  EXPECT_TRUE(journal_.state().answered.front().texts.empty());
  ASSERT_EQ(record.judged.size(), 3u);
  for (const Judged& judged : record.judged) {
    EXPECT_EQ(judged.verdict.outcome, Outcome::invalid_reply);
    EXPECT_EQ(judged.verdict.reasons.front().text, "the reply holds no ModelNew");
  }
}

TEST_F(AgentSearch, ABudgetOfQueriesEndsIt) {
  RunRequest request = search_request(100);
  request.options.queries_max = 7;
  const RunRecord record = run_it(request);
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.queries, 7);
  EXPECT_EQ(record.judged.size(), 7u);
}

TEST_F(AgentSearch, ABudgetOfDollarsEndsItAndSaysSo) {
  RunRequest request = search_request(100);
  request.options.nano_usd_max = 50'000'000;
  const RunRecord record = run_it(request);
  EXPECT_TRUE(record.finished);
  EXPECT_LE(journal_.state().nano_usd_spent, 50'000'000);
  EXPECT_GT(journal_.state().nano_usd_spent, 35'000'000);
  ASSERT_FALSE(journal_.state().rejected.empty());
  EXPECT_NE(journal_.state().rejected.front().why.find("of the budget are left"),
            std::string::npos);
  EXPECT_TRUE(is_decided(journal_.state(), decision::k_stop));
}

TEST_F(AgentSearch, ABudgetOfMinutesCutsQuestionsShort) {
  settings_.seconds_min = settings_.seconds_max = 50;
  RunRequest request = search_request(100);
  request.options.minutes_max = 2;
  const RunRecord record = run_it(request);
  EXPECT_TRUE(record.finished);
  EXPECT_LE(record.wall_s, 120 + 2);
  EXPECT_FALSE(record.judged.empty());
  EXPECT_TRUE(journal_.state().open.empty());
}

TEST_F(AgentSearch, AProviderThatIsDownEndsTheSittingNotTheRun) {
  settings_.failed = 1;
  ScriptedProvider provider(settings_);
  const Agents agents = scripted_agents(provider);
  ScriptedEvaluator evaluator = evaluator_of(7);
  SimulatedLanes lanes(lanes_, evaluator, agents, clock_);
  RunRequest request = search_request(100);
  request.strategy_source = breeder(100);
  // A brainstorm that fails is an answer without ideas; then every write fails as well.
  const auto record = run(request, Means(evaluator, agents, &lanes), journal_, sink_);
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().tag, ErrorTag::environment);
  EXPECT_FALSE(journal_.state().open.empty());
  for (const auto& open : journal_.state().open) EXPECT_FALSE(open.asked.has_value());
}

// Threads ask, build and measure at once; the evaluator has one holder.
TEST(ThreadLanesSearch, ComesToTheSameEndAsTheSimulatedOne) {
  const SystemClock clock;
  const TempDir directory = scratch();
  journal::Journal journal = open_or_die(directory.path(), clock);
  ScriptedAgentsSettings settings;
  settings.concurrency_max = 4;
  ScriptedProvider provider(settings);
  ScriptedEvaluator evaluator = evaluator_of(7);
  SilentSink sink;
  const auto record =
      run(search_request(40), Means(evaluator, scripted_agents(provider)), journal, sink);
  ASSERT_TRUE(record) << record.error().describe();
  EXPECT_TRUE(record->finished);
  EXPECT_EQ(record->queries, 40);
  EXPECT_EQ(record->judged.size(), 40u);
}

}  // namespace
}  // namespace cupel::engine
