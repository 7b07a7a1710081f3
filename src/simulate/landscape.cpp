#include "simulate/landscape.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "simulate/draws.h"

namespace cupel::simulate {
namespace {

// exp(sigma * deviate) with mean 1.
double lognormal(double sigma, double deviate) {
  return std::exp(sigma * deviate - sigma * sigma / 2);
}

double salience(const LandscapeParameters& parameters, int rank) {
  return std::pow(rank + 1, -parameters.salience_exponent);
}

// A dud costs as much as a useful idea of its size would gain on average, halved: what makes a
// program much slower is noticed while it is written.
constexpr double k_dud_gain = -0.5;

Idea make_idea(const LandscapeParameters& parameters, double scale, int rank, Rng& rng) {
  const double deviate = normal(rng);
  Idea idea;
  idea.salience = salience(parameters, rank);
  idea.failure = logistic(std::log(parameters.failure_odds) + parameters.failure_slope * deviate);
  idea.gain = scale * lognormal(parameters.idea_sigma, deviate);
  const bool dud = chance(rng, parameters.dud_share);
  const bool automatable = chance(rng, parameters.automatable_share);
  if (dud) idea.gain *= k_dud_gain;
  idea.automatable = automatable && !dud;
  return idea;
}

double sum_of_automatable(const Approach& approach) {
  double sum = 0;
  for (const Idea& idea : approach.ideas) sum += idea.automatable ? idea.gain : 0;
  return sum;
}

}  // namespace

Landscape::Landscape(const LandscapeParameters& parameters, std::uint64_t seed) {
  CUPEL_CHECK(parameters.approaches > 0 && parameters.ideas > 0);
  Rng rng(seed);
  const double scale = parameters.gain_scale * lognormal(parameters.task_sigma, normal(rng));
  for (int rank = 0; rank < parameters.approaches; ++rank) {
    approaches_.push_back(make_approach(parameters, scale, rank, rng));
  }
  log_seed_ = sum_of_automatable(approaches_.front());
}

Approach Landscape::make_approach(const LandscapeParameters& parameters, double scale, int rank,
                                  Rng& rng) {
  Approach approach;
  approach.salience = salience(parameters, rank);
  const double own = scale * lognormal(parameters.approach_sigma, normal(rng));
  for (int i = 0; i < parameters.ideas; ++i) {
    approach.ideas.push_back(make_idea(parameters, own, i, rng));
  }
  return approach;
}

double Landscape::log_gain(const Program& program) const {
  double sum = program.on_seed ? log_seed_ : 0;
  if (program.approach < 0) return sum;
  const auto& ideas = approaches_[static_cast<std::size_t>(program.approach)].ideas;
  for (std::size_t i = 0; i < ideas.size(); ++i) {
    const bool there_already = program.on_seed && ideas[i].automatable;
    if (!there_already) sum += program.quality[i] * ideas[i].gain;
  }
  return sum;
}

double Landscape::log_optimum() const {
  double best = 0;
  for (const Approach& approach : approaches_) {
    double sum = 0;
    for (const Idea& idea : approach.ideas) sum += std::max(idea.gain, 0.0);
    best = std::max(best, sum);
  }
  return best;
}

Program Landscape::seed() const {
  Program program;
  program.on_seed = true;
  return program;
}

Program Landscape::blank(std::size_t approach) const {
  Program program;
  program.approach = static_cast<int>(approach);
  program.quality.assign(approaches_[approach].ideas.size(), 0);
  program.numbers.assign(approaches_[approach].ideas.size(), {});
  return program;
}

}  // namespace cupel::simulate
