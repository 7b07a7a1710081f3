// Which of two programs is faster. Pure. In ten lines (docs/judging.md, "Decision"):
//
//   call  = bracket by the judge's clock - what an exchange takes with a program that does nothing
//           on a GPU: what its host claims
//   told  = ratio of calls, call by call
//         = ratio of times a call in calls that nobody waits for, where --metric throughput asks
//           for it and they were made
//         = ratio of brackets, of a GPU's calls;  then of the sums of all calls: where the upper
//         end
//           of its 95 % interval is less
//   a channel shows a gain:  shown >= max(gained / 4, hidden + 3 error)
//   faster     99 % sure that told > 1, and every channel shows the gain
//   slower     99 % sure that told < 1
//   same       95 % sure that 0.98 <= told <= 1.02
//   ambiguous  else
//   Of a program that Cupel wrote only the first two are told, and there are no channels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/timing/channels.h"
#include "judge/timing/readings.h"
#include "model/verdict.h"
#include "stats/paired.h"

namespace cupel::judge {

enum class Told { calls, brackets, sum, throughput };

// One program against another: the baseline, or any rival.
struct Weighing {
  Metric metric = Metric::latency;  // that is told: latency where no throughput is known
  Readings readings;
  stats::PairedRatio told;
  Told by = Told::calls;
  double candidate_ns = 0;  // of a call, by what is told
  double over_ns = 0;
  std::vector<Channel> channels;  // empty for a program of Cupel's own
  Outcome outcome = Outcome::ambiguous;

  // The first channel that does not show the gain; nullptr if all do.
  const Channel* unshown() const;
};

// By throughput where that is asked for and known; else by latency.
Weighing weigh(const TimedProgram& candidate, const TimedProgram& over,
               Metric metric = Metric::latency);

// By a ratio alone.
Outcome decide(const stats::PairedRatio& ratio);

// What is told, as a verdict has it.
Ratio ratio_of(const Weighing& weighing, const ProgramEvidence& over);

// By the metric that does not decide, if it is known.
std::optional<Ratio> ratio_beside(const TimedProgram& candidate, const TimedProgram& over,
                                  Metric deciding);

// Why it came out so: the first reason of a verdict.
Reason reason_of(const Weighing& weighing);

// What else is worth a note: that the sum decided, few blocks.
std::vector<Reason> notes_of(const Weighing& weighing);

}  // namespace cupel::judge
