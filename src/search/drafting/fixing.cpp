#include "search/drafting/fixing.h"

#include <algorithm>

namespace cupel::search {
namespace {

// Verdicts with the same outcome, reason and words, counted back from the last one.
int times_repeated(std::span<const Attempt> attempts) {
  const Verdict& last = attempts.back().judged->verdict;
  const auto same = [&](const Verdict& verdict) {
    if (verdict.outcome != last.outcome || verdict.reasons.empty() != last.reasons.empty()) {
      return false;
    }
    return last.reasons.empty() || (verdict.reasons.front().code == last.reasons.front().code &&
                                    verdict.reasons.front().text == last.reasons.front().text);
  };
  int times = 0;
  for (auto at = attempts.rbegin(); at != attempts.rend(); ++at) {
    if (!at->judged || !same(at->judged->verdict)) break;
    ++times;
  }
  return times;
}

bool is_too_large(const Attempt& attempt) {
  if (!attempt.judged) return false;
  const Outcome outcome = attempt.judged->verdict.outcome;
  return outcome == Outcome::timeout || outcome == Outcome::out_of_memory;
}

}  // namespace

std::optional<Tier> next_fixer(const Branch& branch, const Escalation& escalation) {
  if (!branch.mendable() || branch.fixes() >= escalation.rounds_max()) return std::nullopt;
  if (std::ranges::count_if(branch.attempts, is_too_large) >= 2) return std::nullopt;
  const int repeated = times_repeated(branch.attempts);
  const bool strong_tried =
      branch.last().proposal->fix_round > 0 && branch.last().proposal->tier == Tier::strong;
  if (repeated >= 4 && strong_tried) return std::nullopt;
  // What two cheap fixes left unchanged is beyond the cheap model.
  const bool escalates = branch.fixes() >= escalation.cheap_rounds || repeated >= 3;
  return escalates ? Tier::strong : Tier::cheap;
}

}  // namespace cupel::search
