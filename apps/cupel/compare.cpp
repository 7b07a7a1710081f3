#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "engine/rehearse/what_if.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/reader.h"
#include "journal/runs.h"
#include "output.h"
#include "report/words/numbers.h"
#include "report/words/text_table.h"
#include "search/strategies.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_how_to_read =
    "No model was asked and nothing was measured: questions are answered by recorded programs. "
    "Like\n"
    "for like are those that were written for the same parents in the same way; where they are "
    "few,\n"
    "a row says how a strategy spends, and little of what it would have been given.\n";

// Runs of one task.
struct Group {
  std::string task_id;
  std::string task;
  std::vector<fs::path> directories;
  std::vector<engine::WhatIf> results;
};

Result<std::vector<Group>> groups_of(const std::vector<std::string>& runs) {
  std::vector<Group> groups;
  for (const std::string& run : runs) {
    CUPEL_TRY(auto directory, journal::resolve_run(runs_directory(), run));
    CUPEL_TRY(const RunRecord record, journal::read_run(directory));
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& one) { return one.task_id == record.task.id; });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), Group{record.task.id, record.task.name, {}, {}});
    }
    group->directories.push_back(std::move(directory));
  }
  return groups;
}

// All that there are, without their variants.
std::vector<std::string> plain_strategies() {
  std::vector<std::string> names = search::strategy_names();
  std::erase_if(names, [](const std::string& name) { return name.find(':') != name.npos; });
  return names;
}

std::string best_text(const engine::WhatIf& result) {
  return result.best > 0 ? fmt::format("{:.2f}x", result.best) : "nothing";
}

std::string table_of(const Group& group, const report::Style& style) {
  using report::Column;
  report::TextTable table({{"strategy", Column::Align::left, true},
                           {"programs", Column::Align::right},
                           {"like for like", Column::Align::right},
                           {"best over eager", Column::Align::right},
                           {"over best free", Column::Align::right},
                           {"cost", Column::Align::right},
                           {"until the best", Column::Align::right},
                           {"time", Column::Align::right},
                           {"the best", Column::Align::left, true}});
  for (const engine::WhatIf& result : group.results) {
    const double best = std::max(result.best, 1.0);
    table.add_row({result.strategy, fmt::format("{} of {}", result.drawn, result.recorded),
                   std::to_string(result.like_for_like), best_text(result),
                   fmt::format("{:.2f}x", best / result.best_free),
                   report::money_text(usd_of(result.nano_usd)),
                   report::money_text(usd_of(result.nano_usd_until_best)),
                   report::seconds_text(result.seconds), result.best_label});
  }
  const std::size_t runs = group.directories.size();
  return fmt::format("{}  {} recorded {}\n{}\n", paint(style, report::Color::bold, group.task),
                     runs, runs == 1 ? "run" : "runs", table.str(style));
}

std::string text_of(const std::vector<Group>& groups, const report::Style& style) {
  std::string text;
  for (const Group& group : groups) text += table_of(group, style);
  return text + k_how_to_read;
}

nlohmann::json json_of(const engine::WhatIf& result) {
  return {{"strategy", result.strategy},    {"recorded", result.recorded},
          {"drawn", result.drawn},          {"like_for_like", result.like_for_like},
          {"best_over_eager", result.best}, {"best_free", result.best_free},
          {"best_id", result.best_id},      {"best_label", result.best_label},
          {"nano_usd", result.nano_usd},    {"nano_usd_until_best", result.nano_usd_until_best},
          {"seconds", result.seconds},      {"end", result.end}};
}

std::string json_of(const std::vector<Group>& groups) {
  nlohmann::json json{{"version", 1}, {"kind", "compare"}, {"tasks", nlohmann::json::array()}};
  for (const Group& group : groups) {
    nlohmann::json task{{"task", group.task}, {"task_id", group.task_id}};
    for (const fs::path& directory : group.directories) {
      task["runs"].push_back(directory.string());
    }
    for (const engine::WhatIf& result : group.results) {
      task["strategies"].push_back(json_of(result));
    }
    json["tasks"].push_back(std::move(task));
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<int> run_compare(const Options& options) {
  CUPEL_TRY(auto groups, groups_of(options.runs));
  const auto strategies = options.strategy.empty() ? plain_strategies() : listed(options.strategy);
  const engine::WhatIfBudget budget{options.budgets.nano_usd_max, options.budgets.queries_max,
                                    options.budgets.minutes_max};
  for (Group& group : groups) {
    CUPEL_TRY(group.results, engine::what_if(group.directories, strategies, budget));
  }
  print(options.json ? json_of(groups) : text_of(groups, style_for(stdout)));
  return k_exit_good;
}

}  // namespace cupel::cli
