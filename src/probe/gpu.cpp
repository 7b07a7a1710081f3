#include "probe/gpu.h"

#include <dlfcn.h>
#include <stddef.h>

#include "probe/probe.h"

namespace cupel_probe {
namespace {

using Handle = void*;
using Address = uint64_t;

// cuda.h's numbers.
constexpr int k_attribute_cache_bytes = 38;
constexpr unsigned k_stream_non_blocking = 1;
constexpr unsigned k_event_default = 0;
constexpr int k_not_supported = 801;

constexpr size_t k_flush_factor = 2;
constexpr double k_ns_per_ms = 1e6;

// The driver's functions: a CUresult each, 0 for success.
struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*attribute)(int*, int, int);
  int (*retain)(Handle*, int);
  int (*enter)(Handle);
  int (*join)();
  int (*stream_create)(Handle*, unsigned);
  int (*event_create)(Handle*, unsigned);
  int (*event_record)(Handle, Handle);
  int (*event_elapsed)(float*, Handle, Handle);
  int (*allocate)(Address*, size_t);
  int (*fill)(Address, unsigned, size_t, Handle);
  int (*reset_persisting)();
  int (*error_text)(int, const char**);
  int (*record_context)(Handle, Handle);  // nullptr before CUDA 12.5
};

struct Gpu {
  Driver driver;
  int32_t device = k_cupel_probe_cpu;
  Handle context = nullptr;
  Handle stream = nullptr;  // ours; does not wait for the legacy default stream
  Handle start = nullptr;
  Handle end = nullptr;
  Address flush_buffer = 0;
  size_t flush_bytes = 0;
  unsigned flush_word = 0;
};

Gpu gpu;
const char* last_error = "";

int32_t status(int code) {
  if (code == 0) return k_cupel_probe_ok;
  last_error = "unknown CUDA error";
  if (gpu.driver.error_text) gpu.driver.error_text(code, &last_error);
  return k_cupel_probe_device_failed;
}

template <class Function>
bool find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

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
         find(library, "cuMemsetD32Async", driver.fill) &&
         find(library, "cuCtxResetPersistingL2Cache", driver.reset_persisting) &&
         find(library, "cuGetErrorString", driver.error_text);
}

int prepare_context(int32_t device) {
  const Driver& driver = gpu.driver;
  int handle = 0;
  int cache_bytes = 0;
  int code = driver.init(0);
  if (code == 0) code = driver.device_get(&handle, device);
  if (code == 0) code = driver.attribute(&cache_bytes, k_attribute_cache_bytes, handle);
  if (code == 0) code = driver.retain(&gpu.context, handle);
  if (code == 0) code = driver.enter(gpu.context);
  if (code == 0) code = driver.stream_create(&gpu.stream, k_stream_non_blocking);
  if (code == 0) code = driver.event_create(&gpu.start, k_event_default);
  if (code == 0) code = driver.event_create(&gpu.end, k_event_default);
  gpu.flush_bytes = k_flush_factor * static_cast<size_t>(cache_bytes);
  if (code == 0 && gpu.flush_bytes) code = driver.allocate(&gpu.flush_buffer, gpu.flush_bytes);
  return code;
}

// Marks the end of everything that the context has queued, on whatever stream. Older drivers can
// mark only the default stream, which waits for all but the non-blocking ones; gpu_end() joins
// those too, and its caller charges the wall time.
int record_end() {
  const Driver& driver = gpu.driver;
  if (driver.record_context) {
    const int code = driver.record_context(gpu.context, gpu.end);
    if (code != k_not_supported) return code;
  }
  return driver.event_record(gpu.end, nullptr);
}

}  // namespace

int32_t gpu_open(int32_t device) {
  if (gpu.device == device) return k_cupel_probe_ok;
  if (gpu.device != k_cupel_probe_cpu || device < 0) return k_cupel_probe_unsupported;
  if (!find_driver(gpu.driver)) return k_cupel_probe_unsupported;
  const int32_t opened = status(prepare_context(device));
  if (opened == k_cupel_probe_ok) gpu.device = device;
  return opened;
}

bool gpu_is_open(int32_t device) {
  return device >= 0 && gpu.device == device;
}

int32_t gpu_join() {
  int code = gpu.driver.enter(gpu.context);
  if (code == 0) code = gpu.driver.join();
  return status(code);
}

int32_t gpu_flush() {
  int code = gpu.driver.enter(gpu.context);
  if (code == 0) code = gpu.driver.reset_persisting();
  if (code == k_not_supported) code = 0;
  if (code == 0 && gpu.flush_bytes) {
    code = gpu.driver.fill(gpu.flush_buffer, ++gpu.flush_word, gpu.flush_bytes / sizeof(unsigned),
                           gpu.stream);
  }
  if (code == 0) code = gpu.driver.join();
  return status(code);
}

int32_t gpu_begin() {
  return status(gpu.driver.event_record(gpu.start, gpu.stream));
}

int32_t gpu_end(int64_t* device_ns) {
  float ms = 0;
  int code = gpu.driver.enter(gpu.context);
  if (code == 0) code = record_end();
  const int joined = code == 0 ? gpu.driver.join() : code;
  if (joined == 0) code = gpu.driver.event_elapsed(&ms, gpu.start, gpu.end);
  *device_ns = static_cast<int64_t>(static_cast<double>(ms) * k_ns_per_ms);
  return status(joined ? joined : code);
}

const char* gpu_error() {
  return last_error;
}

}  // namespace cupel_probe
