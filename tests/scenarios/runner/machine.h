// Whether this machine has anything else to do.
#pragma once

namespace cupel::scenarios {

// The least share of a core that a thread gets now, 1 on an idle machine: one thread a core
// computes for a fifth of a second. With as many busy processes as cores it is a half.
double share_of_a_core();

// Less is a machine on which times show nothing.
inline constexpr double k_quiet_share = 0.8;

// Waits for a quiet moment, some seconds at most. Returns whether one came.
bool wait_for_quiet();

}  // namespace cupel::scenarios
