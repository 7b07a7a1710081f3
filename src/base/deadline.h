// Time limits for what we stop now and then: a pause is nobody's own time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace cupel {

// When something was stopped. Thread-safe. The clock outlives it.
class Pauses {
 public:
  Pauses();  // by the system's clock
  explicit Pauses(const Clock& clock) : clock_(clock) {}

  void begin();  // within a pause: nothing
  void end();    // outside of one: nothing
  bool lasts() const;
  // Of all pauses together; of the one that lasts what has passed of it.
  std::int64_t total_ns() const;
  const Clock& clock() const { return clock_; }

 private:
  const Clock& clock_;
  mutable std::mutex access_;
  std::optional<std::int64_t> since_ns_;  // the one that lasts
  std::int64_t ended_ns_ = 0;             // the length of those that are over
};

// `seconds` of its own from `from_ns` on (by the pauses' clock). The pauses outlive it.
class Deadline {
 public:
  Deadline(const Pauses& pauses, double seconds);  // from now on
  Deadline(const Pauses& pauses, double seconds, std::int64_t from_ns);

  // When it is over, if no pause comes; moves on while one lasts.
  std::int64_t at_ns() const { return at_ns_ + pauses_.total_ns() - paused_before_ns_; }
  std::int64_t left_ns() const { return at_ns() - pauses_.clock().now_ns(); }
  bool is_over() const { return left_ns() <= 0; }
  // Until when to wait at once: within a pause no shorter than a millisecond.
  std::int64_t wait_until_ns() const;

 private:
  const Pauses& pauses_;
  std::int64_t paused_before_ns_;
  std::int64_t at_ns_;
};

}  // namespace cupel
