// Time limits for what we stop now and then: a pause is nobody's own time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace cupel {

// A moment, by the pauses' clock, and how long all pauses had been together by then.
struct Moment {
  std::int64_t at_ns = 0;
  std::int64_t paused_ns = 0;
};

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
  Moment now() const { return {clock_.now_ns(), total_ns()}; }
  const Clock& clock() const { return clock_; }

 private:
  const Clock& clock_;
  mutable std::mutex access_;
  std::optional<std::int64_t> since_ns_;  // the one that lasts
  std::int64_t ended_ns_ = 0;             // the length of those that are over
};

// `seconds` of its own after a moment. The pauses outlive it.
class Deadline {
 public:
  Deadline(const Pauses& pauses, double seconds) : Deadline(pauses, seconds, pauses.now()) {}
  Deadline(const Pauses& pauses, double seconds, Moment from)
      : pauses_(pauses),
        paused_before_ns_(from.paused_ns),
        at_ns_(from.at_ns + static_cast<std::int64_t>(seconds * k_ns_per_s)) {}

  // When it is over, if no pause comes; moves on while one lasts.
  std::int64_t at_ns() const { return at_ns_ + pauses_.total_ns() - paused_before_ns_; }
  std::int64_t left_ns() const { return at_ns() - pauses_.clock().now_ns(); }
  std::int64_t left_ms() const;  // rounded up: 0 or less once it is over
  bool is_over() const { return left_ns() <= 0; }

 private:
  const Pauses& pauses_;
  std::int64_t paused_before_ns_;
  std::int64_t at_ns_;
};

}  // namespace cupel
