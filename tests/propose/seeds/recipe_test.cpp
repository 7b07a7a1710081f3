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

// Each operator that oneDNN has runs between two of its convolutions.
constexpr const char* k_nan_source = R"(import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1) for _ in range(6))
        self.eval()

    def forward(self, x):
        maps = [torch.relu, torch.sigmoid, lambda x: F.max_pool2d(x, 2), F.relu6,
                lambda x: torch.clamp(x, -1, 1), lambda x: torch.clamp(x + x, min=0.1)]
        ends = [F.conv2d(f(conv(x)), conv.weight) for f, conv in zip(maps, self.convs)]
        return ends[0], ends[1], ends[2], ends[3], ends[4], ends[5]


def get_inputs():
    return [torch.randn(2, 4, 9, 9)]


def get_init_inputs():
    return []
)";

TEST(Recipe, TracedSeedsKeepNan) {
  if (!has_torch()) GTEST_SKIP() << python() << " has no torch; set CUPEL_PYTHON";
  Seed seed;
  seed.name = "trace";
  seed.source = render({.runner = Runner::traced}, k_nan_source);
  const std::string output = run_seeds("cpu", k_nan_source, {seed});
  const auto errors = errors_in(output);
  ASSERT_TRUE(errors.contains("trace")) << output;
  EXPECT_LE(errors.at("trace"), k_error_fp32_max);
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
