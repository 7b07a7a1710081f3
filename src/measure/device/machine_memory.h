// How much memory this machine has.
#pragma once

#include <cstdint>

namespace cupel::measure {

// Bytes of memory of this machine, or of our cgroup or one above it if that is less.
std::int64_t machine_memory_bytes();

}  // namespace cupel::measure
