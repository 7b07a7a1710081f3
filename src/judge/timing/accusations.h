// What the clocks prove against a program. An accusation needs what no load can make: a busy
// machine delays calls, and may do so to one program alone (one with threads, say), so that calls
// which take longer prove nothing. But it hastens no call, makes no process claim more than the
// judge's clock saw, and does not hit nine in ten exchanges of one program, twice, while it spares
// half of those of the program between whose calls they lie. Pure.
#pragma once

#include <optional>

#include "judge/finding.h"
#include "judge/timing/decision.h"
#include "model/evidence.h"

namespace cupel::judge {

// A claim that cannot be true: longer than its bracket, no time at all.
std::optional<Finding> find_false_claim(const ProgramEvidence& program);

// Time left out of the claims again and again, for a win that the judge's clock does not see, or by
// more than is claimed: in k_accusing_rounds rounds at least, in each of them, in the calls that
// nobody disturbed, beyond what half of the baseline's leave out.
std::optional<Finding> find_time_left_out(const TimedProgram& candidate, const TimedProgram& over,
                                          const Weighing& weighing);

// Whether moving the data alone takes the baseline at most as long as it claims.
bool floor_sound(const Evidence& evidence);

// Claims below the time that moving the data alone takes, on a machine where the baseline's are
// not.
std::optional<Finding> find_impossible(const Evidence& evidence, const ProgramEvidence& program);

// All of the above, in this order; of a program that Cupel wrote none.
std::optional<Finding> find_accusation(const Evidence& evidence, const TimedProgram& candidate,
                                       const TimedProgram& over, const Weighing& weighing);

}  // namespace cupel::judge
