#include "measure/lane/host_lane.h"

#include "base/clock.h"
#include "base/text.h"
#include "measure/call/form.h"
#include "measure/host/host_json.h"
#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

// Longer than what the judge does between two calls of a row, which is some 1 ms.
constexpr std::uint32_t k_polls_us = 5'000;

}  // namespace

HostLane::HostLane(const CallContext& context, Program program, std::unique_ptr<Host> host, Rng rng)
    : context_(context),
      program_(std::move(program)),
      host_(std::move(host)),
      slots_(context, rng) {
  evidence_.candidate_id = program_.candidate.id;
  evidence_.label = program_.candidate.label;
  evidence_.role = program_.role;
  evidence_.trusted = program_.trusted;
}

LoadRequest HostLane::load_request() const {
  LoadRequest request;
  request.source = program_.candidate.source;
  request.class_name = program_.class_name;
  request.init_pickle = context_.facts.init_pickle;
  request.input_tree = context_.facts.input_tree;
  request.inputs = context_.facts.inputs;
  request.substitution = program_.substitution;
  request.holds = context_.plan.holds_outputs && !program_.does_nothing;
  if (program_.does_nothing) {
    request.nothing_tree = context_.facts.output_tree;
    request.nothing_leaves = context_.facts.outputs;
  }
  for (std::size_t leaf = 0; leaf < context_.facts.outputs.size(); ++leaf) {
    if (lies_in_input(context_.facts.outputs[leaf]))
      request.in_inputs.push_back(static_cast<int>(leaf));
  }
  slots_.describe(request);
  request.arena_fds.push_back(baton_.fd());
  return request;
}

HostReply HostLane::ask_beside(std::mutex* gate, const std::function<HostReply()>& question) {
  const auto guard = [gate] {
    return gate ? std::unique_lock(*gate) : std::unique_lock<std::mutex>();
  };
  {
    const auto guarded = guard();
    running_ = gate != nullptr;
    if (running_) host_->thaw();
  }
  HostReply reply = question();
  const auto guarded = guard();
  running_ = false;
  gate ? host_->freeze_beside() : host_->freeze();
  return reply;
}

bool HostLane::load(std::mutex& gate) {
  evidence_.fault = refusal_of(program_.candidate.source);
  if (!alive()) return false;
  const auto make = [this]() -> Status {
    CUPEL_TRY_STATUS(slots_.make());
    CUPEL_TRY(baton_, Baton::make(polls_us()));
    return {};
  };
  {
    const std::lock_guard guard(gate);
    if (const auto made = make(); !made) {
      evidence_.fault = infra_fault("load", made.error());
      return false;
    }
  }
  const HostReply reply = ask_beside(
      &gate, [this] { return host_->load(load_request(), context_.plan.load_seconds_max); });
  evidence_.fault = reply.fault;
  evidence_.import_ms = reply.import_ms;
  evidence_.construct_ms = reply.construct_ms;
  evidence_.weights = reply.weights;
  return alive();
}

// The first call compiles, and compilers run where the thread that starts them may.
int HostLane::core_of_next_call() {
  const bool bound = called_ && context_.device.traits().binds_main_thread;
  called_ = true;
  return bound ? sandbox::core_of_hosts() : -1;
}

std::uint32_t HostLane::polls_us() const {
  const bool own_core = context_.device.traits().binds_main_thread &&
                        sandbox::core_of_hosts() != sandbox::first_given_core();
  return own_core ? k_polls_us : 0;
}

bool HostLane::device_failed(const Error& error) {
  evidence_.fault = infra_fault("call", error);
  return false;
}

bool HostLane::take_fault(const HostReply& reply, const CallPlace& place) {
  if (!reply.failed()) return false;
  if (reply.wrong_type) {
    evidence_.mismatches.push_back(no_plain_tensor(reply.fault.what));
    evidence_.mismatches.back().input = place.input;
  } else {
    evidence_.fault = reply.fault;
    evidence_.fault.input = place.input;
    evidence_.fault.value_class = place.value_class;
  }
  return true;
}

bool HostLane::call(const CallPlace& place, double seconds_max, CallSample* sample) {
  return call_once(place, 0, seconds_max, [&](const HostReply& reply, const Fixed& fixed) {
    if (!sample) return;
    sample->bracket_ns = bracket_of(reply, fixed);
    sample->claim_ns = reply.claim_ns;
  });
}

bool HostLane::queued_call(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                           QueuedSample* sample) {
  return call_once(place, gate_ns, seconds_max, [&](const HostReply& reply, const Fixed&) {
    if (sample) sample->device_ns = reply.device_ns;
  });
}

bool HostLane::call_once(const CallPlace& place, std::int64_t gate_ns, double seconds_max,
                         const std::function<void(const HostReply&, const Fixed&)>& note) {
  // The host stands still until its inputs lie there: a worker of its that still spins from the
  // call before would only be in the judge's way.
  CallRequest request;
  request.gate_ns = gate_ns;
  request.core = core_of_next_call();
  if (const auto laid = slots_.lay_out({place}, request); !laid) return device_failed(laid.error());
  const Fixing fixing = fixing_of({place});
  const HostReply reply = host_->call(request, seconds_max, fixing.at_once);
  host_->freeze();
  note(reply, *fixing.fixed);
  return take_reply(place, reply, request.inputs[0], fixing.fixed->begun, true);
}

