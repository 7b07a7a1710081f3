// Seeded noise for tests: normal deviates from the project's own generator, so that every
// platform sees the same numbers.
#pragma once

#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace cupel::testing_noise {

// One standard normal deviate (Box and Muller).
inline double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(2 * std::numbers::pi * rng.uniform());
}

// `centre` times exp(sigma * normal).
inline double lognormal(Rng& rng, double centre, double sigma) {
  return centre * std::exp(sigma * normal(rng));
}

}  // namespace cupel::testing_noise
