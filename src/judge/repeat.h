// Two equal programs in two fresh processes differ, as their memory happens to lie; no number of
// calls in one round shows that. So a result that is open or close is measured again on fresh
// hosts, and judged on all rounds together. Pure.
#pragma once

#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// How far a judgement goes for a decision.
struct RepeatLimits {
  // Rounds in all. Seen between equal programs of 1 ms: 0.5 % a round where arithmetic dominates, 2
  // % where memory does; six rounds find 3 % in either.
  int rounds_max = 6;
  // Another round begins only within this long after the first began, in seconds: each compiles the
  // program anew.
  double seconds_max = 60;
  // An open result is pursued while the ratio may still be this much; 0: always.
  double ratio_wanted = 0;
};

// Decided results are sure when the ratio is this many half widths of its 95 % interval from 1.
inline constexpr double k_sure_half_widths = 2;

// A gain of less than this is measured in two processes each at least: where memory dominates,
// equal programs have differed by 2 % for as long as they lived, and one round does not show that.
inline constexpr double k_gain_of_one_round = 1.1;

// An accusation by the clocks must hold over this many rounds: a busy machine can make one.
inline constexpr int k_rounds_of_accusation = 2;

// Whether only the clocks, the judge's and the host's, speak against the program.
bool accused_by_clocks(const Verdict& verdict);

// Would another round after `rounds` of them help this verdict?
bool wants_repeat(const Verdict& verdict, int rounds, const RepeatLimits& limits);

// Adds a further round of the same programs, in the same order, on fresh hosts. What went wrong in
// any round went wrong; costs add up.
void append_round(Evidence& evidence, Evidence round);

}  // namespace cupel::judge
