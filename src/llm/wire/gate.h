// How many requests of a provider wait at once, and how many begin in a minute.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/clock.h"
#include "base/stop.h"
#include "llm/wire/sleeper.h"

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

  // From now on one at a time, and none before `seconds` have passed: for a service that has not
  // shown that it answers, or has said that it is asked too often.
  void narrow(double seconds);
  // As many as there is room for, at once.
  void widen();

 private:
  // Seconds until the next request may begin, where there is a place for it; 0 and less: now. Needs
  // the mutex.
  double seconds_closed();

  const int concurrency_max_;
  const int requests_per_minute_max_;
  const Clock& clock_;
  Sleeper& sleeper_;
  std::mutex mutex_;
  std::condition_variable room_;
  int inside_ = 0;
  bool narrow_ = false;
  std::int64_t closed_until_ns_ = 0;
  std::deque<std::int64_t> starts_ns_;  // of the last minute
};

}  // namespace cupel::llm
