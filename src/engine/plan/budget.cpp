#include "engine/plan/budget.h"

#include <algorithm>
#include <limits>

#include "engine/plan/under_way.h"
#include "engine/rounds/final_round.h"

namespace cupel::engine {
namespace {

constexpr const char* k_spent_before = "spent before";

double seconds_left(const journal::RunState& state, double elapsed_s) {
  const double minutes_max = state.record.options.minutes_max;
  if (minutes_max <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, minutes_max * 60 - elapsed_s - final_round_s(state));
}

int agents_under_way(const journal::RunState& state) {
  return static_cast<int>(std::count_if(
      state.open.begin(), state.open.end(),
      [](const journal::OpenProposal& open) { return asks_writer(open.proposal.kind); }));
}

}  // namespace

llm::Limits limits_of(const RunOptions& options) {
  llm::Limits limits;
  if (options.nano_usd_max > 0) limits.nano_usd_max = options.nano_usd_max;
  if (options.queries_max > 0) limits.queries_max = options.queries_max;
  return limits;
}

// A provider that charged more than its worst case leaves nothing; it cannot be undone.
llm::Ledger ledger_of(const journal::RunState& state) {
  llm::Limits limits = limits_of(state.record.options);
  const std::int64_t spent = state.nano_usd_spent;
  const auto queries = static_cast<int>(state.record.queries);
  std::int64_t reserved = 0;
  for (const auto& open : state.open) reserved += open.asked ? open.asked->nano_usd_max : 0;
  limits.nano_usd_max = std::max(limits.nano_usd_max, spent + reserved);
  llm::Ledger ledger(limits);
  CUPEL_CHECK(ledger.reserve(k_spent_before, spent, queries));
  ledger.settle(k_spent_before, spent, queries);
  for (const journal::OpenProposal& open : state.open) {
    if (!open.asked) continue;
    CUPEL_CHECK(ledger.reserve(open.proposal.id, open.asked->nano_usd_max, open.asked->queries));
  }
  return ledger;
}

search::Budget budget_of(const journal::RunState& state) {
  const RunOptions& options = state.record.options;
  const llm::Ledger ledger = ledger_of(state);
  search::Budget budget;
  budget.seconds_left = seconds_left(state, state.record.wall_s);
  if (options.nano_usd_max > 0) {
    budget.usd_left = usd_of(ledger.nano_usd_left());
  }
  budget.queries_left = ledger.queries_left();
  if (options.slots > 0) budget.slots = std::max(0, options.slots - agents_under_way(state));
  return budget;
}

double search_seconds_left(const journal::Journal& journal) {
  return seconds_left(journal.state(), journal.elapsed_s());
}

}  // namespace cupel::engine
