#include "measure/lane.h"

#include "base/clock.h"
#include "base/text.h"
#include "measure/host_json.h"
#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

// Of a tree or a shape that a host claims; an honest one is shorter.
constexpr std::size_t k_form_text_bytes_max = 512;

std::string join(const std::vector<std::int64_t>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? "," : "") + std::to_string(numbers[i]);
  }
  return text + "]";
}

}  // namespace

Lane::Lane(const LaneContext& context, Program program, std::unique_ptr<Host> host, Rng rng)
    : context_(context),
      program_(std::move(program)),
      host_(std::move(host)),
      rng_(rng),
      input_layout_(slot_layout(context.facts.inputs)),
      output_layout_(slot_layout(context.facts.outputs)),
      input_slots_{input_layout_.bytes, context.device.traits().shift_room_bytes},
      output_slots_{output_layout_.bytes, 0} {
  evidence_.candidate_id = program_.candidate.id;
  evidence_.label = program_.candidate.label;
  evidence_.role = program_.role;
  evidence_.trusted = program_.trusted;
}

Status Lane::make_arenas() {
  Device& device = context_.device;
  const int slots = context_.batch_calls_max;
  CUPEL_TRY(input_, device.create_arena("cupel-inputs", slots * input_slots_.stride()));
  CUPEL_TRY(output_, device.create_arena("cupel-outputs", slots * output_slots_.stride()));
  const auto instances = static_cast<std::int64_t>(context_.weights.size());
  CUPEL_TRY(weights_,
            device.create_arena("cupel-weights", instances * context_.layout.weights_bytes));
  CUPEL_TRY(baton_, Baton::make());
  CUPEL_TRY_STATUS(device.fill(input_.at(0, slots * input_slots_.stride()), k_red_zone_byte));
  CUPEL_TRY_STATUS(device.fill(output_.at(0, slots * output_slots_.stride()), k_red_zone_byte));
  return copy_weights();
}

Status Lane::copy_weights() {
  const std::int64_t bytes =
      static_cast<std::int64_t>(context_.weights.size()) * context_.layout.weights_bytes;
  if (bytes == 0) return {};
  CUPEL_TRY_STATUS(context_.device.copy(weights_.at(0, bytes), context_.vault.at(0, bytes)));
  return context_.device.finish();
}

LoadRequest Lane::load_request() const {
  LoadRequest request;
  request.source = program_.candidate.source;
  request.class_name = program_.class_name;
  request.init_pickle = context_.facts.init_pickle;
  request.input_tree = context_.facts.input_tree;
  request.inputs = context_.facts.inputs;
  request.input_offsets = input_layout_.offsets;
  request.output_room_bytes = output_layout_.bytes;
  request.substitution = program_.substitution;
  request.holds = context_.plan.holds_outputs && !program_.does_nothing;
  if (program_.does_nothing) {
    request.nothing_tree = context_.facts.output_tree;
    request.nothing_leaves = context_.facts.outputs;
  }
  for (std::size_t leaf = 0; leaf < context_.facts.outputs.size(); ++leaf) {
    if (context_.facts.outputs[leaf].in_input) request.in_inputs.push_back(static_cast<int>(leaf));
  }
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
  request.arena_fds.push_back(baton_.fd());
  return request;
}

bool Lane::load(std::mutex& gate) {
  evidence_.fault = refusal_of(program_.candidate.source);
  if (!alive()) return false;
  {
    const std::lock_guard guard(gate);
    if (auto made = make_arenas(); !made) {
      evidence_.fault = infra_fault("load", made.error());
      return false;
    }
    running_ = true;
    host_->thaw();
  }
  const HostReply reply = host_->load(load_request(), context_.plan.load_seconds_max);
  const std::lock_guard guard(gate);
  running_ = false;
  host_->freeze();
  evidence_.fault = reply.fault;
  evidence_.import_ms = reply.import_ms;
  evidence_.construct_ms = reply.construct_ms;
  evidence_.weights = reply.weights;
  return alive();
}

