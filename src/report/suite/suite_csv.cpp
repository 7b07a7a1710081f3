// A suite as tables for other programs: RFC 4180.
#include <fmt/format.h>

#include "report/suite/suite_report.h"
#include "report/suite/suite_rows.h"

namespace cupel::report {
namespace {

// A cell that a reader of RFC 4180 gives back as it is.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char letter : text)
    cell += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return cell + "\"";
}

std::string cells(const std::optional<Ratio>& ratio) {
  return ratio ? fmt::format("{:.6g},{:.6g},{:.6g}", ratio->ratio, ratio->low, ratio->high) : ",,";
}

std::optional<Ratio> first_ratio(const Verdict& verdict) {
  return verdict.ratios.empty() ? std::nullopt : std::optional(verdict.ratios.front());
}

std::string candidate_line(const SuiteEntry& entry, const RunRecord& run, const Judged& judged) {
  const auto& reasons = judged.verdict.reasons;
  return fmt::format("{},{},{},{},{},{},{},{},{},{:.9g},{:.6g},{},{}\r\n", quoted(entry.task),
                     quoted(entry.strategy), quoted(run.run_id), judged.proposal.id,
                     to_string(judged.proposal.kind), origin_of(judged.proposal),
                     to_string(judged.verdict.outcome),
                     reasons.empty() ? "" : quoted(reasons.front().code),
                     cells(first_ratio(judged.verdict)), usd_of(judged.nano_usd), judged.seconds,
                     judged.candidate.id, quoted(judged.candidate.label));
}

}  // namespace

std::string suite_csv(const Suite& suite) {
  std::string text =
      "task,level,mode,strategy,state,correct,best_correct,"
      "over_eager,over_eager_low,over_eager_high,"
      "over_compile,over_compile_low,over_compile_high,"
      "over_best_free,over_best_free_low,over_best_free_high,"
      "cost_usd,queries,wall_s,candidates,run_id,winner,origin,problem\r\n";
  for (const SuiteRow& row : suite.rows) {
    text += fmt::format("{},{},{},{},{},{},{:.6g},{},{},{},{:.9g},{},{:.6g},{},{},{},{},{}\r\n",
                        quoted(row.task), quoted(row.level), row.mode, quoted(row.strategy),
                        row.state, row.correct ? 1 : 0, row.best_correct, cells(row.over_eager),
                        cells(row.over_compile), cells(row.over_free), row.cost_usd, row.queries,
                        row.wall_s, row.candidates, quoted(row.run_id), quoted(row.winner),
                        row.origin, quoted(row.problem));
  }
  return text;
}

std::string suite_candidates_csv(std::span<const SuiteEntry> entries) {
  std::string text =
      "task,strategy,run_id,proposal,kind,origin,outcome,reason,over_eager,over_eager_low,"
      "over_eager_high,cost_usd,seconds,candidate,label\r\n";
  for (const SuiteEntry& entry : entries) {
    for (const RunRecord& run : entry.runs) {
      for (const Judged& judged : run.judged) text += candidate_line(entry, run, judged);
    }
  }
  return text;
}

std::string suite_curves_csv(std::span<const SuiteEntry> entries) {
  std::string text = "task,strategy,cost_usd,queries,best_over_eager\r\n";
  const auto add = [&](const SuiteEntry& entry, double usd, std::int64_t queries, double best) {
    text += fmt::format("{},{},{:.9g},{},{:.6g}\r\n", quoted(entry.task), quoted(entry.strategy),
                        usd, queries, best);
  };
  for (const SuiteEntry& entry : entries) {
    const Progression progression = progression_of(entry);
    add(entry, 0, 0, progression.free);
    for (const auto& step : progression.steps) add(entry, step.usd, step.queries, step.best);
  }
  return text;
}

}  // namespace cupel::report
