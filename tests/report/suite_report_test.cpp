#include "report/suite/suite_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/sample_run.h"
#include "report/suite/suite_rows.h"

namespace cupel::report {
namespace {

// A finished run: torch.compile at 1.2x over eager, and the winner at `ratio`.
RunRecord run_with(double ratio, const std::string& id = "3fa41c") {
  RunRecord run = sample_run();
  run.run_id = id;
  run.judged.clear();
  run.judged.push_back(sample_judged("p0001", "a", sample_verdict("a", 1.2)));
  run.judged.push_back(sample_judged("p0002", "b", sample_verdict("b", ratio)));
  run.judged.back().proposal.kind = Proposal::Kind::write;
  run.judged.back().proposal.charged = true;
  run.judged.back().nano_usd = 400'000'000;
  run.cost_usd = 0.5;
  run.queries = 1;
  Verdict winner = sample_verdict("b", ratio);
  winner.ratios.push_back({"program a", "a", ratio / 1.2, ratio / 1.3, ratio / 1.1, 1, 1.2, 40});
  run.table.rows = {{"eager", "e", "eager", {}},
                    {"torch.compile", "a", "program a", sample_verdict("a", 1.2)},
                    {"best free variant", "a", "program a", sample_verdict("a", 1.2)},
                    {"winner", "b", "program b", winner}};
  return run;
}

// Nothing is faster than eager: torch.compile runs at 0.8x.
RunRecord run_without_winner() {
  RunRecord run = run_with(0.9);
  run.judged[0].verdict = sample_verdict("a", 0.8);
  run.table.rows = {{"eager", "e", "eager", {}},
                    {"torch.compile", "a", "program a", sample_verdict("a", 0.8)}};
  run.winner_id.clear();
  return run;
}

SuiteEntry entry(const std::string& task, RunRecord run, const std::string& strategy = "pike-b") {
  return {strategy, task, {std::move(run)}, ""};
}

TEST(SuiteRow, TheFinalRoundSaysHowFastTheWinnerIs) {
  const SuiteRow row = suite_row(entry("softmax", run_with(2.4)));
  EXPECT_EQ(row.state, "finished");
  EXPECT_DOUBLE_EQ(row.over_eager->ratio, 2.4);
  EXPECT_DOUBLE_EQ(row.over_compile->ratio, 2.0);
  EXPECT_DOUBLE_EQ(row.over_free->ratio, 2.0);
  EXPECT_DOUBLE_EQ(row.cost_usd, 0.5);
  EXPECT_EQ(row.queries, 1);
  EXPECT_EQ(row.winner, "program b");
}

TEST(SuiteRow, WithoutAWinnerTheOriginalIsShipped) {
  const SuiteRow row = suite_row(entry("softmax", run_without_winner()));
  EXPECT_DOUBLE_EQ(row.over_eager->ratio, 1);
  EXPECT_DOUBLE_EQ(row.over_compile->ratio, 1 / 0.8);
  EXPECT_LT(row.over_compile->low, row.over_compile->high);
  EXPECT_DOUBLE_EQ(row.over_free->ratio, 1);  // eager is the best free variant
  EXPECT_DOUBLE_EQ(row.best_correct, 0.9);
  EXPECT_EQ(row.winner, "");
}

TEST(SuiteRow, AWinnerThatIsFreeGainsNothingOverTheBestFreeVariant) {
  RunRecord run = run_with(1.2);
  run.table.rows[3] = {"winner", "a", "program a", sample_verdict("a", 1.2)};
  const SuiteRow row = suite_row(entry("softmax", run));
  EXPECT_DOUBLE_EQ(row.over_free->ratio, 1);
  EXPECT_DOUBLE_EQ(row.over_eager->ratio, 1.2);
}

TEST(SuiteRow, ACompilerThatFailedHasNoRatio) {
  RunRecord run = run_with(2.4);
  run.table.rows[1].verdict.outcome = Outcome::runtime_error;
  run.table.rows[1].candidate_id = "c";
  EXPECT_FALSE(suite_row(entry("softmax", run)).over_compile);
}

TEST(SuiteRow, FurtherRunsAddTheirCostsAndTheLastTableCounts) {
  SuiteEntry both = entry("softmax", run_with(1.5));
  both.runs.push_back(run_with(3, "second"));
  const SuiteRow row = suite_row(both);
  EXPECT_DOUBLE_EQ(row.over_eager->ratio, 3);
  EXPECT_DOUBLE_EQ(row.cost_usd, 1);
  EXPECT_EQ(row.run_id, "second");
  EXPECT_EQ(row.candidates, 4);
}

TEST(SuiteRow, StatesAreToldApart) {
  RunRecord unfinished = run_with(2);
  unfinished.finished = false;
  RunRecord degenerate = run_with(2);
  degenerate.admission.degenerate = {"zeros pass"};
  EXPECT_EQ(suite_row(entry("a", unfinished)).state, "unfinished");
  EXPECT_EQ(suite_row(entry("a", degenerate)).state, "degenerate");
  EXPECT_EQ(suite_row({"pike-b", "a", {}, "no such file"}).state, "failed");
  EXPECT_EQ(suite_row({"pike-b", "a", {}, ""}).state, "unfinished");
}

TEST(SuiteProgression, WhatBoughtNoCandidateCountsFromTheStart) {
  const Progression progression = progression_of(entry("softmax", run_with(2)));
  EXPECT_DOUBLE_EQ(progression.free, 1.2);
  ASSERT_EQ(progression.steps.size(), 1U);
  EXPECT_NEAR(progression.steps[0].usd, 0.5, 1e-9);  // a brainstorm's 0.1 among them
  EXPECT_EQ(progression.steps[0].queries, 1);
  EXPECT_DOUBLE_EQ(progression.steps[0].best, 2);
}

TEST(SuiteProgression, WhatIsFreeIsNoGainOfMoney) {
  RunRecord run = run_with(1.1);  // bought, slower than the free variant
  run.judged.push_back(sample_judged("p0003", "c", sample_verdict("c", 1.4)));  // free, judged late
  const Progression progression = progression_of(entry("softmax", run));
  EXPECT_DOUBLE_EQ(progression.free, 1.4);
  EXPECT_TRUE(progression.steps.empty());
  const Progression all[] = {progression};
  const auto curve = curve_over_cost(all);
  EXPECT_NEAR(curve.front().geomean, 1.4, 1e-12);
  EXPECT_NEAR(curve.back().geomean, 1.4, 1e-12);
}

TEST(SuiteProgression, WhatIsNotProvedToBeFasterIsNoGain) {
  RunRecord run = run_with(3);
  run.judged[1].verdict.outcome = Outcome::ambiguous;
  EXPECT_TRUE(progression_of(entry("softmax", run)).steps.empty());
}

TEST(SuiteCurve, IsTheGeometricMeanOfTheBestSoFar) {
  const Progression runs[] = {progression_of(entry("a", run_with(2))),
                              progression_of(entry("b", run_with(8)))};
  const auto curve = curve_over_queries(runs);
  EXPECT_NEAR(curve.front().geomean, 1.2, 1e-9);  // the best free variant
  EXPECT_NEAR(curve.back().geomean, 4, 1e-9);
  EXPECT_DOUBLE_EQ(curve.back().spent, 1);
  EXPECT_TRUE(curve_over_cost({}).empty());
}

std::vector<SuiteEntry> mixed() {
  RunRecord unfinished = run_with(100);
  unfinished.finished = false;
  RunRecord degenerate = run_with(16);
  degenerate.admission.degenerate = {"zeros pass"};
  return {entry("a", run_with(4)),
          entry("b", run_without_winner()),
          entry("c", unfinished),
          entry("d", degenerate),
          entry("a", run_with(1.6), "other"),
          {"pike-b", "e", {}, "cannot be loaded, \"quoted\""}};
}

TEST(Suite, GeometricMeansWithFloorOneAndWithout) {
  const Suite suite = make_suite("s", mixed(), false);
  ASSERT_EQ(suite.scores.size(), 2U);
  const SuiteScore& score = suite.scores.front();
  EXPECT_EQ(score.strategy, "pike-b");
  EXPECT_EQ(score.tasks, 2);
  EXPECT_EQ(score.unfinished, 1);
  EXPECT_EQ(score.degenerate, 1);
  EXPECT_EQ(score.failed, 1);
  EXPECT_NEAR(score.over_eager.value, 2, 1e-12);                   // 4 and 1
  EXPECT_NEAR(score.over_eager_raw.value, std::sqrt(3.6), 1e-12);  // 4 and 0.9
  EXPECT_LE(score.over_eager.interval.low, 2);
  EXPECT_GE(score.over_eager.interval.high, 2);
}

TEST(Suite, FastPCountsWinnersThatAreFasterByTheirWholeInterval) {
  const auto shares = make_suite("s", mixed(), false).scores.front().fast_p;
  ASSERT_EQ(shares.size(), std::size(k_fast_p));
  EXPECT_EQ(shares[0].value, 1);    // both have a correct one
  EXPECT_EQ(shares[1].value, 0.5);  // 0.9 is not faster than eager
  EXPECT_EQ(shares[3].value, 0.5);
  const SuiteEntry narrow[] = {entry("a", run_with(1.51))};  // 1.49 to 1.53
  const Suite suite = make_suite("s", narrow, false);
  EXPECT_EQ(suite.scores.front().fast_p[2].value, 0);
  EXPECT_EQ(suite.scores.front().fast_p_point[2].value, 1);
}

// Estimates of ambiguous verdicts, and of the original itself, once made 100 % of such a suite.
TEST(Suite, WhereTheOriginalWonNothingIsFast) {
  RunRecord run = run_without_winner();
  run.judged[0].proposal.label = "eager";
  run.judged[0].verdict = sample_verdict("a", 1.01);
  run.judged[1].verdict = sample_verdict("b", 1.3);
  run.judged[1].verdict.outcome = Outcome::ambiguous;
  const SuiteEntry entries[] = {entry("a", run)};
  const SuiteScore score = make_suite("s", entries, false).scores.front();
  EXPECT_EQ(score.fast_p[0].value, 1);  // the ambiguous one computed the same
  EXPECT_EQ(score.fast_p[1].value, 0);
  EXPECT_EQ(score.fast_p_point[1].value, 1);
  run.judged.pop_back();
  const SuiteEntry alone[] = {entry("a", run)};
  EXPECT_EQ(make_suite("s", alone, false).scores.front().fast_p[0].value, 0);
}

TEST(Suite, FreeAndBoughtWinnersAreToldApart) {
  RunRecord free = run_with(1.2);
  free.table.rows[3] = {"winner", "a", "program a", sample_verdict("a", 1.2)};
  const SuiteEntry entries[] = {entry("a", free), entry("b", run_with(4))};
  const Suite suite = make_suite("s", entries, false);
  EXPECT_EQ(suite.rows[0].origin, "free");
  EXPECT_EQ(suite.rows[1].origin, "bought");
  EXPECT_EQ(suite.scores.front().fast_p[1].value, 1);
  EXPECT_EQ(suite.scores.front().fast_p_bought[1].value, 0.5);
  EXPECT_EQ(suite.scores.front().outcomes.at("faster"), 2);
}

TEST(Suite, DirectoriesAreLevels) {
  RunRecord one = run_with(4), two = run_with(2);
  one.task.path = "/kb/level1/1_x.py";
  two.task.path = "/kb/level2/1_y.py";
  const SuiteEntry entries[] = {entry("x", one), entry("y", two)};
  const auto levels = make_suite("s", entries, false).scores.front().levels;
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].level, "level1");
  EXPECT_NEAR(levels[0].over_eager.value, 4, 1e-12);
  EXPECT_EQ(levels[1].fast_1.value, 1);
}

