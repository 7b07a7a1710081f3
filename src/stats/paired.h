// The speedup of one program over another from paired calls. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "stats/interval.h"

namespace cupel::stats {

// Two calls on the same input. A block holds the pairs of two consecutive inputs, whose mean log
// ratio is one sample. Who goes first changes from chunk to chunk, so that drift and the place in a
// turn cancel over the blocks.
struct PairedTime {
  double baseline_ns = 0;   // > 0
  double candidate_ns = 0;  // > 0
  std::int64_t block = 0;   // unique over all rounds
  int round = 0;            // pairs of one round come from the same two processes
};

// Standard deviation of the log ratio of two equal programs in two equal processes once noise
// within the round is averaged out, as it is believed to be before a round was seen: pages, code
// and heap lie at other addresses, threads on other cores. No number of calls in the same two
// processes makes it smaller; further rounds in fresh processes do. In log units (0.014 is 1.4 per
// cent). Seen: 0.5 per cent where arithmetic dominates, 2 per cent where memory does.
inline constexpr double k_process_sigma = 0.014;
// What that belief is worth, in rounds. With m rounds whose log ratios r have the mean c, the
// square is taken as (w k_process_sigma^2 + sum (r - c)^2) / (w + m - 1), w being this weight: the
// posterior of a scaled inverse chi-squared prior. The mean c is then off by Student's t with w + m
// - 1 degrees of freedom, so that not knowing the noise widens the interval, too.
inline constexpr int k_process_sigma_weight = 6;

// No interval is stated wider than a factor of a million; it then says nothing, in finite numbers.
inline constexpr double k_log_reach_max = 13.815510557964274;  // ln 1e6

// Ratios are baseline over candidate: above 1 the candidate is faster.
struct PairedRatio {
  double ratio = 1;
  Interval within_95;  // noise within the rounds only
  Interval total_95;   // with the noise between processes added in quadrature
  Interval total_99;
  Interval total_999;
  int pairs = 0;
  int rounds = 0;
  int blocks = 0;           // complete blocks; the others were left out
  bool few_blocks = false;  // too few for an exact 99 % interval (see MedianInterval)

  // Half of within_95 in units of the ratio: what more calls can still improve.
  double half_width() const { return (within_95.high - within_95.low) / (2 * ratio); }
};

// What is known of the noise between processes: see k_process_sigma_weight.
struct BetweenNoise {
  double error = 0;  // one standard error of the mean over rounds
  int degrees = 1;

  double reach(double confidence) const;  // of Student's t, on either side
};

// `centres`: what each round came to; `process_sigma`: in units of theirs. 0 leaves the noise out.
BetweenNoise between_noise(std::span<const double> centres, double process_sigma);

// The mean over rounds of the median over their blocks of the mean log ratio: every pair of
// processes counts alike, however many calls it made. Noise within the rounds: order statistics of
// what blocks are off their own round's median. Noise between processes is added in quadrature; a
// `process_sigma` of 0 leaves it out. Blocks with fewer pairs than the fullest are left out.
// Without pairs the ratio is 1, its intervals are as wide as stated, and `blocks` is 0.
PairedRatio paired_ratio(std::span<const PairedTime> pairs, double process_sigma = k_process_sigma);

// The ratio of summed times instead: every nanosecond counts, outliers too. Intervals by
// resampling blocks (percentile bootstrap).
PairedRatio paired_mean_ratio(std::span<const PairedTime> pairs, std::uint64_t seed,
                              double process_sigma = k_process_sigma);

}  // namespace cupel::stats
