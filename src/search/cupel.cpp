#include "search/cupel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/drafts.h"
#include "search/standing.h"

namespace cupel::search {
namespace {

// Children are numbered through; for people ten of them make a phase.
constexpr int k_children_of_phase = 10;

Place place_of(int child) {
  return {child / k_children_of_phase, child % k_children_of_phase};
}

int ideas_used(const Branches& branches) {
  return static_cast<int>(std::ranges::count_if(branches.all(), [](const Branch& branch) {
    return !branch.attempts.front().proposal->idea.empty();
  }));
}

// Verdicts on agents' programs since the last one that was faster than all before it.
int verdicts_since_gain(const History& history) {
  const auto curve = curve_of(history, Currency::queries);
  int since = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    since = curve[i].best > curve[i - 1].best ? 0 : since + 1;
  }
  return since;
}

int children_since_brainstorm(const Branches& branches, const Ideas& ideas) {
  return static_cast<int>(std::ranges::count_if(branches.all(), [&](const Branch& branch) {
    return is_earlier(ideas.last_id, branch.attempts.front().proposal->id);
  }));
}

std::string shown(const Elite& elite) {
  return fmt::format("{} ({}, {} so far)", elite.judged->proposal.id, shown_speed(elite.speed),
                     ranked(elite.rank));
}

}  // namespace

struct Cupel::Sources {
  Branches branches;
  Ideas ideas;
  Elites elites;
  int ideas_used = 0;
  int children = 0;

  Sources(const History& history, const CupelOptions& options)
      : branches(history),
        ideas(ideas_of(history)),
        elites(history, branches, options.elites, options.free_parents),
        ideas_used(search::ideas_used(branches)),
        children(static_cast<int>(branches.all().size())) {}

  bool has_idea() const { return ideas_used < static_cast<int>(ideas.texts.size()); }
  Place next_place() { return place_of(children++); }
};

Cupel::Cupel(CupelOptions options) : options_(std::move(options)) {}

// At the start, and again when all ideas are used up and nothing was gained for long.
bool Cupel::wants_ideas(const History& history, const Sources& sources) const {
  const Ideas& ideas = sources.ideas;
  if (ideas.pending || ideas.asked >= options_.brainstorms_max) return false;
  if (ideas.texts.empty()) return ideas.asked < 2;
  return !sources.has_idea() && verdicts_since_gain(history) >= options_.stall &&
         children_since_brainstorm(sources.branches, ideas) >= options_.stall;
}

void Cupel::add_fixes(const Branches& branches, Allowance& allowance, Step& step) const {
  for (const Branch& branch : branches.all()) {
    const auto tier = next_fixer(branch, options_.fixes);
    if (!tier) continue;
    if (!allowance.take()) return;
    step.drafts.push_back(fix_of(branch, *tier, options_.fixes.rounds_max()));
  }
}

Draft Cupel::from_idea(Sources& sources, Proposal::Kind kind) const {
  const std::size_t index = static_cast<std::size_t>(sources.ideas_used++);
  std::string reason = fmt::format("idea {} of {}", index + 1, sources.ideas.texts.size());
  std::vector<std::string> parents;
  if (kind == Proposal::Kind::improve) {
    const Elite& fastest = sources.elites.all().front();
    parents = {fastest.judged->candidate.id};
    reason += ", applied to " + shown(fastest);
  }
  Draft draft = ask(kind, sources.next_place(), std::move(parents), std::move(reason));
  draft.proposal.idea = sources.ideas.texts[index];
  return draft;
}

Draft Cupel::improve(Sources& sources) const {
  const Elite& elite = sources.elites.take();
  return ask(Proposal::Kind::improve, sources.next_place(), {elite.judged->candidate.id},
             fmt::format("improves {}, whose next child is worth most: {} of {} children were "
                         "faster than it",
                         shown(elite), elite.hits, elite.children - 1));
}

Draft Cupel::child(Sources& sources) const {
  const bool starts = sources.children < options_.first_writes || sources.elites.all().empty();
  if (sources.has_idea()) {
    return from_idea(sources, starts ? Proposal::Kind::write : Proposal::Kind::improve);
  }
  if (starts) {
    return ask(Proposal::Kind::write, sources.next_place(), {}, "written from the task alone");
  }
  const int every = options_.cross_every;
  if (every <= 0 || sources.children % every != every - 1) return improve(sources);
  const auto pair = sources.elites.take_pair();
  if (pair.empty()) return improve(sources);
  return ask(Proposal::Kind::cross, sources.next_place(),
             {pair[0]->judged->candidate.id, pair[1]->judged->candidate.id},
             fmt::format("crosses {} with {}, which descends from another start", shown(*pair[0]),
                         shown(*pair[1])));
}

Step Cupel::next(const History& history, const Budget& budget, Rng&) const {
  Step step;
  Allowance allowance(history, budget, options_.queries_max);
  allowance.limit(std::min(budget.slots, options_.in_flight_max - in_flight(history)));
  if (!allowance.any()) return step;
  step.stop = stop_by_value(history, options_.stop);
  if (!step.stop.empty()) return step;
  Sources sources(history, options_);
  add_fixes(sources.branches, allowance, step);
  if (allowance.any() && wants_ideas(history, sources)) {
    step.drafts.push_back(brainstorm(sources.ideas.asked == 0 ? "ideas to start from"
                                                              : "the ideas so far are used up"));
    allowance.limit(allowance.left() - 1);
    sources.ideas.pending = true;
  }
  if (sources.ideas.pending && sources.ideas.texts.empty()) return step;
  while (allowance.take()) step.drafts.push_back(child(sources));
  return step;
}

}  // namespace cupel::search
