#include "engine/suite.h"

#include <gtest/gtest.h>

#include <cmath>

#include <map>
#include <set>

#include "engine/scripted_run.h"

namespace cupel::engine {
namespace {

// A run that spent all of `usd` but `unspent`, and found its best at the very end, or at once.
RunRecord record_of(const SuiteJob& job, double usd, double best, bool late) {
  RunRecord run;
  run.run_id = job.directory.filename();
  run.finished = true;
  run.cost_usd = usd;
  run.winner_path = (job.directory / "winner.py").string();
  for (const bool last : {false, true}) {
    Judged judged;
    judged.proposal.kind = Proposal::Kind::write;
    judged.proposal.charged = true;
    judged.nano_usd = static_cast<std::int64_t>(usd / 2 * 1e9);
    judged.verdict.outcome = Outcome::faster;
    judged.verdict.ratios = {{"eager", "e", last || !late ? best : 1.01, 1, 2, 1, 1, 10}};
    run.judged.push_back(judged);
  }
  return run;
}

SuitePlan plan_of(std::vector<std::string> tasks, double usd) {
  SuitePlan plan;
  plan.directory = "/suite";
  plan.tasks = std::move(tasks);
  plan.strategies = {"cupel"};
  plan.budget.nano_usd = static_cast<std::int64_t>(usd * 1e9);
  return plan;
}

TEST(RunSuite, EveryTaskGetsAnEqualShareFirst) {
  SuitePlan plan = plan_of({"a", "b"}, 6);
  plan.strategies = {"cupel", "pike-b:no-efa"};
  std::vector<SuiteJob> jobs;
  const auto entries = run_suite(plan, [&](const SuiteJob& job) -> Result<RunRecord> {
    jobs.push_back(job);
    return record_of(job, 3, 1.5, true);
  });
  ASSERT_TRUE(entries);
  ASSERT_EQ(jobs.size(), 4U);
  for (const SuiteJob& job : jobs) EXPECT_EQ(job.allotment.nano_usd, 3'000'000'000);
  EXPECT_EQ(jobs[1].strategy, "pike-b:no-efa");
  EXPECT_EQ(jobs[1].directory, "/suite/pike-b-no-efa/a/1");
  EXPECT_EQ(jobs[2].task, 1U);
}

TEST(RunSuite, WhatIsLeftGoesToTheSteepestCurve) {
  std::vector<SuiteJob> jobs;
  const auto entries =
      run_suite(plan_of({"flat", "steep"}, 8), [&](const SuiteJob& job) -> Result<RunRecord> {
        jobs.push_back(job);
        const bool steep = job.task == 1;
        return record_of(job, job.part == 1 ? 2 : 4, steep ? 3 : 1.1, steep);
      });
  ASSERT_TRUE(entries);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[2].task, 1U);
  EXPECT_EQ(jobs[2].part, 2);
  EXPECT_EQ(jobs[2].allotment.nano_usd, 4'000'000'000);
  EXPECT_EQ(jobs[2].start_file, "/suite/cupel/steep/1/winner.py");
  EXPECT_EQ((*entries)[1].runs.size(), 2U);
}

TEST(RunSuite, NeverHandsOutMoreThanTheBudget) {
  double handed_out = 0;
  const auto entries =
      run_suite(plan_of({"a", "b", "c"}, 9), [&](const SuiteJob& job) -> Result<RunRecord> {
        const double usd = static_cast<double>(job.allotment.nano_usd) / 1e9;
        handed_out += usd * 0.7;
        EXPECT_LE(usd * 0.3 + handed_out, 9 + 1e-6);
        return record_of(job, usd * 0.7, 2, true);
      });
  ASSERT_TRUE(entries);
  EXPECT_GT(handed_out, 8);
}

TEST(RunSuite, NothingMoreForCurvesThatDoNotRise) {
  int runs = 0;
  ASSERT_TRUE(run_suite(plan_of({"a", "b"}, 8), [&](const SuiteJob& job) -> Result<RunRecord> {
    ++runs;
    return record_of(job, 1, 2, false);
  }));
  EXPECT_EQ(runs, 2);
}

TEST(RunSuite, ATaskThatFailsLeavesTheOthersAlone) {
  const auto entries =
      run_suite(plan_of({"a", "bad", "c"}, 3), [&](const SuiteJob& job) -> Result<RunRecord> {
        if (job.task == 1) return input_error("no Model in it");
        return record_of(job, 1, 2, false);
      });
  ASSERT_TRUE(entries);
  EXPECT_EQ((*entries)[1].problem, "no Model in it");
  EXPECT_EQ((*entries)[2].runs.size(), 1U);
}

TEST(RunSuite, AnErrorOfTheMachineEndsIt) {
  int runs = 0;
  const auto entries = run_suite(plan_of({"a", "b"}, 3), [&](const SuiteJob&) -> Result<RunRecord> {
    ++runs;
    return environment_error("no sandbox");
  });
  EXPECT_FALSE(entries);
  EXPECT_EQ(runs, 1);
}

TEST(RunSuite, AStopLeavesTheRestWithoutRuns) {
  StopFlag stop;
  const auto entries = run_suite(
      plan_of({"a", "b"}, 3),
      [&](const SuiteJob& job) -> Result<RunRecord> {
        stop.raise();
        return record_of(job, 1, 2, false);
      },
      stop);
  ASSERT_TRUE(entries);
  EXPECT_EQ((*entries)[0].runs.size(), 1U);
  EXPECT_TRUE((*entries)[1].runs.empty());
}

TEST(RunSuite, NamesMustDiffer) {
  const auto never = [](const SuiteJob&) -> Result<RunRecord> { return bug_error("ran"); };
  EXPECT_FALSE(run_suite(plan_of({"a", "a"}, 3), never));
  EXPECT_FALSE(run_suite(plan_of({"a b", "a-b"}, 3), never));  // one directory
  EXPECT_FALSE(run_suite(plan_of({}, 3), never));
}

TEST(RiseOf, CountsQueriesWhereNothingCostsMoney) {
  report::SuiteEntry entry{"cupel", "a", {record_of({}, 0, 4, true)}, ""};
  EXPECT_NEAR(rise_of(entry), std::log(4 / 1.01), 1e-9);  // over one of two queries
  entry.runs = {RunRecord()};
  EXPECT_EQ(rise_of(entry), 0);
}

// Real runs with the scripted evaluator: journals on the disk, the suite called again.
class ScriptedSuite : public ::testing::Test {
 protected:
  RunJob job(const StopFlag& stop) {
    return [this, &stop](const SuiteJob& job) -> Result<RunRecord> {
      ++runs_;
      RunRequest request = scripted_request(6 + static_cast<int>(job.task));
      request.run_id = "part" + std::to_string(job.part);
      const Script script = make_script(40 + job.task, candidates_of(request));
      CUPEL_TRY(auto journal, journal::Journal::open(job.directory, clock_));
      ScriptedEvaluator evaluator = evaluator_at(journal, script);
      evaluator.on_judge = [this](const std::vector<Candidate>&) {
        ++judgements_;
        if (judgements_ == stop_at_) stop_.raise();
      };
      SilentSink sink;
      return engine::run(request, evaluator, journal, sink, stop);
    };
  }

  const TempDir directory_ = scratch();
  const SystemClock clock_;
  StopFlag stop_;
  int stop_at_ = -1;
  int judgements_ = 0;
  int runs_ = 0;
};

TEST_F(ScriptedSuite, WhatAFailedRunSpentIsNotHandedOutAgain) {
  SuitePlan plan;
  plan.directory = directory_.path();
  plan.tasks = {"one", "two"};
  plan.strategies = {"portfolio"};
  const RunJob honest = job(stop_);
  const auto entries = run_suite(plan, [&](const SuiteJob& part) -> Result<RunRecord> {
    auto record = honest(part);
    if (record && part.task == 1) return infra_error("the winner could not be audited");
    return record;
  });
  ASSERT_TRUE(entries);
  EXPECT_NE((*entries)[1].problem, "");
  ASSERT_EQ((*entries)[1].runs.size(), 1U);
  EXPECT_FALSE((*entries)[1].runs[0].judged.empty());
}

TEST_F(ScriptedSuite, ReportsEveryTaskAndGoesOnWhereItWasStopped) {
  SuitePlan plan;
  plan.directory = directory_.path();
  plan.tasks = {"one", "two", "three"};
  plan.strategies = {"portfolio"};
  stop_at_ = 9;  // in the middle of the second task
  const auto stopped = run_suite(plan, job(stop_), stop_);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(report::make_suite("s", *stopped, false).scores[0].unfinished, 2);

  stop_at_ = -1;
  const StopFlag never;
  const auto resumed = run_suite(plan, job(never), never);
  ASSERT_TRUE(resumed);
  const auto suite = report::make_suite("s", *resumed, false);
  EXPECT_EQ(suite.scores[0].tasks, 3);
  EXPECT_GE(suite.scores[0].over_eager.value, 1);

  judgements_ = 0;
  const auto again = run_suite(plan, job(never), never);
  ASSERT_TRUE(again);
  EXPECT_EQ(judgements_, 0);  // all was finished
  EXPECT_EQ(report::suite_csv(report::make_suite("s", *again, false)), report::suite_csv(suite));
}

}  // namespace
}  // namespace cupel::engine
