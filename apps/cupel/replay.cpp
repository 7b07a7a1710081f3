#include "engine/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "engine/what_if.h"
#include "exit_codes.h"
#include "inputs.h"
#include "journal/runs.h"
#include "output.h"
#include "report/numbers.h"
#include "report/text_table.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

std::string text_of(const engine::Replayed& replayed) {
  const std::string seen =
      fmt::format("{} steps of the strategy with {} proposals", replayed.steps, replayed.proposals);
  if (!replayed.difference.empty()) {
    return fmt::format("After {}, a decision differs\n{}\n", seen, replayed.difference);
  }
  return fmt::format("{}{}: every decision is the same\n", seen,
                     replayed.ended ? " and the end of the search" : "");
}

std::string json_of(const engine::Replayed& replayed) {
  const nlohmann::json json{{"version", 1},
                            {"kind", "replay"},
                            {"same", replayed.difference.empty()},
                            {"steps", replayed.steps},
                            {"proposals", replayed.proposals},
                            {"ended", replayed.ended},
                            {"difference", replayed.difference}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string table_of(const std::vector<engine::WhatIf>& results) {
  using report::Column;
  report::TextTable table({{"strategy", Column::Align::left, true},
                           {"programs", Column::Align::right, false},
                           {"like for like", Column::Align::right, false},
                           {"best over eager", Column::Align::right, false},
                           {"over best free", Column::Align::right, false},
                           {"cost", Column::Align::right, false},
                           {"time", Column::Align::right, false}});
  for (const engine::WhatIf& result : results) {
    const double best = std::max(result.best, 1.0);
    table.add_row({result.strategy, fmt::format("{} of {}", result.drawn, result.recorded),
                   std::to_string(result.like_for_like), fmt::format("{:.2f}x", best),
                   fmt::format("{:.2f}x", best / result.best_free),
                   report::money_text(usd_of(result.nano_usd)),
                   report::seconds_text(result.seconds)});
  }
  return table.str(style_for(stdout)) +
         "Questions are answered by recorded programs; like for like are those that were written "
         "for the\n"
         "same parents in the same way. A figure rests on them alone where they are few.\n";
}

std::string json_of(const std::vector<engine::WhatIf>& results) {
  nlohmann::json json{{"version", 1}, {"kind", "what_if"}, {"strategies", nlohmann::json::array()}};
  for (const engine::WhatIf& result : results) {
    json["strategies"].push_back({{"strategy", result.strategy},
                                  {"recorded", result.recorded},
                                  {"drawn", result.drawn},
                                  {"like_for_like", result.like_for_like},
                                  {"best_over_eager", result.best},
                                  {"best_free", result.best_free},
                                  {"nano_usd", result.nano_usd},
                                  {"seconds", result.seconds},
                                  {"end", result.end}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<int> try_strategies(const Options& options) {
  std::vector<std::filesystem::path> directories;
  for (const std::string& run : options.runs) {
    CUPEL_TRY(auto directory, journal::resolve_run(runs_directory(), run));
    directories.push_back(std::move(directory));
  }
  CUPEL_TRY(const auto results, engine::what_if(directories, listed(options.strategy)));
  print(options.json ? json_of(results) : table_of(results));
  return k_exit_good;
}

}  // namespace

Result<int> run_replay(const Options& options) {
  if (!options.strategy.empty()) return try_strategies(options);
  if (options.runs.size() > 1) {
    return input_error("several runs are for --strategy", "cupel replay", "name one run");
  }
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.runs.front()));
  CUPEL_TRY(const auto replayed, engine::replay(directory));
  print(options.json ? json_of(replayed) : text_of(replayed));
  return replayed.difference.empty() ? k_exit_good : k_exit_differs;
}

}  // namespace cupel::cli
