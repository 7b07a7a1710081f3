// The host's clock against the judge's. A host shares its process with the candidate, so its
// claims are charged with whatever time they leave out. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/limits.h"
#include "model/evidence.h"

namespace cupel::judge {

// Overhead of a call: bracket less claim. All times in nanoseconds.
struct ClockAudit {
  double baseline_overhead_ns = 0;  // median
  double slack_ns = 0;              // overhead beyond the baseline's that is nobody's fault
  double excess_ns = 0;             // the program's median overhead less the baseline's
  double claim_ns = 0;              // the program's median claim
  // Every call is charged: the excess is beyond the slack, and in undisturbed calls too.
  bool systematic = false;
  bool layout = false;  // the excess is the copy of outputs in another layout
};
// Nanoseconds; 0 where there are no calls.
double median_claim_ns(const ProgramEvidence& program);
// Both programs must have calls.
ClockAudit audit_clock(const ProgramEvidence& program, const ProgramEvidence& baseline);

// One call with all of its time: the claim, plus its overhead beyond the baseline's median where
// the audit charges every call, or where this call alone is beyond the slack.
struct ChargedCall {
  std::int64_t input = 0;
  int round = 0;
  double claim_ns = 0;    // at least 1
  double charged_ns = 0;  // at least claim_ns
  double strict_ns = 0;   // as if every call were charged; at least charged_ns
  double bracket_ns = 0;  // the judge's own, at least 1
};
std::vector<ChargedCall> charge(const std::vector<CallSample>& calls, const ClockAudit& audit);

// Mean of what was charged beyond the claims, per call.
double mean_charge_ns(const std::vector<ChargedCall>& calls);

// The share of calls to which something was charged.
double charged_share(const std::vector<ChargedCall>& calls);

// The first call whose claim cannot be true (longer than its bracket, or no time at all), in one
// sentence; nothing if there is none.
std::optional<std::string> impossible_claim(const ProgramEvidence& program);

// Slope audit: nanoseconds a call takes in batches, and the most that the single calls' charged
// medians allow for. Nothing if either program lacks batches of different sizes.
struct SlopeAudit {
  double slope_ns = 0;
  double allowed_ns = 0;
  double gained_ns = 0;  // per single call: the baseline's charged median less the program's
  double shown_ns = 0;   // per call of a batch, on the judge's clock: likewise
  double noise_ns = 0;   // of shown_ns
  double needed_ns = 0;  // what batches must show at least of a large gain
  double warm_ns = 0;    // how much quicker the baseline itself is in batches, by its own claims,
                         // and what noise allows for
  bool large = false;    // the gain is half of the baseline's time or more
  bool bursts = false;   // the batches are bursts: what they do not show is no gain
  bool unshown() const { return bursts && shown_ns < needed_ns; }
  // What a batch costs beside its calls is alike for both programs and cancels: who is faster in
  // single calls is not slower in batches.
  bool contradicts() const { return gained_ns > 0 && shown_ns + noise_ns < needed_ns; }
  bool denies() const { return slope_ns > allowed_ns || contradicts(); }
  // Caches are warm in batches: what the baseline gains by that itself, another program may lack.
  bool excused() const {
    if (bursts && !large) return true;
    const double unshown_ns = contradicts() ? gained_ns - shown_ns : 0;
    return std::max(slope_ns - allowed_ns, unshown_ns) <= warm_ns;
  }
  // Who is accused gets the benefit of all the noise that there is.
  double scatter_ns = 0;  // of shown_ns, however large
  double lenient_ns = 0;  // allowed_ns with all of the slope's noise
  bool surely() const { return slope_ns > lenient_ns || shown_ns + scatter_ns < needed_ns; }
  bool differs() const { return denies() && surely() && !excused(); }
};
std::optional<SlopeAudit> audit_slope(const ProgramEvidence& program,
                                      const std::vector<ChargedCall>& calls,
                                      const ProgramEvidence& baseline,
                                      const std::vector<ChargedCall>& baseline_calls);

// Bare audit: the gain that single calls claim, and what is left of it in calls whose brackets hold
// next to nothing of the host's own doing, on inputs that both programs got. Nanoseconds a call.
// Nothing if there are too few such calls.
struct BareAudit {
  double gained_ns = 0;  // the baseline's charged median less the program's
  double shown_ns = 0;   // median of the differences of bare brackets
  double error_ns = 0;   // standard error of shown_ns
  double share_ns = 0;   // what must be shown at least, of a gain like this
  double host_ns = 0;  // and what a host could show that makes bare calls faster than an honest one
  double sure_ns = 0;  // median, over equal inputs, of what is shown beyond that
  double noise_ns = 0;  // that sure_ns must exceed
  bool large = false;   // the gain is half of the baseline's time or more
  double warm_ns = 0;   // how much quicker the baseline itself is in bare calls, by its own claims
  double needed_ns() const { return std::max(share_ns, host_ns + noise_ns); }
  bool falls_short() const { return shown_ns < share_ns || sure_ns < noise_ns; }
  bool contradicts() const {
    return large && falls_short() && shown_ns + k_slope_sigmas * error_ns < share_ns &&
           gained_ns - shown_ns > warm_ns;
  }
};
std::optional<BareAudit> audit_bare(const ProgramEvidence& program,
                                    const std::vector<ChargedCall>& calls,
                                    const ProgramEvidence& baseline,
                                    const std::vector<ChargedCall>& baseline_calls);

}  // namespace cupel::judge
