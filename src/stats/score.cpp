#include "stats/score.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"

namespace cupel::stats {

double geomean(std::span<const double> speedups, double floor) {
  CUPEL_CHECK(!speedups.empty());
  double sum = 0;
  for (const double speedup : speedups) {
    const double counted = std::max(speedup, floor);
    CUPEL_CHECK(counted > 0);
    sum += std::log(counted);
  }
  return std::exp(sum / static_cast<double>(speedups.size()));
}

double fast_p(std::span<const double> speedups, double p) {
  CUPEL_CHECK(!speedups.empty());
  const auto fast =
      std::count_if(speedups.begin(), speedups.end(), [p](double speedup) { return speedup > p; });
  return static_cast<double>(fast) / static_cast<double>(speedups.size());
}

}  // namespace cupel::stats
