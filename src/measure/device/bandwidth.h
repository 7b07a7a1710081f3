// Upper bounds on how fast bytes move, for the floor below which a claimed time is impossible.
#pragma once

#include "model/task.h"

namespace cupel::measure {

// Bytes per second that one core can read plus write, with a margin: three times the best copy rate
// of a buffer that fits the level-2 cache. Deliberately generous: "impossible" must never hit an
// honest program. Measured anew by each call (about 5 ms), since a busy moment makes copies slow:
// the best that this process has seen counts.
double core_bandwidth_ceiling();

// Milliseconds that reading every input of which each byte matters, and writing the outputs, takes
// at least, at `bandwidth` bytes per second; 0 where that is not known.
double floor_ms(const TaskFacts& facts, const AdmissionEvidence& admission, double bandwidth);

}  // namespace cupel::measure
