// Analyses that agents made, and what they proposed to do. Pure.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "search/history/branches.h"
#include "search/step/strategy.h"

namespace cupel::search {

// An answered analysis whose plan nobody was asked to carry out yet.
struct Plan {
  std::string_view parent;  // candidate id of what was analysed
  std::string_view text;
};

// Refers to the history.
struct Plans {
  std::vector<Plan> unused;             // in the order of the answers
  std::set<std::string_view> analysed;  // candidate ids, pending analyses included
};
Plans plans_of(const History& history, const Branches& branches);

}  // namespace cupel::search
