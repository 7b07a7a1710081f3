#include "engine/turn/reading.h"

#include <gtest/gtest.h>

#include "engine/plan/schedule.h"
#include "engine/plan/under_way.h"
#include "engine/rehearse/replay.h"
#include "engine/scripted_reader.h"
#include "engine/scripted_search.h"
#include "journal/reader.h"

namespace cupel::engine {
namespace {

constexpr int k_programs = 12;

// A search with a reader beside it, in dollars.
class ReadSearch : public testing::Test {
 protected:
  ReadSearch() {
    writers_.nano_usd_max = 100'000'000;
    reader_.nano_usd_max = 1'000'000;
    reader_.seconds_min = reader_.seconds_max = 1;
  }

  // A few programs at a time, so that what a reader answers is seen before it is asked again.
  static RunRequest in_turns() {
    RunRequest request = paid_request(k_programs);
    request.options.slots = 3;
    return request;
  }

  RunRecord search(RunRequest request) {
    journal::Journal journal = open_or_die(directory_.path(), clock_);
    ScriptedProvider writer(writers_);
    ScriptedReader reader(reader_);
    Agents agents = scripted_agents(writer);
    agents.reader = &reader;
    ScriptedEvaluator evaluator = evaluator_of(7);
    SimulatedLanesSettings work;
    work.asks_max = 20;
    work.measure_s = [](const std::string&) { return 3.0; };
    SimulatedLanes lanes(work, evaluator, agents, clock_);
    const auto record = run(request, Means(evaluator, agents, &lanes), journal, sink_);
    EXPECT_TRUE(record) << record.error().describe();
    asked_ = reader.asked;
    state_ = journal.state();
    return record ? *record : RunRecord{};
  }

  FakeClock clock_;
  TempDir directory_ = scratch();
  ScriptedAgentsSettings writers_;
  ScriptedAgentsSettings reader_;
  SilentSink sink_;
  int asked_ = 0;
  journal::RunState state_;
};

TEST_F(ReadSearch, EveryBoughtProgramIsReadOnceAndPaidFromTheSameBudget) {
  const RunRecord record = search(paid_request(k_programs));
  EXPECT_TRUE(record.finished);
  ASSERT_EQ(record.judged.size(), static_cast<std::size_t>(k_programs));
  EXPECT_EQ(record.queries, k_programs);  // a reading costs money, and no query
  EXPECT_EQ(asked_, k_programs);
  std::int64_t nano_usd = state_.answered.front().nano_usd, read = 0;
  for (const Judged& judged : record.judged) {
    nano_usd += judged.nano_usd;
    ASSERT_TRUE(record.readings.contains(judged.candidate.id));
    read += record.readings.at(judged.candidate.id).nano_usd;
  }
  EXPECT_GT(read, 0);
  EXPECT_EQ(nano_usd + read, state_.nano_usd_spent);
  EXPECT_TRUE(state_.open.empty());
}

TEST_F(ReadSearch, ReplaysWithoutAskingAnybody) {
  RunRequest request = paid_request(k_programs);
  const StrategySource source = request.strategy_source;
  search(std::move(request));
  const auto replayed = replay(directory_.path(), source);
  ASSERT_TRUE(replayed) << replayed.error().describe();
  EXPECT_EQ(replayed->difference, "");
  EXPECT_TRUE(replayed->ended);
}

TEST_F(ReadSearch, AReaderThatAnswersNonsenseIsGivenUpAndCostsNoProgramItsPlace) {
  reader_.unusable = 1;
  const RunRecord record = search(in_turns());
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.judged.size(), static_cast<std::size_t>(k_programs));
  EXPECT_GE(asked_, k_readings_failed_max);
  EXPECT_LT(asked_, k_programs);
  for (const auto& [id, reading] : record.readings) {
    EXPECT_NE(reading.problem.find("no line 'computes"), std::string::npos) << reading.problem;
  }
}

TEST_F(ReadSearch, AReaderThatIsDownEndsNothing) {
  reader_.failed = 1;
  const RunRecord record = search(in_turns());
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.judged.size(), static_cast<std::size_t>(k_programs));
  EXPECT_LT(asked_, k_programs);
}

TEST_F(ReadSearch, AReaderWhoseBudgetIsNotThereIsNeverAsked) {
  reader_.nano_usd_max = 3 * k_paid_budget_nano_usd;
  const RunRecord record = search(paid_request(k_programs));
  EXPECT_TRUE(record.finished);
  EXPECT_EQ(record.judged.size(), static_cast<std::size_t>(k_programs));
  EXPECT_EQ(asked_, 0);
  EXPECT_TRUE(record.readings.empty());
  EXPECT_FALSE(is_decided(state_, decision::k_stop));
}

