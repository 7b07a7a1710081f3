// Asking a run to stop in order.
#pragma once

#include <atomic>

namespace cupel::engine {

// Raised once, from any thread or signal handler. The run drops what is in flight, closes its
// sitting and can be resumed.
class StopFlag {
 public:
  void raise() { raised_.store(true); }
  bool raised() const { return raised_.load(); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers set it");
  std::atomic<bool> raised_{false};
};

// The process's flag, which SIGINT and SIGTERM raise from this call on. The second signal of a
// kind has its default effect, so that an impatient user gets out at once.
const StopFlag& stop_on_signals();

}  // namespace cupel::engine
