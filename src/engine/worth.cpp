#include "engine/worth.h"

#include <algorithm>
#include <span>

#include "search/choice.h"

namespace cupel::engine {
namespace {

// Eager itself is where every run begins.
double best_ratio(std::span<const Judged> judged) {
  const Judged* const fastest = search::choose(judged, {}).fastest;
  return fastest ? std::max(1.0, fastest->verdict.ratios.front().ratio) : 1.0;
}

}  // namespace

Worth worth_of(const journal::RunState& state) {
  const std::span<const Judged> judged = state.record.judged;
  std::int64_t nano_usd = 0;
  int paid = 0;
  std::size_t start = judged.size();
  while (start > 0 && paid < k_worth_window) {
    --start;
    nano_usd += judged[start].nano_usd;
    paid += judged[start].nano_usd > 0;
  }
  if (paid < k_worth_window) return {};
  return {true, best_ratio(judged) / best_ratio(judged.first(start)) - 1,
          static_cast<double>(nano_usd) / static_cast<double>(k_nano_usd_per_usd)};
}

}  // namespace cupel::engine
