// One program of a round, as a round sees it: it is called, and what is found goes to its evidence.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "measure/call/call_place.h"
#include "model/evidence.h"

namespace cupel::measure {

// One call of a row. One that does not count is there for the caches.
struct RowCall {
  CallPlace place;
  bool counts = true;
  bool taken = true;  // its outputs, to be compared
};

// What is common to the calls of a row.
struct RowPlan {
  bool still = false;  // the host stands still while an input is revealed
  std::int64_t order = 0;
  double seconds_max = 0;  // each call
  // So much of what the judge takes to read a call's outputs is none of the call's time. A process
  // can hold up who reads its memory, and compute meanwhile.
  std::int64_t reading_ns_max = std::numeric_limits<std::int64_t>::max();
};

// Where a function returns bool, false says that the outputs cannot be compared, and evidence()
// why. Where it takes a `gate`, that is held while the device is used or the host freezes, and
// other lanes' functions may run at the same time.
class Lane {
 public:
  virtual ~Lane() = default;

  virtual bool load(std::mutex& gate) = 0;
  // For calls that mostly compile: untimed, and what the program leaves running is not waited for.
  virtual bool call_beside(const CallPlace& place, double seconds_max, std::mutex& gate) = 0;
  // Stops and continues what takes a gate and is in flight, from another thread, gate held.
  virtual void pause() = 0;
  virtual void resume() = 0;

  // One call: its input is revealed, its outputs are in the vault. `sample`, if not null, receives
  // the times.
  virtual bool call(const CallPlace& place, double seconds_max, CallSample* sample) = 0;
  // The same on a device that queues work, which is held up until all of the call is launched, but
  // no longer than `gate_ns`. `sample`, if not null, receives the device's time.
  virtual bool queued_call(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                           QueuedSample* sample) = 0;
  // Warm calls, each input revealed right before its call, into evidence().calls and untimed. The
  // outputs are read where they lie, if the lane is readable(), else its host copies them.
  virtual bool row(const std::vector<RowCall>& calls, const RowPlan& plan) = 0;
  // The judge can read outputs where they lie.
  virtual bool readable() const = 0;
  // What the judge usually takes to read a call's outputs in its rows; 0 where it reads none.
  virtual std::int64_t usual_reading_ns() const { return 0; }
  // Calls revealed at once, into evidence().batches: a batch, or a burst.
  virtual bool several(const std::vector<CallPlace>& places, double seconds_max) = 0;

  // Keeps the outputs of the call before the last one; `place` is that call's. `gate`: nullptr
  // where this process has the device alone. Returns the index to recall by, or -1 as false.
  virtual int hold(const CallPlace& place, double seconds_max, std::mutex* gate) = 0;
  // Those outputs, as they are now, into the vault.
  virtual bool recall(const CallPlace& place, int index, double seconds_max, std::mutex& gate) = 0;
  // Those of a timed call; evidence().endurance.changed names the input if they have changed.
  virtual bool recall_timed(const CallPlace& place, int index, double seconds_max) = 0;
  // Into evidence().endurance: the memory after so many calls; what is left behind in the process.
  virtual void note_memory(std::int64_t calls) = 0;
  virtual bool note_left_behind(double seconds_max, std::mutex& gate) = 0;

  // What the last call on a set is said to have returned beside its tensors' bytes.
  struct Told {
    std::vector<std::vector<std::int64_t>> strides;  // of each tensor
    std::vector<std::string> values;                 // what is no tensor
  };
  virtual Told told_of(const CallPlace& place) const = 0;
  virtual void close() = 0;  // there are no calls any more

  bool alive() const { return evidence_.fault.kind == HostFault::Kind::none; }
  bool usable() const { return alive() && evidence_.mismatches.empty(); }  // worth further calls
  ProgramEvidence& evidence() { return evidence_; }
  const ProgramEvidence& evidence() const { return evidence_; }

 protected:
  Lane() = default;
  Lane(const Lane&) = default;
  Lane& operator=(const Lane&) = default;

  ProgramEvidence evidence_;
};

}  // namespace cupel::measure
