// Two equal programs in two fresh processes differ by up to several per cent, as their memory
// happens to lie; no number of calls in one round shows that. So a close result is measured again
// on fresh hosts, and counts only if it comes out the same way. Pure.
#pragma once

#include <span>

#include "model/verdict.h"

namespace cupel::judge {

// A win or a loss so close that where memory lies could have made it.
bool needs_repeat(const Verdict& verdict);

// Rounds on fresh hosts that a close result must come out of, the first included.
inline constexpr int k_rounds_of_close_result = 3;
// Speedups between 1 / this and this are close. Seen between equal programs: up to 7 %.
inline constexpr double k_close_ratio = 1.1;

// The verdict on all rounds of one candidate, in order; at least one. The first that is not about
// timing decides; else, unless all agree, it is ambiguous(not_reproduced). Ratios are geometric
// means over the rounds, within the hull of their intervals.
Verdict combine(std::span<const Verdict> rounds);

}  // namespace cupel::judge
