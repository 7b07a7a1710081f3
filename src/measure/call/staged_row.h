// A row that the device works for alone: it need not change contexts between a call and what the
// judge does. Its inputs lie sealed in their slots (probe/cipher.h) before it begins; the key comes
// with the baton. What is looked at of its outputs goes to memory of the machine's, which takes no
// context.
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

  // Before the row, with its host frozen: the device's own work. Fills `request` in; keys are drawn
  // anew.
  Status lay_out(const std::vector<CallPlace>& places, CallRequest& request);
  // Opens the call's input.
  const CupelCipherKey& key(std::size_t call) const { return keys_[call]; }
  // Has taken of the outputs what stripes_of() tells of each leaf, and a part of the opened input,
  // when it returns.
  Status take(std::size_t call) { return look(call, taken(call)); }
  // After the row: the outputs are in the vault. False: somebody wrote to what was taken.
  Result<bool> keep(std::size_t call);

  int slot(std::size_t call) const { return row_slots_[call]; }

 private:
  // What is taken of an output's leaf or of the input, and where that lies among what is taken of
  // all.
  struct Look {
    Slice from;
    Stripes stripes;
    std::int64_t offset = 0;
  };

  Slice input(std::size_t call) const { return slots_.input(inputs_[call]); }
  Slice taken(std::size_t call) const { return look_at(2 * call); }
  Slice taken_again(std::size_t call) const { return look_at(2 * call + 1); }
  Slice look_at(std::size_t index) const;
  void draw_looks();
  void look_at_opened(std::vector<Look>& looks, Rng& keys);
  Status look(std::size_t call, Slice to);

  Device& device_;
  CallSlots& slots_;
  std::vector<CallPlace> places_;
  std::vector<int> row_slots_;        // of each call
  std::vector<std::int64_t> inputs_;  // in the arena
  std::vector<CupelCipherKey> keys_;
  std::vector<std::vector<Look>> looks_;  // of each call
  std::int64_t look_bytes_ = 0;           // of a call
  Slice staging_;                         // two looks at each call
};

}  // namespace cupel::measure
