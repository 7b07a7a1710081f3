// What is left of a run's budgets: money, queries, time. Functions of the journal's state, but for
// the clock that closes a run whose minutes are over.
#pragma once

#include "journal/journal.h"
#include "journal/state.h"
#include "llm/money/ledger.h"
#include "search/step/strategy.h"

namespace cupel::engine {

// Limits of the options; 0 there is none here.
llm::Limits limits_of(const RunOptions& options);

// The ledger as the journal tells it: what was paid, and what is kept back for questions under
// way.
llm::Ledger ledger_of(const journal::RunState& state);

// What a strategy may still spend. Time stands still between two events, so that a replay sees
// the same; the final round's part of the minutes is taken off.
search::Budget budget_of(const journal::RunState& state);

// Seconds of the minutes' budget that are left for the search right now: what the final round
// will take is kept back. Infinity without such a budget.
double search_seconds_left(const journal::Journal& journal);

}  // namespace cupel::engine
