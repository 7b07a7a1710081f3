// What NVIDIA's management library tells of a GPU's clocks, where that library is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace cupel::cuda {

struct Clocks {
  int compute_mhz = 0;
  std::string throttled;  // why the GPU holds its clocks down; "" where it does not
};

// Thread-safe.
class ClockReader {
 public:
  // `uuid`: as in DeviceFacts. Without the library, or for a GPU that it does not know, a reader
  // that always reads zeros.
  explicit ClockReader(const std::string& uuid);
  Clocks read() const;

 private:
  using Handle = void*;
  int (*clock_)(Handle, int, unsigned*) = nullptr;
  int (*reasons_)(Handle, unsigned long long*) = nullptr;
  Handle device_ = nullptr;
};

}  // namespace cupel::cuda
