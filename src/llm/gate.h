// How many requests of a provider wait at once, and how many begin in a minute.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"
#include "base/stop.h"
#include "llm/sleeper.h"

namespace cupel::llm {

// Thread-safe. Clock and sleeper must outlive it.
class Gate {
 public:
  // `requests_per_minute_max` 0: no limit.
  Gate(int concurrency_max, int requests_per_minute_max, const Clock& clock, Sleeper& sleeper);

  // Waits until a request may begin, and counts it. False once `stop` is raised: then leave() must
  // not be called.
  bool enter(const StopFlag& stop);
  void leave();

 private:
  // Seconds until there may be room; 0: there was, and it is taken.
  double try_enter_s();

  const int concurrency_max_;
  const int requests_per_minute_max_;
  const Clock& clock_;
  Sleeper& sleeper_;
  std::mutex mutex_;
  int inside_ = 0;
  std::deque<std::int64_t> starts_ns_;  // of the last minute
};

}  // namespace cupel::llm
