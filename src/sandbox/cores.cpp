#include "sandbox/cores.h"

#include <algorithm>

namespace cupel::sandbox {
namespace {

cpu_set_t read_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_SET(0, &cores);
  return cores;
}

}  // namespace

const cpu_set_t& given_cores() {
  static const cpu_set_t cores = read_cores();
  return cores;
}

int given_core_count() {
  const cpu_set_t& cores = given_cores();
  return std::max(1, CPU_COUNT(&cores));
}

int given_core(int index) {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &given_cores()) && index-- == 0) return core;
  }
  return -1;
}

StayOnFirstCore::StayOnFirstCore() {
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &given_cores())) continue;
    CPU_SET(core, &first);
    break;
  }
  ::sched_setaffinity(0, sizeof first, &first);
}

StayOnFirstCore::~StayOnFirstCore() {
  ::sched_setaffinity(0, sizeof given_cores(), &given_cores());
}

}  // namespace cupel::sandbox
