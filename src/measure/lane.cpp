#include "measure/lane.h"

#include <cstring>

namespace cupel::measure {
namespace {

HostFault infra_fault(const Error& error) {
  HostFault fault;
  fault.kind = HostFault::Kind::infra;
  fault.phase = "load";
  fault.what = error.describe();
  return fault;
}

std::string join(const std::vector<std::int64_t>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? "," : "") + std::to_string(numbers[i]);
  }
  return text + "]";
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

void copy_bytes(std::span<std::byte> to, std::span<const std::byte> from) {
  std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

Lane::Lane(const LaneContext& context, Program program, std::unique_ptr<Host> host, Rng rng)
    : context_(context),
      program_(std::move(program)),
      host_(std::move(host)),
      rng_(rng),
      input_layout_(slot_layout(context.facts.inputs)),
      output_layout_(slot_layout(context.facts.outputs)) {
  evidence_.candidate_id = program_.candidate.id;
  evidence_.label = program_.candidate.label;
  evidence_.role = program_.role;
}

Status Lane::make_arenas() {
  const int slots = context_.batch_calls_max;
  CUPEL_TRY(input_,
            Arena::create("cupel-inputs", slots * (input_layout_.bytes + k_shift_room_bytes)));
  CUPEL_TRY(output_, Arena::create("cupel-outputs", slots * output_layout_.bytes));
  const auto instances = static_cast<std::int64_t>(context_.weights.size());
  CUPEL_TRY(weights_, Arena::create("cupel-weights", instances * context_.layout.weights_bytes));
  return {};
}

void Lane::copy_weights() {
  const std::int64_t bytes =
      static_cast<std::int64_t>(context_.weights.size()) * context_.layout.weights_bytes;
  copy_bytes(weights_.at(0, bytes), context_.vault.at(0, bytes));
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
  request.instances = context_.weights;
  for (std::size_t i = 0; i < request.instances.size(); ++i) {
    for (auto& tensor : request.instances[i].tensors) {
      tensor.offset += static_cast<std::int64_t>(i) * context_.layout.weights_bytes;
    }
  }
  request.input_fd = input_.fd();
  request.output_fd = output_.fd();
  request.weights_fd = weights_.fd();
  return request;
}

bool Lane::load() {
  if (auto made = make_arenas(); !made) {
    evidence_.fault = infra_fault(made.error());
    return false;
  }
  copy_weights();
  host_->thaw();
  const HostReply reply = host_->load(load_request(), context_.plan.load_seconds_max);
  host_->freeze();
  evidence_.fault = reply.fault;
  evidence_.import_ms = reply.import_ms;
  evidence_.construct_ms = reply.construct_ms;
  evidence_.weights = reply.weights;
  return alive();
}

std::int64_t Lane::output_slot(int slot) const {
  return slot * output_layout_.bytes;
}

// Copies one input set into the host's arena; returns where it lies. The shift is random, but the
// same for every program of the round: alignment alone changes times by several per cent.
std::int64_t Lane::reveal(const CallPlace& place, int slot) {
  Rng draw(context_.shift_key ^ static_cast<std::uint64_t>(place.input));
  const std::int64_t shift =
      k_alignment_bytes *
      static_cast<std::int64_t>(draw.below(k_shift_room_bytes / k_alignment_bytes));
  const std::int64_t at = slot * (input_layout_.bytes + k_shift_room_bytes) + shift;
  copy_bytes(input_.at(at, input_layout_.bytes),
             context_.vault.at(context_.layout.input_at(place.set), input_layout_.bytes));
  return at;
}

void Lane::poison_output(int slot) {
  poison(output_.at(output_slot(slot), output_layout_.bytes), context_.facts.outputs,
         output_layout_, static_cast<std::uint8_t>(rng_.next()));
}

// Of places that the host cannot know, another set each call.
std::uint64_t Lane::output_digest(int slot) const {
  return digest(output_.at(output_slot(slot), output_layout_.bytes), digest_key_);
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
  // The host stands still until its inputs lie there: a worker of its that still spins from the
  // call before would only be in the judge's way.
  digest_key_ = rng_.next();
  poison_output(0);
  const std::int64_t revealed_at = reveal(place, 0);
  CallRequest request;
  request.instance = place.instance;
  request.inputs = {revealed_at};
  request.outputs = {output_slot(0)};
  request.values = {place.values};
  host_->thaw();
  const HostReply reply = host_->call(request, seconds_max);
  const std::uint64_t at_reply = output_digest(0);
  host_->freeze();
  bool usable = !take_fault(reply, place);
  if (usable && output_digest(0) != at_reply) evidence_.late_writes.push_back(place.input);
  if (usable) usable = take_result(place, 0, revealed_at, reply.results[0]);
  if (sample) {
    sample->bracket_ns = reply.bracket_ns();
    sample->claim_ns = reply.claim_ns;
    sample->copy_ns = reply.copy_ns;
  }
  return usable;
}

bool Lane::batch(const std::vector<CallPlace>& places, double seconds_max) {
  CallRequest request;
  request.instance = places[0].instance;
  for (int slot = 0; slot < static_cast<int>(places.size()); ++slot) {
    poison_output(slot);
    request.inputs.push_back(reveal(places[static_cast<std::size_t>(slot)], slot));
    request.outputs.push_back(output_slot(slot));
    request.values.push_back(places[static_cast<std::size_t>(slot)].values);
  }
  host_->thaw();
  const HostReply reply = host_->batch(request, seconds_max);
  host_->freeze();
  bool usable = !take_fault(reply, places[0]);
  for (std::size_t slot = 0; usable && slot < places.size(); ++slot) {
    usable = take_result(places[slot], static_cast<int>(slot), request.inputs[slot],
                         reply.results[slot]);
  }
  if (usable) {
    evidence_.batches.push_back(
        {static_cast<std::int64_t>(places.size()), reply.bracket_ns(), reply.claim_ns});
  }
  return usable;
}

// Snapshots the outputs into the vault and looks whether the inputs were written to.
bool Lane::take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                       const ResultForm& form) {
  const VaultLayout& layout = context_.layout;
  copy_bytes(context_.vault.at(layout.output_at(place.set, place.program), output_layout_.bytes),
             output_.at(output_slot(slot), output_layout_.bytes));
  const auto given = context_.vault.at(layout.input_at(place.set), input_layout_.bytes);
  if (!context_.may_mutate_inputs &&
      !same_bytes(input_.at(revealed_at, input_layout_.bytes), given)) {
    evidence_.mutated_inputs.push_back(place.input);
  }
  return form_matches(place, form);
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
  return true;
}

void Lane::add_mismatch(const CallPlace& place, const char* kind, std::string got,
                        std::string want) {
  evidence_.mismatches.push_back({kind, std::move(got), std::move(want), place.input});
}

void Lane::close() {
  evidence_.output_tail = host_->output_tail();
  host_->kill();
}

}  // namespace cupel::measure
