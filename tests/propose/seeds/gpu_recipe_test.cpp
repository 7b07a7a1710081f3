// The generated texts are run for real: all of them where there is a GPU, on the CPU those that
// need no CUDA graph.
#include "propose/seeds/gpu_recipe.h"

#include <gtest/gtest.h>

#include "propose/sample_task.h"
#include "propose/seed_runner.h"
#include "propose/seeds/portfolio.h"

namespace cupel::propose {
namespace {

// In standard deviations of the output.
constexpr double k_error_fp32_max = 1e-4;
constexpr double k_error_tf32_max = 2e-2;
constexpr double k_error_half_max = 0.1;

// softmax(q k^T) v in the ways that people write it.
constexpr const char* k_attention_source = R"(
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(32, 96)
        self.drop = nn.Dropout(0.0)
        self.register_buffer("seen", torch.tril(torch.ones(40, 40)).view(1, 1, 40, 40))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, 4, c // 4).transpose(1, 2) for p in self.qkv(x).split(c, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(self.seen[:, :, :t, :t] == 0, float("-inf"))
        mixed = self.drop(F.softmax(scores, dim=-1)) @ v
        return mixed.transpose(1, 2).reshape(b, t, c)


class Biased(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(4, 1, 1) + 0.5)
        self.bias = nn.Parameter(torch.randn(4, 24, 24))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        q = x.view(x.size(0), 24, 4, 8).transpose(1, 2)
        scores = torch.matmul(q, q.transpose(-2, -1)) * self.scale + self.bias
        scores = scores.view(-1, 2, 4, 24, 24) + self.bias[0]
        weights = self.softmax(scores.view(-1, 4, 24, 24))
        return torch.matmul(weights, q).transpose(1, 2).reshape(x.shape)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.causal, self.biased = Causal(), Biased()
        self.heads = nn.MultiheadAttention(32, 4, batch_first=True)

    def forward(self, x):
        x = x + self.causal(x)
        x = x + self.biased(x)
        return x + self.heads(x, x, x)[0]


def get_inputs():
    return [torch.randn(4, 24, 32)]


def get_init_inputs():
    return []
)";

// Weights of five dimensions beside a bias of four.
constexpr const char* k_volume_source = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(3, 8, 3)
        self.bias = nn.Parameter(torch.randn(8, 1, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x) + self.bias)


def get_inputs():
    return [torch.randn(2, 3, 6, 7, 8)]


def get_init_inputs():
    return []
)";

bool has_gpu() {
  static const bool found =
      output_of(python() + " -c 'import torch; print(torch.cuda.is_available())' 2>/dev/null") ==
      "True\n";
  return found;
}

Seed seed_of(const GpuRecipe& recipe, const char* source) {
  return {name_of(recipe), "", render(recipe, source), 0};
}

double error_max(const std::string& name) {
  if (name.find("16") != std::string::npos) return k_error_half_max;
  // Convolutions use TF32 unless told otherwise, on both sides; with other algorithms, too.
  return has_gpu() ? k_error_tf32_max : k_error_fp32_max;
}

void expect_same(const char* source, const std::vector<Seed>& seeds) {
  if (!has_torch()) GTEST_SKIP() << python() << " has no torch; set CUPEL_PYTHON";
  const std::string output = run_seeds(has_gpu() ? "cuda" : "cpu", source, seeds);
  const auto errors = errors_in(output);
  for (const Seed& seed : seeds) {
    ASSERT_TRUE(errors.contains(seed.name)) << seed.name << "\n" << output;
    EXPECT_LE(errors.at(seed.name), error_max(seed.name)) << seed.name;
  }
}

