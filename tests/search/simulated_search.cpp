#include "simulated_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/history/branches.h"
#include "search/winning/standing.h"

namespace cupel::search {

Rng draws_after(std::uint64_t seed, int proposals_made) {
  return Rng(seed).fork(static_cast<std::uint64_t>(proposals_made));
}

std::string text_of(const Step& step) {
  std::string text;
  for (const Draft& draft : step.drafts) {
    text += encode(draft.proposal) + draft.candidate_label + draft.source + "\n";
  }
  for (const Skip& skip : step.skips) text += skip.label + skip.why + "\n";
  return text;
}

SimulatedSearch::SimulatedSearch(World world) : world_(std::move(world)), rng_(world_.seed) {
  state_.budget.queries_left = world_.queries;
}

void SimulatedSearch::write_down(const Draft& draft, Call& state) {
  Proposal proposal = draft.proposal;
  proposal.id = fmt::format("p{:04}", ++state.proposals_made);
  if (proposal.charged) --state.budget.queries_left;
  if (asks_agent(proposal.kind)) --state.budget.slots;
  state.pending.push_back(std::move(proposal));
}

const Step& SimulatedSearch::ask(const Strategy& strategy) {
  state_.budget.slots = std::max(0, world_.lanes - in_flight(state_.history()));
  Rng draws = draws_after(world_.seed, state_.proposals_made);
  state_.step = strategy.next(state_.history(), state_.budget, draws);
  for (const Draft& draft : state_.step.drafts) {
    write_down(draft, state_);
    asked_.push_back(state_.pending.back());
  }
  return state_.step;
}

bool SimulatedSearch::advance() {
  if (state_.pending.empty()) return false;
  const std::size_t index = world_.in_order ? 0 : rng_.below(state_.pending.size());
  const Proposal proposal = state_.pending[index];
  state_.pending.erase(state_.pending.begin() + static_cast<std::ptrdiff_t>(index));
  if (!gives_candidate(proposal.kind)) {
    answer(proposal);
  } else if (asks_agent(proposal.kind) && rng_.uniform() < world_.duplicate) {
    state_.rejected.push_back(proposal);
  } else {
    judge(proposal);
  }
  return true;
}

void SimulatedSearch::answer(const Proposal& proposal) {
  Answered answered;
  answered.proposal = proposal;
  const int count = rng_.uniform() < world_.silent ? 0 : world_.ideas;
  if (proposal.kind == Proposal::Kind::analyse) {
    answered.texts.push_back("plan of " + proposal.id);
  } else {
    for (int i = 1; i <= count; ++i) answered.texts.push_back(fmt::format("idea {}", i));
  }
  state_.answered.push_back(std::move(answered));
}

Outcome SimulatedSearch::outcome_of(const Proposal& proposal) {
  if (world_.outcome) return world_.outcome(proposal);
  const double draw = rng_.uniform();
  if (!asks_agent(proposal.kind)) return Outcome::faster;
  if (draw < world_.suspect) return Outcome::suspect;
  const double fails = proposal.fix_round > 0 ? world_.fix_fails : world_.fails;
  if (draw < world_.suspect + fails) return Outcome::build_error;
  return draw < world_.suspect + fails + world_.empty_reply ? Outcome::invalid_reply
                                                            : Outcome::faster;
}

double SimulatedSearch::speed_of_child(const Proposal& proposal) {
  if (world_.speed) return world_.speed(proposal);
  double parent_speed = 1;
  for (const Judged& entry : state_.judged) {
    const bool is_parent =
        std::ranges::find(proposal.parents, entry.candidate.id) != proposal.parents.end();
    if (is_parent) parent_speed = std::max(parent_speed, speed_of(entry));
  }
  return parent_speed * std::exp(0.3 * (rng_.uniform() - 0.6));
}

std::string SimulatedSearch::source_of(const Proposal& proposal) {
  std::string source = "source of " + proposal.id;
  if (!world_.long_sources) return source;
  const auto lines = static_cast<int>(10 * std::exp2(5 * rng_.uniform()));
  for (int i = 0; i < lines; ++i) {
    source += fmt::format("\nline {} of {}", i, rng_.uniform() < 0.5 ? "all" : proposal.id);
  }
  return source;
}

void SimulatedSearch::judge(const Proposal& proposal) {
  Judged judged;
  judged.proposal = proposal;
  judged.verdict.outcome = outcome_of(proposal);
  judged.nano_usd =
      asks_agent(proposal.kind) ? static_cast<std::int64_t>(world_.usd_of_reply * 1e9) : 0;
  const bool empty = judged.verdict.outcome == Outcome::invalid_reply;
  judged.candidate = make_candidate(empty ? "" : source_of(proposal), proposal.label);
  if (is_correct(judged.verdict.outcome)) {
    const double speed = speed_of_child(proposal);
    judged.verdict.ratios = {{"eager", "eager", speed, speed, speed, 1 / speed, 1, 100}};
  }
  state_.judged.push_back(std::move(judged));
}

bool SimulatedSearch::run(const Strategy& strategy, const std::function<void(const Call&)>& seen) {
  for (int calls = 0; calls < k_calls_max; ++calls) {
    Call before = state_;
    before.budget.slots = std::max(0, world_.lanes - in_flight(before.history()));
    ask(strategy);
    before.step = state_.step;
    if (seen) seen(before);
    if (!advance()) return true;
  }
  return false;
}

}  // namespace cupel::search
