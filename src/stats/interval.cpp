#include "stats/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "stats/distributions.h"
#include "stats/quantile.h"

namespace cupel::stats {
namespace {

// Small samples: no order statistic is far enough out, so normality is assumed and the sample's
// own range is kept, whichever reaches further.
Interval small_sample_interval(std::span<const double> sorted, double confidence) {
  constexpr double k_infinity = std::numeric_limits<double>::infinity();
  if (sorted.size() < 2) return {-k_infinity, k_infinity};
  const auto n = static_cast<std::int64_t>(sorted.size());
  const double reach = student_two_sided_quantile(confidence, n - 1) * standard_deviation(sorted) /
                       std::sqrt(static_cast<double>(n));
  const double centre = mean(sorted);
  return {std::min(sorted.front(), centre - reach), std::max(sorted.back(), centre + reach)};
}

double resampled_mean(std::span<const double> values, Rng& rng) {
  double sum = 0;
  for (std::size_t draw = 0; draw < values.size(); ++draw) sum += values[rng.below(values.size())];
  return sum / static_cast<double>(values.size());
}

}  // namespace

MedianInterval median_interval(std::span<const double> values, double confidence) {
  CUPEL_CHECK(!values.empty() && confidence > 0 && confidence < 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<std::int64_t>(sorted.size());
  MedianInterval result;
  result.estimate = median(sorted);
  double lost = 0;
  const std::int64_t rank = median_rank(n, (1 - confidence) / 2, &lost);
  result.exact = rank >= 1;
  result.coverage = result.exact ? 1 - 2 * lost : 1 - 2 * std::pow(0.5, static_cast<double>(n));
  result.interval = result.exact ? Interval{sorted[static_cast<std::size_t>(rank - 1)],
                                            sorted[static_cast<std::size_t>(n - rank)]}
                                 : small_sample_interval(sorted, confidence);
  return result;
}

Interval bootstrap_mean(std::span<const double> values, double confidence, std::uint64_t seed) {
  CUPEL_CHECK(!values.empty() && confidence > 0 && confidence < 1);
  Rng rng(seed);
  std::vector<double> means;
  means.reserve(k_resamples);
  for (int round = 0; round < k_resamples; ++round) means.push_back(resampled_mean(values, rng));
  const double tail = (1 - confidence) / 2;
  return {quantile(means, tail), quantile(means, 1 - tail)};
}

Interval bootstrap_geomean(std::span<const double> values, double confidence, std::uint64_t seed) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    CUPEL_CHECK(value > 0);
    logs.push_back(std::log(value));
  }
  const Interval interval = bootstrap_mean(logs, confidence, seed);
  return {std::exp(interval.low), std::exp(interval.high)};
}

}  // namespace cupel::stats
