#include "measure/call/call_slots.h"

#include <algorithm>
#include <numeric>

namespace cupel::measure {
namespace {

// NaN in every floating-point format of torch's.
constexpr std::uint8_t k_input_gone_byte = 0xFF;
// Of a call's outputs, while its clock runs: of more, copying takes longer than two changes of
// contexts (50 GB a second, 160 us each).
constexpr std::int64_t k_look_bytes_max = 16 << 20;

CupelCipherKey drawn_key() {
  CupelCipherKey key{};
  for (int i = 0; i < k_cupel_cipher_key_words; i += 2) {
    const std::uint64_t bits = secret_seed();
    key.words[i] = static_cast<std::uint32_t>(bits);
    key.words[i + 1] = static_cast<std::uint32_t>(bits >> 32);
  }
  return key;
}

}  // namespace

int row_slots_of(const CallContext& context) {
  const MeasurePlan& plan = context.plan;
  const DeviceTraits& traits = context.device.traits();
  const VaultLayout& layout = context.layout;
  const bool stages = plan.rows && !context.may_mutate_inputs;
  std::int64_t look_bytes = 0;
  for (const TensorSpec& leaf : context.facts.outputs) look_bytes += striped_bytes_max(leaf.bytes);
  if (!stages || look_bytes > k_look_bytes_max) return 0;
  const int fewest = plan.row_calls_around() + 1;
  const int most = plan.row_calls_around() + plan.row_calls_max;
  const std::int64_t fit =
      traits.staged_slots_bytes_max / (layout.input_stride + layout.output_stride);
  return fit < fewest ? 0 : static_cast<int>(std::min<std::int64_t>(fit, most));
}

CallSlots::CallSlots(const CallContext& context, Rng rng)
    : context_(context),
      rng_(rng),
      input_layout_(slot_layout(context.facts.inputs)),
      output_layout_(slot_layout(context.facts.outputs)),
      row_slots_(row_slots_of(context)),
      input_slots_{input_layout_.bytes, context.device.traits().shift_room_bytes},
      output_slots_{output_layout_.bytes, 0} {}

Status CallSlots::make() {
  Device& device = context_.device;
  const int slots = std::max(context_.batch_calls_max, row_slots_);
  CUPEL_TRY(input_, device.create_arena("cupel-inputs", slots * input_slots_.stride()));
  CUPEL_TRY(output_, device.create_arena("cupel-outputs", slots * output_slots_.stride()));
  const auto instances = static_cast<std::int64_t>(context_.weights.size());
  CUPEL_TRY(weights_,
            device.create_arena("cupel-weights", instances * context_.layout.weights_bytes));
  CUPEL_TRY_STATUS(device.fill(input_.at(0, slots * input_slots_.stride()), k_red_zone_byte));
  CUPEL_TRY_STATUS(device.fill(output_.at(0, slots * output_slots_.stride()), k_red_zone_byte));
  return copy_weights();
}

Status CallSlots::copy_weights() {
  const std::int64_t bytes =
      static_cast<std::int64_t>(context_.weights.size()) * context_.layout.weights_bytes;
  if (bytes == 0) return {};
  CUPEL_TRY_STATUS(context_.device.copy(weights_.at(0, bytes), context_.vault.at(0, bytes)));
  return context_.device.finish();
}

void CallSlots::describe(LoadRequest& request) const {
  request.input_offsets = input_layout_.offsets;
  request.output_room_bytes = output_layout_.bytes;
  request.instances = context_.weights;
  for (std::size_t i = 0; i < request.instances.size(); ++i) {
    for (auto& tensor : request.instances[i].tensors) {
      tensor.offset += static_cast<std::int64_t>(i) * context_.layout.weights_bytes;
    }
  }
  for (const Arena* arena : {&input_, &output_, &weights_}) {
    request.arena_fds.push_back(arena->fd());
    request.arena_bytes.push_back(arena->bytes());
  }
}

Slice CallSlots::output(int slot) const {
  return output_.at(output_at(slot), output_layout_.bytes);
}

Slice CallSlots::output(int slot, std::size_t leaf) const {
  return output(slot).part(output_layout_.offsets[leaf], context_.facts.outputs[leaf].bytes);
}

Slice CallSlots::given(const CallPlace& place) const {
  return context_.vault.at(context_.layout.input_at(place.set), input_layout_.bytes);
}

Slice CallSlots::snapshot(const CallPlace& place) const {
  return context_.vault.at(context_.layout.output_at(place.set, place.program),
                           output_layout_.bytes);
}

Slice CallSlots::snapshot(const CallPlace& place, std::size_t leaf) const {
  return snapshot(place).part(output_layout_.offsets[leaf], context_.facts.outputs[leaf].bytes);
}

// At a random shift, but the same for every program of the round: alignment alone changes times by
// several per cent.
std::int64_t CallSlots::input_at(const CallPlace& place, int slot) const {
  const DeviceTraits& traits = context_.device.traits();
  Rng draw(context_.shift_key ^ static_cast<std::uint64_t>(place.input));
  const auto steps = static_cast<std::uint64_t>(traits.shift_room_bytes / traits.shift_step_bytes);
  const std::int64_t shift = traits.shift_step_bytes * static_cast<std::int64_t>(draw.below(steps));
  return input_slots_.slot_at(slot, shift);
}

void CallSlots::place(const std::vector<CallPlace>& places, CallRequest& request) {
  draw_key();
  request.instance = places[0].instance;
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const CallPlace& place = places[static_cast<std::size_t>(slot)];
    request.inputs.push_back(input_at(place, slot));
    request.outputs.push_back(output_at(slot));
    request.values.push_back(place.values);
  }
}

