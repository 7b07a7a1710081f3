#include "measure/device/slots.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/rng.h"
#include "measure/device/arena.h"

namespace cupel::measure {
namespace {

constexpr int k_sets_min = 4;
constexpr int k_spares_min = 5;  // for a row of one call that counts
// Of large inputs: one that warms up, two of a chunk; a call that warms up, and one behind the
// last.
constexpr int k_sets_fewest = 3;
constexpr int k_spares_fewest = 2;
constexpr int k_sets_max = 4096;
constexpr std::int64_t k_allocator_part = 4;  // a 2D convolution's 8 GiB were 10.4 in the process
// Repeated, a NaN of float16, bfloat16, float32 and float64. Not of ones alone: masks of vector
// instructions make such (the maximum of a NaN, say), so that an honest NaN looked like poison.
constexpr std::uint16_t k_nan_word = 0xFFFD;
constexpr std::int64_t k_stripe_whole_bytes = 2 << 20;
constexpr std::int64_t k_stripe_count = 256;  // at the widest distance; at 7/8 of it:
constexpr std::int64_t k_stripe_count_max = 293;
constexpr std::int64_t k_stripe_bytes = 4096;
constexpr std::int64_t k_stripe_step_bytes = 512;
constexpr std::int64_t k_stripe_pitch_share = 8;
constexpr std::size_t k_digest_line_bytes = 64;
constexpr std::size_t k_digest_lines_max = 256;
constexpr std::uint64_t k_digest_multiplier = 0xbf58476d1ce4e5b9ULL;

bool is_floating(const std::string& dtype) {
  return dtype.find("float") != std::string::npos || dtype.find("complex") != std::string::npos;
}

}  // namespace

SlotLayout slot_layout(const std::vector<TensorSpec>& leaves) {
  SlotLayout layout;
  for (const auto& leaf : leaves) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += align_up(leaf.bytes);
  }
  layout.bytes = std::max(layout.bytes, k_alignment_bytes);
  return layout;
}

VaultLayout vault_layout(const TaskFacts& facts, int programs, const VaultRoom& room) {
  VaultLayout layout;
  layout.programs = programs;
  layout.weights_bytes = align_up(facts.weight_bytes);
  layout.input_stride = slot_layout(facts.inputs).bytes;
  layout.output_stride = slot_layout(facts.outputs).bytes;
  layout.inputs_at = k_weight_instances * layout.weights_bytes;
  const auto lay = [&layout](int sets, int spares) {
    layout.sets = sets;
    layout.spares = spares;
    layout.outputs_at = layout.input_at(sets + spares);
    layout.bytes = layout.outputs_at + sets * layout.programs * layout.output_stride;
  };
  const auto fitting = [&room](std::int64_t bytes) {
    return static_cast<int>(std::min<std::int64_t>(room.bytes_wanted / bytes, k_sets_max));
  };
  const std::int64_t per_set = layout.input_stride + programs * layout.output_stride;
  lay(std::max(k_sets_min, std::min(fitting(per_set), room.sets) / 2 * 2),
      std::max(k_spares_min, std::min(fitting(layout.input_stride), room.spares)));
  if (layout.bytes - layout.inputs_at > room.bytes_max) lay(k_sets_fewest, k_spares_fewest);
  return layout;
}

std::int64_t made_bytes(const TaskFacts& facts) {
  const std::int64_t made = facts.peak_bytes - facts.weight_bytes - facts.input_bytes;
  return made + made / k_allocator_part;
}

std::int64_t program_bytes(const TaskFacts& facts) {
  return k_process_bytes + facts.input_bytes + facts.output_bytes + made_bytes(facts) +
         2 * k_weight_instances * facts.weight_bytes;
}

std::vector<Fill> poison(const std::vector<TensorSpec>& leaves, const SlotLayout& layout,
                         std::uint8_t byte) {
  std::vector<Fill> fills;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const bool nan = is_floating(leaves[i].dtype) && leaves[i].bytes % 2 == 0;
    const auto twice = static_cast<std::uint16_t>(byte * 0x0101);
    fills.push_back({layout.offsets[i], leaves[i].bytes, nan ? k_nan_word : twice});
  }
  return fills;
}

std::int64_t striped_bytes_max(std::int64_t bytes) {
  return bytes <= k_stripe_whole_bytes ? bytes : k_stripe_count_max * k_stripe_bytes;
}

Stripes stripes_of(std::int64_t bytes, std::uint64_t key) {
  if (bytes <= k_stripe_whole_bytes) return {0, bytes, bytes, 1};
  Rng draw(key);
  const auto drawn = [&draw](std::int64_t steps) {
    return k_stripe_step_bytes *
           static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(steps)));
  };
  constexpr std::int64_t k_step_of_all = k_stripe_count * k_stripe_step_bytes;
  const std::int64_t widest = (bytes + k_step_of_all - 1) / k_step_of_all;  // in steps
  Stripes stripes{0, widest * k_stripe_step_bytes, k_stripe_bytes, 0};
  stripes.pitch -= drawn(widest / k_stripe_pitch_share + 1);
  stripes.start = drawn(stripes.pitch / k_stripe_step_bytes);
  stripes.count = (bytes - k_stripe_bytes - stripes.start) / stripes.pitch + 1;
  return stripes;
}

std::uint64_t digest(std::span<const std::byte> memory, std::uint64_t key) {
  const std::size_t lines = memory.size() / k_digest_line_bytes;
  const std::size_t samples = std::min(lines, k_digest_lines_max);
  Rng places(key);
  std::uint64_t result = key;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t line = samples == lines ? i : places.below(lines);
    std::uint64_t words[k_digest_line_bytes / sizeof(std::uint64_t)];
    std::memcpy(words, memory.data() + line * k_digest_line_bytes, sizeof words);
    for (const auto word : words) result = (std::rotl(result, 29) ^ word) * k_digest_multiplier;
  }
  for (std::size_t at = lines * k_digest_line_bytes; at < memory.size(); ++at) {
    result = (result ^ std::to_integer<std::uint64_t>(memory[at])) * k_digest_multiplier;
  }
  return result;
}

}  // namespace cupel::measure
