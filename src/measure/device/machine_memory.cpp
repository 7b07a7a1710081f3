#include "measure/device/machine_memory.h"

#include <unistd.h>

#include <algorithm>

#include "sandbox/cgroup.h"

namespace cupel::measure {

std::int64_t machine_memory_bytes() {
  const std::int64_t bytes =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(bytes, sandbox::memory_limit_bytes().value_or(bytes));
}

}  // namespace cupel::measure