TEST_F(ReadSearch, TheBudgetHoldsWhateverTheReaderTakes) {
  reader_.nano_usd_max = 40'000'000;
  RunRequest request = paid_request(100);
  request.options.nano_usd_max = 400'000'000;
  const RunRecord record = search(std::move(request));
  EXPECT_TRUE(record.finished);
  EXPECT_LE(state_.nano_usd_spent, 400'000'000);
  EXPECT_FALSE(record.judged.empty());
}

TEST_F(ReadSearch, SlowReadingsKeepNoProgramWaitingNorTheEnd) {
  reader_.seconds_min = reader_.seconds_max = 5000;
  const RunRecord record = search(paid_request(k_programs));
  EXPECT_TRUE(record.finished);
  EXPECT_LT(record.wall_s, 1000);
  EXPECT_TRUE(state_.open.empty());
  double read_s = 0, judged_s = 0;
  const auto events = journal::read_events(directory_.path());
  for (const journal::Event& event : *events) {
    const double at = static_cast<double>(event.wall_ns - events->front().wall_ns) / k_ns_per_s;
    if (event.kind == journal::kind::k_read && read_s == 0) read_s = at;
    if (event.kind == journal::kind::k_judged) judged_s = at;
  }
  EXPECT_GE(read_s, judged_s + k_late_reading_s);
}

// Two programs of agents, known and not judged.
class Queue : public testing::Test {
 protected:
  Queue() : journal_(begun(directory_.path(), clock_)) {
    for (const char* id : {"p0001", "p0002"}) {
      Proposed proposed;
      proposed.proposal.id = id;
      proposed.proposal.kind = Proposal::Kind::write;
      proposed.candidate = make_candidate(std::string("kernel = ") + id, id);
      CUPEL_CHECK(journal_.propose(proposed).has_value());
    }
    programs_ = journal_.state().open;
  }

  std::string first() const {
    return measuring_order(journal_.state(), programs_, 0, 1000).front().proposal.id;
  }

  FakeClock clock_;
  TempDir directory_ = scratch();
  journal::Journal journal_;
  std::vector<journal::OpenProposal> programs_;
};

TEST_F(Queue, WhatTheReaderIsAtOrWorriedAboutGoesAfterWhatItIsNot) {
  ScriptedSitting made(journal_, clock_, {});
  ScriptedReader reader({});
  Agents agents = scripted_agents(made.provider);
  agents.reader = &reader;
  SimulatedLanes lanes({}, made.evaluator, agents, clock_);
  Sitting sitting{made.evaluator, journal_, lanes, agents, made.progress, made.stop};
  EXPECT_EQ(first(), "p0001");
  ASSERT_TRUE(propose_readings(sitting));
  ASSERT_TRUE(propose_readings(sitting));  // once each
  EXPECT_EQ(journal_.state().open.size(), 4U);
  const auto started = start_readings(sitting);
  ASSERT_TRUE(started) << started.error().describe();
  EXPECT_EQ(started->size(), 2U);
  EXPECT_TRUE(is_being_read(journal_.state(), programs_[0].candidate.id));
  EXPECT_EQ(first(), "p0001");  // both are being read
  const journal::OpenProposal reading = *journal::find_open(journal_.state(), "r0001");
  ASSERT_TRUE(keep_reading(sitting, reading, {{{"keeps answers", "a dict"}}, ""}));
  EXPECT_EQ(first(), "p0002");
  EXPECT_TRUE(has_remarks(journal_.state().record.readings, programs_[0].candidate.id));
}

TEST_F(Queue, AReadingWhoseProgramIsClosedIsClosedToo) {
  ScriptedSitting made(journal_, clock_, {});
  ScriptedReader reader({});
  Agents agents = scripted_agents(made.provider);
  agents.reader = &reader;
  Sitting sitting{made.evaluator, journal_, made.lanes, agents, made.progress, made.stop};
  ASSERT_TRUE(propose_readings(sitting));
  ASSERT_TRUE(journal_.reject({"p0001", programs_[0].candidate.id, "a test"}));
  ASSERT_TRUE(propose_readings(sitting));
  EXPECT_EQ(journal::find_open(journal_.state(), "r0001"), nullptr);
  EXPECT_NE(journal::find_open(journal_.state(), "r0002"), nullptr);
  EXPECT_TRUE(journal_.state().record.readings.empty());
}

}  // namespace
}  // namespace cupel::engine
