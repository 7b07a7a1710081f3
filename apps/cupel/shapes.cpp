#include "shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/run/run_report.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"
#include "task/held_out.h"

namespace cupel::cli {
namespace {

using nlohmann::json;

Result<std::vector<Task>> load_calls(const Options& options) {
  std::vector<Task> tasks;
  const std::string& text = options.task.inputs;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    Options one = options;
    one.task.inputs = text.substr(begin, end - begin);
    CUPEL_TRY(Task task, load_task(one));
    tasks.push_back(std::move(task));
    begin = end + 1;
  }
  return tasks;
}

Result<std::vector<Task>> with_held_out(const Task& task) {
  if (task.settings.held_out.empty()) {
    return input_error(
        "the task declares no other shapes", task.path,
        "list them as held_out in " + task.name + ".toml (docs/cli.md), or drop --each-shape");
  }
  std::vector<Task> tasks{task};
  for (const std::string& shape : task.settings.held_out) {
    tasks.push_back(task::on_shape(task, shape));
  }
  return tasks;
}

Options share_of(const Options& options, std::size_t index, std::size_t count) {
  Options share = options;
  const auto parts = static_cast<std::int64_t>(count);
  share.budgets.minutes_max /= static_cast<double>(count);
  share.budgets.nano_usd_max /= parts;
  if (share.budgets.queries_max > 0) {
    share.budgets.queries_max = std::max<std::int64_t>(share.budgets.queries_max / parts, 1);
  }
  if (!options.run_dir.empty()) {
    share.run_dir =
        (std::filesystem::path(options.run_dir) / fmt::format("shape-{}", index)).string();
  }
  return share;
}

std::string inputs_text(const RunRecord& run) {
  std::vector<std::string> inputs;
  for (const TensorSpec& input : run.facts.inputs) inputs.push_back(describe(input));
  return fmt::format("{}", fmt::join(inputs, ","));
}

const FinalTable::Row* winners_row(const RunRecord& run) {
  const auto found = std::ranges::find(run.table.rows, k_winner_role, &FinalTable::Row::role);
  return run.winner_id.empty() || found == run.table.rows.end() ? nullptr : &*found;
}

std::string text_of(const std::vector<RunRecord>& runs) {
  report::TextTable table({{"call", report::Column::Align::left, true},
                           {"winner", report::Column::Align::left, true},
                           {"over eager", report::Column::Align::left, false},
                           {"run", report::Column::Align::left, false}});
  std::string won;
  for (const RunRecord& run : runs) {
    const auto* const row = winners_row(run);
    const bool timed = row != nullptr && !row->verdict.ratios.empty();
    table.add_row({inputs_text(run), row != nullptr ? row->label : "the original",
                   timed ? report::ratio_text(row->verdict.ratios.front()) : "", run.run_id});
    if (row != nullptr) won += " " + run.directory;
  }
  const std::string next = won.empty() ? "Nothing beat eager on any shape.\n"
                                       : "A package that asks the winner of each shape, and the "
                                         "original for all else:\ncupel ship" +
                                             won + "\n";
  return table.str(style_for(stdout)) + "\n" + next;
}

json json_of(const std::vector<RunRecord>& runs) {
  json document{{"version", 1}, {"kind", "shapes"}, {"shapes", json::array()}};
  for (const RunRecord& run : runs) {
    document["shapes"].push_back(
        {{"inputs", inputs_text(run)}, {"run", json::parse(report::run_json(run))}});
  }
  return document;
}

}  // namespace

Result<std::vector<Task>> load_shapes(const Options& options) {
  if (options.task.inputs.find(';') != std::string::npos) return load_calls(options);
  CUPEL_TRY(Task task, load_task(options));
  if (options.each_shape) return with_held_out(task);
  return std::vector<Task>{std::move(task)};
}

Result<int> optimize_shapes(const Options& options, const std::vector<Task>& tasks,
                            const OptimizeTask& optimize) {
  std::vector<RunRecord> runs;
  int code = k_exit_good;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CUPEL_TRY(RunRecord run, optimize(share_of(options, i, tasks.size()), tasks[i]));
    runs.push_back(std::move(run));
    code = std::max<int>(code, exit_code(runs.back()));
    if (!runs.back().finished) break;
  }
  print(options.json ? json_of(runs).dump() + "\n" : text_of(runs));
  return code;
}

}  // namespace cupel::cli