TEST(GpuRecipe, EverySeedComputesTheSame) {
  std::vector<Seed> seeds;
  if (has_gpu()) {
    seeds = portfolio(sample_task(), sample_facts(), Policy::half,
                      std::getenv("CUPEL_TEST_ALL_SEEDS") ? Effort::full : Effort::normal, "cuda");
  } else {
    const GpuRecipe recipes[] = {
        {.layout = Layout::channels_last, .precision = GpuPrecision::tf32},
        {.layout = Layout::channels_last, .precision = GpuPrecision::bf16, .reshapes = true},
        {.precision = GpuPrecision::amp_bf16, .benchmarked = true},
        {.layout = Layout::channels_last, .precision = GpuPrecision::bf16, .folded = true},
        {.precision = GpuPrecision::bf16, .compiler = GpuCompiler::frozen},
    };
    for (const GpuRecipe& recipe : recipes) seeds.push_back(seed_of(recipe, k_sample_source));
  }
  expect_same(k_sample_source, seeds);
}

TEST(GpuRecipe, WrittenOutAttentionIsFused) {
  std::vector<Seed> seeds{
      seed_of({.attention = true}, k_attention_source),
      seed_of({.precision = GpuPrecision::bf16, .attention = true}, k_attention_source),
      seed_of({.attention = true, .compiler = GpuCompiler::inductor}, k_attention_source)};
  if (has_gpu()) {
    seeds.push_back(seed_of({.precision = GpuPrecision::fp16,
                             .attention = true,
                             .compiler = GpuCompiler::inductor,
                             .launch = Launch::graph},
                            k_attention_source));
  }
  // Each of the three ways must be found, the first as a causal one.
  for (Seed& seed : seeds) {
    const std::string_view found = "        if not found:\n";
    seed.source.replace(seed.source.find(found), found.size(),
                        "        assert len(found) == 3, found\n" + std::string(found));
    const std::string_view causal = "    bias = None if causal else bias\n";
    seed.source.replace(seed.source.find(causal), causal.size(),
                        "    assert causal == ('causal' in str(node.meta['nn_module_stack']))\n" +
                            std::string(causal));
  }
  expect_same(k_attention_source, seeds);
}

TEST(GpuRecipe, AttentionThatIsNotThereIsRefused) {
  if (!has_torch()) GTEST_SKIP() << python() << " has no torch; set CUPEL_PYTHON";
  const std::string output = run_seeds(has_gpu() ? "cuda" : "cpu", k_sample_source,
                                       {seed_of({.attention = true}, k_sample_source)});
  EXPECT_NE(output.find("this model writes out no softmax(q k^T) v"), std::string::npos) << output;
}

TEST(GpuRecipe, LayoutsLeaveWeightsOfOtherRanksAlone) {
  expect_same(k_volume_source, {seed_of({.layout = Layout::channels_last_3d}, k_volume_source)});
}

TEST(GpuRecipe, NamesAreJoinedFromTheChoices) {
  EXPECT_EQ(name_of(GpuRecipe{}), "eager");
  EXPECT_EQ(name_of(GpuRecipe{.precision = GpuPrecision::exact, .benchmarked = true}), "eager");
  EXPECT_EQ(name_of(GpuRecipe{.compiler = GpuCompiler::inductor}), "compile");
  EXPECT_EQ(name_of(GpuRecipe{.compiler = GpuCompiler::tuned, .launch = Launch::own_graph}),
            "max_autotune");
  EXPECT_EQ(name_of(GpuRecipe{.layout = Layout::channels_last,
                              .precision = GpuPrecision::fp16,
                              .attention = true,
                              .compiler = GpuCompiler::inductor,
                              .launch = Launch::graph}),
            "channels_last+fp16+sdpa+compile+graph");
}

TEST(GpuRecipe, TheControlIsTheReference) {
  const std::string text = render(GpuRecipe{}, "class Model: ...\n");
  EXPECT_NE(text.find("class ModelNew(Model):\n    \"\"\"eager.\"\"\"\n"), std::string::npos);
  EXPECT_EQ(text.find("def "), std::string::npos);
}

TEST(GpuRecipe, WhatAGraphReturnsIsCopied) {
  const std::string text = render(GpuRecipe{.launch = Launch::graph}, "class Model: ...\n");
  EXPECT_NE(text.find("return value.clone()"), std::string::npos);
  const std::string plain = render(GpuRecipe{.compiler = GpuCompiler::inductor}, "");
  EXPECT_EQ(plain.find("clone"), std::string::npos);
}

}  // namespace
}  // namespace cupel::propose
