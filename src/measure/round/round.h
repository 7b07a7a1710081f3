// One round: several programs in lockstep on the same fresh inputs, so that all ratios of a table
// come from one run. docs/timing.md describes the protocol; this measures and cannot decide.
#pragma once

#include <vector>

#include "measure/call/plan.h"
#include "measure/round/round_state.h"

namespace cupel::measure {

// programs[0] is the baseline. An Error means that the round could not be run (the referee failed);
// a program's failure is in its evidence.
Result<Evidence> run_round(const RoundContext& context, const std::vector<Program>& programs,
                           Rng rng, const Referral& referral);

}  // namespace cupel::measure
