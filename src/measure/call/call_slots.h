// The memory that one program's calls share with the judge: slots of inputs and outputs, weights.
// It lays inputs out, fixes outputs, and sees what a program wrote where it should not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "measure/call/call_context.h"
#include "measure/call/call_place.h"
#include "measure/device/arena.h"
#include "measure/device/slots.h"
#include "measure/host/host_messages.h"

namespace cupel::measure {

// Of so many calls of a row each has a slot of its own, and the device works for nobody else
// meanwhile (staged_row.h): a whole row at most, a short one at least, or 0: none. The host calls
// its program in between once more on what it was given last, so none either where that writes to
// its inputs.
int row_slots_of(const CallContext& context);

// Not thread-safe. Errors are the device's. A call's input lies `at` an offset of the arena, within
// the room of its slot.
class CallSlots {
 public:
  // `context` outlives it. Until make() there is no memory.
  CallSlots(const CallContext& context, Rng rng);
  Status make();
  // Into a request: where all of it lies, and its descriptors.
  void describe(LoadRequest& request) const;

  // Where calls will find their inputs and put their outputs, a slot each; `key` is drawn anew.
  void place(const std::vector<CallPlace>& places, CallRequest& request);
  // The same, and all of it has happened when it returns: outputs are poisoned, inputs revealed,
  // the device's cache is empty. A host could leave that out; so it is seen to here.
  Status lay_out(const std::vector<CallPlace>& places, CallRequest& request);
  std::int64_t input_at(const CallPlace& place, int slot) const;
  std::int64_t output_at(int slot) const { return output_slots_.slot_at(slot, 0); }

  // Where the calls of a row, each with a slot of its own, will find their inputs and put their
  // outputs; slots and `key` are drawn anew. Outputs are poisoned, what lies around inputs is
  // drawn; the inputs are not there yet.
  Status place_apart(const std::vector<CallPlace>& places, std::vector<int>& slots,
                     CallRequest& request);
  // So many calls of a row can have slots of their own.
  int row_slots() const { return row_slots_; }

  // Queued, as the device's own.
  Status draw_red_zones(int slot, std::int64_t at);
  Status copy_input(const CallPlace& place, std::int64_t at);
  // The input lies there sealed; the key, another one each time, opens it.
  Result<CupelCipherKey> seal_input(const CallPlace& place, std::int64_t at);
  Status take_input_away(std::int64_t at);
  Status poison_output(int slot);

  // A call's input: in the vault, and in a slot.
  Slice given(const CallPlace& place) const;
  Slice input(std::int64_t at) const { return input_.at(at, input_layout_.bytes); }
  std::size_t leaves() const { return output_layout_.offsets.size(); }
  // A slot's outputs, and a leaf of them.
  Slice output(int slot) const;
  Slice output(int slot, std::size_t leaf) const;
  // The vault's copy of a call's outputs, and of a leaf of them.
  Slice snapshot(const CallPlace& place) const;
  Slice snapshot(const CallPlace& place, std::size_t leaf) const;
  // Some memory of a slot, for Device::becomes_quiet().
  Slice scratch() const { return output(0).part(0, k_alignment_bytes); }

  // What a call's outputs are from now on, a slot each; see Device::begin_snapshot().
  Result<std::vector<std::uint64_t>> begin_snapshots(const std::vector<CallPlace>& places);
  // Has them in the vault. False: somebody wrote to them since.
  Result<bool> end_snapshot(const CallPlace& place, int slot, std::uint64_t begun);
  // Neither input nor what lies around the slots was written to.
  Result<bool> as_given(const CallPlace& place, int slot, std::int64_t at) const;

  // Before outputs are asked for once more: what is read then must have been written again.
  Status poison_for_recall();
  // An output that lies in an input, as the reference's does, is memory of the judge's, which has
  // written to it since: it is filled in here.
  Status fill_in_inputs(const CallPlace& place);
  Result<bool> same_as_snapshot(const CallPlace& place);

  // Unknown to programs; what is looked at of a call's outputs follows from it.
  std::uint64_t key() const { return key_; }
  void draw_key() { key_ = rng_.next(); }

 private:
  Status copy_weights();
  Result<bool> red_zones_intact(const Arena& arena, const ArenaLayout& layout, int slot,
                                std::int64_t shift) const;

  const CallContext& context_;
  Rng rng_;
  SlotLayout input_layout_;
  SlotLayout output_layout_;
  int row_slots_ = 0;
  ArenaLayout input_slots_;
  ArenaLayout output_slots_;
  Arena input_;
  Arena output_;
  Arena weights_;
  std::uint64_t key_ = 0;
};

}  // namespace cupel::measure
