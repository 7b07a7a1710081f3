// Asking this process to stop in order.
#pragma once

#include <atomic>

namespace cupel {

// Raised once, from any thread or signal handler. Whoever waits looks at it and gives up; the run
// drops what is in flight, closes its sitting and can be resumed.
class StopFlag {
 public:
  void raise() { raised_.store(true); }
  bool raised() const { return raised_.load(); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers set it");
  std::atomic<bool> raised_{false};
};

// The process's flag. Nothing raises it before stop_on_signals() was called.
const StopFlag& process_stop_flag();

// SIGINT and SIGTERM raise the process's flag from this call on. The second signal of a kind has
// its default effect, so that an impatient user gets out at once.
const StopFlag& stop_on_signals();

}  // namespace cupel
