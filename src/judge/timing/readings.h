// Two programs' timed calls, paired at equal inputs, and what the clocks make of them. Pure.
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
  bool on_gpu = false;
};

// `passed`: of the same program; outlives it.
TimedProgram timed(const Evidence& evidence, const ProgramEvidence& program,
                   std::span<const std::int64_t> passed);

// Only calls on a user's inputs count (of the classes `nominal` and `captured`), and of these pairs
// whose outputs passed on both sides. A block is two such pairs that follow each other.
struct Readings {
  stats::PairedRatio brackets;  // by the judge's clock, with the exchange
  // On a CPU a call takes its bracket less what an exchange of the round takes with a program that
  // does nothing; on a GPU what its host claims.
  stats::PairedRatio calls;
  // On a GPU: the brackets as a ratio of calls, since both programs' hold an exchange alike.
  std::optional<stats::PairedRatio> seen;
  // Of the sum of all told calls, and on a CPU of cold ones: where it is less than the median
  // call's by more than k_sum_factor. A GPU's cold calls say more of exchanges than of the program.
  std::optional<stats::PairedRatio> summed;
  double candidate_ns = 0;     // median call
  double over_ns = 0;          // the other program's
  double over_bracket_ns = 0;  // its median bracket
  double hidden_ns = 0;        // what a host of another making could leave out of a bracket
  // Of calls whose hosts stood still until the input was there, where there are others: they are
  // cold, and enter none of the above but hidden_ns. With the exchange.
  std::optional<stats::PairedRatio> still;
  double over_still_ns = 0;
};

// Without told calls `brackets` and `calls` have no pairs, and all else is empty.
Readings read(const TimedProgram& candidate, const TimedProgram& over);

// By the hosts' clocks: a claim, which enters no ratio of a CPU's.
stats::PairedRatio claimed_ratio(const TimedProgram& candidate, const TimedProgram& over);

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