TEST(Suite, TablesOfCandidatesAndGainsHaveALineEach) {
  const SuiteEntry entries[] = {entry("a, b", run_with(4))};
  const std::string candidates = suite_candidates_csv(entries);
  EXPECT_EQ(std::count(candidates.begin(), candidates.end(), '\n'), 3);
  EXPECT_NE(
      candidates.find("\"a, b\",pike-b,3fa41c,p0002,write,bought,faster,,4,3.98,4.02,0.4,2,b,"),
      std::string::npos)
      << candidates;
  EXPECT_EQ(suite_curves_csv(entries),
            "task,strategy,cost_usd,queries,best_over_eager\r\n"
            "\"a, b\",pike-b,0,0,1.2\r\n\"a, b\",pike-b,0.5,1,4\r\n");
}

TEST(Suite, DegenerateTasksCountWhenAskedFor) {
  const Suite suite = make_suite("s", mixed(), true);
  EXPECT_EQ(suite.scores.front().tasks, 3);
  EXPECT_NEAR(suite.scores.front().over_eager.value, 4, 1e-12);  // 4, 1 and 16
}

TEST(Suite, JsonHasEverythingAndSaysNullWhereThereIsNothing) {
  const auto json = nlohmann::json::parse(suite_json(make_suite("s", mixed(), false)));
  EXPECT_EQ(json["kind"], "suite");
  EXPECT_EQ(json["strategies"][0]["fast_p"]["1.5"]["value"], 0.5);
  EXPECT_EQ(json["tasks"].size(), 6U);
  EXPECT_TRUE(json["tasks"][5]["over_eager"].is_null());
  EXPECT_EQ(json["tasks"][0]["over_compile"]["ratio"], 4 / 1.2);
  EXPECT_FALSE(json["strategies"][0]["curve_over_usd"].empty());
}

TEST(Suite, CsvHasALineATaskWithEqualCells) {
  const std::string csv = suite_csv(make_suite("s", mixed(), false));
  std::istringstream lines(csv);
  std::string header;
  std::getline(lines, header);
  const auto commas = std::count(header.begin(), header.end(), ',');
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (line.find('"') != std::string::npos) continue;  // the quoted cell has a comma of its own
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  }
  EXPECT_EQ(count, 6);
  EXPECT_NE(csv.find("\"cannot be loaded, \"\"quoted\"\"\""), std::string::npos);
}

TEST(Suite, TextNamesStrategiesTasksAndWhatWasLeftOut) {
  const std::string text = suite_text(make_suite("my suite", mixed(), false), {});
  for (const char* part : {"my suite", "pike-b", "other",
                           "left out 1 unfinished, 1 degenerate, "
                           "1 failed",
                           "the original", "cannot be loaded", "fast_1.5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace cupel::report