Slice Lane::output_slot(int slot) const {
  return output_.at(output_slots_.slot_at(slot, 0), output_layout_.bytes);
}

Slice Lane::snapshot_of(const CallPlace& place) const {
  return context_.vault.at(context_.layout.output_at(place.set, place.program),
                           output_layout_.bytes);
}

// Random, but the same for every program of the round: alignment alone changes times by several
// per cent.
std::int64_t Lane::shift_of(const CallPlace& place) const {
  const DeviceTraits& traits = context_.device.traits();
  Rng draw(context_.shift_key ^ static_cast<std::uint64_t>(place.input));
  return traits.shift_step_bytes * static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(
                                       traits.shift_room_bytes / traits.shift_step_bytes)));
}

// Copies one input set to `at` of the host's arena, with red zones up to the room's ends.
Status Lane::reveal(const CallPlace& place, int slot, std::int64_t at) {
  CUPEL_TRY_STATUS(draw_red_zones(slot, at));
  return copy_input(place, at);
}

Status Lane::draw_red_zones(int slot, std::int64_t at) {
  Device& device = context_.device;
  const std::int64_t room = input_slots_.room_at(slot);
  const std::int64_t end = at + input_layout_.bytes;
  CUPEL_TRY_STATUS(device.fill(input_.at(room, at - room), k_red_zone_byte));
  return device.fill(input_.at(end, room + input_slots_.stride() - end), k_red_zone_byte);
}

Status Lane::copy_input(const CallPlace& place, std::int64_t at) {
  return context_.device.copy(
      input_.at(at, input_layout_.bytes),
      context_.vault.at(context_.layout.input_at(place.set), input_layout_.bytes));
}

Status Lane::poison_output(int slot) {
  const auto byte = static_cast<std::uint8_t>(rng_.next());
  for (const Fill& fill : poison(context_.facts.outputs, output_layout_, byte)) {
    CUPEL_TRY_STATUS(
        context_.device.fill(output_slot(slot).part(fill.offset, fill.bytes), fill.byte));
  }
  return {};
}

// The first call compiles, and compilers run where the thread that starts them may.
int Lane::core_of_next_call() {
  const bool bound = called_ && context_.device.traits().binds_main_thread;
  called_ = true;
  return bound ? sandbox::first_given_core() : -1;
}

// Of a call a slot; nothing lies there yet.
CallRequest Lane::request_of(const std::vector<CallPlace>& places) {
  CallRequest request;
  digest_key_ = rng_.next();
  request.instance = places[0].instance;
  request.core = core_of_next_call();
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const CallPlace& place = places[static_cast<std::size_t>(slot)];
    request.inputs.push_back(input_slots_.slot_at(slot, shift_of(place)));
    request.outputs.push_back(output_slots_.slot_at(slot, 0));
    request.values.push_back(place.values);
  }
  return request;
}

// Poisons and reveals one slot a place; when it returns, all of it has happened. That the device's
// cache is empty is seen to here and not by the host, which could leave it out.
Status Lane::lay_out(const std::vector<CallPlace>& places, CallRequest& request) {
  request = request_of(places);
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const auto index = static_cast<std::size_t>(slot);
    CUPEL_TRY_STATUS(poison_output(slot));
    CUPEL_TRY_STATUS(reveal(places[index], slot, request.inputs[index]));
  }
  CUPEL_TRY_STATUS(context_.device.empty_cache());
  return context_.device.finish();
}

bool Lane::device_failed(const Error& error) {
  evidence_.fault = infra_fault("call", error);
  return false;
}

