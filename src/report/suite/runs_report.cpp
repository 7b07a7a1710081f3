#include "report/suite/runs_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "model/exchange.h"
#include "report/suite/suite_rows.h"
#include "report/words/json.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr std::int64_t k_ns_per_s = 1'000'000'000;

// "2026-09-05 13:40", of this machine's clock.
std::string when_text(std::int64_t wall_ns) {
  if (wall_ns == 0) return "";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time_t{wall_ns / k_ns_per_s}));
}

std::string state_text(const ListedRun& run) {
  if (!run.problem.empty()) return "unreadable";
  if (!run.record.finished) return "open";
  return run.record.left_programs() ? "some left" : "finished";
}

std::string tags_text(const std::vector<std::string>& tags) {
  std::string list;
  for (const std::string& tag : tags) list += (list.empty() ? "" : ", ") + tag;
  return list;
}

std::string budget_text(const RunOptions& options) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (options.nano_usd_max > 0) add(money_text(usd_of(options.nano_usd_max)));
  if (options.queries_max > 0) add(fmt::format("{} queries", options.queries_max));
  if (options.minutes_max > 0) add(seconds_text(options.minutes_max * 60));
  return text;
}

SuiteRow row_of(const ListedRun& run) {
  return suite_row({run.record.options.strategy, run.record.task.name, {run.record}, run.problem});
}

std::string won_text(const ListedRun& run, const SuiteRow& row) {
  if (!run.problem.empty()) return run.problem;
  if (!run.record.finished) return "";
  return row.winner.empty() ? "the original" : row.winner + " (" + row.origin + ")";
}

json ratio_json(const std::optional<Ratio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}};
}

json run_entry(const ListedRun& run) {
  const SuiteRow row = row_of(run);
  const RunRecord& record = run.record;
  return {{"run_id", record.run_id},
          {"directory", record.directory},
          {"task", record.task.name},
          {"strategy", record.options.strategy},
          {"llm", record.options.llm},
          {"state", state_text(run)},
          {"problem", run.problem},
          {"tags", run.tags},
          {"started_wall_ns", record.started_wall_ns},
          {"candidates", record.judged.size()},
          {"cost_usd", record.cost_usd},
          {"queries", record.queries},
          {"wall_s", record.wall_s},
          {"winner", row.winner},
          {"origin", row.origin},
          {"over_eager", ratio_json(row.over_eager)},
          {"over_best_free", ratio_json(row.over_free)}};
}

}  // namespace

std::string runs_text(std::span<const ListedRun> runs, const Style& style) {
  if (runs.empty()) return "No runs yet.\n";
  TextTable table({{"run", Column::Align::left, false},
                   {"began", Column::Align::left, false},
                   {"state", Column::Align::left, false},
                   {"strategy", Column::Align::left, false},
                   {"budget", Column::Align::left, false},
                   {"programs", Column::Align::right, false},
                   {"cost", Column::Align::right, false},
                   {"over eager", Column::Align::left, false},
                   {"over best free", Column::Align::left, false},
                   {"won", Column::Align::left, true},
                   {"tags", Column::Align::left, false}});
  for (const ListedRun& run : runs) {
    const RunRecord& record = run.record;
    const SuiteRow row = row_of(run);
    const auto ratio = [&](const std::optional<Ratio>& value) {
      return value && record.finished ? ratio_text(*value) : std::string();
    };
    table.add_row(
        {record.run_id, when_text(record.started_wall_ns), state_text(run), record.options.strategy,
         budget_text(record.options), std::to_string(record.judged.size()),
         money_text(record.cost_usd), ratio(row.over_eager), ratio(row.over_free),
         won_text(run, row), tags_text(run.tags)},
        run.problem.empty() ? Color::plain : Color::red);
  }
  return table.str(style);
}

std::string runs_json(std::span<const ListedRun> runs) {
  json out = document("runs");
  out["runs"] = json::array();
  for (const ListedRun& run : runs) out["runs"].push_back(run_entry(run));
  return dump(out);
}

}  // namespace cupel::report
