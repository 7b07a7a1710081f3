// What the strategy wants next, as a function of the journal alone: the loop proposes it, a replay
// asks whether it would be proposed again.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "journal/state.h"
#include "model/event.h"
#include "search/step/strategy.h"

namespace cupel::engine {

// The strategy that a run's options name, once its task is admitted. An input error for a name
// that there is none of.
Result<std::unique_ptr<search::Strategy>> strategy_of(const journal::RunState& state);
using StrategySource =
    std::function<Result<std::unique_ptr<search::Strategy>>(const journal::RunState& state)>;

// One answer of the strategy: proposals with their ids, and what it passes over.
struct NextStep {
  std::vector<Proposed> proposed;
  std::vector<search::Skip> skips;
  std::string stop;  // why the strategy ends the search with budget left; else empty
};
NextStep next_step(const journal::RunState& state, const search::Strategy& strategy);

// Words of Decision::what.
namespace decision {
inline constexpr const char* k_lead = "lead";
inline constexpr const char* k_skip = "skip";
inline constexpr const char* k_stop = "stop";                // a budget is spent
inline constexpr const char* k_search_over = "search_over";  // the strategy wants no more
inline constexpr const char* k_winner = "winner";
}  // namespace decision

bool is_decided(const journal::RunState& state, std::string_view what, std::string_view about = "");

// Nothing more is proposed.
bool is_search_over(const journal::RunState& state);

}  // namespace cupel::engine
