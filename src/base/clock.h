// Time behind a narrow interface, so that the core's tests never sleep.
#pragma once

#include <atomic>
#include <cstdint>

namespace cupel {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds of a monotonic clock with an arbitrary origin.
  virtual std::int64_t now_ns() const = 0;
  // Nanoseconds since the Unix epoch.
  virtual std::int64_t wall_ns() const = 0;
};

// CLOCK_MONOTONIC and CLOCK_REALTIME. Thread-safe.
class SystemClock final : public Clock {
 public:
  std::int64_t now_ns() const override;
  std::int64_t wall_ns() const override;
};

// A clock that moves only when told to. Thread-safe, as the one that it stands for.
class FakeClock final : public Clock {
 public:
  std::int64_t now_ns() const override { return now_ns_; }
  std::int64_t wall_ns() const override { return now_ns_; }
  void advance_ns(std::int64_t delta_ns) { now_ns_ += delta_ns; }

 private:
  std::atomic<std::int64_t> now_ns_{0};
};

inline constexpr double k_ns_per_ms = 1e6;
inline constexpr double k_ns_per_s = 1e9;

}  // namespace cupel
