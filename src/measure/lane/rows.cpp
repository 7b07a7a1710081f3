// A lane's rows of warm calls: each follows closely on the one before, and little of the host's own
// doing is in their brackets: a futex and a few lines of Python, and where the judge cannot read
// the outputs where they lie (on a GPU, or if the kernel forbids it) the copy of these.
#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "measure/call/staged_row.h"
#include "measure/lane/host_lane.h"
#include "stats/quantile.h"

namespace cupel::measure {

namespace {

// Of a sealed input nobody saw anything; more than 0 says that its host ran (CallSample::seen_ns).
constexpr std::int64_t k_ran_unseen_ns = 1;

}  // namespace

// Where a call's outputs are said to lie, and some lines of each.
struct HostLane::Shown {
  std::vector<std::uintptr_t> addresses;
  std::vector<std::byte> lines;
};

// What the turns of a row work on.
struct HostLane::RowRun {
  const std::vector<RowCall>& calls;
  const RowPlan& plan;
  CallRequest request;
  std::vector<CallSample> samples;  // one a call
  std::int64_t read_ns = 0;         // of the last bracket: the judge reads lines of the outputs
  Shown shown;
  std::optional<StagedRow> staged;
  std::uint64_t begun = 0;   // the snapshot of what the host has copied
  std::size_t revealed = 0;  // the call whose input came last
};

HostLane::RowRun HostLane::run_of(const std::vector<RowCall>& calls, const RowPlan& plan) {
  RowRun run{calls, plan, {}, {}, 0, {}, {}, 0, 0};
  run.request.instance = calls.at(0).place.instance;
  run.request.core = core_of_next_call();
  for (const auto& [place, counts, taken] : calls) {
    run.samples.push_back({place.input, 0, place.value_class, plan.order});
    run.request.values.push_back(place.values);
  }
  return run;
}

// Each call finds its input and leaves its outputs in the first slot, or has a slot of its own
// where they are staged. A host that stands still has nobody to be kept warm for.
Status HostLane::lay_row_out(RowRun& run) {
  CallRequest& request = run.request;
  if (!run.plan.still && std::ssize(run.calls) <= slots_.row_slots()) {
    std::vector<CallPlace> places;
    for (const RowCall& call : run.calls) places.push_back(call.place);
    return run.staged.emplace(context_.device, slots_).lay_out(places, request);
  }
  for (const RowCall& call : run.calls) {
    request.inputs.push_back(slots_.input_at(call.place, 0));
    if (!reads_outputs()) request.outputs.push_back(slots_.output_at(0));
  }
  return {};
}

std::int64_t HostLane::usual_reading_ns() const {
  return readings_ns_.empty() ? 0 : static_cast<std::int64_t>(stats::median(readings_ns_));
}

bool HostLane::reads_outputs() const {
  return context_.device.traits().outputs_in_host && readable();
}

bool HostLane::row(const std::vector<RowCall>& calls, const RowPlan& plan) {
  RowRun run = run_of(calls, plan);
  if (const auto laid = lay_row_out(run); !laid) return device_failed(laid.error());
  Host::Turns turns{plan.still, plan.seconds_max, {}};
  for (std::size_t call = 0; call < calls.size(); ++call) turns.turns.push_back(turn_of(run, call));
  const HostReply reply = host_->row(run.request, baton_, turns);
  host_->freeze();
  if (!alive()) return false;  // an output that is not where it was said to be; work without an end
  if (take_fault(reply, calls[run.revealed].place)) return false;
  if (run.staged && !take_staged(run)) return false;
  for (std::size_t call = 0; call < calls.size(); ++call) {
    run.samples[call].claim_ns = reply.claims_ns[call];
    if (program_.does_nothing) continue;  // its outputs need only be as many
    if (!form_matches(calls[call].place, reply.results[call])) return false;
  }
  keep_samples(run);
  return true;
}

void HostLane::keep_samples(const RowRun& run) {
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    auto& samples = run.calls[call].counts ? evidence_.calls : evidence_.untimed;
    samples.push_back(run.samples[call]);
  }
}

Host::Turn HostLane::turn_of(RowRun& run, std::size_t call) {
  if (run.staged) return turn_of_staged(run, call);
  return reads_outputs() ? turn_of_call(run, call) : turn_of_copied(run, call);
}

Host::Turn HostLane::turn_of_call(RowRun& run, std::size_t call) {
  // Reading a process's memory waits for whoever changes its map.
  const auto sample = [this, &run]() -> Status {
    const SystemClock clock;
    const std::int64_t from_ns = clock.now_ns();
    run.shown = sample_shown();
    run.read_ns = clock.now_ns() - from_ns;
    return {};
  };
  const auto returned = [this, &run, call](std::int64_t bracket_ns) -> Status {
    run.samples[call].bracket_ns = bracket_ns - std::min(run.read_ns, run.plan.reading_ns_max);
    readings_ns_.push_back(static_cast<double>(run.read_ns));
    const auto& [place, counts, taken] = run.calls[call];
    if (program_.does_nothing || !taken) return {};
    CUPEL_TRY_STATUS(take_shown(place, run.shown));
    return look_at_inputs(place, 0, run.request.inputs[call]);
  };
  return {[this, &run, call] { return reveal_in_row(run, call); }, sample, returned};
}

