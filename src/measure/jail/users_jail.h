// A jail that does not look like one of the judge's: for a round of the winner's audit in which no
// time counts.
#pragma once

#include "measure/jail/host_settings.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// Dresses `jail`, a host's, as the surroundings that settings.surroundings_seed draws: another
// directory, user and host name, the variables that a user's shell sets and those that Python and
// the device need to start, and as its program a user's script (python/cupel/users_main.py).
void dress_as_users(const HostSettings& settings, sandbox::JailRequest& jail);

// Threads of a program there, if it was judged with so many, since a user's machine has other
// cores: one fewer, so that a program that counts on each of them leaves some work out; two for
// one.
int users_threads(int judged);

}  // namespace cupel::measure
