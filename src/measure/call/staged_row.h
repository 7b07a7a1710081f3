// A row's inputs and outputs on their way through memory of the machine's, so that the device works
// for the row's program alone: it need not change contexts between a call and what the judge does.
#pragma once

#include <vector>

#include "measure/call/call_place.h"
#include "measure/call/call_slots.h"
#include "measure/device/device.h"

namespace cupel::measure {

// Calls are told by their places in the row. Errors are the device's. Both references outlive it.
class StagedRow {
 public:
  StagedRow(Device& device, CallSlots& slots) : device_(device), slots_(slots) {}

  // Before the row, with its host frozen: the device's own work. Fills `request` in.
  Status lay_out(const std::vector<CallPlace>& places, CallRequest& request);
  // Has the input in its slot, or the outputs as they are out of theirs, when it returns.
  Status reveal(std::size_t call) { return move(input(call), at(call, 0)); }
  Status take(std::size_t call) { return move(at(call, input(call).bytes), output(call)); }
  // After the row: into the vault. False: somebody wrote to the slot since they were taken.
  Result<bool> keep(std::size_t call);

  int slot(std::size_t call) const { return row_slots_[call]; }

 private:
  Slice input(std::size_t call) const { return slots_.input(inputs_[call]); }
  Slice output(std::size_t call) const { return slots_.output(row_slots_[call]); }
  Slice at(std::size_t call, std::int64_t offset) const;
  Status move(Slice to, Slice from);

  Device& device_;
  CallSlots& slots_;
  std::vector<CallPlace> places_;
  std::vector<int> row_slots_;        // of each call
  std::vector<std::int64_t> inputs_;  // in the arena
  Slice staging_;                     // each call's input and outputs, one after the other
};

}  // namespace cupel::measure
