#include "judge/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cupel::judge {
namespace {

void add_round(Verdict& combined, const Verdict& round) {
  combined.error_rms = std::max(combined.error_rms, round.error_rms);
  combined.error_max = std::max(combined.error_max, round.error_max);
  combined.close_1e2 &= round.close_1e2;
  combined.close_1e4 &= round.close_1e4;
  combined.checked_calls += round.checked_calls;
}

// Of the first ratio only: repeats are rounds of one candidate against the baseline.
Ratio pooled(std::span<const Verdict> rounds) {
  Ratio ratio = rounds.front().ratios.front();
  double log_sum = 0;
  ratio.pairs = 0;
  for (const Verdict& round : rounds) {
    const Ratio& one = round.ratios.front();
    log_sum += std::log(one.ratio);
    ratio.low = std::min(ratio.low, one.low);
    ratio.high = std::max(ratio.high, one.high);
    ratio.pairs += one.pairs;
  }
  ratio.ratio = std::exp(log_sum / static_cast<double>(rounds.size()));
  return ratio;
}

}  // namespace

bool needs_repeat(const Verdict& verdict) {
  if (verdict.outcome != Outcome::faster && verdict.outcome != Outcome::slower) return false;
  if (verdict.ratios.empty()) return false;
  const double ratio = verdict.ratios.front().ratio;
  return ratio < k_close_ratio && ratio > 1 / k_close_ratio;
}

Verdict combine(std::span<const Verdict> rounds) {
  for (const Verdict& round : rounds) {
    if (!is_correct(round.outcome) || round.ratios.empty()) return round;
  }
  Verdict combined = rounds.front();
  if (rounds.size() == 1) return combined;
  for (const Verdict& round : rounds.subspan(1)) add_round(combined, round);
  combined.ratios.front() = pooled(rounds);
  const Outcome first = rounds.front().outcome;
  const bool agreed = std::all_of(rounds.begin(), rounds.end(),
                                  [&](const Verdict& round) { return round.outcome == first; });
  if (agreed) return combined;
  combined.outcome = Outcome::ambiguous;
  const double last = rounds.back().ratios.front().ratio;
  const std::string text = fmt::format(
      "measured again on fresh hosts it did not come out the same way: {:.3f}x, then {:.3f}x",
      rounds.front().ratios.front().ratio, last);
  combined.reasons.insert(combined.reasons.begin(),
                          {"not_reproduced", text, last, rounds.front().ratios.front().ratio});
  combined.feedback = "right, but " + text;
  return combined;
}

}  // namespace cupel::judge
