// What tests that start real hosts on this machine give them.
#pragma once

#include "base/files.h"
#include "measure/device/device.h"
#include "measure/jail/host_settings.h"

namespace cupel::measure {

inline Result<HostSettings> host_settings_here(const Device& device) {
  HostSettings settings;
  CUPEL_TRY(settings.home, home_directory());
  CUPEL_TRY(settings.python, inspect_python(choose_python("", settings.home)));
  settings.device = device.traits();
  settings.memory_bytes_max = 4ULL << 30;
  settings.scratch_bytes_max = 1 << 20;
  settings.processes_max = 64;
  return settings;
}

}  // namespace cupel::measure
