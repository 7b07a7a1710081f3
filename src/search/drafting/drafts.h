// Drafts that ask agents, with their labels and reasons. Pure.
#pragma once

#include <string>
#include <vector>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

// Where a child stands in its strategy's order.
struct Place {
  int phase = 0;
  int branch = 0;
};

// A charged request for one candidate of the strong model.
Draft ask(Proposal::Kind kind, Place place, std::vector<std::string> parents, std::string reason);

// Asks for ideas; not charged.
Draft brainstorm(std::string reason);

// What bounds `parent`, and a plan; charged.
Draft analysis(const Judged& parent, std::string reason);

// `parent` with a number changed; nobody is asked.
Draft tuned(const Judged& parent, std::string source, std::string change);

// Fix number `round` of a program that is mendable. A reply without a program leaves nothing to
// mend: the same is asked again, which counts as a fix round all the same.
Draft mend(const Judged& failed, Place place, Tier tier, int round, int rounds_max);

// The next fix of a branch whose last program is mendable.
Draft fix_of(const Branch& branch, Tier tier, int rounds_max);

// "1.42x".
std::string shown_speed(double speed);

// "best", "second best", ... of zero-based ranks.
std::string ranked(int rank);

}  // namespace cupel::search
