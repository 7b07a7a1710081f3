#include "probe/gpu_driver.h"

#include <dlfcn.h>

namespace cupel_probe {
namespace {

template <class Function>
bool find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace

bool find_driver(Driver& driver) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return false;
  find(library, "cuCtxRecordEvent", driver.record_context);
  return find(library, "cuInit", driver.init) && find(library, "cuDeviceGet", driver.device_get) &&
         find(library, "cuDeviceGetAttribute", driver.attribute) &&
         find(library, "cuDevicePrimaryCtxRetain", driver.retain) &&
         find(library, "cuCtxSetCurrent", driver.enter) &&
         find(library, "cuCtxSynchronize", driver.join) &&
         find(library, "cuStreamCreate", driver.stream_create) &&
         find(library, "cuEventCreate", driver.event_create) &&
         find(library, "cuEventRecord", driver.event_record) &&
         find(library, "cuEventElapsedTime", driver.event_elapsed) &&
         find(library, "cuMemAlloc_v2", driver.allocate) &&
         find(library, "cuMemHostAlloc", driver.allocate_host) &&
         find(library, "cuMemHostGetDevicePointer_v2", driver.address_of_host) &&
         find(library, "cuMemsetD32Async", driver.fill) &&
         find(library, "cuModuleLoadData", driver.load) &&
         find(library, "cuModuleGetFunction", driver.function) &&
         find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor",
              driver.blocks_per_multiprocessor) &&
         find(library, "cuLaunchKernel", driver.launch) &&
         find(library, "cuGetErrorString", driver.error_text);
}

}  // namespace cupel_probe
