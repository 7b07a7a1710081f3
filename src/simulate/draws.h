// Random draws that landscapes are made of. Each advances the generator; nothing else changes.
#pragma once

#include <cstddef>
#include <span>

#include "base/rng.h"

namespace cupel::simulate {

// Standard normal.
double normal(Rng& rng);

// True with that probability.
bool chance(Rng& rng, double probability);

// An index with a probability in proportion to its weight; weights >= 0, one of them > 0.
std::size_t weighted(Rng& rng, std::span<const double> weights);

// 1 / (1 + exp(-x)).
double logistic(double x);

}  // namespace cupel::simulate
