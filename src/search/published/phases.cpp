#include "search/published/phases.h"

#include <algorithm>
#include <utility>

#include "search/drafting/drafts.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

bool any_pending(std::span<const Branch> branches) {
  return std::ranges::any_of(branches, [](const Branch& branch) { return branch.pending(); });
}

std::vector<Draft> missing(const Branches& branches, int phase, const PhasePlan& plan,
                           const FixRule& rule) {
  std::vector<Draft> drafts;
  for (Draft& child : plan(phase)) {
    const Branch* branch = branches.find(phase, child.proposal.branch);
    if (!branch) {
      drafts.push_back(std::move(child));
    } else if (branch->mendable() && branch->fixes() < rule.rounds_max) {
      drafts.push_back(fix_of(*branch, rule.tier, rule.rounds_max));
    }
  }
  return drafts;
}

}  // namespace

std::vector<Draft> next_of_phases(const Branches& branches, const PhasePlan& plan,
                                  const FixRule& rule, Allowance& allowance) {
  const int phase = std::max(0, branches.last_phase());
  std::vector<Draft> drafts = missing(branches, phase, plan, rule);
  if (drafts.empty() && !any_pending(branches.of_phase(phase))) {
    drafts = missing(branches, phase + 1, plan, rule);
  }
  const auto affordable = static_cast<std::size_t>(allowance.left());
  if (drafts.size() > affordable) drafts.erase(drafts.begin() + allowance.left(), drafts.end());
  allowance.limit(allowance.left() - static_cast<std::int64_t>(drafts.size()));
  return drafts;
}

std::vector<const Judged*> best_of(std::span<const Branch> branches, int count_max) {
  std::vector<const Judged*> best;
  for (const Branch& branch : branches) {
    if (const Judged* correct = branch.correct()) best.push_back(correct);
  }
  const auto kept = std::min(best.size(), static_cast<std::size_t>(count_max));
  std::ranges::partial_sort(best, best.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const Judged* a, const Judged* b) { return ranks_before(*a, *b); });
  best.resize(kept);
  return best;
}

}  // namespace cupel::search
