// Fits the landscape's free parameters to published figures, one parameter to one figure.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "simulated_ladder.h"
#include "stats/quantile.h"

namespace cupel::bench {
namespace {

using simulate::World;

constexpr int k_sweeps = 4;        // the parameters hardly act on each other's figures
constexpr int k_halvings = 9;      // of an interval of a factor of 10: to 0.5 %
constexpr double k_free_variant = 1.64;  // published geomean of torch.compile, max-autotune

double simulated(const std::string& strategy, const World& world, const simulate::Sample& sample) {
  return simulate::score_at_end(run_queries(strategy, world, sample)).geomean;
}

double free_variant(const World& world, const simulate::Sample& sample) {
  std::vector<double> gains;
  for (int run = 0; run < 10 * sample.runs; ++run) {
    gains.push_back(
        simulate::Landscape(world.landscape, static_cast<std::uint64_t>(run)).log_seed());
  }
  return std::exp(stats::mean(gains));
}

struct Fit {
  const char* name;
  double simulate::LandscapeParameters::*parameter;
  double low, high;
  double wanted;
  bool rises;  // the figure rises with the parameter
  std::function<double(const World&, const simulate::Sample&)> figure;
};

std::vector<Fit> fits() {
  using P = simulate::LandscapeParameters;
  const auto of = [](const char* strategy) {
    return [strategy](const World& world, const simulate::Sample& sample) {
      return simulated(strategy, world, sample);
    };
  };
  // The ratios, not the figures, so that the scale does not act on the other two.
  const auto over_pike_b = [](const char* strategy) {
    return [strategy](const World& world, const simulate::Sample& sample) {
      return std::log(simulated(strategy, world, sample)) /
             std::log(simulated("pike-b", world, sample));
    };
  };
  return {
      {"failure_slope", &P::failure_slope, 0.2, 6, std::log(1.98) / std::log(2.88), false,
       over_pike_b("pike-b:no-efa")},
      {"approach_sigma", &P::approach_sigma, 0.05, 1.5, std::log(2.68) / std::log(2.88), false,
       over_pike_b("pike-b:no-iba")},
      {"gain_scale", &P::gain_scale, 0.02, 1, 2.88, true, of("pike-b")},
      {"automatable_share", &P::automatable_share, 0.01, 0.9, k_free_variant, true, free_variant},
  };
}

void solve(const Fit& fit, World& world, const simulate::Sample& sample) {
  double low = fit.low;
  double high = fit.high;
  for (int i = 0; i < k_halvings; ++i) {
    world.landscape.*fit.parameter = std::sqrt(low * high);
    const bool too_high = fit.figure(world, sample) > fit.wanted;
    (too_high == fit.rises ? high : low) = world.landscape.*fit.parameter;
  }
}

}  // namespace

int simulate_fit(const Arguments& arguments) {
  World world;
  const auto sample = sample_of(arguments);
  for (int sweep = 1; sweep <= k_sweeps; ++sweep) {
    for (const Fit& fit : fits()) {
      solve(fit, world, sample);
      std::printf("sweep %d: %-18s %.3f\n", sweep, fit.name, world.landscape.*fit.parameter);
      std::fflush(stdout);
    }
  }
  for (const Fit& fit : fits()) {
    std::printf("%-18s wanted %.3f, reached %.3f\n", fit.name, fit.wanted,
                fit.figure(world, sample));
  }
  return 0;
}

}  // namespace cupel::bench
