// An upper bound on how fast this machine's cores move bytes, for the floor below which a claimed
// time is impossible.
#pragma once

#include "model/task.h"

namespace cupel::measure {

// Bytes per second that `threads` cores can read plus write, with a margin: three times the best
// single-core copy rate of a buffer that fits the level-2 cache, per thread. Deliberately generous:
// "impossible" must never hit an honest program. Measured once a process (about 5 ms).
double bandwidth_ceiling(int threads);

// Milliseconds that reading every input of which each byte matters, and writing the outputs, takes
// at least.
double floor_ms(const TaskFacts& facts, const AdmissionEvidence& admission, int threads);

}  // namespace cupel::measure
