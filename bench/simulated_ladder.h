// The strategies that the simulator compares, and what was published about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench.h"
#include "simulate/experiment.h"

namespace cupel::bench {

inline constexpr std::int64_t k_published_queries = 300;

struct Rung {
  std::string strategy;
  double published = 0;  // geometric mean over eager at 300 queries; 0: not published
  bool fitted = false;   // a parameter of the landscape was fitted to this figure
};
const std::vector<Rung>& ladder();

// Strategies that are compared at equal dollars.
const std::vector<std::string>& contestants();

// 1,000 runs unless --repeat says otherwise.
simulate::Sample sample_of(const Arguments& arguments);

// Runs of 300 queries without a limit of dollars, or of `usd` without a limit of queries. Empty,
// after a line on stderr, if there is no strategy of that name.
std::vector<simulate::Trace> run_queries(const std::string& strategy, const simulate::World& world,
                                         const simulate::Sample& sample);
std::vector<simulate::Trace> run_dollars(const std::string& strategy, const simulate::World& world,
                                         const simulate::Sample& sample, double usd,
                                         bool with_seed);

}  // namespace cupel::bench
