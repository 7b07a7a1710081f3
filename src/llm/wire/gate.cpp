#include "llm/wire/gate.h"

#include <algorithm>
#include <chrono>

#include "base/result.h"

namespace cupel::llm {
namespace {

constexpr std::int64_t k_minute_ns = 60'000'000'000;
// While all places are taken: how soon a raised stop flag is noticed.
constexpr std::chrono::milliseconds k_look_again{20};
constexpr double k_step_s = 1;  // of a pause, since the gate may be opened before its end

}  // namespace

Gate::Gate(int concurrency_max, int requests_per_minute_max, const Clock& clock, Sleeper& sleeper)
    : concurrency_max_(std::max(1, concurrency_max)),
      requests_per_minute_max_(requests_per_minute_max),
      clock_(clock),
      sleeper_(sleeper) {}

bool Gate::enter(const StopFlag& stop) {
  while (!stop.raised()) {
    std::unique_lock lock(mutex_);
    if (inside_ >= (narrow_ ? 1 : concurrency_max_)) {
      room_.wait_for(lock, k_look_again);
      continue;
    }
    const double wait_s = seconds_closed();
    if (wait_s <= 0) {
      if (requests_per_minute_max_ > 0) starts_ns_.push_back(clock_.now_ns());
      ++inside_;
      return true;
    }
    lock.unlock();
    if (!sleeper_.sleep_s(std::min(wait_s, k_step_s), stop)) return false;
  }
  return false;
}

double Gate::seconds_closed() {
  const std::int64_t now_ns = clock_.now_ns();
  std::int64_t open_ns = closed_until_ns_;
  while (!starts_ns_.empty() && now_ns - starts_ns_.front() >= k_minute_ns) starts_ns_.pop_front();
  const bool full = requests_per_minute_max_ > 0 &&
                    static_cast<int>(starts_ns_.size()) >= requests_per_minute_max_;
  if (full) open_ns = std::max(open_ns, starts_ns_.front() + k_minute_ns);
  return static_cast<double>(open_ns - now_ns) / k_ns_per_s;
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  CUPEL_CHECK(inside_ > 0);
  --inside_;
  room_.notify_one();
}

void Gate::narrow(double seconds) {
  const std::lock_guard lock(mutex_);
  narrow_ = true;
  const auto pause_ns = static_cast<std::int64_t>(seconds * k_ns_per_s);
  closed_until_ns_ = std::max(closed_until_ns_, clock_.now_ns() + pause_ns);
}

void Gate::widen() {
  const std::lock_guard lock(mutex_);
  narrow_ = false;
  closed_until_ns_ = 0;
  room_.notify_all();
}

}  // namespace cupel::llm
