#include "engine/evaluate/memory_checks.h"

#include <gtest/gtest.h>

namespace cupel::engine {
namespace {

using Names = std::vector<std::string>;

ProgramEvidence told(Names names, bool unnamed = false) {
  ProgramEvidence program;
  program.sharing = {std::move(names), unnamed};
  return program;
}

TEST(MemoryChecks, EachToolIsACommand) {
  const std::vector<std::string> checker{"/cuda/compute-sanitizer", "--print-limit", "4"};
  const auto commands =
      memory_checks(checker, "--initcheck-address-space arg", told({"plain", "reduced"}));
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
  EXPECT_EQ(memory_checks(checker, "", told({"reduced"})).size(), 2u);
  EXPECT_EQ(memory_checks(checker, "--initcheck-address-space", told({})).size(), 1u);
  EXPECT_TRUE(memory_checks({}, "", told({"reduced"})).empty());
}

// What cannot be told by name is no reason to look away.
TEST(MemoryChecks, WithoutAllNamesAllKernelsAreLookedAt) {
  for (const Names& names : {Names{}, Names{"reduced"}}) {
    const auto commands = memory_checks({"compute-sanitizer"}, "", told(names, true));
    ASSERT_EQ(commands.size(), 2u);
    EXPECT_EQ(commands[1], (Names{"compute-sanitizer", "--tool", "racecheck", "--racecheck-report",
                                  "analysis"}));
  }
}

constexpr const char* k_report = "Race reported between Write access at ";

TEST(MemoryChecks, AmongAllKernelsThoseOfLibrariesAreNobodysFault) {
  const auto program = told({"summed"}, true);
  const auto is_own = [&](const std::string& kernel) {
    return is_own_kernel(k_report + kernel, program, "KERNEL reduced(float* x) {}");
  };
  EXPECT_TRUE(is_own("summed(float *)+0x1"));
  EXPECT_TRUE(is_own("void reduced<(int)32>(const float *)+0x10"));
  EXPECT_TRUE(is_own("(anonymous namespace)::reduced(float *)+0x10"));
  EXPECT_TRUE(is_own("mine::reduced+0x10"));
  EXPECT_FALSE(is_own("void at::native::reduce_kernel<(int)512, at::native::Sum>(T2)+0x30"));
  EXPECT_FALSE(is_own("void cub::reduced_by_key<float>(float *)+0x30"));
  EXPECT_FALSE(is_own(""));
  EXPECT_FALSE(is_own_kernel("without a place", program, "without a place"));
}

TEST(MemoryChecks, WhereOnlyOwnKernelsWereLookedAtAllAreOwn) {
  EXPECT_TRUE(is_own_kernel(k_report + std::string("other(float *)"), told({"summed"}), ""));
}

}  // namespace
}  // namespace cupel::engine
