#include "sandbox/cores.h"

#include <gtest/gtest.h>

#include <vector>

namespace cupel::sandbox {
namespace {

std::vector<int> listed(const std::string& list) {
  const cpu_set_t cores = cores_in(list);
  std::vector<int> found;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) found.push_back(core);
  }
  return found;
}

TEST(Cores, AreListedByNumbersAndRanges) {
  EXPECT_EQ(listed("0"), std::vector<int>{0});
  EXPECT_EQ(listed("0,8"), (std::vector<int>{0, 8}));
  EXPECT_EQ(listed("2-4,9"), (std::vector<int>{2, 3, 4, 9}));
}

TEST(Cores, AreLeftOutWhereNoListIs) {
  EXPECT_TRUE(listed("").empty());
  EXPECT_TRUE(listed("none").empty());
  EXPECT_TRUE(listed("-7").empty());
  EXPECT_EQ(listed("1,x,3"), (std::vector<int>{1, 3}));
  EXPECT_EQ(listed("5-"), std::vector<int>{5});
  EXPECT_TRUE(listed("100000").empty());
}

TEST(Cores, OfHostsShareNothingWithTheJudges) {
  EXPECT_EQ(core_apart_from(0, cores_in("0-15"), cores_in("0-1")), 2);
  EXPECT_EQ(core_apart_from(0, cores_in("0-15"), cores_in("0,8")), 1);
  EXPECT_EQ(core_apart_from(4, cores_in("4-7"), cores_in("4-5")), 6);
  EXPECT_EQ(core_apart_from(0, cores_in("0-3"), cores_in("")), 1);
}

TEST(Cores, OfHostsAreTheNextWhereAllAreShared) {
  EXPECT_EQ(core_apart_from(0, cores_in("0,3"), cores_in("0-3")), 3);
  EXPECT_EQ(core_apart_from(2, cores_in("2"), cores_in("2")), 2);
}

}  // namespace
}  // namespace cupel::sandbox
