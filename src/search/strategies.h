// Every strategy by its name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/seed.h"
#include "search/history/value.h"
#include "search/step/strategy.h"

namespace cupel::search {

// What strategies are made of.
struct StrategyInputs {
  std::vector<Candidate> files;  // the user's own candidates; label = path
  std::vector<Seed> seeds;       // the free portfolio
  // Charged replies that a run may ask for, whatever the budget leaves; unset: the strategy's
  // own, 300 as in the paper.
  std::optional<std::int64_t> queries_max = {};
  // Dollars bound the run. `cupel`, most of whose replies are cheap ones, then takes ten times as
  // many; the others keep to the paper's number.
  bool in_dollars = false;
  // When `cupel` ends by itself; the others do so only by the engine's rule.
  StopRule stop{0.01, 50};
};

inline constexpr std::string_view k_portfolio_strategy = "portfolio";  // needs no LLM
inline constexpr std::string_view k_default_strategy = "cupel";        // with one

// NAME or NAME:VARIANT[+VARIANT...], "pike-b:cheap-efa" say. Names are listed by
// strategy_names(); an input error names them. Every strategy judges the user's files and the
// free seeds as well: they cost no query.
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, StrategyInputs inputs);

// The names that make_strategy takes, each variant on its own; variants of one strategy combine.
std::vector<std::string> strategy_names();

}  // namespace cupel::search
