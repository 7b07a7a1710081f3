#include "sandbox/cores.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

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

// Itself and what shares its units of computing; nothing where the kernel does not say.
cpu_set_t siblings_of(int core) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                     "/topology/thread_siblings_list");
  std::string list;
  std::getline(file, list);
  return cores_in(list);
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
  int core = 0;
  while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &given_cores())) ++core;
  return core;
}

cpu_set_t cores_in(const std::string& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::istringstream ends(range);
    int first = 0;
    if (!(ends >> first)) continue;
    int last = first;
    char dash = 0;
    if (ends >> dash >> last; !ends) last = first;
    for (int core = std::max(first, 0); core <= last && core < CPU_SETSIZE; ++core) {
      CPU_SET(core, &cores);
    }
  }
  return cores;
}

int core_apart_from(int core, const cpu_set_t& given, const cpu_set_t& siblings) {
  int next = core;
  for (int other = core + 1; other < CPU_SETSIZE; ++other) {
    if (!CPU_ISSET(other, &given)) continue;
    if (next == core) next = other;
    if (!CPU_ISSET(other, &siblings)) return other;
  }
  return next;
}

int core_of_hosts() {
  static const int core = [] {
    const int first = first_given_core();
    if (given_core_count() < k_cores_to_have_one_apart) return first;
    return core_apart_from(first, given_cores(), siblings_of(first));
  }();
  return core;
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
