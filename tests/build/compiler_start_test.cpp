#include "build/compiler_start.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "build/python_tools.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace {

namespace fs = std::filesystem;

std::set<std::string> endings_in(const fs::path& directory) {
  std::set<std::string> endings;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) endings.insert(entry.path().extension().string());
  }
  return endings;
}

TEST(CompilerStartTest, IsMadeOnceAndHoldsHeadersAndTrials) {
  const auto home = home_directory();
  ASSERT_TRUE(home.has_value()) << home.error().describe();
  const PythonTools tools = testing_tools::torch_tools(*home);
  if (tools.identity.empty()) GTEST_SKIP() << "no torch; set CUPEL_PYTHON";
  const auto cache = TempDir::create(fs::temp_directory_path(), "cupel-build-test");
  ASSERT_TRUE(cache.has_value());
  const bool unjailed = !sandbox::probe_grade(false).has_value();
  const auto made = compiler_start(cache->path(), tools, unjailed);
  ASSERT_TRUE(made.has_value()) << made.error().describe();
  EXPECT_TRUE(endings_in(*made / "cache").contains(".so"));
  EXPECT_EQ(endings_in(*made / "tmp"), (std::set<std::string>{".gch", ".h"}));
  const auto before = fs::last_write_time(*made);
  EXPECT_EQ(compiler_start(cache->path(), tools, unjailed).value(), *made);
  EXPECT_EQ(fs::last_write_time(*made), before);
}

TEST(CompilerStartTest, AToolThatFailsLeavesNothing) {
  const auto home = home_directory();
  ASSERT_TRUE(home.has_value()) << home.error().describe();
  const auto cache = TempDir::create(fs::temp_directory_path(), "cupel-build-test");
  ASSERT_TRUE(cache.has_value());
  const bool unjailed = !sandbox::probe_grade(false).has_value();
  const PythonTools tools{"/usr/bin/false", "no torch", {}, *home};
  EXPECT_FALSE(compiler_start(cache->path(), tools, unjailed).has_value());
  EXPECT_TRUE(fs::is_empty(cache->path()));
}

}  // namespace
}  // namespace cupel::build
