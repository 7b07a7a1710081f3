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

// The judge's, the hosts', and two for what threads they start.
constexpr int k_cores_to_have_one_apart = 4;

int given_core_from(int core) {
  while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &given_cores())) ++core;
  return core;
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

int first_given_core() {
  return given_core_from(0);
}

int core_of_hosts() {
  const int first = first_given_core();
  return given_core_count() < k_cores_to_have_one_apart ? first : given_core_from(first + 1);
}

void stay_on(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  ::sched_setaffinity(0, sizeof only, &only);
}

StayOnFirstCore::StayOnFirstCore() {
  stay_on(first_given_core());
}

StayOnFirstCore::~StayOnFirstCore() {
  ::sched_setaffinity(0, sizeof given_cores(), &given_cores());
}

}  // namespace cupel::sandbox
