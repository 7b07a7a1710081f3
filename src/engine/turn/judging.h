// Building and judging what has a candidate: one measurement at a time, builds beside it where
// that disturbs nobody.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/sitting.h"

namespace cupel::engine {

// Whether the build lane compiles it before it is judged. What is free compiles when it is judged:
// seeds ask the framework's own compilers, which run in the host.
bool is_built_ahead(const Proposal& proposal);

// Starts the measurement that is next (schedule.h) and the builds that there is room for; none of
// `in_flight`. Returns the proposals whose work was started.
std::vector<std::string> start_work(Sitting& sitting, const std::set<std::string>& in_flight,
                                    double seconds_left);

Status take_build(Sitting& sitting, const std::string& proposal_id, const Built& built);

// Keeps a verdict, or an infra fault that is tried once more.
Status take_measurement(Sitting& sitting, const std::string& proposal_id, Measured measured);
// The same for each of several that were judged side by side.
Status take_measurements(Sitting& sitting, MeasuredBeside measured);

}  // namespace cupel::engine
