// Which cores the judge itself runs on.
#pragma once

#include <sched.h>

namespace cupel::sandbox {

// The cores this process was given, read before anything changed them. Children get them back.
const cpu_set_t& given_cores();
int given_core_count();
int first_given_core();
// For the main threads of programs that wait for a device: one that the judge does not use, where
// four are given; else the judge's, the first.
int core_of_hosts();

// The calling thread runs there alone from now on, as do threads that it starts.
void stay_on(int core);

// Keeps the calling thread on the first given core for its lifetime. On a CPU a host's main thread
// is bound there too, and its OpenMP workers to the others: judge and host take turns on that core,
// and neither ever waits behind a spinning worker.
class StayOnFirstCore {
 public:
  StayOnFirstCore();
  ~StayOnFirstCore();
  StayOnFirstCore(const StayOnFirstCore&) = delete;
  StayOnFirstCore& operator=(const StayOnFirstCore&) = delete;
};

}  // namespace cupel::sandbox
