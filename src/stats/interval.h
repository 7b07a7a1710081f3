// Confidence intervals. Pure: equal arguments give equal results, resampling is seeded.
#pragma once

#include <cstdint>
#include <span>

namespace cupel::stats {

struct Interval {
  double low = 0;
  double high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

// An interval of a median. `exact`: order statistics, distribution-free, with the stated
// coverage. Otherwise the sample was too small for that (fewer than 6 values at 95 %, 8 at 99 %,
// 11 at 99.9 %) and the interval is the hull of the sample and Student's t interval.
struct MedianInterval {
  double estimate = 0;
  Interval interval;
  double coverage = 0;  // of the order statistics used; below the wanted one when not exact
  bool exact = false;
};

// Needs one value or more; a single one gives an interval without bounds (infinite).
MedianInterval median_interval(std::span<const double> values, double confidence);

// Resamples of a bootstrap: the quantile at 0.5 % then rests on ten of them.
inline constexpr int k_resamples = 2000;

// Percentile bootstrap of the mean, and of the geometric mean of positive values.
Interval bootstrap_mean(std::span<const double> values, double confidence, std::uint64_t seed);
Interval bootstrap_geomean(std::span<const double> values, double confidence, std::uint64_t seed);

}  // namespace cupel::stats
