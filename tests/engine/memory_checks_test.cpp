#include "engine/evaluate/memory_checks.h"

#include <gtest/gtest.h>

namespace cupel::engine {
namespace {

using Names = std::vector<std::string>;

constexpr const char* k_source = R"(
extern "C" __global__ void plain(const float* x) {}
template <int N>
__global__ void __launch_bounds__(256, 2) reduced(const float* x, float* y) {
  __shared__ float part[N];
}
__global__ static void plain(const float* x);
)";

TEST(MemoryChecks, KernelsAreFoundByName) {
  EXPECT_EQ(shared_memory_kernels(k_source), (Names{"plain", "reduced"}));
}

TEST(MemoryChecks, WithoutSharedMemoryThereIsNothingToRaceFor) {
  EXPECT_EQ(shared_memory_kernels("__global__ void plain(float* x) {}"), Names());
  EXPECT_EQ(shared_memory_kernels("tl.load(x)"), Names());
  EXPECT_EQ(shared_memory_kernels("__shared__ __global__"), Names());
  EXPECT_EQ(shared_memory_kernels("__shared__ __global__ void broken("), Names{"broken"});
}

TEST(MemoryChecks, EachToolIsACommand) {
  const std::vector<std::string> checker{"/cuda/compute-sanitizer", "--print-limit", "4"};
  const auto commands = memory_checks(checker, "--initcheck-address-space arg", k_source);
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0], (Names{"/cuda/compute-sanitizer", "--print-limit", "4", "--tool",
                                "memcheck", "--report-api-errors", "no"}));
  EXPECT_EQ(commands[1], (Names{"/cuda/compute-sanitizer", "--print-limit", "4", "--tool",
                                "racecheck", "--racecheck-report", "analysis", "--kernel-name",
                                "kns=plain", "--kernel-name", "kns=reduced"}));
  EXPECT_EQ(commands[2][4], "initcheck");
}

TEST(MemoryChecks, OlderToolkitsAndOtherProgramsHaveFewer) {
  const std::vector<std::string> checker{"compute-sanitizer"};
  EXPECT_EQ(memory_checks(checker, "", k_source).size(), 2u);
  EXPECT_EQ(memory_checks(checker, "--initcheck-address-space", "import torch").size(), 1u);
  EXPECT_TRUE(memory_checks({}, "", k_source).empty());
}

}  // namespace
}  // namespace cupel::engine
