// Two programs' timed calls, paired at equal inputs, and what three clocks make of them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/evidence.h"
#include "model/verdict.h"
#include "stats/paired.h"

namespace cupel::judge {

// One program's side of a comparison.
struct TimedProgram {
  const ProgramEvidence& program;
  std::span<const std::int64_t> passed;              // inputs whose outputs were right; sorted
  std::span<const std::int64_t> exchanges_ns;        // Evidence::exchanges_ns
  std::span<const std::int64_t> still_exchanges_ns;  // Evidence::still_exchanges_ns
};

// `passed`: of the same program; outlives it.
TimedProgram timed(const Evidence& evidence, const ProgramEvidence& program,
                   std::span<const std::int64_t> passed);

// Only pairs count whose outputs passed on both sides. Blocks are pairs of consecutive inputs, the
// first at an even offset from the lowest input that both were given.
struct Readings {
  bool warm = false;            // calls in rows; else single exchanges
  stats::PairedRatio claimed;   // by the hosts' clocks
  stats::PairedRatio brackets;  // by the judge's; of single exchanges these are in it
  stats::PairedRatio seen;      // by the judge's, as a ratio of calls; of warm ones the same
  // By the judge's clock and the sum of all calls, those that are not timed among them, as a ratio
  // of calls: where it is less than `claimed` by more than k_sum_factor.
  std::optional<stats::PairedRatio> summed;
  double candidate_ns = 0;     // median over the pairs, by whose clock is told
  double over_ns = 0;          // the other program's
  double over_bracket_ns = 0;  // its median bracket
  double hidden_ns = 0;        // of warm calls: what a host of another making could leave out
  // Of large inputs, those calls whose hosts stood still until the input was there: they are cold,
  // and enter none of the above but hidden_ns. Then `seen` is of the others.
  std::optional<stats::PairedRatio> still;
  double over_still_ns = 0;
};

// Of warm calls: a bracket less the quickest exchange of its round with a program that does nothing
// is the time of a call, on both sides alike.
Readings read_warm(const TimedProgram& candidate, const TimedProgram& over);

// Of single exchanges.
Readings read_clocks(const TimedProgram& candidate, const TimedProgram& over);

// By the hosts' clocks alone, for a program that is taken at its word.
Readings read_claims(const TimedProgram& candidate, const TimedProgram& over);

// A ratio of brackets as one of calls: what is gained in a bracket of `bracket_ns` is gained in a
// call of `call_ns`, since the exchange costs both programs alike. At most a million.
double ratio_of_calls(double of_brackets, double bracket_ns, double call_ns);

// Of each row its mean call, over those whose outputs passed on both sides, without what the
// exchange costs. A row is a block.
std::vector<stats::PairedTime> warm_rows(const TimedProgram& candidate, const TimedProgram& over);
double median_of(std::span<const stats::PairedTime> pairs, double stats::PairedTime::*side);

// Over the program of that label and id; with its interval of 95 %.
Ratio make_ratio(std::string over, std::string over_id, const stats::PairedRatio& paired,
                 double candidate_ns, double over_ns);

// Nanoseconds; 0 where there are no calls.
double median_claim_ns(const ProgramEvidence& program);

}  // namespace cupel::judge
