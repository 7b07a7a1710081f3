#include "search/published/pike_b.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/published/phases.h"
#include "search/step/allowance.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

std::string child_reason(int child, int siblings, const Judged& parent, int rank) {
  return fmt::format("child {} of {} of {}, {} of phase {} ({})", child, siblings,
                     parent.proposal.id, ranked(rank), parent.proposal.phase,
                     shown_speed(speed_of(parent)));
}

}  // namespace

std::vector<int> split(int children, int parents) {
  std::vector<int> shares(static_cast<std::size_t>(parents), children / parents);
  for (int i = 0; i < children % parents; ++i) ++shares[static_cast<std::size_t>(i)];
  return shares;
}

PikeB::PikeB(PikeBOptions options) : options_(std::move(options)) {}

std::vector<Draft> PikeB::first_phase(std::span<const std::string_view> ideas) const {
  const int count = ideas.empty() ? options_.children
                                  : std::min(options_.children, static_cast<int>(ideas.size()));
  std::vector<Draft> drafts;
  for (int i = 0; i < count; ++i) {
    const std::string from =
        ideas.empty() ? fmt::format("first candidate {} of {}, from the task alone", i + 1, count)
                      : fmt::format("idea {} of {} of the brainstorm", i + 1, count);
    drafts.push_back(ask(Proposal::Kind::write, {0, i}, {}, from));
    if (!ideas.empty()) drafts.back().proposal.idea = ideas[static_cast<std::size_t>(i)];
  }
  return drafts;
}

std::vector<Draft> PikeB::from_original(int phase) const {
  std::vector<Draft> drafts;
  for (int i = 0; i < options_.children; ++i) {
    drafts.push_back(ask(Proposal::Kind::write, {phase, i}, {},
                         fmt::format("child {} of {} of the original program: no candidate of "
                                     "phase {} is correct",
                                     i + 1, options_.children, phase - 1)));
  }
  return drafts;
}

std::vector<Draft> PikeB::plan(const Branches& branches, int phase,
                               std::span<const std::string_view> ideas) const {
  if (phase == 0) return first_phase(ideas);
  const auto parents = best_of(branches.of_phase(phase - 1), options_.parents_max);
  if (parents.empty()) return from_original(phase);
  const auto shares = split(options_.children, static_cast<int>(parents.size()));
  std::vector<Draft> drafts;
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    const Judged& parent = *parents[rank];
    for (int child = 1; child <= shares[rank]; ++child) {
      const Place place{phase, static_cast<int>(drafts.size())};
      drafts.push_back(ask(Proposal::Kind::improve, place, {parent.candidate.id},
                           child_reason(child, shares[rank], parent, static_cast<int>(rank))));
    }
  }
  return drafts;
}

Step PikeB::next(const History& history, const Budget& budget, Rng&) const {
  const Branches branches(history);
  const Ideas ideas = ideas_of(history);
  Allowance allowance(history, budget, options_.queries_max);
  Step step;
  if (!allowance.any() || ideas.pending) return step;
  if (options_.brainstorms && ideas.texts.empty() && ideas.asked < k_brainstorms_max) {
    step.drafts.push_back(brainstorm("ideas to start from"));
    return step;
  }
  const auto planned = [&](int phase) { return plan(branches, phase, ideas.texts); };
  step.drafts =
      next_of_phases(branches, planned, {options_.fixes_max, options_.fix_tier}, allowance);
  return step;
}

}  // namespace cupel::search
