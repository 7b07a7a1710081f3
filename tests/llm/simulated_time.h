// A clock that moves when somebody sleeps, or when a test says so.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "llm/wire/sleeper.h"

namespace cupel::llm {

class SimulatedClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_; }
  std::int64_t wall_ns() const override { return k_start_wall_ns + now_ns_; }
  void advance_s(double seconds) { now_ns_ += static_cast<std::int64_t>(seconds * k_ns_per_s); }

  // Sun, 06 Nov 1994 08:49:37 GMT, the instant of RFC 9110's examples.
  static constexpr std::int64_t k_start_wall_ns = 784'111'777'000'000'000;

 private:
  std::atomic<std::int64_t> now_ns_{0};
};

class SimulatedSleeper final : public Sleeper {
 public:
  explicit SimulatedSleeper(SimulatedClock& clock) : clock_(clock) {}
  bool sleep_s(double seconds, const StopFlag& stop) override {
    const std::lock_guard lock(mutex_);
    if (stop.raised()) return false;
    clock_.advance_s(seconds);
    sleeps_s_.push_back(seconds);
    return true;
  }
  std::vector<double> sleeps_s() const {
    const std::lock_guard lock(mutex_);
    return sleeps_s_;
  }

 private:
  SimulatedClock& clock_;
  mutable std::mutex mutex_;
  std::vector<double> sleeps_s_;
};

}  // namespace cupel::llm
