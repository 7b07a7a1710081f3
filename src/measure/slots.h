// Where tensors lie in slots, arenas and the vault. Pure arithmetic; all numbers are bytes.
#pragma once

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

// Slots start at a random multiple of the alignment below this, another one each call, so that
// no address recurs and both programs meet the same alignments.
inline constexpr std::int64_t k_shift_room_bytes = 4096;

// The vault: two instances' weights, then input sets, then output slots.
struct VaultLayout {
  std::int64_t weights_bytes = 0;  // of one instance
  std::int64_t inputs_at = 0;
  std::int64_t outputs_at = 0;
  std::int64_t input_stride = 0;
  std::int64_t output_stride = 0;
  int sets = 0;      // input sets that fit at a time; even
  int programs = 0;  // output slots a set
  std::int64_t bytes = 0;

  std::int64_t input_at(int set) const { return inputs_at + set * input_stride; }
  std::int64_t output_at(int set, int program) const {
    return outputs_at + (static_cast<std::int64_t>(set) * programs + program) * output_stride;
  }
};
VaultLayout vault_layout(const TaskFacts& facts, int programs, int sets_wanted,
                         std::int64_t bytes_wanted);

// Fills the leaves of an output slot with what no program computes: an all-ones NaN for floating
// leaves, `byte` for integers.
void poison(std::span<std::byte> slot, const std::vector<TensorSpec>& leaves,
            const SlotLayout& layout, std::uint8_t byte);

// A 64-bit digest of memory, to notice that somebody wrote to it. Up to 16 KiB it covers every
// byte; of larger memory, 256 lines of 64 bytes at places drawn from `key`, which the writer does
// not know.
std::uint64_t digest(std::span<const std::byte> memory, std::uint64_t key);

}  // namespace cupel::measure
