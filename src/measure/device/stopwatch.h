// Adds what a piece of work took to one of a round's costs.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace cupel::measure {

class Stopwatch {
 public:
  // Both outlive it.
  Stopwatch(const Clock& clock, double& total_ms)
      : clock_(clock), total_ms_(total_ms), start_ns_(clock.now_ns()) {}
  ~Stopwatch() { total_ms_ += static_cast<double>(clock_.now_ns() - start_ns_) / k_ns_per_ms; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const Clock& clock_;
  double& total_ms_;
  std::int64_t start_ns_;
};

}  // namespace cupel::measure
