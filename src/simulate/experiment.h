// Many simulated runs, and what they say about strategies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/step/strategy.h"
#include "simulate/simulated_run.h"
#include "stats/interval.h"

namespace cupel::simulate {

// How many runs, of which tasks. Run i of every strategy has the same task.
struct Sample {
  int runs = 1000;
  std::uint64_t seed = 1;
  int threads = 2;
};

// One trace a run, in the order of runs whatever the number of threads.
std::vector<Trace> simulate_runs(const search::Strategy& strategy, const World& world,
                                 const RunLimits& limits, const Sample& sample);

struct Score {
  double geomean = 1;        // true speedup of what runs ship, over the original
  stats::Interval interval;  // 95 %, by resampling runs
};

// What runs had found when each had spent that much.
Score score_at_usd(std::span<const Trace> traces, double usd);
Score score_at_queries(std::span<const Trace> traces, std::int64_t queries);
// ... when they ended.
Score score_at_end(std::span<const Trace> traces);

// Dollars a run at which the geometric mean first reaches `geomean`; infinite if it never does.
// The interval is by resampling runs.
struct Price {
  double usd = 0;
  stats::Interval interval;
};
Price price_of(std::span<const Trace> traces, double geomean);

// Dollars that `challenger` needs for what `champion` has at the end, as a part of what champion
// spends on average; both resampled together, run by run.
Price relative_price(std::span<const Trace> challenger, std::span<const Trace> champion);

// Means over runs.
struct Figures {
  double usd = 0;
  double queries = 0;
  double seconds = 0;
  double candidates = 0;
  double failure_share = 0;  // of first attempts
  double fixed_share = 0;    // of failing first attempts
  double fixes_per_failure = 0;
};
Figures figures_of(std::span<const Trace> traces);

}  // namespace cupel::simulate
