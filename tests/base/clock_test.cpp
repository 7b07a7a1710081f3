#include "base/clock.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

TEST(SystemClock, NeverGoesBack) {
  const SystemClock clock;
  std::int64_t before = clock.now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t after = clock.now_ns();
    ASSERT_GE(after, before);
    before = after;
  }
}

TEST(SystemClock, WallTimeIsTheUnixEpochs) {
  constexpr std::int64_t k_start_of_2020_ns = 1'577'836'800LL * 1'000'000'000;
  EXPECT_GT(SystemClock().wall_ns(), k_start_of_2020_ns);
}

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock;
  EXPECT_EQ(clock.now_ns(), 0);
  clock.advance_ns(5);
  EXPECT_EQ(clock.now_ns(), 5);
  EXPECT_EQ(clock.wall_ns(), 5);
}

}  // namespace
}  // namespace cupel
