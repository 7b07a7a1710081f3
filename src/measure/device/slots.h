// Where tensors lie in slots, arenas and the vault. Pure arithmetic; all numbers are bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/task.h"

namespace cupel::measure {

// Offsets of leaves in one slot: each at a multiple of k_alignment_bytes.
struct SlotLayout {
  std::vector<std::int64_t> offsets;
  std::int64_t bytes = 0;  // aligned
};
SlotLayout slot_layout(const std::vector<TensorSpec>& leaves);

// What lies before and behind every slot in an arena, filled with k_red_zone_byte (NaN in floats):
// who reads it computes NaN, and who writes to it is found out.
inline constexpr std::int64_t k_red_zone_bytes = 4096;
inline constexpr std::uint8_t k_red_zone_byte = 0xFF;

// An arena of equal slots with room around each. A slot starts `shift` bytes into its room, so that
// no address recurs and both programs of a round meet the same alignments.
struct ArenaLayout {
  std::int64_t slot_bytes = 0;
  std::int64_t shift_room_bytes = 0;  // shifts are below this

  std::int64_t stride() const { return slot_bytes + shift_room_bytes + 2 * k_red_zone_bytes; }
  std::int64_t room_at(int slot) const { return slot * stride(); }
  std::int64_t slot_at(int slot, std::int64_t shift) const {
    return room_at(slot) + k_red_zone_bytes + shift;
  }
};

inline constexpr int k_weight_instances = 2;

// The vault: the instances' weights, then input sets, then output slots. The spare input sets,
// behind the others, share the last set's output slots: nobody compares what is made of them.
struct VaultLayout {
  std::int64_t weights_bytes = 0;  // of one instance
  std::int64_t inputs_at = 0;
  std::int64_t outputs_at = 0;
  std::int64_t input_stride = 0;
  std::int64_t output_stride = 0;
  int sets = 0;      // input sets that fit at a time
  int spares = 0;    // beside them
  int programs = 0;  // output slots a set
  std::int64_t bytes = 0;

  std::int64_t input_at(int set) const { return inputs_at + set * input_stride; }
  std::int64_t output_at(int set, int program) const {
    const std::int64_t slots = std::min(set, sets - 1) * static_cast<std::int64_t>(programs);
    return outputs_at + (slots + program) * output_stride;
  }
};
struct VaultRoom {
  int sets = 0;                   // wanted
  int spares = 0;                 // beside them
  std::int64_t bytes_wanted = 0;  // as many of each kind as fit this
  std::int64_t bytes_max = 0;     // of more than this, weights aside, the fewest that do
};
VaultLayout vault_layout(const TaskFacts& facts, int programs, const VaultRoom& room);

inline constexpr std::int64_t k_process_bytes = 1LL << 30;  // a CUDA context, libraries' workspaces
// What a call of the reference's makes, and torch's allocator adds to that.
std::int64_t made_bytes(const TaskFacts& facts);
// Of the device's memory: what a program takes whose calls make what the reference's make. A slot,
// two instances' weights in an arena and in the program, and what stands in a process by itself.
std::int64_t program_bytes(const TaskFacts& facts);

// What the leaves of an output slot are filled with, which no program computes: a NaN with a number
// of its own for floating leaves (compare.py knows it), `byte` for integers.
struct Fill {
  std::int64_t offset = 0;  // in the slot; even
  std::int64_t bytes = 0;
  std::uint16_t word = 0;  // its low byte alone where `bytes` is odd
};
std::vector<Fill> poison(const std::vector<TensorSpec>& leaves, const SlotLayout& layout,
                         std::uint8_t byte);

// Parts of memory that are looked at in place of all of it: `count` of `bytes` each, `pitch` apart.
struct Stripes {
  std::int64_t start = 0;
  std::int64_t pitch = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 0;

  std::int64_t total() const { return count * bytes; }
};
// Up to 2 MiB all of it. Of more, 256 to 293 times 4 KiB from end to end; where they begin, and how
// far they lie apart, up to an eighth, follows from `key`. So a stretch that is longer than that
// distance is always met, and of a pattern that covers a share of the memory as large a share is.
Stripes stripes_of(std::int64_t bytes, std::uint64_t key);
// At most so much, whatever the key.
std::int64_t striped_bytes_max(std::int64_t bytes);

// A 64-bit digest of memory, to notice that somebody wrote to it. Up to 16 KiB it covers every
// byte; of larger memory, 256 lines of 64 bytes at places drawn from `key`, which the writer does
// not know.
std::uint64_t digest(std::span<const std::byte> memory, std::uint64_t key);

}  // namespace cupel::measure
