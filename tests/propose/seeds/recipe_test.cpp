// The generated texts are run for real: one Python process for all of them.
#include "propose/seeds/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "propose/sample_task.h"
#include "propose/seed_runner.h"
#include "propose/seeds/portfolio.h"

namespace cupel::propose {
namespace {

// One of each kind; CUPEL_TEST_ALL_SEEDS=1 runs every product (some minutes).
constexpr std::string_view k_run[] = {"eager",      "inference_mode", "channels_last",
                                      "bf16",       "autocast",       "one_thread",
                                      "fold_norms", "trace",          "channels_last+fold_norms",
                                      "compile",    "bf16+freezing",  "channels_last+bf16+trace",
                                      "freezing"};
// In standard deviations of the output; bfloat16 keeps 8 bits.
constexpr double k_error_fp32_max = 1e-4;
constexpr double k_error_bf16_max = 0.1;

bool is_run(const Seed& seed) {
  return std::getenv("CUPEL_TEST_ALL_SEEDS") != nullptr ||
         std::find(std::begin(k_run), std::end(k_run), seed.name) != std::end(k_run);
}

double error_max(const std::string& name) {
  const bool low =
      name.find("bf16") != std::string::npos || name.find("autocast") != std::string::npos;
  return low ? k_error_bf16_max : k_error_fp32_max;
}

TEST(Recipe, EverySeedComputesTheSame) {
  if (!has_torch()) GTEST_SKIP() << python() << " has no torch; set CUPEL_PYTHON";
  std::vector<Seed> seeds;
  for (const Seed& seed : portfolio(sample_task(), sample_facts(), Policy::half, Effort::full)) {
    if (is_run(seed)) seeds.push_back(seed);
  }
  const std::string output = run_seeds("cpu", k_sample_source, seeds);
  const auto errors = errors_in(output);
  for (const Seed& seed : seeds) {
    ASSERT_TRUE(errors.contains(seed.name)) << seed.name << "\n" << output;
    EXPECT_LE(errors.at(seed.name), error_max(seed.name)) << seed.name;
  }
}

TEST(Recipe, NamesAreJoinedFromTheChoices) {
  EXPECT_EQ(name_of({}), "eager");
  EXPECT_EQ(name_of({.runner = Runner::compiled}), "compile");
  EXPECT_EQ(name_of({.layout = Layout::channels_last}), "channels_last");
  EXPECT_EQ(name_of({.layout = Layout::channels_last,
                     .precision = Precision::bf16,
                     .one_thread = true,
                     .runner = Runner::frozen}),
            "channels_last+bf16+one_thread+freezing");
}

TEST(Recipe, TheControlIsTheReference) {
  const std::string text = render({}, "class Model: ...\n");
  EXPECT_NE(text.find("class ModelNew(Model):\n    \"\"\"eager.\"\"\"\n"), std::string::npos);
  EXPECT_EQ(text.find("def "), std::string::npos);
}

TEST(Recipe, TheTasksSourceIsKeptAsItIs) {
  for (const Runner runner : {Runner::eager, Runner::frozen, Runner::traced}) {
    EXPECT_NE(render({.runner = runner}, k_sample_source).find(k_sample_source), std::string::npos);
  }
}

}  // namespace
}  // namespace cupel::propose
