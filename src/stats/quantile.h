// Location and scale of a sample. Every function needs at least one finite value; inputs are
// copied, never reordered. Pure and thread-safe.
#pragma once

#include <span>

namespace cupel::stats {

double mean(std::span<const double> values);

// With n - 1 in the denominator; 0 of a single value.
double standard_deviation(std::span<const double> values);

// Linear interpolation between order statistics (Hyndman and Fan's type 7); `fraction` in [0, 1].
double quantile(std::span<const double> values, double fraction);

double median(std::span<const double> values);

// Median absolute deviation from the median, times 1.4826: for normal data it estimates the
// standard deviation. Same unit as the values.
double mad_sigma(std::span<const double> values);

}  // namespace cupel::stats
