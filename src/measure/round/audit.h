// What a round looks at of programs that claim something: other weights, and calls revealed at
// once.
#pragma once

#include <vector>

#include "measure/round/round_state.h"

namespace cupel::measure {

// ProgramEvidence::unaudited of all lanes, until their audit.
void expect_audits(RoundState& round);
// Indices of lanes, with the baseline beside them.
Status audit(RoundState& round, const std::vector<std::size_t>& claimants);

}  // namespace cupel::measure
