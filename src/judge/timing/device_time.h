// Two programs' own time on a GPU, from queued calls. What hosts say of it is claimed and checked
// by nobody: it explains a verdict and decides none. Pure.
#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// Of programs[program] over those programs that its latency was compared with (`ratios`), as far as
// both queued calls; calls that could not be queued are left out with their pairs.
std::vector<Ratio> device_ratios(const Evidence& evidence, std::size_t program,
                                 const std::vector<Ratio>& ratios);

}  // namespace cupel::judge
