// What a round cost, and what the device's clocks did meanwhile.
#pragma once

#include <string>

namespace cupel {

// Where the wall time of a round went, in milliseconds.
struct RoundCost {
  double wait_hosts_ms = 0;
  double wait_device_ms = 0;  // others timed on it
  double load_ms = 0;         // on a GPU, first calls too
  double warmup_ms = 0;
  double prepare_ms = 0;  // referee: inputs into the vault
  double calls_ms = 0;    // lockstep calls, reveal and snapshot included
  double compare_ms = 0;  // referee: oracle and comparison
  double audit_ms = 0;
  double endurance_ms = 0;
  double wall_ms = 0;
  double judge_cpu_ms = 0;  // user + system time of the C++ process
};

// The device's clocks while programs were timed; zeros where nothing tells.
struct DeviceClocks {
  int compute_mhz_min = 0;
  int compute_mhz_max = 0;
  std::string throttled;  // why the device held its clocks down, if it was seen to: "power cap"
};

}  // namespace cupel
