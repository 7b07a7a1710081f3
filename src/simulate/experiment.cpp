#include "simulate/experiment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "base/result.h"
#include "base/rng.h"
#include "stats/quantile.h"

namespace cupel::simulate {
namespace {

constexpr double k_confidence = 0.95;
constexpr std::uint64_t k_resampling_seed = 20251121;
// Geometric means along a curve cost runs times steps each, so a curve is resampled less often
// than a mean: its 2.5 % quantile then rests on five resamples.
constexpr int k_curve_resamples = 200;
constexpr int k_curve_steps = 200;
constexpr double k_rounding = 1e-9;  // of a mean log gain: a curve reaches its own end

// An independent stream for one run, so that tasks do not depend on who runs them.
std::uint64_t seed_of(const Sample& sample, int run, std::uint64_t purpose) {
  Rng rng(sample.seed);
  return rng.fork(static_cast<std::uint64_t>(run)).fork(purpose).next();
}

Trace simulate_one(const search::Strategy& strategy, const World& world, const RunLimits& limits,
                   const Sample& sample, int run) {
  const Landscape landscape(world.landscape, seed_of(sample, run, 0));
  return simulate_run(strategy, world, landscape, limits, seed_of(sample, run, 1));
}

Score score_of(const std::vector<double>& log_gains) {
  CUPEL_CHECK(!log_gains.empty());
  const auto interval = stats::bootstrap_mean(log_gains, k_confidence, k_resampling_seed);
  return {std::exp(stats::mean(log_gains)), {std::exp(interval.low), std::exp(interval.high)}};
}

template <class Read>
std::vector<double> each(std::span<const Trace> traces, Read read) {
  std::vector<double> values;
  values.reserve(traces.size());
  for (const Trace& trace : traces) values.push_back(read(trace));
  return values;
}

double mean_end_usd(std::span<const Trace> traces) {
  return stats::mean(each(traces, [](const Trace& trace) { return trace.end.usd; }));
}

double end_usd_max(std::span<const Trace> traces) {
  double most = 0;
  for (const Trace& trace : traces) most = std::max(most, trace.end.usd);
  return most;
}

// Log gains of every run on an even grid of dollars: a resample is then a sum of rows.
struct Grid {
  double usd_max = 0;
  std::vector<std::vector<double>> rows;  // per run, k_curve_steps + 1 values

  double usd(std::size_t step) const { return usd_max * static_cast<double>(step) / k_curve_steps; }
};

Grid grid_of(std::span<const Trace> traces) {
  Grid grid{end_usd_max(traces), {}};
  for (const Trace& trace : traces) {
    std::vector<double> row(k_curve_steps + 1);
    for (std::size_t step = 0; step < row.size(); ++step) {
      row[step] = log_gain_at_usd(trace, grid.usd(step));
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

// Where the mean over the picked runs first reaches `log_gain`, between two steps of the grid.
double crossing(const Grid& grid, std::span<const std::size_t> picked, double log_gain) {
  std::vector<double> sum(k_curve_steps + 1, 0);
  for (const std::size_t run : picked) {
    for (std::size_t step = 0; step < sum.size(); ++step) sum[step] += grid.rows[run][step];
  }
  const double wanted = (log_gain - k_rounding) * static_cast<double>(picked.size());
  for (std::size_t step = 0; step < sum.size(); ++step) {
    if (sum[step] < wanted) continue;
    if (step == 0) return 0;
    const double part = (wanted - sum[step - 1]) / (sum[step] - sum[step - 1]);
    return grid.usd(step - 1) + part * (grid.usd(step) - grid.usd(step - 1));
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<std::size_t> everyone(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<std::size_t> resample(std::size_t count, Rng& rng) {
  std::vector<std::size_t> picked(count);
  for (std::size_t& run : picked) run = rng.below(count);
  return picked;
}

// `price` of all runs and of resamples. Quantiles of sorted values, so that infinities do no harm.
template <class PriceOf>
Price with_interval(std::size_t count, PriceOf price) {
  Rng rng(k_resampling_seed);
  std::vector<double> prices;
  for (int round = 0; round < k_curve_resamples; ++round) {
    prices.push_back(price(resample(count, rng)));
  }
  std::sort(prices.begin(), prices.end());
  const auto cut = static_cast<std::size_t>(k_curve_resamples * (1 - k_confidence) / 2);
  return {price(everyone(count)), {prices[cut], prices[prices.size() - 1 - cut]}};
}

double mean_of(std::span<const double> values, std::span<const std::size_t> picked) {
  double sum = 0;
  for (const std::size_t run : picked) sum += values[run];
  return sum / static_cast<double>(picked.size());
}

}  // namespace

std::vector<Trace> simulate_runs(const search::Strategy& strategy, const World& world,
                                 const RunLimits& limits, const Sample& sample) {
  std::vector<Trace> traces(static_cast<std::size_t>(sample.runs));
  std::atomic<int> next{0};
  const auto work = [&] {
    for (int run = next++; run < sample.runs; run = next++) {
      traces[static_cast<std::size_t>(run)] = simulate_one(strategy, world, limits, sample, run);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i < sample.threads; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // joins
  return traces;
}

Score score_at_usd(std::span<const Trace> traces, double usd) {
  return score_of(each(traces, [usd](const Trace& trace) { return log_gain_at_usd(trace, usd); }));
}

Score score_at_queries(std::span<const Trace> traces, std::int64_t queries) {
  return score_of(
      each(traces, [queries](const Trace& trace) { return log_gain_at_queries(trace, queries); }));
}

Score score_at_end(std::span<const Trace> traces) {
  return score_of(each(traces, [](const Trace& trace) { return trace.end.log_gain; }));
}

Price price_of(std::span<const Trace> traces, double geomean) {
  const Grid grid = grid_of(traces);
  const double wanted = std::log(geomean);
  return with_interval(traces.size(),
                       [&](const auto& picked) { return crossing(grid, picked, wanted); });
}

Price relative_price(std::span<const Trace> challenger, std::span<const Trace> champion) {
  CUPEL_CHECK(challenger.size() == champion.size());
  const Grid grid = grid_of(challenger);
  const auto gains = each(champion, [](const Trace& trace) { return trace.end.log_gain; });
  const auto spent = each(champion, [](const Trace& trace) { return trace.end.usd; });
  return with_interval(champion.size(), [&](const auto& picked) {
    return crossing(grid, picked, mean_of(gains, picked)) / mean_of(spent, picked);
  });
}

Figures figures_of(std::span<const Trace> traces) {
  Figures figures;
  double failures = 0;
  for (const Trace& trace : traces) {
    figures.queries += static_cast<double>(trace.end.queries);
    figures.seconds += trace.end.seconds;
    figures.candidates += trace.candidates;
    failures += trace.failures;
    figures.fixed_share += trace.fixed;
    figures.fixes_per_failure += trace.fixes;
  }
  const auto count = static_cast<double>(traces.size());
  figures.usd = mean_end_usd(traces);
  figures.failure_share = failures / std::max(1.0, figures.candidates);
  figures.fixed_share /= std::max(1.0, failures);
  figures.fixes_per_failure /= std::max(1.0, failures);
  figures.queries /= count;
  figures.seconds /= count;
  figures.candidates /= count;
  return figures;
}

}  // namespace cupel::simulate
