#include "search/published/pike_o.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "search/drafting/drafts.h"
#include "search/step/allowance.h"
#include "search/winning/standing.h"

namespace cupel::search {
namespace {

std::vector<std::string> with_inspirations(const Islands& islands, int island, const Judged& parent,
                                           int count_max) {
  std::vector<std::string> parents{parent.candidate.id};
  for (const Member* member : islands.on_island(island)) {
    if (static_cast<int>(parents.size()) > count_max) break;
    const std::string& id = member->judged->candidate.id;
    if (id != parent.candidate.id) parents.push_back(id);
  }
  return parents;
}

}  // namespace

PikeO::PikeO(PikeOOptions options) : options_(std::move(options)) {}

Islands PikeO::library(const History& history) const {
  Islands islands(options_.sizes);
  for (const Judged& entry : history.judged) {
    if (!asks_agent(entry.proposal.kind)) continue;
    if (is_correct(entry.verdict.outcome)) islands.add(entry, entry.proposal.branch);
    if (entry.proposal.fix_round == 0) islands.count_child(entry.proposal.branch);
  }
  return islands;
}

Draft PikeO::child(const Islands& islands, int iteration, Rng& rng) const {
  const int island = iteration % options_.sizes.islands;
  const Place place{iteration, island};
  const Selection selection = select(islands, island, options_.ratios, rng);
  if (!selection.parent) {
    return ask(Proposal::Kind::write, place, {},
               fmt::format("island {} starts from the original program", island + 1));
  }
  const Judged& parent = *selection.parent->judged;
  auto parents = with_inspirations(islands, island, parent, options_.inspirations);
  const std::string reason =
      fmt::format("island {} {}: {} ({}) with {} of its best beside it", island + 1, selection.mode,
                  parent.proposal.id, shown_speed(speed_of(parent)), parents.size() - 1);
  const auto kind = parents.size() > 1 ? Proposal::Kind::cross : Proposal::Kind::improve;
  return ask(kind, place, std::move(parents), reason);
}

Step PikeO::next(const History& history, const Budget& budget, Rng& rng) const {
  const Branches branches(history);
  Allowance allowance(history, budget, options_.queries_max);
  allowance.limit(std::min(budget.slots, options_.parallel - in_flight(history)));
  Step step;
  for (const Branch& branch : branches.all()) {
    const bool mends = branch.mendable() && branch.fixes() < options_.fixes_max;
    if (mends && allowance.take()) {
      step.drafts.push_back(fix_of(branch, Tier::strong, options_.fixes_max));
    }
  }
  if (!allowance.any()) return step;
  const Islands islands = library(history);
  int iteration = static_cast<int>(branches.all().size());
  while (allowance.take()) step.drafts.push_back(child(islands, iteration++, rng));
  return step;
}

}  // namespace cupel::search
