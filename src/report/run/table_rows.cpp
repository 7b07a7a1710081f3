#include "report/run/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/words/numbers.h"
#include "stats/quantile.h"

namespace cupel::report {
namespace {

constexpr std::string_view k_best_free = "best free variant";

std::string best_free_id(const RunRecord& run) {
  for (const auto& row : run.table.rows) {
    if (row.role == k_best_free) return row.candidate_id;
  }
  return "";
}

// Eager's own time stands in its row, or beside the ratio of any other program.
double eager_ms(const FinalTable& table) {
  for (const auto& row : table.rows) {
    if (row.verdict.ratios.empty()) continue;
    const Ratio& first = row.verdict.ratios.front();
    if (row.role == "eager" && first.candidate_ms > 0) return first.candidate_ms;
    if (row.role != "eager" && first.over_ms > 0) return first.over_ms;
  }
  return 0;
}

TableRow eager_row(const FinalTable::Row& row, const FinalTable& table) {
  TableRow cells{row.role, row.label, eager_ms(table), "1", "", "", ""};
  if (row.verdict.checked_calls > 0) {
    cells.error = error_text(row.verdict.error_rms);
    cells.allclose = allclose_text(row.verdict);
  }
  return cells;
}

TableRow other_row(const FinalTable::Row& row, const std::string& free_id) {
  TableRow cells{row.role, row.label, 0, "", "", "", ""};
  const Verdict& verdict = row.verdict;
  if (!is_correct(verdict.outcome) || verdict.ratios.empty()) {
    cells.over_eager = verdict.headline();
    return cells;
  }
  cells.latency_ms = verdict.ratios.front().candidate_ms;
  cells.over_eager = ratio_text(verdict.ratios.front());
  const Ratio* const over_free = ratio_over(verdict, free_id);
  if (row.candidate_id == free_id) cells.over_best_free = "1";
  if (over_free != nullptr) cells.over_best_free = ratio_text(*over_free);
  cells.error = error_text(verdict.error_rms);
  cells.allclose = allclose_text(verdict);
  return cells;
}

}  // namespace

const Ratio* ratio_over(const Verdict& verdict, const std::string& id) {
  for (const Ratio& ratio : verdict.ratios) {
    if (!id.empty() && ratio.over_id == id) return &ratio;
  }
  return nullptr;
}

std::vector<TableRow> table_rows(const RunRecord& run) {
  const std::string free_id = best_free_id(run);
  std::vector<TableRow> rows;
  for (const auto& row : run.table.rows) {
    rows.push_back(row.role == "eager" ? eager_row(row, run.table) : other_row(row, free_id));
  }
  return rows;
}

std::string settings_line(const RunRecord& run) {
  const RunOptions& options = run.options;
  const std::string threads =
      options.threads > 0 ? fmt::format("{} threads", options.threads) : "all cores";
  std::string line =
      fmt::format("policy {}, {}, {}, {}, sandbox {}, effort {}", to_string(options.policy),
                  describe(run.task.settings.mode), options.device, threads, options.sandbox,
                  to_string(options.effort));
  if (!options.llm.empty()) line += fmt::format(", {} by {}", options.strategy, options.llm);
  return line;
}

std::vector<std::string> audit_lines(const RunRecord& run) {
  std::vector<std::string> lines;
  for (const WinnerAudit& audit : run.audits) {
    std::string line =
        fmt::format("{} {} its audit in {}: {}", audit.label, audit.passed() ? "passed" : "failed",
                    seconds_text(audit.seconds), audit.verdict.headline());
    for (const Reason& reason : audit.verdict.reasons) {
      const bool decides = !audit.passed() && &reason == &audit.verdict.reasons.front();
      if (decides || reason.code == "audited") line += "; " + reason.text;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string cost_line(const RunRecord& run) {
  const std::string queries =
      run.options.llm.empty() ? "" : fmt::format(" for {} queries", run.queries);
  return fmt::format("{} candidates in {}, {}{}. Run {}", run.judged.size(),
                     seconds_text(run.wall_s), money_text(run.cost_usd), queries, run.run_id);
}

std::string program_text(const Judged& judged) {
  const Verdict& verdict = judged.verdict;
  if (is_correct(verdict.outcome) || verdict.reasons.empty()) return judged.candidate.label;
  return fmt::format("{}: {}", judged.candidate.label, verdict.reasons.front().text);
}

// Programs that agents wrote, and how soon after the reply their verdicts came.
std::string bought_line(const RunRecord& run) {
  std::vector<double> waits_s;
  for (const Judged& judged : run.judged) {
    const bool is_bought = asks_agent(judged.proposal.kind) && !judged.candidate.id.empty();
    if (is_bought) waits_s.push_back(judged.after_reply_s);
  }
  const auto left = std::ranges::count_if(
      run.unmeasured, [](const Unmeasured& one) { return !one.candidate_id.empty(); });
  std::string text = fmt::format("Bought: {} programs, {} judged",
                                 waits_s.size() + static_cast<std::size_t>(left), waits_s.size());
  if (waits_s.empty()) return text;
  return text + fmt::format(", a verdict {} after its reply in the median, {} at most",
                            seconds_text(stats::median(waits_s)),
                            seconds_text(*std::ranges::max_element(waits_s)));
}

// Empty where no service counted any.
std::string tokens_line(const Usage& usage) {
  if (usage.prompt_tokens == 0) return "";
  return fmt::format(
      "Tokens: {} of prompts, {:.0f} % of them from a cache; {} of replies", usage.prompt_tokens,
      100.0 * static_cast<double>(usage.cached_tokens) / static_cast<double>(usage.prompt_tokens),
      usage.reply_tokens);
}

std::vector<std::string> ending_lines(const RunRecord& run, const std::string& argument) {
  std::vector<std::string> lines;
  if (run.options.llm.empty()) return lines;
  lines.push_back(bought_line(run));
  if (const std::string tokens = tokens_line(run.usage); !tokens.empty()) lines.push_back(tokens);
  if (!run.search_end.empty()) lines.push_back("The search ended: " + run.search_end);
  std::string programs, answers;
  for (const Unmeasured& left : run.unmeasured) {
    std::string& list = left.candidate_id.empty() ? answers : programs;
    list += fmt::format("{}{} ({}, {})", list.empty() ? "" : ", ", left.proposal.id,
                        to_string(left.proposal.kind), money_text(usd_of(left.nano_usd)));
  }
  if (!programs.empty()) {
    lines.push_back(fmt::format("Bought and not judged: {}; `cupel resume {}` judges what was left",
                                programs, argument));
  }
  if (!answers.empty()) lines.push_back("Paid for, and no program came in time: " + answers);
  return lines;
}

}  // namespace cupel::report
