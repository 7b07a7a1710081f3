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
  // Has the input in its slot when it returns.
  Status reveal(std::size_t call);
  // Has taken of the outputs what stripes_of() tells of each leaf, when it returns.
  Status take(std::size_t call) { return look(call, taken(call)); }
  // After the row: the outputs are in the vault. False: somebody wrote to what was taken.
  Result<bool> keep(std::size_t call);

  int slot(std::size_t call) const { return row_slots_[call]; }

 private:
  // What is taken of a leaf, and where that lies among what is taken of all.
  struct Look {
    Slice from;
    Stripes stripes;
    std::int64_t offset = 0;
  };

  Slice input(std::size_t call) const { return slots_.input(inputs_[call]); }
  Slice staged_input(std::size_t call) const { return at(call, 0, input(call).bytes); }
  Slice taken(std::size_t call) const { return at(call, input(call).bytes, look_bytes_); }
  Slice taken_again(std::size_t call) const;
  Slice at(std::size_t call, std::int64_t offset, std::int64_t bytes) const;
  void draw_looks();
  Status look(std::size_t call, Slice to);

  Device& device_;
  CallSlots& slots_;
  std::vector<CallPlace> places_;
  std::vector<int> row_slots_;            // of each call
  std::vector<std::int64_t> inputs_;      // in the arena
  std::vector<std::vector<Look>> looks_;  // of each call
  std::int64_t look_bytes_ = 0;           // of a call's outputs
  Slice staging_;                         // each call's input, and two looks at its outputs
};

}  // namespace cupel::measure
