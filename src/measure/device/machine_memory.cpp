#include "measure/device/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace cupel::measure {

std::int64_t machine_memory_bytes() {
  std::int64_t bytes =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream limit(file);
    if (std::int64_t value = 0; limit >> value && value > 0) bytes = std::min(bytes, value);
  }
  return bytes;
}

}  // namespace cupel::measure
