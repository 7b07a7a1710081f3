#include "base/clock.h"

#include <ctime>

namespace cupel {
namespace {

std::int64_t read_clock_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t SystemClock::now_ns() const {
  return read_clock_ns(CLOCK_MONOTONIC);
}
std::int64_t SystemClock::wall_ns() const {
  return read_clock_ns(CLOCK_REALTIME);
}

}  // namespace cupel
