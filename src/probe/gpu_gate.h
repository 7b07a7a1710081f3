// A gate before a call's work on a GPU: a kernel that takes every thread of every multiprocessor
// until it is told to end, so that all of a call's launches are queued before the first one runs,
// on whatever stream. What passes from its end to the end of the call's work is the device's own
// time: none of the host's is in it. Copies by the copy engines on other streams pass by.
#pragma once

#include <stdint.h>

#include "probe/gpu_driver.h"

namespace cupel_probe {

// Not thread-safe. The functions return CUresults, 0 for success.
class Gate {
 public:
  // Queues the gate on the legacy default stream, in the current context, and marks its end with
  // an event; all other work must be done. It ends by itself `limit_ns` after it began to run.
  int close(const Driver& driver, int32_t device, uint64_t limit_ns);
  bool closed() const { return closed_; }
  void open();
  // The event at its end.
  Handle end() const { return end_; }
  // Once it has ended: nobody had opened it. A call that waits for the device opens none.
  bool ended_by_itself() const;

 private:
  int prepare(const Driver& driver, int32_t device);

  bool prepared_ = false;
  bool closed_ = false;
  uint32_t number_ = 0;  // of this closing; what opens it, and what it leaves behind
  int blocks_ = 0;
  Handle function_ = nullptr;
  Handle end_ = nullptr;
  volatile uint32_t* words_ =
      nullptr;  // [0]: written to open it; [1]: written as it ends by itself
  Address words_on_device_ = 0;
  Address flag_ = 0;  // on the device: its first block tells the others
};

}  // namespace cupel_probe