bool Lane::take_fault(const HostReply& reply, const CallPlace& place) {
  if (reply.unasked) ++evidence_.unasked_replies;
  if (!reply.failed()) return false;
  if (reply.wrong_type) {
    add_mismatch(place, "type", reply.fault.what, "a plain torch.Tensor");
  } else {
    evidence_.fault = reply.fault;
    evidence_.fault.input = place.input;
  }
  return true;
}

bool Lane::call(const CallPlace& place, double seconds_max, CallSample* sample) {
  return call_once(place, 0, seconds_max, [&](const HostReply& reply, const Fixed& fixed) {
    if (!sample) return;
    sample->bracket_ns = bracket_of(reply, fixed);
    sample->claim_ns = reply.claim_ns;
  });
}

bool Lane::queued_call(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                       QueuedSample* sample) {
  return call_once(place, gate_ns, seconds_max, [&](const HostReply& reply, const Fixed&) {
    if (sample) sample->device_ns = reply.device_ns;
  });
}

bool Lane::call_once(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                     const std::function<void(const HostReply&, const Fixed&)>& note) {
  // The host stands still until its inputs lie there: a worker of its that still spins from the
  // call before would only be in the judge's way.
  CallRequest request;
  if (const auto laid = lay_out({place}, request); !laid) return device_failed(laid.error());
  request.gate_ns = gate_ns;
  const Fixing fixing = fixing_of({place});
  const HostReply reply = host_->call(request, seconds_max, fixing.at_once);
  host_->freeze();
  note(reply, *fixing.fixed);
  return take_reply(place, reply, request.inputs[0], fixing.fixed->begun, true);
}

bool Lane::take_reply(const CallPlace& place, const HostReply& reply, std::int64_t revealed_at,
                      const Result<std::vector<std::uint64_t>>& begun, bool alone) {
  if (take_fault(reply, place)) return false;
  if (!begun) return device_failed(begun.error());
  if (alone && !finish_after_reply(place)) return false;
  const auto taken = take_result(place, 0, revealed_at, begun->at(0));
  if (!taken) return device_failed(taken.error());
  return form_matches(place, reply.results[0]);
}

bool Lane::call_beside(const CallPlace& place, double seconds_max, std::mutex& gate) {
  CallRequest request;
  {
    const std::lock_guard guard(gate);
    if (const auto laid = lay_out({place}, request); !laid) return device_failed(laid.error());
    request.core = -1;
    running_ = true;
    host_->thaw();
  }
  const HostReply reply = host_->call(request, seconds_max, {});
  const std::lock_guard guard(gate);
  running_ = false;
  const auto begun = begin_snapshots({place});
  host_->freeze();
  if (evidence_.first_call_ms == 0 && !reply.failed()) {
    evidence_.first_call_ms = static_cast<double>(reply.bracket_ns()) / k_ns_per_ms;
  }
  return take_reply(place, reply, request.inputs[0], begun, false);
}

int Lane::hold(const CallPlace& place, double seconds_max, std::mutex* gate) {
  const auto guard = [gate] {
    return gate ? std::unique_lock(*gate) : std::unique_lock<std::mutex>();
  };
  {
    const auto guarded = guard();
    running_ = gate != nullptr;
    if (running_) host_->thaw();
  }
  const HostReply reply = host_->hold(seconds_max);
  const auto guarded = guard();
  running_ = false;
  host_->freeze();
  return take_fault(reply, place) ? -1 : held_++;
}

// What is read again must have been written again.
Status Lane::poison_for_recall() {
  digest_key_ = rng_.next();
  CUPEL_TRY_STATUS(poison_output(0));
  return context_.device.finish();
}

// An output that lies in an input, as the reference's does, is memory of the judge's, which has
// written to it since: nobody is asked for it again.
Status Lane::fill_in_inputs(const CallPlace& place) {
  for (std::size_t leaf = 0; leaf < context_.facts.outputs.size(); ++leaf) {
    const TensorSpec& spec = context_.facts.outputs[leaf];
    if (!spec.in_input || spec.bytes == 0) continue;
    const std::int64_t offset = output_layout_.offsets[leaf];
    CUPEL_TRY_STATUS(context_.device.copy(output_slot(0).part(offset, spec.bytes),
                                          snapshot_of(place).part(offset, spec.bytes)));
  }
  return context_.device.finish();
}

