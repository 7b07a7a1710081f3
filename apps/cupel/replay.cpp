#include "engine/rehearse/replay.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "exit_codes.h"
#include "journal/runs.h"
#include "output.h"
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

}  // namespace

Result<int> run_replay(const Options& options) {
  CUPEL_TRY(const auto directory, journal::resolve_run(runs_directory(), options.run));
  CUPEL_TRY(const auto replayed, engine::replay(directory));
  print(options.json ? json_of(replayed) : text_of(replayed));
  return replayed.difference.empty() ? k_exit_good : k_exit_differs;
}

}  // namespace cupel::cli
