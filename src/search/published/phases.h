// Strategies that go in phases: one is planned from the verdicts of those before it, and nothing
// of it is proposed while anything of the last one is pending. Pure.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "search/history/branches.h"
#include "search/step/allowance.h"
#include "search/step/strategy.h"

namespace cupel::search {

struct FixRule {
  int rounds_max = 5;  // fixes that a failing child gets; 0: none
  Tier tier = Tier::strong;
};

// All children of a phase, branch i at index i. Must say the same again once some are proposed,
// so that a sitting that was cut while it proposed them goes on with what is missing.
using PhasePlan = std::function<std::vector<Draft>(int phase)>;

// The last phase's missing children and due fixes; once it has neither and nothing of it is
// pending, the next phase's children. As many as the allowance holds.
std::vector<Draft> next_of_phases(const Branches& branches, const PhasePlan& plan,
                                  const FixRule& rule, Allowance& allowance);

// Correct programs of some branches, the fastest first, `count_max` at most.
std::vector<const Judged*> best_of(std::span<const Branch> branches, int count_max);

}  // namespace cupel::search
