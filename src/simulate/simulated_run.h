// One run of a strategy on a synthetic task: lanes, money, verdicts and time, without a process.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "search/step/strategy.h"
#include "simulate/author.h"
#include "simulate/calls.h"
#include "simulate/landscape.h"

namespace cupel::simulate {

// All that decides what a run finds, but the strategy and its budget.
struct World {
  LandscapeParameters landscape;
  AuthorParameters author;
  CallParameters calls;
  double noise_sigma = 0.01;  // assumed: of a measured log ratio
};

struct RunLimits {
  double usd_max = std::numeric_limits<double>::infinity();
  std::int64_t queries_max = std::numeric_limits<std::int64_t>::max();
  int llm_slots = 10;
  int build_slots = 10;
};

// The state of a run after a verdict that gave a new best program.
struct Milestone {
  double usd = 0;
  std::int64_t queries = 0;
  double seconds = 0;
  double log_gain = 0;  // true, not measured, of the program that measured best; at least 0
};

struct Trace {
  std::vector<Milestone> milestones;  // in the order of time; none: nothing beat the original
  Milestone end;                      // what was spent in all, and what the run ships
  int candidates = 0;                 // first attempts that came to a verdict
  int failures = 0;                   // of those, failing ones
  int fixed = 0;                      // of those, mended by a later fix
  int fixes = 0;                      // rounds of fixing
  int starved = 0;                    // drafts that found no money or query left
};

// Log gain of what a run had found when it had spent that much.
double log_gain_at_usd(const Trace& trace, double usd);
double log_gain_at_queries(const Trace& trace, std::int64_t queries);

// Runs until the strategy ends or nothing is left to spend. The strategy sees what the engine
// would show it; reservations are as the engine makes them. Equal arguments give equal traces.
Trace simulate_run(const search::Strategy& strategy, const World& world, const Landscape& landscape,
                   const RunLimits& limits, std::uint64_t seed);

}  // namespace cupel::simulate
