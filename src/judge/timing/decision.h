// Which of two programs is faster. Pure. In ten lines (docs/judging.md, "Decision"):
//
//   claimed  ratio of times by the hosts' clocks     seen    by the judge's, call by call
//                                                    summed  by the judge's, all calls together
//   told  = claimed; seen, where its 95 % interval lies below; summed, where its does
//   a channel shows a gain:  shown >= max(gained / 4, hidden + 3 error)
//   faster     99 % sure that told > 1, and every channel shows the gain
//   slower     99 % sure that told < 1
//   same       95 % sure that 0.98 <= told <= 1.02, and the claims do not say faster
//   ambiguous  else
//   A program that Cupel wrote is taken at its word: told = claimed, and there are no channels.
#pragma once

#include <string>
#include <vector>

#include "judge/timing/channels.h"
#include "judge/timing/readings.h"
#include "model/verdict.h"
#include "stats/paired.h"

namespace cupel::judge {

enum class Clock { hosts, judges, judges_sum, judges_warm };

// One program against another: the baseline, or any rival.
struct Weighing {
  Readings readings;
  stats::PairedRatio told;
  Clock by = Clock::hosts;        // whose figures are told
  std::vector<Channel> channels;  // empty for a program of Cupel's own
  Outcome outcome = Outcome::ambiguous;

  bool claims_a_win() const;
  // The first channel that does not show the gain; nullptr if all do.
  const Channel* unshown() const;
};

Weighing weigh(const TimedProgram& candidate, const TimedProgram& over);

// By a ratio alone.
Outcome decide(const stats::PairedRatio& ratio);

// What is told, as a verdict has it.
Ratio ratio_of(const Weighing& weighing, const ProgramEvidence& over);

// Why it came out so: the first reason of a verdict.
Reason reason_of(const Weighing& weighing);

// What else is worth a note: whose clock decided, few blocks.
std::vector<Reason> notes_of(const Weighing& weighing, const ProgramEvidence& program);

}  // namespace cupel::judge
