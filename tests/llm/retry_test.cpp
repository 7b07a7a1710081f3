#include "llm/wire/retry.h"

#include <gtest/gtest.h>

#include "simulated_time.h"

namespace cupel::llm {
namespace {

constexpr std::int64_t k_now_ns = SimulatedClock::k_start_wall_ns;

TEST(RetryAfter, TakesSeconds) {
  EXPECT_EQ(parse_retry_after_s("0", k_now_ns), 0);
  EXPECT_EQ(parse_retry_after_s("120", k_now_ns), 120);
  EXPECT_EQ(parse_retry_after_s("1.5", k_now_ns), 1.5);
}

TEST(RetryAfter, TakesEveryFormOfADate) {
  EXPECT_EQ(parse_retry_after_s("Sun, 06 Nov 1994 08:50:37 GMT", k_now_ns), 60);
  EXPECT_EQ(parse_retry_after_s("Sunday, 06-Nov-94 08:50:37 GMT", k_now_ns), 60);
  EXPECT_EQ(parse_retry_after_s("Sun Nov  6 08:50:37 1994", k_now_ns), 60);
}

TEST(RetryAfter, ADateThatIsOverMeansNow) {
  EXPECT_EQ(parse_retry_after_s("Sun, 06 Nov 1994 08:49:00 GMT", k_now_ns), 0);
}

TEST(RetryAfter, WhatCannotBeReadIsNothing) {
  for (const char* text : {"", "soon", "-1", "nan", "inf", "10 s", "Sun, 06 Foo 1994 08:49:37 GMT",
                           "Sun, 06 ovD 1994 08:49:37 GMT", "Sun, 06"}) {
    EXPECT_FALSE(parse_retry_after_s(text, k_now_ns)) << text;
  }
}

TEST(RetryStatus, OnlyWhatMayPassIsTriedAgain) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(is_retryable(status)) << status;
  }
  for (const int status : {200, 301, 400, 401, 402, 403, 404, 413, 422}) {
    EXPECT_FALSE(is_retryable(status)) << status;
  }
}

TEST(Backoff, DoublesUpToAMinuteWithJitter) {
  Backoff backoff(3);
  double longest = 1;
  for (int failures = 1; failures < 20; ++failures) {
    const double wait_s = backoff.wait_s(failures);
    EXPECT_GE(wait_s, longest / 2) << failures;
    EXPECT_LE(wait_s, longest) << failures;
    longest = std::min(60.0, longest * 2);
  }
  Backoff other(4);
  EXPECT_NE(backoff.wait_s(5), other.wait_s(5));
}

}  // namespace
}  // namespace cupel::llm
