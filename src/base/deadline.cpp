#include "base/deadline.h"

namespace cupel {
namespace {

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

std::int64_t Deadline::left_ms() const {
  constexpr std::int64_t k_ns_of_ms = 1'000'000;
  return (left_ns() + k_ns_of_ms - 1) / k_ns_of_ms;
}

}  // namespace cupel
