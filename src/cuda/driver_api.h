// NVIDIA's driver API as Cupel uses it: types and functions declared here, found in libcuda.so.1 at
// run time, so that one binary serves machines with and without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace cupel::cuda {

using Address = std::uint64_t;  // of device memory; mapped host memory shares the address space
using Handle = void*;           // contexts, streams, events, modules, functions

// cuda.h's CUmemLocation, CUmemAllocationProp and CUmemAccessDesc.
struct Location {
  int type = 1;  // a device
  int id = 0;
};
struct AllocationProperties {
  int type = 1;          // pinned
  int handle_types = 1;  // POSIX file descriptor
  Location location;
  void* win32_meta_data = nullptr;
  unsigned char flags[8] = {};
};
struct AccessDescription {
  Location location;
  int flags = 3;  // read and write
};
static_assert(sizeof(AllocationProperties) == 32 && sizeof(AccessDescription) == 12);

// cuda.h's CUDA_MEMCPY2D.
struct CopySide {
  std::size_t x_bytes = 0;
  std::size_t y = 0;
  int type = 4;  // by the address: one space for all memory
  void* host = nullptr;
  Address at = 0;
  void* array = nullptr;
  std::size_t pitch = 0;
};
struct CopyRows {
  CopySide from;
  CopySide to;
  std::size_t width = 0;
  std::size_t height = 0;
};
static_assert(sizeof(CopyRows) == 128);

struct DeviceUuid {
  unsigned char bytes[16];
};

// X(member, symbol, parameters): every function returns a CUresult, 0 for success.
#define CUPEL_CUDA_FUNCTIONS(X)                                                                   \
  X(init, "cuInit", (unsigned flags))                                                             \
  X(driver_version, "cuDriverGetVersion", (int* version))                                         \
  X(device_get, "cuDeviceGet", (int* device, int ordinal))                                        \
  X(device_count, "cuDeviceGetCount", (int* count))                                               \
  X(device_name, "cuDeviceGetName", (char* name, int room, int device))                           \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, int device))            \
  X(device_memory, "cuDeviceTotalMem_v2", (std::size_t * bytes, int device))                      \
  X(device_uuid, "cuDeviceGetUuid_v2", (DeviceUuid * uuid, int device))                           \
  X(device_pci_id, "cuDeviceGetPCIBusId", (char* id, int room, int device))                       \
  X(context_retain, "cuDevicePrimaryCtxRetain", (Handle * context, int device))                   \
  X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                \
  X(context_set, "cuCtxSetCurrent", (Handle context))                                             \
  X(stream_create, "cuStreamCreate", (Handle * stream, unsigned flags))                           \
  X(stream_destroy, "cuStreamDestroy_v2", (Handle stream))                                        \
  X(stream_wait, "cuStreamSynchronize", (Handle stream))                                          \
  X(event_create, "cuEventCreate", (Handle * event, unsigned flags))                              \
  X(event_destroy, "cuEventDestroy_v2", (Handle event))                                           \
  X(event_record, "cuEventRecord", (Handle event, Handle stream))                                 \
  X(event_elapsed, "cuEventElapsedTime", (float* ms, Handle start, Handle end))                   \
  X(copy, "cuMemcpyAsync", (Address to, Address from, std::size_t bytes, Handle stream))          \
  X(copy_rows, "cuMemcpy2DAsync_v2", (const CopyRows* rows, Handle stream))                       \
  X(fill, "cuMemsetD8Async", (Address to, unsigned char byte, std::size_t bytes, Handle stream))  \
  X(fill_words, "cuMemsetD16Async",                                                               \
    (Address to, unsigned short word, std::size_t words, Handle stream))                          \
  X(allocate, "cuMemAlloc_v2", (Address * at, std::size_t bytes))                                 \
  X(deallocate, "cuMemFree_v2", (Address at))                                                     \
  X(reset_persisting, "cuCtxResetPersistingL2Cache", ())                                          \
  X(host_allocate, "cuMemHostAlloc", (void** memory, std::size_t bytes, unsigned flags))          \
  X(host_free, "cuMemFreeHost", (void* memory))                                                   \
  X(granularity, "cuMemGetAllocationGranularity",                                                 \
    (std::size_t * bytes, const AllocationProperties* properties, int option))                    \
  X(create, "cuMemCreate",                                                                        \
    (Address * handle, std::size_t bytes, const AllocationProperties* properties,                 \
     std::uint64_t flags))                                                                        \
  X(release, "cuMemRelease", (Address handle))                                                    \
  X(export_handle, "cuMemExportToShareableHandle",                                                \
    (void* shareable, Address handle, int type, std::uint64_t flags))                             \
  X(reserve, "cuMemAddressReserve",                                                               \
    (Address * at, std::size_t bytes, std::size_t alignment, Address hint, std::uint64_t flags))  \
  X(unreserve, "cuMemAddressFree", (Address at, std::size_t bytes))                               \
  X(map, "cuMemMap",                                                                              \
    (Address at, std::size_t bytes, std::size_t offset, Address handle, std::uint64_t flags))     \
  X(unmap, "cuMemUnmap", (Address at, std::size_t bytes))                                         \
  X(set_access, "cuMemSetAccess",                                                                 \
    (Address at, std::size_t bytes, const AccessDescription* access, std::size_t count))          \
  X(module_load, "cuModuleLoadData", (Handle * module, const void* image))                        \
  X(module_unload, "cuModuleUnload", (Handle module))                                             \
  X(module_function, "cuModuleGetFunction", (Handle * function, Handle module, const char* name)) \
  X(launch, "cuLaunchKernel",                                                                     \
    (Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,        \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream, void** arguments,  \
     void** extra))                                                                               \
  X(error_text, "cuGetErrorString", (int code, const char** text))

struct DriverApi {
#define CUPEL_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  CUPEL_CUDA_FUNCTIONS(CUPEL_CUDA_MEMBER)
#undef CUPEL_CUDA_MEMBER
};

// Loads the driver once a process and initializes it; an environment error where there is none, or
// one that is too old. Thread-safe; the table lives as long as the process.
Result<const DriverApi*> driver_api();

// Success, or an infra error "WHAT: the driver's own words".
Status check(int code, const char* what);

}  // namespace cupel::cuda
