// Money and queries: what is spent, what is reserved for calls in flight, what is left. A call is
// sent only after its worst case was reserved, so a budget is never exceeded.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace cupel::llm {

struct Limits {
  std::int64_t nano_usd_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t queries_max = std::numeric_limits<std::int64_t>::max();
};

// A pure value: the engine keeps it as the fold of its journal. Not thread-safe.
class Ledger {
 public:
  explicit Ledger(const Limits& limits) : limits_(limits) {}

  // Takes `nano_usd` and `queries` out of what is left, under the proposal's id. False, and
  // nothing is taken, if that is more than what is left.
  bool reserve(const std::string& proposal_id, std::int64_t nano_usd, int queries);
  // Replaces the reservation by what was paid, which is at most what was reserved: a larger sum
  // breaks an invariant and aborts.
  void settle(const std::string& proposal_id, std::int64_t nano_usd, int queries);

  std::int64_t nano_usd_spent() const { return nano_usd_spent_; }
  std::int64_t nano_usd_reserved() const;
  std::int64_t nano_usd_left() const;  // neither spent nor reserved
  std::int64_t queries_spent() const { return queries_spent_; }
  std::int64_t queries_left() const;

 private:
  struct Reservation {
    std::int64_t nano_usd = 0;
    int queries = 0;
  };
  Limits limits_;
  std::map<std::string, Reservation> reservations_;
  std::int64_t nano_usd_spent_ = 0;
  std::int64_t queries_spent_ = 0;
};

}  // namespace cupel::llm
