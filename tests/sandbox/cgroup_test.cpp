#include "sandbox/cgroup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"

namespace cupel::sandbox {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

// A job of a batch system: what holds for it may be said of any group above it.
TEST(Cgroup, TheLeastLimitOnTheWayHolds) {
  const auto made = TempDir::create(fs::temp_directory_path(), "cgroup");
  ASSERT_TRUE(made) << made.error().describe();
  const fs::path root = made->path();
  const fs::path job = root / "system.slice/slurmd/job_7/step_0";
  EXPECT_EQ(least_on_the_way(job, root, "memory.max"), std::nullopt) << "nothing is there";
  write(job / "memory.max", "max");
  EXPECT_EQ(least_on_the_way(job, root, "memory.max"), std::nullopt);
  write(root / "system.slice/slurmd/job_7/memory.max", "4294967296");
  write(root / "system.slice/memory.max", "8589934592");
  EXPECT_EQ(least_on_the_way(job, root, "memory.max"), 4LL << 30);
  write(job / "memory.max", "1073741824");
  EXPECT_EQ(least_on_the_way(job, root, "memory.max"), 1LL << 30);
  write(root.parent_path() / (root.filename().string() + ".max"), "1");
  EXPECT_EQ(least_on_the_way(root, root, "memory.max"), std::nullopt) << "nothing above the root";
  fs::remove(root.parent_path() / (root.filename().string() + ".max"));
}

}  // namespace
}  // namespace cupel::sandbox
