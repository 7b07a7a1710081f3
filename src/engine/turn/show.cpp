#include "engine/turn/show.h"

#include <algorithm>

#include "engine/plan/budget.h"
#include "engine/plan/durations.h"
#include "engine/plan/proposing.h"
#include "engine/rounds/final_round.h"
#include "engine/turn/judging.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

// To judge all that is open.
double open_s(const journal::RunState& state) {
  double searching_s = 0;
  for (const OpenProposal& open : state.open) {
    const bool is_seed = open.proposal.kind == Proposal::Kind::seed;
    searching_s +=
        is_seed ? seed_s(state, open.proposal) : judgement_s(state, asks_agent(open.proposal.kind));
  }
  return searching_s;
}

// With agents, which write as long as there is a budget: the rest of it at the pace so far.
double budget_s(const journal::RunState& state) {
  const RunOptions& options = state.record.options;
  const auto rest_s = [&](double spent, double all) {
    return all > 0 && spent > 0 ? state.record.wall_s * (all / spent - 1) : -1.0;
  };
  return std::max(
      rest_s(static_cast<double>(state.nano_usd_spent), static_cast<double>(options.nano_usd_max)),
      rest_s(static_cast<double>(state.record.queries), static_cast<double>(options.queries_max)));
}

double rough_eta_s(const journal::RunState& state, double seconds_left) {
  if (state.record.finished) return 0;
  if (state.record.judged.empty()) return -1;
  const bool is_bounded = state.record.options.llm.empty() || is_search_over(state);
  const double ahead_s = is_bounded ? open_s(state) : budget_s(state);
  if (ahead_s < 0) return -1;
  return std::min(ahead_s, seconds_left) + final_round_s(state);
}

void add_budget(Progress& progress, const RunRecord& record) {
  progress.has_agents = !record.options.llm.empty();
  progress.cost_usd = record.cost_usd;
  progress.usd_max = usd_of(record.options.nano_usd_max);
  progress.queries = record.queries;
  progress.queries_max = record.options.queries_max;
}

Progress progress_of(const Sitting& sitting, Stage stage) {
  const journal::RunState& state = sitting.state();
  Progress progress;
  progress.stage = stage;
  progress.judged = static_cast<int>(state.record.judged.size());
  progress.planned = progress.judged;
  for (const OpenProposal& open : state.open) {
    progress.planned += open.proposal.kind != Proposal::Kind::read;
  }
  if (const Judged* fastest = search::choose(state.record.judged, {}).fastest) {
    progress.best_label = fastest->candidate.label;
    progress.best = fastest->verdict.ratios.front();
  }
  progress.elapsed_s = sitting.journal.elapsed_s();
  progress.eta_s = rough_eta_s(state, search_seconds_left(sitting.journal));
  add_budget(progress, state.record);
  return progress;
}

}  // namespace

void show(Sitting& sitting, Stage stage, const std::string& subject) {
  Progress progress = progress_of(sitting, stage);
  progress.subject = subject;
  sitting.progress.on_progress(progress);
}

void show_work(Sitting& sitting, const std::set<std::string>& in_flight) {
  Progress progress = progress_of(sitting, Stage::judge);
  for (const OpenProposal& open : sitting.state().open) {
    if (!in_flight.contains(open.proposal.id)) continue;
    const bool is_measured = open.built || !is_built_ahead(open.proposal);
    if (open.asked) {
      ++progress.asking;
    } else if (is_measured) {
      progress.subject = open.candidate.label;
    } else {
      ++progress.building;
    }
  }
  sitting.progress.on_progress(progress);
}

}  // namespace cupel::engine
