#include "engine/plan/proposing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/plan/budget.h"
#include "search/strategies.h"

namespace cupel::engine {
namespace {

// Readings are the engine's own.
void add_strategys(const Proposal& proposal, std::vector<Proposal>& all) {
  if (proposal.kind != Proposal::Kind::read) all.push_back(proposal);
}

}  // namespace

Result<std::unique_ptr<search::Strategy>> strategy_of(const journal::RunState& state) {
  const RunOptions& options = state.record.options;
  search::StrategyInputs inputs;
  inputs.files = state.start.files;
  inputs.seeds = state.seeds;
  if (options.queries_max > 0) inputs.queries_max = options.queries_max;
  inputs.in_dollars = options.nano_usd_max > 0;
  if (options.stop_value >= 0) inputs.stop.log_gain_per_usd_min = std::log1p(options.stop_value);
  return search::make_strategy(options.strategy, std::move(inputs));
}

NextStep next_step(const journal::RunState& state, const search::Strategy& strategy) {
  std::vector<Proposal> pending;
  std::vector<Proposal> rejected;
  for (const auto& open : state.open) add_strategys(open.proposal, pending);
  for (const auto& closed : state.rejected) add_strategys(closed.proposal, rejected);
  // The draws depend on the run's seed and on how far it is, not on how often it was resumed.
  Rng rng = Rng(state.record.options.seed).fork(static_cast<std::uint64_t>(state.proposals_made));
  search::Step step = strategy.next({state.record.judged, pending, rejected, state.answered},
                                    budget_of(state), rng);
  NextStep next{{}, std::move(step.skips), std::move(step.stop)};
  for (search::Draft& draft : step.drafts) {
    Proposed proposed{std::move(draft.proposal), {}, state.steps_made + 1};
    const int number = state.proposals_made + static_cast<int>(next.proposed.size()) + 1;
    proposed.proposal.id = fmt::format("p{:04}", number);
    if (!draft.source.empty()) {
      proposed.candidate = make_candidate(std::move(draft.source), draft.candidate_label);
    }
    next.proposed.push_back(std::move(proposed));
  }
  return next;
}

bool is_decided(const journal::RunState& state, std::string_view what, std::string_view about) {
  return std::any_of(state.decisions.begin(), state.decisions.end(), [&](const Decision& made) {
    return made.what == what && made.about == about;
  });
}

bool is_search_over(const journal::RunState& state) {
  return is_decided(state, decision::k_stop) || is_decided(state, decision::k_search_over);
}

}  // namespace cupel::engine
