#include "stats/paired.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "stats/distributions.h"
#include "stats/quantile.h"

namespace cupel::stats {
namespace {

struct Block {
  double log_ratio_sum = 0;
  double baseline_ns = 0;
  double candidate_ns = 0;
  int pairs = 0;
  int round = 0;
};

std::vector<Block> complete_blocks(std::span<const PairedTime> pairs) {
  std::map<std::int64_t, Block> by_id;
  int fullest = 0;
  for (const PairedTime& pair : pairs) {
    CUPEL_CHECK(pair.baseline_ns > 0 && pair.candidate_ns > 0);
    Block& block = by_id[pair.block];
    block.log_ratio_sum += std::log(pair.baseline_ns / pair.candidate_ns);
    block.baseline_ns += pair.baseline_ns;
    block.candidate_ns += pair.candidate_ns;
    block.round = pair.round;
    fullest = std::max(fullest, ++block.pairs);
  }
  std::vector<Block> blocks;
  for (const auto& [id, block] : by_id) {
    if (block.pairs == fullest) blocks.push_back(block);
  }
  return blocks;
}

using RoundBlocks = std::map<int, std::vector<Block>>;

RoundBlocks by_round(const std::vector<Block>& blocks) {
  RoundBlocks rounds;
  for (const Block& block : blocks) rounds[block.round].push_back(block);
  return rounds;
}

// From an interval of the log ratio to one of the ratio, `between` added in quadrature.
Interval widen(double log_ratio, const Interval& within, double between) {
  const double down = std::min(std::hypot(log_ratio - within.low, between), k_log_reach_max);
  const double up = std::min(std::hypot(within.high - log_ratio, between), k_log_reach_max);
  return {std::exp(log_ratio - down), std::exp(log_ratio + up)};
}

template <class IntervalAt>  // Interval(double confidence), of the log ratio
void fill_intervals(PairedRatio& result, double log_ratio, const BetweenNoise& between,
                    IntervalAt within) {
  const auto total = [&](double confidence) {
    return widen(log_ratio, within(confidence), between.reach(confidence));
  };
  result.ratio = std::exp(log_ratio);
  result.within_95 = widen(log_ratio, within(0.95), 0);
  result.total_95 = total(0.95);
  result.total_99 = total(0.99);
  result.total_999 = total(0.999);
}

PairedRatio counted(const std::vector<Block>& blocks) {
  PairedRatio result;
  result.blocks = static_cast<int>(blocks.size());
  for (const Block& block : blocks) result.pairs += block.pairs;
  result.rounds = static_cast<int>(by_round(blocks).size());
  result.few_blocks = median_rank(result.blocks, 0.005) < 1;
  return result;
}

double log_ratio_of_sums(const std::vector<Block>& blocks) {
  double baseline_ns = 0, candidate_ns = 0;
  for (const Block& block : blocks) {
    baseline_ns += block.baseline_ns;
    candidate_ns += block.candidate_ns;
  }
  return std::log(baseline_ns / candidate_ns);
}

std::vector<double> resampled_log_ratios(const std::vector<Block>& blocks, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> logs;
  std::vector<Block> drawn(blocks.size());
  for (int round = 0; round < k_resamples; ++round) {
    for (Block& block : drawn) block = blocks[rng.below(blocks.size())];
    logs.push_back(log_ratio_of_sums(drawn));
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

std::vector<double> log_ratios(const std::vector<Block>& blocks) {
  std::vector<double> logs;
  for (const Block& block : blocks) logs.push_back(block.log_ratio_sum / block.pairs);
  return logs;
}

Interval unbounded() {
  return {-k_log_reach_max, k_log_reach_max};
}

}  // namespace

double BetweenNoise::reach(double confidence) const {
  return error > 0 ? error * student_two_sided_quantile(confidence, degrees) : 0;
}

BetweenNoise between_noise(std::span<const double> centres, double process_sigma) {
  if (process_sigma == 0) return {};
  const double middle = centres.empty() ? 0 : mean(centres);
  double squares = k_process_sigma_weight * process_sigma * process_sigma;
  for (const double centre : centres) squares += (centre - middle) * (centre - middle);
  const int rounds = std::max(1, static_cast<int>(centres.size()));
  const int degrees = k_process_sigma_weight + rounds - 1;
  return {std::sqrt(squares / degrees / rounds), degrees};
}

PairedRatio paired_ratio(std::span<const PairedTime> pairs, double process_sigma) {
  const std::vector<Block> blocks = complete_blocks(pairs);
  PairedRatio result = counted(blocks);
  std::vector<double> centres, residuals;
  for (const auto& [round, own] : by_round(blocks)) {
    const std::vector<double> logs = log_ratios(own);
    centres.push_back(median(logs));
    for (const double log : logs) residuals.push_back(log - centres.back());
  }
  const double centre = centres.empty() ? 0 : mean(centres);
  fill_intervals(result, centre, between_noise(centres, process_sigma), [&](double confidence) {
    if (residuals.empty()) return unbounded();
    const Interval noise = median_interval(residuals, confidence).interval;
    return Interval{centre + std::min(noise.low, 0.0), centre + std::max(noise.high, 0.0)};
  });
  return result;
}

PairedRatio paired_mean_ratio(std::span<const PairedTime> pairs, std::uint64_t seed,
                              double process_sigma) {
  const std::vector<Block> blocks = complete_blocks(pairs);
  PairedRatio result = counted(blocks);
  std::vector<double> centres;
  for (const auto& [round, own] : by_round(blocks)) centres.push_back(log_ratio_of_sums(own));
  const double centre = blocks.empty() ? 0 : log_ratio_of_sums(blocks);
  const bool enough = blocks.size() >= 2;
  const std::vector<double> logs =
      enough ? resampled_log_ratios(blocks, seed) : std::vector<double>{};
  fill_intervals(result, centre, between_noise(centres, process_sigma), [&](double confidence) {
    if (!enough) return unbounded();
    const double tail = (1 - confidence) / 2;
    const Interval drawn{quantile(logs, tail), quantile(logs, 1 - tail)};
    return Interval{std::min(drawn.low, centre), std::max(drawn.high, centre)};
  });
  return result;
}

}  // namespace cupel::stats
