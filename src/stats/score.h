// Scores over many tasks. Pure and thread-safe.
#pragma once

#include <span>

namespace cupel::stats {

// Geometric mean of positive speedups. Each is raised to `floor` first: 1 says that a user keeps
// the original where nothing faster was found; 0 takes the speedups as they are.
double geomean(std::span<const double> speedups, double floor = 0);

// Share of tasks whose speedup exceeds `p` (KernelBench's fast_p). A task without a correct
// program counts with a speedup of 0.
double fast_p(std::span<const double> speedups, double p);

}  // namespace cupel::stats
