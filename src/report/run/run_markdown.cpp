#include <fmt/format.h>

#include "report/run/label_hits.h"
#include "report/run/run_report.h"
#include "report/run/table_rows.h"
#include "report/words/numbers.h"

namespace cupel::report {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<' || c == '`') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string summary(const RunRecord& run) {
  if (run.table.rows.empty()) return "The run has not come to its final round.\n";
  std::string text =
      "| | program | latency | over eager | over best free | error | allclose |\n"
      "|---|---|---:|---|---|---|---|\n";
  for (const TableRow& row : table_rows(run)) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.role, escaped(row.label),
                        ms_text(row.latency_ms), row.over_eager, row.over_best_free, row.error,
                        row.allclose);
  }
  for (const std::string& line : audit_lines(run)) text += fmt::format("\n{}.\n", escaped(line));
  return text;
}

std::string candidates(const RunRecord& run) {
  std::string text = "| id | outcome | over eager | took | program |\n|---|---|---|---:|---|\n";
  for (const Judged* judged : ranked(run)) {
    const Verdict& verdict = judged->verdict;
    const bool timed = is_correct(verdict.outcome) && !verdict.ratios.empty();
    text += fmt::format("| {} | {} | {} | {} | {} |\n", judged->proposal.id,
                        to_string(verdict.outcome), timed ? ratio_text(verdict.ratios.front()) : "",
                        seconds_text(judged->seconds), escaped(program_text(*judged)));
  }
  return text;
}

}  // namespace

std::string run_markdown(const RunRecord& run) {
  const char* const caveat = run.admission.degenerate.empty() ? "" : " (degenerate task)";
  std::string text = fmt::format("# {}{}\n\n{}.\n{}.\n\n{}", escaped(run.task.name), caveat,
                                 settings_line(run), cost_line(run), summary(run));
  if (!run.winner_path.empty()) text += fmt::format("\nWinner: `{}`\n", run.winner_path);
  for (const std::string& line : ending_lines(run, run.run_id)) {
    text += fmt::format("\n{}.\n", escaped(line));
  }
  for (const std::string& reason : run.admission.degenerate) {
    text += fmt::format("\nDegenerate task: {}\n", escaped(reason));
  }
  return text + "\n## All candidates\n\n" + candidates(run) + label_hits_markdown(run);
}

}  // namespace cupel::report
