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

// Only calls on a user's inputs count (of the classes `nominal` and `captured`), and of these pairs
// whose outputs passed on both sides. A block is two such pairs that follow each other.
struct Readings {
  bool warm = false;            // what an exchange costs is known, and taken off
  stats::PairedRatio claimed;   // by the hosts' clocks
  stats::PairedRatio brackets;  // by the judge's; with the exchange, where it is not known
  stats::PairedRatio seen;      // by the judge's, as a ratio of calls
  // By the judge's clock and the sum of all told calls, as a ratio of calls: where it is less than
  // the median call's by more than k_sum_factor. Where the exchange is known, cold calls are in it;
  // elsewhere their brackets say more of the exchange than of the program.
  std::optional<stats::PairedRatio> summed;
  double candidate_ns = 0;     // median over the pairs, by whose clock is told
  double over_ns = 0;          // the other program's
  double over_bracket_ns = 0;  // its median bracket
  double hidden_ns = 0;        // of warm brackets: what a host of another making could leave out
  // Of calls whose hosts stood still until the input was there, where there are others: they are
  // cold, and enter none of the above but hidden_ns.
  std::optional<stats::PairedRatio> still;
  double over_still_ns = 0;
};

// A bracket less the quickest exchange of its round with a program that does nothing is the time of
// a call, on both sides alike.
Readings read_warm(const TimedProgram& candidate, const TimedProgram& over);

// Where there is no such program: by the claims, beside the brackets.
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