// The bracket ends when the outputs are fixed: that has waited for the device, or they are poison.
Host::Turn HostLane::turn_of_copied(RowRun& run, std::size_t call) {
  const auto prepare = [this, &run, call]() -> Status {
    CUPEL_TRY_STATUS(slots_.poison_output(0));
    return reveal_in_row(run, call);
  };
  const auto fix = [this, &run, call]() -> Status {
    CUPEL_TRY(const auto begun, slots_.begin_snapshots({run.calls[call].place}));
    run.begun = begun[0];
    return {};
  };
  const auto returned = [this, &run, call](std::int64_t bracket_ns) -> Status {
    run.samples[call].bracket_ns = bracket_ns;
    const auto& [place, counts, taken] = run.calls[call];
    CUPEL_TRY_STATUS(await_quiet(place));
    if (!taken) return {};
    return take_result(place, 0, run.request.inputs[call], run.begun);
  };
  return {prepare, fix, returned};
}

// As above, without any work of the device's for the judge: nobody has seen of the input what it is
// when the clock starts. The host has emptied the device's cache before it waits: one that does not
// gains what a warm one is worth, and must show its gain in still rows, for which the judge empties
// it.
Host::Turn HostLane::turn_of_staged(RowRun& run, std::size_t call) {
  const auto prepare = [&run, call]() -> Status {
    run.revealed = call;
    run.samples[call].seen_ns = k_ran_unseen_ns;
    return {};
  };
  const auto take = [&run, call] { return run.staged->take(call); };
  const auto returned = [&run, call](std::int64_t bracket_ns) -> Status {
    run.samples[call].bracket_ns = bracket_ns;
    return {};
  };
  return {prepare, take, returned, {&run.staged->key(call), 1}};
}

// What a row's calls have left, once its host stands still and the device is quiet.
bool HostLane::take_staged(RowRun& run) {
  if (!finish_after_reply(run.calls.back().place)) return false;
  const auto take = [this, &run](std::size_t call) -> Status {
    const CallPlace& place = run.calls[call].place;
    CUPEL_TRY(const bool unchanged, run.staged->keep(call));
    if (!unchanged) evidence_.late_writes.push_back(place.input);
    return look_at_inputs(place, run.staged->slot(call), run.request.inputs[call]);
  };
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    if (!run.calls[call].taken) continue;
    if (const auto taken = take(call); !taken) return device_failed(taken.error());
  }
  return true;
}

// The input comes last: what a running host may see arrive is that alone, and whatever waits on a
// device for its slot to change has no other time than its copy takes.
Status HostLane::reveal_in_row(RowRun& run, std::size_t call) {
  run.revealed = call;
  Device& device = context_.device;
  slots_.draw_key();  // what was read of the outputs before tells nothing
  CUPEL_TRY_STATUS(slots_.draw_red_zones(0, run.request.inputs[call]));
  CUPEL_TRY_STATUS(device.empty_cache());
  CUPEL_TRY_STATUS(device.finish());
  const CallPlace& place = run.calls[call].place;
  CUPEL_TRY_STATUS(await_quiet(place));
  const SystemClock clock;
  const std::int64_t from_ns = clock.now_ns();
  CUPEL_TRY_STATUS(slots_.copy_input(place, run.request.inputs[call]));
  CUPEL_TRY_STATUS(device.finish());
  if (!run.plan.still)
    run.samples[call].seen_ns = std::max<std::int64_t>(1, clock.now_ns() - from_ns);
  return {};
}

// Of a call that has just been given back.
HostLane::Shown HostLane::sample_shown() const {
  std::vector<std::int64_t> bytes;
  for (const auto& leaf : context_.facts.outputs) bytes.push_back(leaf.bytes);
  Shown shown{baton_.addresses(bytes.size()), {}};
  shown.lines = host_->memory().sample(shown.addresses, bytes, slots_.key());
  return shown;
}

// All of its outputs, into the vault. A program may have gone on computing: the lines that were
// read at once must be the same.
Status HostLane::take_shown(const CallPlace& place, const Shown& shown) {
  const auto& leaves = context_.facts.outputs;
  std::vector<std::span<const std::byte>> copies;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto to = host_bytes(slots_.snapshot(place, i));
    if (!host_->memory().read(shown.addresses[i], to)) {
      fail(HostFault::Kind::invalid_reply, "an output does not lie where the host says", place);
      return infra_error(evidence_.fault.what);
    }
    copies.emplace_back(to);
  }
  if (sample_of(copies, slots_.key()) != shown.lines) evidence_.late_writes.push_back(place.input);
  return {};
}

}  // namespace cupel::measure
