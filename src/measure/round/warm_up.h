// A round's programs loaded, and their calls before the timed ones.
#pragma once

#include "measure/round/round_state.h"

namespace cupel::measure {

// Needs the device shared.
void load_programs(RoundState& round);
// Where programs are not to wait for each other's compilers, their first calls come before the
// warm-up, untimed, the device shared.
Status make_first_calls(RoundState& round);
// Alone on the device; makes RoundState::warm.
Status warm_up(RoundState& round);

}  // namespace cupel::measure
