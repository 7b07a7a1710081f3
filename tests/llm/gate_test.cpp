#include "llm/wire/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "simulated_time.h"

namespace cupel::llm {
namespace {

TEST(Gate, TheRequestsOfAMinuteAreCounted) {
  SimulatedClock clock;
  SimulatedSleeper sleeper(clock);
  Gate gate(100, 3, clock, sleeper);
  StopFlag stop;
  std::vector<std::int64_t> starts_ns;
  for (int i = 0; i < 10; ++i) {
    clock.advance_s(1);
    ASSERT_TRUE(gate.enter(stop));
    starts_ns.push_back(clock.now_ns());
    gate.leave();
  }
  for (std::size_t i = 3; i < starts_ns.size(); ++i) {
    EXPECT_GE(starts_ns[i] - starts_ns[i - 3], 60'000'000'000) << i;
  }
  EXPECT_LT(clock.now_ns(), 200'000'000'000);
}

TEST(Gate, NeverMoreInsideThanAllowed) {
  SystemClock clock;
  SystemSleeper sleeper;
  Gate gate(2, 0, clock, sleeper);
  StopFlag stop;
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(gate.enter(stop));
        const int now = ++inside;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --inside;
        gate.leave();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 2);
}

TEST(Gate, AStoppedRunWaitsForNothing) {
  SimulatedClock clock;
  SimulatedSleeper sleeper(clock);
  Gate gate(1, 0, clock, sleeper);
  StopFlag stop;
  ASSERT_TRUE(gate.enter(stop));
  stop.raise();
  EXPECT_FALSE(gate.enter(stop));
  gate.leave();
}

}  // namespace
}  // namespace cupel::llm
