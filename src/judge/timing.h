// Two programs' charged calls, paired at equal inputs. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "judge/clock_audit.h"
#include "model/verdict.h"
#include "stats/paired.h"

namespace cupel::judge {

// One program's side of a comparison.
struct TimedProgram {
  std::vector<ChargedCall> calls;
  std::span<const std::int64_t> trusted;  // inputs whose outputs passed; sorted
  std::vector<ChargedCall> repeats;       // count in means alone
};
// `audit`: of the program against the round's baseline.
TimedProgram timed_program(const ProgramEvidence& program, const ClockAudit& audit,
                           std::span<const std::int64_t> trusted);

struct Comparison {
  stats::PairedRatio claimed;    // from the claims as they came
  stats::PairedRatio median;     // from charged times
  stats::PairedRatio strict;     // from strict times
  stats::PairedRatio charged;    // what decides: `median`, or the ratio of means where that counts
  stats::PairedRatio bracketed;  // from brackets, with the noise within the rounds alone
  double mean_factor = 1;        // candidate's mean/median over the other's, worst calls dropped
  bool mean_charged = false;
  double excess_factor = 0;  // candidate's mean less median, in ns, over the other's
  double candidate_ms = 0;   // median charged call over the pairs
  double over_ms = 0;
  double over_bracket_ms = 0;  // the other program's median bracket

  // The ratio of charged times that brackets show by themselves, where `ratio` is theirs: nobody
  // hides in their noise, since none of it is taken off again. 1 without pairs.
  double shown_by(double ratio) const;
  // The ratio when every call is charged, or when nothing but brackets counts.
  double strict_ratio() const;
  // The share of a ratio that is left then, at most 1.
  double kept_when_strict() const;
  // What is sure of `charged` then, with 99 %: a win must be one there too. So that hiding time
  // just under the slack never pays, nor does hiding it where brackets scatter by more than a call
  // takes.
  double sure_when_strict() const;
};

// Median milliseconds of one side. At least one pair.
double median_ms(std::span<const stats::PairedTime> pairs, double stats::PairedTime::*side);

// Over the program of that label and id; with its interval of 95 %.
Ratio make_ratio(std::string over, std::string over_id, const stats::PairedRatio& paired,
                 double candidate_ms, double over_ms);

// Only pairs count whose outputs passed on both sides. Blocks are pairs of consecutive inputs,
// the first at an even offset from the lowest input that both were given.
Comparison compare(const TimedProgram& candidate, const TimedProgram& over);

// faster, same, slower or ambiguous.
Outcome decide(const stats::PairedRatio& ratio);

}  // namespace cupel::judge
