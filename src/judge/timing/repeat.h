// Two equal programs in two fresh processes differ, as their memory happens to lie; no number of
// calls in one round shows that. So a result that is open or close is measured again on fresh
// hosts, and judged on all rounds together. Pure.
#pragma once

#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"

namespace cupel::judge {

// How far a judgement goes for a decision.
struct RepeatLimits {
  // Rounds in all. Of true gains of 3 % six rounds find all where equal programs differ by 0.5 %
  // from process to process, as where arithmetic dominates, and five in six where they differ by 2
  // %.
  int rounds_max = 6;
  // Another round begins only within this long after the first began, in seconds: each compiles the
  // program anew.
  double seconds_max = 60;
  // An open result is pursued while the ratio may still be this much; 0: always.
  double ratio_wanted = 0;
  // From the third on, rounds make the 95 % interval of a gain or a loss narrower, until half of it
  // is this share of the ratio, if they begin within so many seconds. Some programs differ by 10 %
  // from process to process, others by 1 %.
  double told_share = 0.08;
  double told_seconds_max = 6;
};

// Decided results are sure when the ratio is this many half widths of its 95 % interval from 1.
inline constexpr double k_sure_half_widths = 2;

// Whether a gain over the round's other programs is pursued like one over the baseline: a program
// that Cupel wrote need not beat another.
enum class Rivals { left_out, heeded };

// Would another round after `rounds` of them help this verdict?
bool wants_repeat(const Verdict& verdict, int rounds, const RepeatLimits& limits,
                  Rivals rivals = Rivals::left_out);

// Would one help the judgement on all programs of a round? Asked for those that have something to
// prove; where all are Cupel's own, for all. `verdicts` are those on evidence.programs[1] and on.
bool wants_repeat(const Evidence& evidence, const std::vector<Verdict>& verdicts,
                  const RepeatLimits& limits);

// A gain must show in fresh processes more than once: how much they differ one round cannot know.
inline constexpr int k_rounds_min = 2;

// Does a gain or a loss among them rest on fewer rounds than k_rounds_min, or is it told less well
// than it should be while there is time? Never where limits.told_seconds_max is 0.
bool rests_on_few(const Evidence& evidence, const std::vector<Verdict>& verdicts, double seconds,
                  const RepeatLimits& limits);

// Would one help a winner's audit? It has k_rounds_min at least, unless the first one failed.
bool wants_audit_round(const Verdict& verdict, int rounds, const RepeatLimits& limits);

// Adds a further round of the same programs, in the same order, on fresh hosts. What went wrong in
// any round went wrong; costs add up.
void append_round(Evidence& evidence, Evidence round);

}  // namespace cupel::judge
