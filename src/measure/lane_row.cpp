// A lane's rows of warm calls: each follows closely on the one before, and nothing of the host's
// own doing but a futex and a few lines of Python is in their brackets.
#include "base/clock.h"
#include "measure/lane.h"

namespace cupel::measure {

// Some lines of a call's outputs as they were when it was given back.
struct Lane::Shown {
  std::vector<std::uintptr_t> addresses;      // where a host's own memory is said to hold them
  std::vector<std::vector<std::byte>> lines;  // of each output there
  std::vector<std::byte> copied;              // of all of them, where the host has copied them
};

// What the turns of a row work on.
struct Lane::RowRun {
  const std::vector<CallPlace>& places;
  const Row& row;
  CallRequest request;
  std::vector<CallSample> samples;  // one a call
  std::int64_t read_ns = 0;         // of the last bracket: the judge reads lines of the outputs
  Shown shown;
};

bool Lane::reads_outputs() const {
  return context_.device.traits().outputs_in_host && host_->memory().readable();
}

bool Lane::row(const std::vector<CallPlace>& places, const Row& row) {
  RowRun run{places, row, {}, {}, 0, {}};
  run.request.instance = places.at(0).instance;
  run.request.core = core_of_next_call();
  Host::Turns calls{row.unseen, row.seconds_max, {}};
  for (std::size_t call = 0; call < places.size(); ++call) {
    run.samples.push_back({places[call].input, 0, places[call].value_class, row.order});
    run.request.inputs.push_back(input_slots_.slot_at(0, shift_of(places[call])));
    run.request.values.push_back(places[call].values);
    if (!reads_outputs()) run.request.outputs.push_back(output_slots_.slot_at(0, 0));
    calls.turns.push_back(turn_of_call(run, call));
  }
  if (const auto clear = clear_for(run, 0); !clear) return device_failed(clear.error());
  const HostReply reply = host_->row(run.request, baton_, calls);
  host_->freeze();
  if (!alive()) return false;  // an output that is not where it was said to be
  if (take_fault(reply, places[0])) return false;
  for (std::size_t call = 0; call < places.size(); ++call) {
    run.samples[call].claim_ns = reply.claims_ns[call];
    if (program_.does_nothing) continue;  // its outputs need only be as many
    if (!form_matches(places[call], reply.results[call])) return false;
  }
  keep(run, row);
  return true;
}

void Lane::keep(const RowRun& run, const Row& row) {
  for (int call = 0; call < static_cast<int>(run.samples.size()); ++call) {
    if (call == row.look) continue;
    CallSample sample = run.samples[static_cast<std::size_t>(call)];
    const bool counts = call >= row.uncounted;
    if (!counts) sample.input = row.first_uncounted + call;
    (counts ? evidence_.calls : evidence_.untimed).push_back(sample);
  }
}

Host::Turn Lane::turn_of_call(RowRun& run, std::size_t call) {
  // Reading a process's memory waits for whoever changes its map.
  const auto sample = [this, &run]() -> Status {
    const SystemClock clock;
    const std::int64_t from_ns = clock.now_ns();
    CUPEL_TRY(run.shown, sample_shown());
    run.read_ns = clock.now_ns() - from_ns;
    return {};
  };
  const auto returned = [this, &run, call](std::int64_t bracket_ns) -> Status {
    run.samples[call].bracket_ns = bracket_ns - run.read_ns;
    if (!program_.does_nothing) {
      CUPEL_TRY_STATUS(take_shown(run.places[call], run.shown));
      CUPEL_TRY_STATUS(look_at_inputs(run.places[call], 0, run.request.inputs[call]));
    }
    return call + 1 < run.places.size() ? clear_for(run, call + 1) : Status();
  };
  return {[this, &run, call] { return reveal_in_row(run, call); }, sample, returned};
}

// What the judge's own work on a device changes must be over before the host touches the device
// for this call: a host that has gone on since finds it as it left it.
Status Lane::clear_for(const RowRun& run, std::size_t call) {
  if (reads_outputs()) return {};
  CUPEL_TRY_STATUS(poison_output(0));
  CUPEL_TRY_STATUS(draw_red_zones(0, run.request.inputs[call]));
  CUPEL_TRY_STATUS(context_.device.empty_cache());
  CUPEL_TRY_STATUS(context_.device.finish());
  return context_.device.stage(
      context_.vault.at(context_.layout.input_at(run.places[call].set), input_layout_.bytes));
}

// The red zones come first: what a running host may see arrive is the input alone.
Status Lane::reveal_in_row(RowRun& run, std::size_t call) {
  digest_key_ = rng_.next();  // what was read of the outputs before tells nothing
  const std::int64_t at = run.request.inputs[call];
  if (reads_outputs()) CUPEL_TRY_STATUS(draw_red_zones(0, at));
  if (static_cast<int>(call) == run.row.look) CUPEL_TRY_STATUS(look_for_work());
  const SystemClock clock;
  const std::int64_t from_ns = clock.now_ns();
  if (reads_outputs()) {
    CUPEL_TRY_STATUS(copy_input(run.places[call], at));
  } else {
    CUPEL_TRY_STATUS(context_.device.reveal(input_.at(at, input_layout_.bytes)));
  }
  if (!run.row.unseen) run.samples[call].seen_ns = clock.now_ns() - from_ns;
  return {};
}

// A kernel that waits on the device for its input would see it arrive, frozen host or not.
Status Lane::look_for_work() {
  host_->freeze();
  CUPEL_TRY(const bool quiet, context_.device.is_quiet(output_slot(0).part(0, k_alignment_bytes)));
  ++evidence_.looks;
  evidence_.busy_looks += quiet ? 0 : 1;
  return {};
}

std::vector<Slice> Lane::leaves_in(Slice outputs) const {
  std::vector<Slice> leaves;
  for (std::size_t i = 0; i < context_.facts.outputs.size(); ++i) {
    leaves.push_back(outputs.part(output_layout_.offsets[i], context_.facts.outputs[i].bytes));
  }
  return leaves;
}

// Of a call that has just been given back.
Result<Lane::Shown> Lane::sample_shown() const {
  Shown shown;
  if (!reads_outputs()) {
    CUPEL_TRY(shown.copied, context_.device.sample(leaves_in(output_slot(0)), digest_key_));
    return shown;
  }
  const auto& leaves = context_.facts.outputs;
  shown.addresses = baton_.addresses(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    shown.lines.push_back(host_->memory().sample(shown.addresses[i], leaves[i].bytes, digest_key_));
  }
  return shown;
}

// All of its outputs, into the vault. A program may have gone on computing: the lines that were
// read at once must be the same.
Status Lane::take_shown(const CallPlace& place, const Shown& shown) {
  if (!reads_outputs()) return take_copied(place, shown);
  const auto& leaves = context_.facts.outputs;
  bool unchanged = true;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto to = host_bytes(snapshot_of(place).part(output_layout_.offsets[i], leaves[i].bytes));
    if (!host_->memory().read(shown.addresses[i], to)) {
      evidence_.fault.kind = HostFault::Kind::invalid_reply;
      evidence_.fault.phase = "call";
      evidence_.fault.what = "an output does not lie where the host says";
      evidence_.fault.input = place.input;
      return infra_error(evidence_.fault.what);
    }
    unchanged &= sample_of(to, digest_key_) == shown.lines[i];
  }
  if (!unchanged) evidence_.late_writes.push_back(place.input);
  return {};
}

// As above, from the output slot. What the program still has to do is done when it returns.
Status Lane::take_copied(const CallPlace& place, const Shown& shown) {
  Device& device = context_.device;
  if (!finish_after_reply(place)) return infra_error(evidence_.fault.what);
  const Slice to = snapshot_of(place);
  CUPEL_TRY_STATUS(device.copy(to, output_slot(0)));
  CUPEL_TRY_STATUS(device.finish());
  CUPEL_TRY(const auto lines, device.sample(leaves_in(to), digest_key_));
  if (lines != shown.copied) evidence_.late_writes.push_back(place.input);
  return {};
}

}  // namespace cupel::measure
