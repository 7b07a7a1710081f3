#include "search/step/allowance.h"

#include <algorithm>

namespace cupel::search {

std::int64_t queries_made(const History& history) {
  std::int64_t made = 0;
  for (const Judged& entry : history.judged) made += entry.proposal.charged ? 1 : 0;
  for (const Proposal& entry : history.pending) made += entry.charged ? 1 : 0;
  for (const Proposal& entry : history.rejected) made += entry.charged ? 1 : 0;
  for (const Answered& entry : history.answered) made += entry.proposal.charged ? 1 : 0;
  return made;
}

Allowance::Allowance(const History& history, const Budget& budget, std::int64_t queries_max) {
  if (budget.usd_left <= 0 || budget.seconds_left <= 0) return;
  left_ =
      std::max<std::int64_t>(0, std::min(budget.queries_left, queries_max - queries_made(history)));
}

bool Allowance::take() {
  if (left_ <= 0) return false;
  --left_;
  return true;
}

void Allowance::limit(std::int64_t count) {
  left_ = std::max<std::int64_t>(0, std::min(left_, count));
}

}  // namespace cupel::search
