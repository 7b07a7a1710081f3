// Two programs' own time on a GPU, from queued calls. What hosts say of it is claimed and checked
// by nobody: it explains a verdict and decides none. Pure.
#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// Of programs[program] over the baseline and over every other program that queued calls, in their
// order; calls that could not be queued are left out with their pairs.
std::vector<Ratio> device_ratios(const Evidence& evidence, std::size_t program);

}  // namespace cupel::judge
