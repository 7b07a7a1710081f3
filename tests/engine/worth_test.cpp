#include "engine/worth.h"

#include <gtest/gtest.h>

namespace cupel::engine {
namespace {

Judged judged(double ratio, std::int64_t nano_usd) {
  Judged entry;
  entry.candidate.id = std::to_string(ratio);
  entry.verdict.outcome = Outcome::faster;
  entry.verdict.ratios = {{"eager", "eager", ratio, ratio, ratio, 1, ratio, 10}};
  entry.nano_usd = nano_usd;
  return entry;
}

TEST(Worth, IsUnknownUntilAWindowIsPaidFor) {
  journal::RunState state;
  for (int i = 0; i < k_worth_window - 1; ++i) state.record.judged.push_back(judged(2, 1));
  state.record.judged.push_back(judged(2, 0));
  EXPECT_FALSE(worth_of(state).known);
  state.record.judged.push_back(judged(2, 1));
  EXPECT_TRUE(worth_of(state).known);
}

TEST(Worth, IsTheGainOfTheWindowOverItsPrice) {
  journal::RunState state;
  state.record.judged.push_back(judged(2, 1));
  for (int i = 0; i < k_worth_window - 1; ++i) {
    state.record.judged.push_back(judged(1.5, k_nano_usd_per_usd / 10));
  }
  state.record.judged.push_back(judged(3, k_nano_usd_per_usd / 10));
  const Worth worth = worth_of(state);
  EXPECT_DOUBLE_EQ(worth.gain, 0.5);
  EXPECT_NEAR(worth.usd, 2, 1e-9);
  EXPECT_NEAR(worth.gain_per_usd(), 0.25, 1e-9);
}

TEST(Worth, NothingGainedIsWorthNothing) {
  journal::RunState state;
  state.record.judged.push_back(judged(2, 1));
  for (int i = 0; i < k_worth_window; ++i) {
    state.record.judged.push_back(judged(1.5, k_nano_usd_per_usd));
  }
  EXPECT_DOUBLE_EQ(worth_of(state).gain_per_usd(), 0);
}

}  // namespace
}  // namespace cupel::engine
