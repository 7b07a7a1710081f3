// The time per call of calls that nobody waits for: what a loop or a busy server pays. Pure.
#pragma once

#include <optional>

#include "judge/timing/readings.h"
#include "stats/paired.h"

namespace cupel::judge {

// Nanoseconds are a call's, by the judge's clock.
struct Throughput {
  stats::PairedRatio ratio;
  double candidate_ns = 0;
  double over_ns = 0;
};

// Of warm calls in rows: a row's mean call. A CPU's program has done its work when it returns, so
// that a loop's calls are these. On a device that queues work: what each further call adds to a
// burst, whose calls do not wait for each other, unless a burst's whole time contradicts it. Bursts
// of two programs at equal place pair up. None where the evidence has neither.
std::optional<Throughput> throughput_of(const TimedProgram& candidate, const TimedProgram& over);

}  // namespace cupel::judge
