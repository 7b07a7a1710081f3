#include "simulate/landscape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stats/quantile.h"

namespace cupel::simulate {
namespace {

TEST(Landscape, EqualSeedsGiveEqualTasks) {
  const LandscapeParameters parameters;
  EXPECT_EQ(Landscape(parameters, 7).log_optimum(), Landscape(parameters, 7).log_optimum());
  EXPECT_NE(Landscape(parameters, 7).log_optimum(), Landscape(parameters, 8).log_optimum());
}

TEST(Landscape, GainsAddUpByQuality) {
  const Landscape landscape({}, 3);
  Program program = landscape.blank(2);
  EXPECT_EQ(landscape.log_gain(program), 0);
  program.quality[4] = 0.5;
  program.quality[5] = 1;
  const auto& ideas = landscape.approaches()[2].ideas;
  EXPECT_DOUBLE_EQ(landscape.log_gain(program), 0.5 * ideas[4].gain + ideas[5].gain);
}

TEST(Landscape, WhatTheFreeVariantHasGainsNothingOnTopOfIt) {
  LandscapeParameters parameters;
  parameters.automatable_share = 1;
  parameters.dud_share = 0;
  const Landscape landscape(parameters, 3);
  Program program = landscape.blank(0);
  program.on_seed = true;
  program.quality.assign(program.quality.size(), 1);
  EXPECT_DOUBLE_EQ(landscape.log_gain(program), landscape.log_seed());
  EXPECT_DOUBLE_EQ(landscape.log_gain(landscape.seed()), landscape.log_seed());
  EXPECT_GT(landscape.log_seed(), 0);
}

TEST(Landscape, NoProgramBeatsTheOptimum) {
  const Landscape landscape({}, 11);
  for (std::size_t i = 0; i < landscape.approaches().size(); ++i) {
    Program program = landscape.blank(i);
    program.quality.assign(program.quality.size(), 1);
    EXPECT_LE(landscape.log_gain(program), landscape.log_optimum());
  }
}

TEST(Landscape, WhatGainsMoreFailsMoreOften) {
  LandscapeParameters parameters;
  parameters.dud_share = 0;
  parameters.task_sigma = parameters.approach_sigma = 0;
  std::vector<double> large;
  std::vector<double> small;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Landscape landscape(parameters, seed);
    for (const Approach& approach : landscape.approaches()) {
      for (const Idea& idea : approach.ideas) {
        (idea.gain > parameters.gain_scale ? large : small).push_back(idea.failure);
      }
    }
  }
  EXPECT_GT(stats::mean(large), stats::mean(small) + 0.1);
}

TEST(Landscape, DudsAreAsManyAsAsked) {
  LandscapeParameters parameters;
  parameters.dud_share = 0.3;
  int duds = 0;
  int ideas = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Landscape landscape(parameters, seed);
    for (const Approach& approach : landscape.approaches()) {
      for (const Idea& idea : approach.ideas) {
        duds += idea.gain < 0 ? 1 : 0;
        EXPECT_FALSE(idea.gain < 0 && idea.automatable);
        ++ideas;
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(duds) / ideas, 0.3, 0.03);
}

}  // namespace
}  // namespace cupel::simulate
