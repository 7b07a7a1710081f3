#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

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

constexpr std::size_t k_curve_max = 6;  // replies whose gain a row of a terminal has room for

constexpr const char* k_how_to_read =
    "No model was asked and nothing was measured: questions are answered by recorded programs. "
    "Like\n"
    "for like are those that were written for the same parents in the same way; where they are "
    "few,\n"
    "a row says how a strategy spends, and little of what it would have been given.\n";

// Runs of one task whose agents were told the same.
struct Group {
  std::string task_id;
  std::string task;
  std::vector<std::string> withheld;
  std::vector<fs::path> directories;
  std::vector<engine::WhatIf> results;
};

Result<std::vector<Group>> groups_of(const std::vector<std::string>& runs) {
  std::vector<Group> groups;
  for (const std::string& run : runs) {
    CUPEL_TRY(auto directory, journal::resolve_run(runs_directory(), run));
    CUPEL_TRY(const RunRecord record, journal::read_run(directory));
    const std::vector<std::string>& withheld = record.options.withheld;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      return one.task_id == record.task.id && one.withheld == withheld;
    });
    if (group == groups.end()) {
      group =
          groups.insert(groups.end(), Group{record.task.id, record.task.name, withheld, {}, {}});
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

// "3.00 3.00 5.12": after each of the first replies.
std::string curve_text(const engine::WhatIf& result) {
  std::string text;
  for (const double best : result.best_after | std::views::take(k_curve_max)) {
    text += (text.empty() ? "" : " ") + (best > 0 ? fmt::format("{:.2f}", best) : "-");
  }
  return text + (result.best_after.size() > k_curve_max ? " ..." : "");
}

std::string heading_of(const Group& group, const report::Style& style) {
  const std::size_t runs = group.directories.size();
  const std::string kept_back = fmt::format("{}", fmt::join(group.withheld, ", "));
  return fmt::format("{}  {} recorded {}{}\n", paint(style, report::Color::bold, group.task), runs,
                     runs == 1 ? "run" : "runs",
                     kept_back.empty() ? "" : ", agents not told: " + kept_back);
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
                           {"bought, reply by reply", Column::Align::left},
                           {"the best", Column::Align::left, true}});
  for (const engine::WhatIf& result : group.results) {
    const double best = std::max(result.best, 1.0);
    table.add_row({result.strategy, fmt::format("{} of {}", result.drawn, result.recorded),
                   std::to_string(result.like_for_like), best_text(result),
                   fmt::format("{:.2f}x", best / result.best_free),
                   report::money_text(usd_of(result.nano_usd)),
                   report::money_text(usd_of(result.nano_usd_until_best)),
                   report::seconds_text(result.seconds), curve_text(result), result.best_label});
  }
  return heading_of(group, style) + table.str(style) + "\n";
}

std::string text_of(const std::vector<Group>& groups, const report::Style& style) {
  std::string text;
  for (const Group& group : groups) text += table_of(group, style);
  return text + k_how_to_read;
}

nlohmann::json json_of(const engine::WhatIf& result) {
  return {{"strategy", result.strategy},
          {"recorded", result.recorded},
          {"drawn", result.drawn},
          {"like_for_like", result.like_for_like},
          {"best_over_eager", result.best},
          {"best_free", result.best_free},
          {"best_id", result.best_id},
          {"best_label", result.best_label},
          {"best_after", result.best_after},
          {"nano_usd", result.nano_usd},
          {"nano_usd_until_best", result.nano_usd_until_best},
          {"seconds", result.seconds},
          {"end", result.end}};
}

std::string json_of(const std::vector<Group>& groups) {
  nlohmann::json json{{"version", 1}, {"kind", "compare"}, {"tasks", nlohmann::json::array()}};
  for (const Group& group : groups) {
    nlohmann::json task{
        {"task", group.task}, {"task_id", group.task_id}, {"withheld", group.withheld}};
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
