#include "search/history/plans.h"

#include <algorithm>

namespace cupel::search {
namespace {

bool is_analysis(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::analyse && !proposal.parents.empty();
}

bool is_used(const Branches& branches, const Plan& plan) {
  return std::ranges::any_of(branches.all(), [&](const Branch& branch) {
    const Proposal& first = *branch.attempts.front().proposal;
    return first.idea == plan.text && !first.parents.empty() &&
           first.parents.front() == plan.parent;
  });
}

}  // namespace

Plans plans_of(const History& history, const Branches& branches) {
  Plans plans;
  const auto note = [&](const Proposal& proposal) {
    if (is_analysis(proposal)) plans.analysed.insert(proposal.parents.front());
  };
  std::ranges::for_each(history.pending, note);
  std::ranges::for_each(history.rejected, note);
  for (const Answered& entry : history.answered) {
    note(entry.proposal);
    if (!is_analysis(entry.proposal) || entry.texts.empty()) continue;
    const Plan plan{entry.proposal.parents.front(), entry.texts.front()};
    if (!is_used(branches, plan)) plans.unused.push_back(plan);
  }
  return plans;
}

}  // namespace cupel::search
