#include "cuda/clocks.h"

#include <dlfcn.h>

#include <utility>

namespace cupel::cuda {
namespace {

// nvml.h's numbers.
constexpr int k_clock_compute = 1;
// Idling and settings of the machine's owner are no throttling.
constexpr std::pair<unsigned long long, const char*> k_reasons[] = {
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x20, "software thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "power brake"}};

template <class Function>
bool find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace

ClockReader::ClockReader(const std::string& uuid) {
  void* const library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return;
  int (*start)() = nullptr;
  int (*by_uuid)(const char*, Handle*) = nullptr;
  const bool complete = find(library, "nvmlInit_v2", start) &&
                        find(library, "nvmlDeviceGetHandleByUUID", by_uuid) &&
                        find(library, "nvmlDeviceGetClockInfo", clock_) &&
                        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", reasons_);
  if (!complete || start() != 0 || by_uuid(uuid.c_str(), &device_) != 0) device_ = nullptr;
}

Clocks ClockReader::read() const {
  Clocks clocks;
  if (!device_) return clocks;
  unsigned mhz = 0;
  if (clock_(device_, k_clock_compute, &mhz) == 0) clocks.compute_mhz = static_cast<int>(mhz);
  unsigned long long reasons = 0;
  if (reasons_(device_, &reasons) != 0) return clocks;
  for (const auto& [bit, name] : k_reasons) {
    if (reasons & bit)
      clocks.throttled += (clocks.throttled.empty() ? "" : ", ") + std::string(name);
  }
  return clocks;
}

}  // namespace cupel::cuda
