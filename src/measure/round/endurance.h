// What a round of the winner's audit does after its timing: many more calls, so that what changes
// with them shows. Nothing of it is timed; others may be timed meanwhile.
#pragma once

#include "measure/round/round_state.h"

namespace cupel::measure {

Status endure(RoundState& round);

}  // namespace cupel::measure
