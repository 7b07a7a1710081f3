// When to ask a service again, and after how long.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/rng.h"

namespace cupel::llm {

// Statuses that another attempt may mend: 408, 409, 429, 5xx (529 among them).
bool is_retryable(std::int64_t http_status);

// Whether a service may send a bill for a request that ended with this status. An error is not
// billed, but a gateway that lost its upstream (502, 504) cannot know what was generated there.
bool may_be_billed(int http_status);

// A Retry-After header: seconds, or a date of HTTP in any of its three forms, of which what is left
// until then from `wall_ns` (since the Unix epoch) is returned, at least 0.
std::optional<double> parse_retry_after_s(std::string_view text, std::int64_t wall_ns);

// Exponential, with jitter so that clients who failed together do not come back together.
// Thread-safe.
class Backoff {
 public:
  explicit Backoff(std::uint64_t seed) : rng_(seed) {}
  // Before attempt number `failures` + 1: between half and all of 2^(failures-1) s, 60 s at most.
  double wait_s(int failures);

 private:
  std::mutex mutex_;
  Rng rng_;
};

}  // namespace cupel::llm
