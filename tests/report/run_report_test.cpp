#include "report/run/run_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/sample_run.h"

namespace cupel::report {
namespace {

// The line of `text` that starts with `beginning`, or "".
std::string line_of(const std::string& text, const std::string& beginning) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RunText, TheTableHasEachRoleWithItsNumbers) {
  const std::string text = run_text(sample_run(), {});
  EXPECT_TRUE(contains(line_of(text, "eager"), "2.000 ms"));
  const std::string winner = line_of(text, "winner");
  EXPECT_TRUE(contains(winner, "1.50x 1.48-1.52")) << winner;
  EXPECT_TRUE(contains(winner, "1.250x 1.240-1.255")) << winner;
  EXPECT_TRUE(contains(winner, "1.333 ms")) << winner;
  EXPECT_TRUE(contains(winner, "1.5e-07")) << winner;
  EXPECT_TRUE(contains(winner, "1e-4")) << winner;
}

RunRecord audited_run() {
  RunRecord run = sample_run();
  Verdict passed = run.table.rows[2].verdict;
  passed.reasons = {{"faster", "", 0, 0},
                    {"audited", "before that 1.530x [1.500, 1.560]", 1.53, 0}};
  Verdict failed = sample_verdict("c", 1.7);
  failed.outcome = Outcome::suspect;
  failed.reasons = {{"memory_growth", "its memory grows by 24 KiB a call", 24, 0}};
  run.audits = {{"c", "program c", failed, 7}, {"b", "program b", passed, 8.2}};
  apply_audits(run.table, run.audits);
  return run;
}

TEST(RunText, TellsOfAudits) {
  const std::string text = run_text(audited_run(), {.color = false, .width = 200});
  EXPECT_TRUE(contains(line_of(text, "failed audit"), "suspect(memory_growth)"));
  EXPECT_TRUE(contains(line_of(text, "program c failed its audit"), "grows by 24 KiB a call"));
  const std::string passed = line_of(text, "program b passed its audit");
  EXPECT_TRUE(contains(passed, "faster 1.500x")) << passed;
  EXPECT_TRUE(contains(passed, "before that 1.530x")) << passed;
  EXPECT_TRUE(contains(run_markdown(audited_run()), "program b passed its audit"));
}

TEST(RunText, SaysWhereTheFileIsAndWhatItCost) {
  const std::string text = run_text(sample_run(), {});
  EXPECT_TRUE(contains(text, "Use /runs/3fa41c-softmax/winner.py"));
  EXPECT_TRUE(contains(text, "3 candidates in 1 min 42 s, $0"));
}

TEST(RunText, SaysWhatIsMissing) {
  RunRecord run = sample_run();
  run.winner_path.clear();
  EXPECT_TRUE(contains(run_text(run, {}), "Nothing beat eager"));
  run.finished = false;
  run.table.rows.clear();
  const std::string text = run_text(run, {});
  EXPECT_TRUE(contains(text, "cupel resume 3fa41c-softmax"));
  EXPECT_TRUE(contains(text, "final round"));
}

TEST(RunText, AGainThatIsNotSureIsNotCalledNone) {
  RunRecord run = sample_run();
  run.winner_path.clear();
  run.table.rows.back().verdict.outcome = Outcome::ambiguous;
  run.table.rows.back().verdict.ratios.front().low = 0.4;
  const std::string text = run_text(run, {});
  EXPECT_TRUE(contains(text, "Nothing is sure to beat eager. '"));
  EXPECT_TRUE(contains(text, "1.50x 0.40-1.52"));
  EXPECT_FALSE(contains(text, "keep the program as it is"));
}

TEST(RunText, OfSeveralUnsureGainsTheLargestIsNamed) {
  RunRecord run = sample_run();
  run.winner_path.clear();
  FinalTable::Row& last = run.table.rows.back();
  last.verdict.outcome = Outcome::ambiguous;
  FinalTable::Row slow = last;
  slow.label = "barely";
  slow.verdict.ratios.front().ratio = 1.02;
  run.table.rows.insert(run.table.rows.begin() + 1, slow);
  const std::string text = run_text(run, {});
  EXPECT_TRUE(contains(text, "Nothing is sure to beat eager. '" + run.table.rows.back().label));
}

TEST(RunText, ShowsWhyACandidateFailed) {
  EXPECT_TRUE(contains(line_of(run_text(sample_run(), {}), "p0002"), "12 times the tolerance"));
}

TEST(RunText, WarnsOfADegenerateTask) {
  RunRecord run = sample_run();
  run.admission.degenerate = {"zeros pass on every class"};
  EXPECT_TRUE(contains(run_text(run, {}), "degenerate task: zeros pass"));
}

TEST(RunText, NamesWhatResumeWillFind) {
  RunRecord run = sample_run();
  run.finished = false;
  run.winner_path.clear();
  EXPECT_TRUE(contains(run_text(run, {}), "cupel resume " + run.run_id + "\n"));
  run.directory = "/elsewhere/mine";
  EXPECT_TRUE(contains(run_text(run, {}), "cupel resume /elsewhere/mine\n"));
  EXPECT_TRUE(contains(run_text(run, {}), "cupel why /elsewhere/mine ID"));
}

TEST(RunText, StaysWithinTheWidth) {
  RunRecord run = sample_run();
  run.judged[0].candidate.label = std::string(300, 'x');
  run.table.rows[1].label = std::string(300, 'x');
  std::istringstream lines(run_text(run, {.color = true, .width = 100}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 100u) << line;
}

TEST(RunText, HasNoEscapesWithoutColor) {
  EXPECT_FALSE(contains(run_text(sample_run(), {}), "\033"));
  EXPECT_TRUE(contains(run_text(sample_run(), {.color = true}), "\033"));
}

TEST(Ranked, CorrectOnesByRatioThenTheRest) {
  const RunRecord run = sample_run();
  const auto order = ranked(run);
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order[0]->candidate.id, "b");
  EXPECT_EQ(order[1]->candidate.id, "a");
  EXPECT_EQ(order[2]->candidate.id, "w");
}

TEST(RunJson, HasTheDocumentedKeys) {
  const auto json = nlohmann::json::parse(run_json(sample_run()));
  for (const char* key : {"version", "kind", "run_id", "directory", "finished", "task", "facts",
                          "options", "degenerate", "table", "candidates", "winner_id",
                          "winner_path", "wall_s", "cost_usd", "started_wall_ns"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["kind"], "run");
  EXPECT_EQ(json["table"][2]["verdict"]["ratios"][1]["over_id"], "a");
  EXPECT_EQ(json["candidates"][2]["verdict"]["outcome"], "wrong");
}

TEST(RunMarkdown, KeepsItsTablesWhole) {
  RunRecord run = sample_run();
  run.judged[1].verdict.reasons[0].text = "a | b\nc";
  const std::string row = line_of(run_markdown(run), "| p0002");
  EXPECT_TRUE(contains(row, "a \\| b c")) << row;
}

}  // namespace
}  // namespace cupel::report