bool HostLane::take_reply(const CallPlace& place, const HostReply& reply, std::int64_t revealed_at,
                          const Result<std::vector<std::uint64_t>>& begun, bool alone) {
  if (take_fault(reply, place)) return false;
  if (!begun) return device_failed(begun.error());
  if (alone && !finish_after_reply(place)) return false;
  const auto taken = take_result(place, 0, revealed_at, begun->at(0));
  if (!taken) return device_failed(taken.error());
  return form_matches(place, reply.results[0]);
}

bool HostLane::call_beside(const CallPlace& place, double seconds_max, std::mutex& gate) {
  CallRequest request;
  called_ = true;
  {
    const std::lock_guard guard(gate);
    const auto laid = slots_.lay_out({place}, request);
    if (!laid) return device_failed(laid.error());
    running_ = true;
    host_->thaw();
  }
  const HostReply reply = host_->call(request, seconds_max, {});
  const std::lock_guard guard(gate);
  running_ = false;
  const auto begun = slots_.begin_snapshots({place});
  host_->freeze_beside();
  if (evidence_.first_call_ms == 0 && !reply.failed()) {
    evidence_.first_call_ms = static_cast<double>(reply.bracket_ns()) / k_ns_per_ms;
  }
  return take_reply(place, reply, request.inputs[0], begun, false);
}

void HostLane::pause() {
  if (running_) host_->pause();
}

void HostLane::resume() {
  if (running_) host_->resume();
}

// What is done when a frame is here, before it is read: reading a long one takes time, in which
// the host's threads could go on computing. A question fixes outputs too; the last frame counts.
HostLane::Fixing HostLane::fixing_of(const std::vector<CallPlace>& places) {
  Fixing fixing{std::make_shared<Fixed>(), {}};
  fixing.at_once = [this, places, fixed = fixing.fixed](std::string_view) {
    fixed->begun = slots_.begin_snapshots(places);
    fixed->at_ns = SystemClock().now_ns();
    host_->freeze();
  };
  return fixing;
}

// The judge's bracket of a call. Where work may outlive a reply, it ends when the outputs are
// fixed: fixing them has waited for that work, or they are poison.
std::int64_t HostLane::bracket_of(const HostReply& reply, const Fixed& fixed) const {
  return context_.device.traits().outlives_reply ? fixed.at_ns - reply.sent.at_ns
                                                 : reply.bracket_ns();
}

// What a program left running must not take time from the next one.
bool HostLane::finish_after_reply(const CallPlace& place) {
  const double seconds_max = context_.plan.call_seconds_min;
  const auto quiet = context_.device.becomes_quiet(slots_.scratch(), seconds_max);
  if (!quiet) return device_failed(quiet.error());
  if (*quiet) return true;
  fail(HostFault::Kind::timeout,
       "work of the program went on for more than " +
           std::to_string(static_cast<int>(seconds_max)) + " s after its reply",
       place);
  return false;
}

// An error: the program has gone on for too long, as evidence().fault tells.
Status HostLane::await_quiet(const CallPlace& place) {
  if (finish_after_reply(place)) return {};
  return infra_error(evidence_.fault.what);
}

// Has the outputs in the vault when it returns, and has looked for writes where none belong.
Status HostLane::take_result(const CallPlace& place, int slot, std::int64_t revealed_at,
                             std::uint64_t begun) {
  CUPEL_TRY_STATUS(take_outputs(place, slot, begun));
  return look_at_inputs(place, slot, revealed_at);
}

Status HostLane::take_outputs(const CallPlace& place, int slot, std::uint64_t begun) {
  CUPEL_TRY(const bool unchanged, slots_.end_snapshot(place, slot, begun));
  if (!unchanged) evidence_.late_writes.push_back(place.input);
  return {};
}

Status HostLane::look_at_inputs(const CallPlace& place, int slot, std::int64_t revealed_at) {
  CUPEL_TRY(const bool intact, slots_.as_given(place, slot, revealed_at));
  if (!intact) evidence_.mutated_inputs.push_back(place.input);
  return {};
}

bool HostLane::form_matches(const CallPlace& place, const ResultForm& form) {
  if (auto wrong = find_form_mismatch(form, context_.facts, context_.strict_strides)) {
    wrong->input = place.input;
    evidence_.mismatches.push_back(std::move(*wrong));
    return false;
  }
  evidence_.layout_differs |= differs_in_strides(form, context_.facts);
  Told told{{}, form.values};
  for (const LeafForm& leaf : form.leaves) told.strides.push_back(leaf.strides);
  told_[place.set] = std::move(told);
  return true;
}

void HostLane::fail(HostFault::Kind kind, std::string what, const CallPlace& place) {
  evidence_.fault.kind = kind;
  evidence_.fault.phase = "call";
  evidence_.fault.what = std::move(what);
  evidence_.fault.input = place.input;
  evidence_.fault.value_class = place.value_class;
}

Result<Profile> HostLane::profile(const CallPlace& place, double seconds_max) {
  CallRequest request;
  request.core = core_of_next_call();
  CUPEL_TRY_STATUS(slots_.lay_out({place}, request));
  auto told = host_->profile(request, program_.trusted, seconds_max);
  host_->freeze();
  return told;
}

void HostLane::close() {
  evidence_.kernels = host_->kernels();
  evidence_.sharing = host_->sharing();
  evidence_.output_tail = plain_text(host_->output_tail(), k_output_tail_bytes);
  host_->kill();
}

}  // namespace cupel::measure
