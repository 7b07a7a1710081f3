// Fits the landscape's free parameters to published figures, one parameter to one figure.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "simulated_ladder.h"
#include "stats/quantile.h"

namespace cupel::bench {
namespace {

using simulate::World;

constexpr int k_steps = 7;               // halvings of the interval of failure_odds
constexpr double k_free_variant = 1.64;  // published geomean of torch.compile, max-autotune

double log_gain(const std::string& strategy, const World& world, const simulate::Sample& sample) {
  return std::log(simulate::score_at_end(run_queries(strategy, world, sample)).geomean);
}

double published(const std::string& strategy) {
  for (const Rung& rung : ladder()) {
    if (rung.strategy == strategy) return std::log(rung.published);
  }
  return 0;
}

// A parameter that is bisected: the larger, the smaller a strategy's part of pike-b's log gain.
struct Fit {
  const char* name;
  double simulate::LandscapeParameters::*parameter;
  const char* strategy;
  double low, high;

  double middle() const { return std::sqrt(low * high); }
  void halve(double part) {
    const double wanted = published(strategy) / published("pike-b");
    (part > wanted ? low : high) = middle();
  }
};

// Log gains are all but proportional to the scale, so one step sets it.
void scale(World& world, double pike_b) {
  world.landscape.gain_scale *= published("pike-b") / pike_b;
}

void step(std::vector<Fit>& fits, World& world, const simulate::Sample& sample) {
  for (const Fit& fit : fits) world.landscape.*fit.parameter = fit.middle();
  const double pike_b = log_gain("pike-b", world, sample);
  std::printf("gain_scale %.4f: pike-b %.2f", world.landscape.gain_scale, std::exp(pike_b));
  for (Fit& fit : fits) {
    const double gain = log_gain(fit.strategy, world, sample);
    std::printf("; %s %.3f: %s %.2f", fit.name, fit.middle(), fit.strategy, std::exp(gain));
    fit.halve(gain / pike_b);
  }
  std::printf("\n");
  std::fflush(stdout);
  scale(world, pike_b);
}

// No run is needed: the mean of what the free variant gains.
double free_variant(const World& world) {
  constexpr std::uint64_t k_tasks = 5000;
  std::vector<double> gains;
  for (std::uint64_t seed = 0; seed < k_tasks; ++seed) {
    gains.push_back(simulate::Landscape(world.landscape, seed).log_seed());
  }
  return stats::mean(gains);
}

// The free variant's mean gain is proportional to the share of ideas that it carries out.
void fit_free_variant(World& world) {
  world.landscape.automatable_share *= std::log(k_free_variant) / free_variant(world);
  std::printf("automatable_share %.3f: free variant %.2f\n", world.landscape.automatable_share,
              std::exp(free_variant(world)));
}

}  // namespace

int simulate_fit(const Arguments& arguments) {
  using P = simulate::LandscapeParameters;
  World world;
  const auto sample = sample_of(arguments);
  std::vector<Fit> fits{{"failure_odds", &P::failure_odds, "pike-b:no-efa", 0.3, 3}};
  for (int i = 0; i < k_steps; ++i) step(fits, world, sample);
  fit_free_variant(world);
  return 0;
}

}  // namespace cupel::bench
