// NVIDIA's driver as the probe uses it: what the PyTorch process has loaded already.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace cupel_probe {

using Handle = void*;
using Address = uint64_t;

// cuda.h's numbers.
inline constexpr int k_attribute_multiprocessors = 16;
inline constexpr unsigned k_stream_non_blocking = 1;
inline constexpr unsigned k_event_default = 0;
inline constexpr unsigned k_host_memory_mapped = 2;
inline constexpr int k_not_supported = 801;

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
  int (*allocate_host)(void**, size_t, unsigned);
  int (*address_of_host)(Address*, void*, unsigned);
  int (*fill)(Address, unsigned, size_t, Handle);
  int (*load)(Handle*, const void*);
  int (*function)(Handle*, Handle, const char*);
  int (*blocks_per_multiprocessor)(int*, Handle, int, size_t);
  int (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                Handle, void**, void**);
  int (*error_text)(int, const char**);
  int (*record_context)(Handle, Handle);  // nullptr before CUDA 12.5
};

// False: there is no driver, or one that lacks a function.
bool find_driver(Driver& driver);

}  // namespace cupel_probe
