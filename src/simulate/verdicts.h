// What a simulated judge says, in the form that strategies read.
#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "model/verdict.h"
#include "simulate/landscape.h"

namespace cupel::simulate {

// A working program: its log ratio measured with normal noise, and the outcome that follows from
// the interval.
Verdict timed_verdict(double log_ratio, double noise_sigma, Rng& rng);

// A failing one: it does not build, does not run, or computes something else.
Verdict failing_verdict(Rng& rng);

// A text that stands for the program: longer with every idea, similar for similar programs,
// unique by `serial`. Strategies look at length, likeness and marked numbers only.
std::string source_of(const Program& program, std::int64_t serial);

}  // namespace cupel::simulate
