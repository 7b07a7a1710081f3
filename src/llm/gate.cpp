#include "llm/gate.h"

#include <algorithm>

#include "base/result.h"

namespace cupel::llm {
namespace {

constexpr std::int64_t k_minute_ns = 60'000'000'000;
constexpr double k_look_again_s = 0.02;  // while all places are taken; an answer takes seconds

}  // namespace

Gate::Gate(int concurrency_max, int requests_per_minute_max, const Clock& clock, Sleeper& sleeper)
    : concurrency_max_(std::max(1, concurrency_max)),
      requests_per_minute_max_(requests_per_minute_max),
      clock_(clock),
      sleeper_(sleeper) {}

bool Gate::enter(const StopFlag& stop) {
  while (!stop.raised()) {
    const double wait_s = try_enter_s();
    if (wait_s <= 0) return true;
    if (!sleeper_.sleep_s(wait_s, stop)) return false;
  }
  return false;
}

double Gate::try_enter_s() {
  const std::lock_guard lock(mutex_);
  if (inside_ >= concurrency_max_) return k_look_again_s;
  const std::int64_t now_ns = clock_.now_ns();
  while (!starts_ns_.empty() && now_ns - starts_ns_.front() >= k_minute_ns) starts_ns_.pop_front();
  const bool limited = requests_per_minute_max_ > 0;
  if (limited && static_cast<int>(starts_ns_.size()) >= requests_per_minute_max_) {
    return static_cast<double>(starts_ns_.front() + k_minute_ns - now_ns) / k_ns_per_s;
  }
  if (limited) starts_ns_.push_back(now_ns);
  ++inside_;
  return 0;
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  CUPEL_CHECK(inside_ > 0);
  --inside_;
}

}  // namespace cupel::llm