bool Lane::recall_timed(const CallPlace& place, int index, double seconds_max) {
  if (const auto poisoned = poison_for_recall(); !poisoned) return device_failed(poisoned.error());
  const HostReply reply = host_->recall(index, output_slots_.slot_at(0, 0), seconds_max);
  host_->freeze();
  if (take_fault(reply, place) || !form_matches(place, reply.results[0])) return false;
  if (const auto filled = fill_in_inputs(place); !filled) return device_failed(filled.error());
  const auto same = context_.device.same(output_slot(0), snapshot_of(place));
  if (!same) return device_failed(same.error());
  ++evidence_.endurance.recalled;
  if (!*same) evidence_.endurance.changed.push_back(place.input);
  return true;
}

bool Lane::recall(const CallPlace& place, int index, double seconds_max, std::mutex& gate) {
  {
    const std::lock_guard guard(gate);
    if (const auto poisoned = poison_for_recall(); !poisoned) {
      return device_failed(poisoned.error());
    }
    running_ = true;
    host_->thaw();
  }
  const HostReply reply = host_->recall(index, output_slots_.slot_at(0, 0), seconds_max);
  const std::lock_guard guard(gate);
  running_ = false;
  if (const auto filled = fill_in_inputs(place); !filled) return device_failed(filled.error());
  const auto begun = begin_snapshots({place});
  host_->freeze();
  if (take_fault(reply, place)) return false;
  if (!begun) return device_failed(begun.error());
  const Status taken = take_outputs(place, 0, begun->at(0));
  if (!taken) return device_failed(taken.error());
  return form_matches(place, reply.results[0]);
}

void Lane::pause() {
  if (running_) host_->pause();
}

void Lane::resume() {
  if (running_) host_->resume();
}

// What is done when a frame is here, before it is read: reading a long one takes time, in which
// the host's threads could go on computing. A question fixes outputs too; the last frame counts.
Lane::Fixing Lane::fixing_of(const std::vector<CallPlace>& places) {
  Fixing fixing{std::make_shared<Fixed>(), {}};
  fixing.at_once = [this, places, fixed = fixing.fixed](std::string_view) {
    fixed->begun = begin_snapshots(places);
    fixed->at_ns = SystemClock().now_ns();
    host_->freeze();
  };
  return fixing;
}

Result<std::vector<std::uint64_t>> Lane::begin_snapshots(const std::vector<CallPlace>& places) {
  std::vector<std::uint64_t> begun;
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    const Slice to = snapshot_of(places[static_cast<std::size_t>(slot)]);
    CUPEL_TRY(const std::uint64_t one,
              context_.device.begin_snapshot(to, output_slot(slot), digest_key_));
    begun.push_back(one);
  }
  return begun;
}

// The judge's bracket of a call. Where work may outlive a reply, it ends when the outputs are
// fixed: fixing them has waited for that work, or they are poison.
std::int64_t Lane::bracket_of(const HostReply& reply, const Fixed& fixed) const {
  return context_.device.traits().outlives_reply ? fixed.at_ns - reply.sent_ns : reply.bracket_ns();
}

// What a program left running must not take time from the next one.
bool Lane::finish_after_reply(const CallPlace& place) {
  const Slice scratch = output_slot(0).part(0, k_alignment_bytes);
  const double seconds_max = context_.plan.call_seconds_min;
  const auto quiet = context_.device.becomes_quiet(scratch, seconds_max);
  if (!quiet) return device_failed(quiet.error());
  if (*quiet) return true;
  evidence_.fault.kind = HostFault::Kind::timeout;
  evidence_.fault.phase = "call";
  evidence_.fault.what = "work of the program went on for more than " +
                         std::to_string(static_cast<int>(seconds_max)) + " s after its reply";
  evidence_.fault.input = place.input;
  return false;
}

