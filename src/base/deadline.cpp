#include "base/deadline.h"

#include <algorithm>

namespace cupel {
namespace {

constexpr std::int64_t k_wait_in_pause_ns = 1'000'000;

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace

Pauses::Pauses() : Pauses(system_clock()) {}

void Pauses::begin() {
  const std::lock_guard guard(access_);
  if (!since_ns_) since_ns_ = clock_.now_ns();
}

void Pauses::end() {
  const std::lock_guard guard(access_);
  if (since_ns_) ended_ns_ += clock_.now_ns() - *since_ns_;
  since_ns_.reset();
}

bool Pauses::lasts() const {
  const std::lock_guard guard(access_);
  return since_ns_.has_value();
}

std::int64_t Pauses::total_ns() const {
  const std::lock_guard guard(access_);
  return ended_ns_ + (since_ns_ ? clock_.now_ns() - *since_ns_ : 0);
}

Deadline::Deadline(const Pauses& pauses, double seconds)
    : Deadline(pauses, seconds, pauses.clock().now_ns()) {}

Deadline::Deadline(const Pauses& pauses, double seconds, std::int64_t from_ns)
    : pauses_(pauses),
      paused_before_ns_(pauses.total_ns()),
      at_ns_(from_ns + static_cast<std::int64_t>(seconds * k_ns_per_s)) {}

std::int64_t Deadline::wait_until_ns() const {
  const std::int64_t at = at_ns();
  return pauses_.lasts() ? std::max(at, pauses_.clock().now_ns() + k_wait_in_pause_ns) : at;
}

}  // namespace cupel
