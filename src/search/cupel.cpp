#include "search/cupel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/history/lineage.h"
#include "search/history/plans.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

// Children are numbered through; for people ten of them make a phase.
constexpr int k_children_of_phase = 10;

Place place_of(int child) {
  return {child / k_children_of_phase, child % k_children_of_phase};
}

// Plans are told as ideas are.
int ideas_used(const Branches& branches, const Ideas& ideas) {
  return static_cast<int>(std::ranges::count_if(branches.all(), [&](const Branch& branch) {
    const std::string& told = branch.attempts.front().proposal->idea;
    return !told.empty() && std::ranges::find(ideas.texts, told) != ideas.texts.end();
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
    return !branch.pending() && is_earlier(ideas.last_id, branch.attempts.front().proposal->id);
  }));
}

// Of few queries most must be spent with verdicts at hand: half of them at most write from the
// task, and a third is in flight.
struct Pace {
  int first_writes = 0;
  int in_flight = 0;
};

Pace pace_of(const History& history, const Budget& budget, const CupelOptions& options) {
  const std::int64_t left = std::min(budget.queries_left, options.queries_max);
  const std::int64_t all = queries_made(history) + left;
  const auto share = [&](int part, int most) {
    return static_cast<int>(std::clamp<std::int64_t>(all / part, 1, most));
  };
  return {share(2, options.first_writes), share(3, options.in_flight_max)};
}

std::string shown(const Elite& elite) {
  return fmt::format("{} ({}, {} so far)", elite.judged->proposal.id, shown_speed(elite.speed),
                     ranked(elite.rank));
}

std::string reason_of(const Pick& pick) {
  const Elite& elite = *pick.elite;
  if (pick.move == Move::improve) {
    return fmt::format(
        "improves {}, whose next child is worth most: {} of {} children were faster than it",
        shown(elite), elite.hits, elite.children - 1);
  }
  std::string others;
  for (const Judged* other : pick.others) {
    others += (others.empty() ? "" : ", ") + other->proposal.id;
  }
  if (pick.move == Move::merge) {
    return fmt::format("merges into {} what {} gained apart from it", shown(elite), others);
  }
  return fmt::format("crosses {} with {}, the fastest of another start", shown(elite), others);
}

}  // namespace

struct Cupel::Sources {
  Branches branches;
  Lineage lineage;
  Ideas ideas;
  Plans plans;
  Elites elites;
  std::size_t plans_used = 0;
  int first_writes = 0;
  int ideas_used = 0;
  int children = 0;

  Sources(const History& history, const CupelOptions& options, const Pace& pace)
      : branches(history),
        lineage(history, branches),
        ideas(ideas_of(history)),
        plans(plans_of(history, branches)),
        elites(branches, lineage, options.lines, options.free_parents),
        first_writes(pace.first_writes),
        ideas_used(search::ideas_used(branches, ideas)),
        children(static_cast<int>(branches.all().size())) {}

  // One write an idea; where no idea came, as many from the task alone.
  bool starts() const {
    const bool has_more = has_idea() || ideas.texts.empty();
    return elites.all().empty() || (has_more && children < first_writes);
  }
  bool has_idea() const { return ideas_used < static_cast<int>(ideas.texts.size()); }
  bool has_plan() const { return plans_used < plans.unused.size(); }
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

// Once of each program that leads and whose children fail.
bool Cupel::wants_analysis(const Sources& sources) const {
  if (options_.analysis_after <= 0 || sources.elites.all().empty()) return false;
  const Elite& fastest = sources.elites.all().front();
  return fastest.vain >= options_.analysis_after &&
         !sources.plans.analysed.contains(fastest.judged->candidate.id);
}

// All ideas are being written and nothing could be a parent yet: their verdicts tell what next, and
// further starts without an idea are worth less.
bool Cupel::waits_for_starts(const Sources& sources, const History& history,
                             const Step& step) const {
  const bool started = sources.children >= sources.first_writes || !sources.ideas.texts.empty();
  const bool under_way = !history.pending.empty() || !step.drafts.empty();
  return started && under_way && !sources.has_idea() && sources.elites.all().empty();
}

void Cupel::add_fixes(const Branches& branches, Allowance& allowance, Step& step) const {
  for (const Branch& branch : branches.all()) {
    const auto tier = next_fixer(branch, options_.fixes);
    if (!tier) continue;
    if (!allowance.take()) return;
    step.drafts.push_back(fix_of(branch, *tier, options_.fixes.rounds_max()));
  }
}

void Cupel::add_tunings(const History& history, const Sources& sources, Step& step) const {
  if (!options_.tunes) return;
  step.drafts = tunings(history, sources.lineage, options_.tuning);
}

void Cupel::add_questions(const History& history, Sources& sources, Allowance& allowance,
                          Step& step) const {
  if (allowance.any() && wants_ideas(history, sources)) {
    step.drafts.push_back(brainstorm(sources.ideas.asked == 0 ? "ideas to start from"
                                                              : "the ideas so far are used up"));
    allowance.limit(allowance.left() - 1);
    sources.ideas.pending = true;
  }
  if (wants_analysis(sources) && allowance.take()) {
    const Elite& fastest = sources.elites.all().front();
    step.drafts.push_back(analysis(*fastest.judged, fmt::format("{} children of {} gained nothing",
                                                                fastest.vain, shown(fastest))));
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

Draft Cupel::from_elite(Sources& sources) const {
  const Pick pick = sources.elites.take(options_.crosses);
  std::vector<std::string> parents{pick.elite->judged->candidate.id};
  for (const Judged* other : pick.others) parents.push_back(other->candidate.id);
  const auto kind = pick.move == Move::improve ? Proposal::Kind::improve : Proposal::Kind::cross;
  return ask(kind, sources.next_place(), std::move(parents), reason_of(pick));
}

Draft Cupel::child(Sources& sources) const {
  const bool starts = sources.starts();
  if (sources.has_idea()) {
    return from_idea(sources, starts ? Proposal::Kind::write : Proposal::Kind::improve);
  }
  if (sources.has_plan()) {
    const Plan& plan = sources.plans.unused[sources.plans_used++];
    Draft draft = ask(Proposal::Kind::improve, sources.next_place(), {std::string(plan.parent)},
                      "carries out what an analysis of it proposed");
    draft.proposal.idea = plan.text;
    return draft;
  }
  if (!starts) return from_elite(sources);
  return ask(Proposal::Kind::write, sources.next_place(), {}, "written from the task alone");
}

Step Cupel::next(const History& history, const Budget& budget, Rng&) const {
  Step step;
  Allowance allowance(history, budget, options_.queries_max);
  const Pace pace = pace_of(history, budget, options_);
  allowance.limit(std::min(budget.slots, pace.in_flight - in_flight(history)));
  const bool waits = !allowance.any() && !history.pending.empty();
  if (waits || budget.seconds_left <= 0) return step;
  if (allowance.any()) step.stop = stop_by_value(history, options_.stop);
  Sources sources(history, options_, pace);
  add_tunings(history, sources, step);  // also when no money is left: they cost none
  if (!allowance.any() || !step.stop.empty()) return step;
  add_fixes(sources.branches, allowance, step);
  add_questions(history, sources, allowance, step);
  if (sources.ideas.pending && sources.ideas.texts.empty()) return step;
  while (!waits_for_starts(sources, history, step) && allowance.take()) {
    step.drafts.push_back(child(sources));
  }
  return step;
}

}  // namespace cupel::search
