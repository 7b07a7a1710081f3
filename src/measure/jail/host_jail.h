// A host's jail and environment: what it can see, and how its runtime is set up.
#pragma once

#include <string>
#include <vector>

#include "measure/jail/host_settings.h"
#include "sandbox/jail.h"

namespace cupel::measure {

inline constexpr const char* k_build_cache_in_jail = "/opt/cupel/build";

// The jail of a host whose private directory is `work`, running `python -m cupel.host`. The caller
// adds the socket.
sandbox::JailRequest host_jail(const HostSettings& settings, const std::string& work);

// The environment of the process from which hosts are forked: outside any jail.
std::vector<std::string> fork_server_environment(const HostSettings& settings);

// What a host forked from that process finds elsewhere than it.
std::vector<std::string> environment_in_jail(const HostSettings& settings, const std::string& work);

}  // namespace cupel::measure
