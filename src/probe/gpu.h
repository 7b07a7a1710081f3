// Spans on a GPU, through the driver that the PyTorch process has loaded already. The device part
// of probe.h's functions; statuses are probe.h's.
#pragma once

#include <stdint.h>

#include "probe/cipher.h"

namespace cupel_probe {

// Finds the driver, joins the device's primary context (torch's) and allocates what the functions
// below need. Idempotent; one device a process.
int32_t gpu_open(int32_t device);

// Waits for all work of the context, on all its streams.
int32_t gpu_join();

// Holds up the work of the span that begins next until its end: see gpu_gate.h. All other work must
// be done.
int32_t gpu_close_gate(int64_t limit_ns);

// Queued on the legacy default stream.
int32_t gpu_open_sealed(uint64_t address, uint64_t bytes, CupelCipherKey key);

int32_t gpu_begin();
// `marked`: whether the span ends with what has been queued by now.
int32_t gpu_mark(bool* marked);
// `device_ns`: from begin, or from the gate's opening, to the end of all work that the context had
// queued, by the mark if there is one; k_cupel_probe_not_queued if the gate opened by itself, or
// the driver cannot tell.
int32_t gpu_end(int64_t* device_ns);

bool gpu_is_open(int32_t device);

// The last error of the driver in its own words, "" for none.
const char* gpu_error();

}  // namespace cupel_probe
