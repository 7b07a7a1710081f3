// The device's own time for calls, on a device that queues work: calls whose launches are all held
// up until the program has returned.
#pragma once

#include <cstdint>

#include "measure/round/round_state.h"

namespace cupel::measure {

// How long a device is held up at most for a call that takes `call_ms`.
std::int64_t gate_ns_for(const MeasurePlan& plan, double call_ms);

// Of programs that were timed, on the warm-up's inputs, whose outputs were compared before: nobody
// wins by these. Where calls are short enough to be made again.
void make_queued_calls(RoundState& round);

}  // namespace cupel::measure
