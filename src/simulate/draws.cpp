#include "simulate/draws.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/result.h"

namespace cupel::simulate {

double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));  // 1 - u is never 0
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

bool chance(Rng& rng, double probability) {
  return rng.uniform() < probability;
}

std::size_t weighted(Rng& rng, std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  CUPEL_CHECK(total > 0);
  double left = rng.uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) break;
  }
  return last;
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace cupel::simulate