// Has the outputs in the vault when it returns, and has looked for writes where none belong.
Status Lane::take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                         std::uint64_t begun) {
  CUPEL_TRY_STATUS(take_outputs(place, slot, begun));
  return look_at_inputs(place, slot, revealed_at);
}

Status Lane::take_outputs(const CallPlace& place, int slot, std::uint64_t begun) {
  CUPEL_TRY(const bool unchanged, context_.device.end_snapshot(
                                      snapshot_of(place), output_slot(slot), digest_key_, begun));
  if (!unchanged) evidence_.late_writes.push_back(place.input);
  return {};
}

Status Lane::look_at_inputs(const CallPlace& place, int slot, std::int64_t revealed_at) {
  const std::int64_t shift = revealed_at - input_slots_.slot_at(slot, 0);
  CUPEL_TRY(bool intact, red_zones_intact(input_, input_slots_, slot, shift));
  if (intact) {
    CUPEL_TRY(intact, red_zones_intact(output_, output_slots_, slot, 0));
  }
  if (intact && !context_.may_mutate_inputs) {
    const Slice given = context_.vault.at(context_.layout.input_at(place.set), input_layout_.bytes);
    CUPEL_TRY(intact, context_.device.same(input_.at(revealed_at, input_layout_.bytes), given));
  }
  if (!intact) evidence_.mutated_inputs.push_back(place.input);
  return {};
}

Result<bool> Lane::red_zones_intact(const Arena& arena, const ArenaLayout& layout, int slot,
                                    std::int64_t shift) const {
  const std::int64_t room = layout.room_at(slot);
  const std::int64_t start = layout.slot_at(slot, shift);
  const std::int64_t end = start + layout.slot_bytes;
  CUPEL_TRY(const bool before,
            context_.device.filled(arena.at(room, start - room), k_red_zone_byte));
  if (!before) return false;
  return context_.device.filled(arena.at(end, room + layout.stride() - end), k_red_zone_byte);
}

bool Lane::form_matches(const CallPlace& place, const ResultForm& form) {
  const auto& wanted = context_.facts.outputs;
  if (form.tree != context_.facts.output_tree || form.leaves.size() != wanted.size()) {
    add_mismatch(place, "structure", form.tree, context_.facts.output_tree);
    return false;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const LeafForm& leaf = form.leaves[i];
    if (leaf.shape != wanted[i].shape) {
      add_mismatch(place, "shape", join(leaf.shape), join(wanted[i].shape));
      return false;
    }
    if (leaf.dtype != wanted[i].dtype) {
      add_mismatch(place, "dtype", leaf.dtype, wanted[i].dtype);
      return false;
    }
    const bool same_strides = leaf.strides == wanted[i].strides;
    if (!same_strides) evidence_.layout_differs = true;
    if (!same_strides && context_.strict_strides) {
      add_mismatch(place, "strides", join(leaf.strides), join(wanted[i].strides));
      return false;
    }
  }
  if (!form.values.empty() || !values_.empty()) values_[place.set] = form.values;
  return true;
}

std::vector<std::string> Lane::values_of(const CallPlace& place) const {
  return values_.count(place.set) ? values_.at(place.set) : std::vector<std::string>();
}

void Lane::add_mismatch(const CallPlace& place, const char* kind, const std::string& got,
                        std::string want) {
  evidence_.mismatches.push_back(
      {kind, plain_text(got, k_form_text_bytes_max), std::move(want), place.input});
}

void Lane::close() {
  evidence_.kernels = host_->kernels();
  evidence_.output_tail = plain_text(host_->output_tail(), k_output_tail_bytes);
  host_->kill();
}

}  // namespace cupel::measure
