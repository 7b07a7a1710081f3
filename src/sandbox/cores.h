// Which cores the judge itself runs on.
#pragma once

#include <sched.h>

#include <string>

namespace cupel::sandbox {

// The cores this process was given, read before anything changed them. Children get them back.
const cpu_set_t& given_cores();
int given_core_count();
int first_given_core();
// For the main threads of programs that wait for a device: where four are given, one apart from the
// judge's, which polls meanwhile; else the judge's, the first.
int core_of_hosts();
// The next one after `core` that shares no units of computing with it; if all do, the next one.
int core_apart_from(int core, const cpu_set_t& given, const cpu_set_t& siblings);
// Of the kernel's lists, such as "0,8" or "0-1"; what is no such list is left out.
cpu_set_t cores_in(const std::string& list);

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
