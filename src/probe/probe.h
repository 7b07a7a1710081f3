// The C ABI of libcupel_probe.so, which every host loads into its PyTorch process (through ctypes,
// CUPEL_PROBE names the file). It times a program's call and holds a host's side of the baton.
//
// Whoever loads it must check cupel_probe_version() first: a signature or a meaning that changes
// raises k_cupel_probe_version, an added function does not.
//
// Devices: k_cupel_probe_cpu or a CUDA ordinal (0, 1, ...). Functions that take a device return
// a status: 0, or k_cupel_probe_unsupported for a device this build cannot time. Nothing throws or
// allocates on the timed path. A span belongs to the thread that began it; all other functions may
// be called from any thread. What the library says is as trustworthy as the process it is in.
#pragma once

#include <stdint.h>

#define CUPEL_PROBE_EXPORT __attribute__((visibility("default")))

enum { k_cupel_probe_version = 3 };
enum { k_cupel_probe_cpu = -1 };
enum { k_cupel_probe_not_queued = -1 };
enum {
  k_cupel_probe_ok = 0,
  k_cupel_probe_unsupported = 1,
  k_cupel_probe_not_begun = 2,
  k_cupel_probe_device_failed = 3,  // cupel_probe_error() has the driver's words
};

#ifdef __cplusplus
extern "C" {
#endif

CUPEL_PROBE_EXPORT int32_t cupel_probe_version(void);

// CLOCK_MONOTONIC in nanoseconds: the clock of the judge, so that spans can be laid side by side.
CUPEL_PROBE_EXPORT int64_t cupel_probe_now_ns(void);

// A GPU must be opened, once and only one a process, before it can be timed. It is opened in the
// primary context, which is torch's.
CUPEL_PROBE_EXPORT int32_t cupel_probe_open(int32_t device);

// One span: begin, the program's call, end. `end` waits for all work that the program queued on
// the device, on whatever stream and from whatever thread, and stores the span's length in
// nanoseconds at `claim_ns`: on a GPU the longer of the device's own time and the wall time. It
// also closes the span. k_cupel_probe_not_begun if this thread began none on this device.
CUPEL_PROBE_EXPORT int32_t cupel_probe_begin(int32_t device);
CUPEL_PROBE_EXPORT int32_t cupel_probe_end(int32_t device, int64_t* claim_ns);

// Within a span on a GPU: its program has returned. What is queued from here on is not in the span,
// whose length is then the longer of the device's own time and the wall time up to here; `end`
// waits for all of it nevertheless. Nothing on the CPU, nor where the driver cannot mark the end of
// all streams' work: the span goes on to its end.
CUPEL_PROBE_EXPORT int32_t cupel_probe_mark(int32_t device);

// The GPU's own time of the last span that this thread ended: from begin to the end of its last
// work on any stream, queued before the mark if there is one. 0 on the CPU. Of a span behind a
// gate: from the gate's opening, which comes when all is queued; k_cupel_probe_not_queued if the
// gate opened by itself, or the driver cannot mark the end of all streams' work.
CUPEL_PROBE_EXPORT int64_t cupel_probe_device_ns(void);

// Before a span, with nothing left to do on the device: on a GPU, holds up all work of that span
// until cupel_probe_end(), but for `limit_ns` at most, so that all its launches are queued before
// the first one runs and the device's own time holds none of the host's. A span that waits for the
// device, or has more launches than the driver queues, runs into the limit; its claim means nothing
// either way. Nothing on the CPU.
CUPEL_PROBE_EXPORT int32_t cupel_probe_close_gate(int32_t device, int64_t limit_ns);

// Opens a sealed input (cipher.h): `bytes`, a multiple of 16, at `address` on the device, with the
// CupelCipherKey at `key`. On a GPU it is queued, on the legacy default stream.
CUPEL_PROBE_EXPORT int32_t cupel_probe_open_sealed(int32_t device, uint64_t address, uint64_t bytes,
                                                   const void* key);

// Waits for all work on the device. Nothing on the CPU.
CUPEL_PROBE_EXPORT int32_t cupel_probe_join(int32_t device);

// What the driver said about the last k_cupel_probe_device_failed.
CUPEL_PROBE_EXPORT const char* cupel_probe_error(void);

// A host's side of baton.h. Waits until the judge has written `turn` to the baton at `page`...
CUPEL_PROBE_EXPORT void cupel_probe_await_turn(void* page, uint32_t turn);
// ...and tells where that call's `count` outputs lie (0: it failed, or has too many to tell), then
// waits until the judge has looked.
CUPEL_PROBE_EXPORT void cupel_probe_give_back(void* page, uint32_t turn, const uint64_t* addresses,
                                              uint32_t count);

#ifdef __cplusplus
}
#endif