// Drawn slots: a call's own tells nothing of its place in the row.
Status CallSlots::place_apart(const std::vector<CallPlace>& places, std::vector<int>& slots,
                              CallRequest& request) {
  draw_key();
  slots.resize(static_cast<std::size_t>(row_slots_));
  std::iota(slots.begin(), slots.end(), 0);
  rng_.shuffle(slots);
  slots.resize(places.size());
  for (std::size_t call = 0; call < places.size(); ++call) {
    request.inputs.push_back(input_at(places[call], slots[call]));
    request.outputs.push_back(output_at(slots[call]));
    CUPEL_TRY_STATUS(poison_output(slots[call]));
    CUPEL_TRY_STATUS(draw_red_zones(slots[call], request.inputs.back()));
  }
  return {};
}

Status CallSlots::lay_out(const std::vector<CallPlace>& places, CallRequest& request) {
  place(places, request);
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const auto index = static_cast<std::size_t>(slot);
    CUPEL_TRY_STATUS(poison_output(slot));
    CUPEL_TRY_STATUS(draw_red_zones(slot, request.inputs[index]));
    CUPEL_TRY_STATUS(copy_input(places[index], request.inputs[index]));
  }
  CUPEL_TRY_STATUS(context_.device.empty_cache());
  return context_.device.finish();
}

// From the input's ends up to the room's.
Status CallSlots::draw_red_zones(int slot, std::int64_t at) {
  Device& device = context_.device;
  const std::int64_t room = input_slots_.room_at(slot);
  const std::int64_t end = at + input_layout_.bytes;
  CUPEL_TRY_STATUS(device.fill(input_.at(room, at - room), k_red_zone_byte));
  return device.fill(input_.at(end, room + input_slots_.stride() - end), k_red_zone_byte);
}

Status CallSlots::copy_input(const CallPlace& place, std::int64_t at) {
  return context_.device.reveal(input(at), given(place), input_layout_.offsets);
}

Result<CupelCipherKey> CallSlots::seal_input(const CallPlace& place, std::int64_t at) {
  const CupelCipherKey key = drawn_key();
  CUPEL_TRY_STATUS(context_.device.encipher(input(at), given(place), key));
  return key;
}

Status CallSlots::take_input_away(std::int64_t at) {
  return context_.device.fill(input(at), k_input_gone_byte);
}

Status CallSlots::poison_output(int slot) {
  const auto byte = static_cast<std::uint8_t>(rng_.next());
  for (const Fill& fill : poison(context_.facts.outputs, output_layout_, byte)) {
    const Slice leaf = output(slot).part(fill.offset, fill.bytes);
    if (fill.bytes % 2 == 0) {
      CUPEL_TRY_STATUS(context_.device.fill_words(leaf, fill.word));
    } else {
      CUPEL_TRY_STATUS(context_.device.fill(leaf, static_cast<std::uint8_t>(fill.word)));
    }
  }
  return {};
}

Result<std::vector<std::uint64_t>> CallSlots::begin_snapshots(
    const std::vector<CallPlace>& places) {
  std::vector<std::uint64_t> begun;
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const Slice to = snapshot(places[static_cast<std::size_t>(slot)]);
    CUPEL_TRY(const std::uint64_t one, context_.device.begin_snapshot(to, output(slot), key_));
    begun.push_back(one);
  }
  return begun;
}

Result<bool> CallSlots::end_snapshot(const CallPlace& place, int slot, std::uint64_t begun) {
  return context_.device.end_snapshot(snapshot(place), output(slot), key_, begun);
}

Result<bool> CallSlots::as_given(const CallPlace& place, int slot, std::int64_t at) const {
  const std::int64_t shift = at - input_slots_.slot_at(slot, 0);
  CUPEL_TRY(bool intact, red_zones_intact(input_, input_slots_, slot, shift));
  if (intact) {
    CUPEL_TRY(intact, red_zones_intact(output_, output_slots_, slot, 0));
  }
  if (!intact || context_.may_mutate_inputs) return intact;
  return context_.device.same(input(at), given(place));
}

Result<bool> CallSlots::red_zones_intact(const Arena& arena, const ArenaLayout& layout, int slot,
                                         std::int64_t shift) const {
  const std::int64_t room = layout.room_at(slot);
  const std::int64_t start = layout.slot_at(slot, shift);
  const std::int64_t end = start + layout.slot_bytes;
  CUPEL_TRY(const bool before,
            context_.device.filled(arena.at(room, start - room), k_red_zone_byte));
  if (!before) return false;
  return context_.device.filled(arena.at(end, room + layout.stride() - end), k_red_zone_byte);
}

Status CallSlots::poison_for_recall() {
  draw_key();
  CUPEL_TRY_STATUS(poison_output(0));
  return context_.device.finish();
}

Status CallSlots::fill_in_inputs(const CallPlace& place) {
  for (std::size_t leaf = 0; leaf < context_.facts.outputs.size(); ++leaf) {
    const TensorSpec& spec = context_.facts.outputs[leaf];
    if (!lies_in_input(spec) || spec.bytes == 0) continue;
    const Slice to = output(0).part(output_layout_.offsets[leaf], spec.bytes);
    CUPEL_TRY_STATUS(context_.device.copy(to, snapshot(place, leaf)));
  }
  return context_.device.finish();
}

Result<bool> CallSlots::same_as_snapshot(const CallPlace& place) {
  return context_.device.same(output(0), snapshot(place));
}

}  // namespace cupel::measure
