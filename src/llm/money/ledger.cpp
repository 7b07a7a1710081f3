#include "llm/money/ledger.h"

#include "base/result.h"

namespace cupel::llm {

bool Ledger::reserve(const std::string& proposal_id, std::int64_t nano_usd, int queries) {
  CUPEL_CHECK(nano_usd >= 0 && queries >= 0);
  if (nano_usd > nano_usd_left() || queries > queries_left()) return false;
  CUPEL_CHECK(reservations_.emplace(proposal_id, Reservation{nano_usd, queries}).second);
  return true;
}

void Ledger::settle(const std::string& proposal_id, std::int64_t nano_usd, int queries) {
  const auto found = reservations_.find(proposal_id);
  CUPEL_CHECK(found != reservations_.end());
  CUPEL_CHECK(nano_usd <= found->second.nano_usd && queries <= found->second.queries);
  reservations_.erase(found);
  nano_usd_spent_ += nano_usd;
  queries_spent_ += queries;
}

std::int64_t Ledger::nano_usd_reserved() const {
  std::int64_t sum = 0;
  for (const auto& [id, reservation] : reservations_) sum += reservation.nano_usd;
  return sum;
}

std::int64_t Ledger::nano_usd_left() const {
  return limits_.nano_usd_max - nano_usd_spent_ - nano_usd_reserved();
}

std::int64_t Ledger::queries_left() const {
  std::int64_t reserved = 0;
  for (const auto& [id, reservation] : reservations_) reserved += reservation.queries;
  return limits_.queries_max - queries_spent_ - reserved;
}

}  // namespace cupel::llm
