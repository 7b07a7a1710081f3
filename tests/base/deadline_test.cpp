#include "base/deadline.h"

#include <gtest/gtest.h>

namespace cupel {
namespace {

constexpr std::int64_t k_second_ns = 1'000'000'000;

TEST(Deadline, IsOverAfterItsSeconds) {
  FakeClock clock;
  const Pauses pauses(clock);
  const Deadline deadline(pauses, 2);
  clock.advance_ns(k_second_ns);
  EXPECT_FALSE(deadline.is_over());
  EXPECT_EQ(deadline.left_ns(), k_second_ns);
  clock.advance_ns(k_second_ns);
  EXPECT_TRUE(deadline.is_over());
}

TEST(Deadline, IsNotOverInAPauseHoweverLong) {
  FakeClock clock;
  Pauses pauses(clock);
  const Deadline deadline(pauses, 10);
  clock.advance_ns(9 * k_second_ns);
  pauses.begin();
  clock.advance_ns(60 * k_second_ns);
  EXPECT_FALSE(deadline.is_over());
  EXPECT_EQ(deadline.left_ns(), k_second_ns);
  pauses.end();
  EXPECT_EQ(deadline.left_ns(), k_second_ns);
  clock.advance_ns(k_second_ns);
  EXPECT_TRUE(deadline.is_over());
}

TEST(Deadline, CountsThePauseThatLastsAsItIsMade) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.begin();
  clock.advance_ns(5 * k_second_ns);
  const Deadline deadline(pauses, 1);
  clock.advance_ns(5 * k_second_ns);
  EXPECT_EQ(deadline.left_ns(), k_second_ns);
  pauses.end();
  clock.advance_ns(2 * k_second_ns);
  EXPECT_TRUE(deadline.is_over());
}

TEST(Deadline, BeginsWhenItIsTold) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.begin();
  clock.advance_ns(k_second_ns);
  const Moment sent = pauses.now();
  clock.advance_ns(3 * k_second_ns);
  EXPECT_EQ(Deadline(pauses, 1, sent).left_ns(), k_second_ns);
  pauses.end();
  clock.advance_ns(k_second_ns);
  EXPECT_TRUE(Deadline(pauses, 1, sent).is_over());
}

TEST(Pauses, AreCountedOnceHoweverOftenTheyBegin) {
  FakeClock clock;
  Pauses pauses(clock);
  pauses.end();
  pauses.begin();
  clock.advance_ns(2);
  pauses.begin();
  clock.advance_ns(3);
  EXPECT_TRUE(pauses.lasts());
  EXPECT_EQ(pauses.total_ns(), 5);
  pauses.end();
  pauses.end();
  clock.advance_ns(7);
  EXPECT_FALSE(pauses.lasts());
  EXPECT_EQ(pauses.total_ns(), 5);
}

}  // namespace
}  // namespace cupel
