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

// From an interval of the log ratio to one of the ratio, `sigma` * z added in quadrature.
Interval widen(double log_ratio, const Interval& within, double confidence, double sigma) {
  const double between = sigma > 0 ? sigma * normal_two_sided_quantile(confidence) : 0;
  const double down = std::min(std::hypot(log_ratio - within.low, between), k_log_reach_max);
  const double up = std::min(std::hypot(within.high - log_ratio, between), k_log_reach_max);
  return {std::exp(log_ratio - down), std::exp(log_ratio + up)};
}

template <class IntervalAt>  // Interval(double confidence), of the log ratio
void fill_intervals(PairedRatio& result, double log_ratio, double sigma, IntervalAt within) {
  result.ratio = std::exp(log_ratio);
  result.within_95 = widen(log_ratio, within(0.95), 0.95, 0);
  result.total_95 = widen(log_ratio, within(0.95), 0.95, sigma);
  result.total_99 = widen(log_ratio, within(0.99), 0.99, sigma);
  result.total_999 = widen(log_ratio, within(0.999), 0.999, sigma);
}

using RoundBlocks = std::map<int, std::vector<Block>>;

RoundBlocks by_round(const std::vector<Block>& blocks) {
  RoundBlocks rounds;
  for (const Block& block : blocks) rounds[block.round].push_back(block);
  return rounds;
}

// Of the pooled log ratio: see k_process_sigma_weight. `centre_of`: a round's log ratio.
template <class CentreOf>
double between_sigma(const std::vector<Block>& blocks, double process_sigma, CentreOf centre_of) {
  std::vector<double> centres;
  for (const auto& [round, own] : by_round(blocks)) centres.push_back(centre_of(own));
  const auto count = static_cast<double>(centres.size());
  if (count < 2 || process_sigma == 0) return process_sigma;
  const double middle = mean(centres);
  double squares = 0;
  for (const double centre : centres) squares += (centre - middle) * (centre - middle);
  const double prior = k_process_sigma_weight * process_sigma * process_sigma;
  return std::sqrt((prior + squares) / (k_process_sigma_weight + count - 1) / count);
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

PairedRatio paired_ratio(std::span<const PairedTime> pairs, double process_sigma) {
  const std::vector<Block> blocks = complete_blocks(pairs);
  PairedRatio result = counted(blocks);
  const std::vector<double> logs = log_ratios(blocks);
  const double centre = logs.empty() ? 0 : median(logs);
  const double between =
      between_sigma(blocks, process_sigma, [](const auto& own) { return median(log_ratios(own)); });
  fill_intervals(result, centre, between, [&](double confidence) {
    return logs.empty() ? unbounded() : median_interval(logs, confidence).interval;
  });
  return result;
}

PairedRatio paired_mean_ratio(std::span<const PairedTime> pairs, std::uint64_t seed,
                              double process_sigma) {
  const std::vector<Block> blocks = complete_blocks(pairs);
  PairedRatio result = counted(blocks);
  const double centre = blocks.empty() ? 0 : log_ratio_of_sums(blocks);
  const bool enough = blocks.size() >= 2;
  const std::vector<double> logs =
      enough ? resampled_log_ratios(blocks, seed) : std::vector<double>{};
  const double between = between_sigma(blocks, process_sigma, log_ratio_of_sums);
  fill_intervals(result, centre, between, [&](double confidence) {
    if (!enough) return unbounded();
    const double tail = (1 - confidence) / 2;
    const Interval drawn{quantile(logs, tail), quantile(logs, 1 - tail)};
    return Interval{std::min(drawn.low, centre), std::max(drawn.high, centre)};
  });
  return result;
}

}  // namespace cupel::stats
