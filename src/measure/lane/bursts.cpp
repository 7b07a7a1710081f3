// A lane's calls that are revealed at once: batches; on a device that queues work bursts, in three
// turns of the baton: inputs are opened, calls are made, outputs are copied.
#include "base/clock.h"
#include "measure/lane/host_lane.h"

namespace cupel::measure {

// One burst: what its turns work on.
struct HostLane::BurstRun {
  const std::vector<CallPlace>& places;  // a slot each
  CallRequest request;
  BatchSample sample;
  std::vector<CupelCipherKey> keys;  // of the inputs
  std::int64_t from_ns = 0;          // when the first turn was handed over
  std::vector<std::uint64_t> begun;  // snapshots
};

bool HostLane::several(const std::vector<CallPlace>& places, double seconds_max) {
  const bool queues = context_.device.traits().queues_work;
  return queues ? burst(places, seconds_max) : batch(places, seconds_max);
}

bool HostLane::batch(const std::vector<CallPlace>& places, double seconds_max) {
  CallRequest request;
  request.core = core_of_next_call();
  if (const auto laid = slots_.lay_out(places, request); !laid) return device_failed(laid.error());
  const Fixing fixing = fixing_of(places);
  const HostReply reply = host_->batch(request, seconds_max, fixing.at_once);
  const std::int64_t bracket_ns = bracket_of(reply, *fixing.fixed);
  host_->freeze();
  if (take_fault(reply, places[0])) return false;
  if (!fixing.fixed->begun) return device_failed(fixing.fixed->begun.error());
  if (!finish_after_reply(places[0])) return false;
  bool usable = true;
  for (std::size_t slot = 0; usable && slot < places.size(); ++slot) {
    const auto taken = take_result(places[slot], static_cast<int>(slot), request.inputs[slot],
                                   fixing.fixed->begun->at(slot));
    if (!taken) return device_failed(taken.error());
    usable = form_matches(places[slot], reply.results[slot]);
  }
  if (usable) {
    evidence_.batches.push_back({static_cast<std::int64_t>(places.size()), bracket_ns});
  }
  return usable;
}

// The first burst finds no memory for so many outputs, and its time does not count.
bool HostLane::burst(const std::vector<CallPlace>& places, double seconds_max) {
  BurstRun run{places, {}, {static_cast<std::int64_t>(places.size())}, {}, 0, {}};
  run.request.core = core_of_next_call();
  slots_.place(places, run.request);
  run.request.sealed_bytes = slots_.input(run.request.inputs[0]).bytes;
  if (const auto sealed = seal(run); !sealed) return device_failed(sealed.error());
  run.sample.first_input = places.at(0).input;
  run.sample.counted = !evidence_.batches.empty();
  const HostReply reply = host_->burst(
      run.request, baton_,
      {false, seconds_max, {turn_of_opening(run), turn_of_calls(run), turn_of_copying(run)}});
  host_->freeze();
  if (!alive()) return false;  // it went on for too long
  if (take_fault(reply, places[0]) || !finish_after_reply(places[0])) return false;
  for (std::size_t call = 0; call < places.size(); ++call) {
    if (!form_matches(places[call], reply.results[call])) return false;
  }
  evidence_.batches.push_back(run.sample);
  return true;
}

// The host has made the device its context's before it waits for this turn, and the judge has no
// work for it until the calls are over: what a context's change takes is in no turn. Who leaves
// that out has it in this one.
Host::Turn HostLane::turn_of_opening(BurstRun& run) {
  const auto prepare = [&run]() -> Status {
    run.from_ns = SystemClock().now_ns();
    return {};
  };
  const auto returned = [&run](std::int64_t bracket_ns) -> Status {
    run.sample.open_ns = bracket_ns;
    return {};
  };
  return {prepare, [] { return Status(); }, returned, run.keys};
}

// The host waits for what the device has to do; of one that does not the judge finds it busy.
Host::Turn HostLane::turn_of_calls(BurstRun& run) {
  const auto returned = [&run](std::int64_t bracket_ns) -> Status {
    run.sample.bracket_ns = bracket_ns;
    return {};
  };
  return {[] { return Status(); }, [this, &run] { return await_quiet(run.places[0]); }, returned};
}

Host::Turn HostLane::turn_of_copying(BurstRun& run) {
  const auto fix = [this, &run]() -> Status {
    CUPEL_TRY(run.begun, slots_.begin_snapshots(run.places));
    run.sample.total_ns = SystemClock().now_ns() - run.from_ns;
    return {};
  };
  const auto returned = [this, &run](std::int64_t bracket_ns) -> Status {
    run.sample.copy_ns = bracket_ns;
    for (std::size_t slot = 0; slot < run.places.size(); ++slot) {
      CUPEL_TRY_STATUS(take_outputs(run.places[slot], static_cast<int>(slot), run.begun[slot]));
    }
    return {};
  };
  return {[this, &run] { return take_away(run); }, fix, returned};
}

// A host that waits for this turn has waited for its device. The inputs go, so that nobody computes
// from them while he should be copying, and so does what was written to output slots before.
Status HostLane::take_away(const BurstRun& run) {
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    const int slot = static_cast<int>(i);
    const std::int64_t at = run.request.inputs[i];
    CUPEL_TRY_STATUS(look_at_inputs(run.places[i], slot, at));
    CUPEL_TRY_STATUS(slots_.take_input_away(at));
    CUPEL_TRY_STATUS(slots_.poison_output(slot));
  }
  return context_.device.finish();
}

// Before the burst, with its host frozen: the device's own work.
Status HostLane::seal(BurstRun& run) {
  Device& device = context_.device;
  for (std::size_t slot = 0; slot < run.places.size(); ++slot) {
    CUPEL_TRY_STATUS(slots_.draw_red_zones(static_cast<int>(slot), run.request.inputs[slot]));
    CUPEL_TRY(const auto key, slots_.seal_input(run.places[slot], run.request.inputs[slot]));
    run.keys.push_back(key);
  }
  CUPEL_TRY_STATUS(device.empty_cache());
  CUPEL_TRY_STATUS(device.finish());
  return await_quiet(run.places[0]);
}

}  // namespace cupel::measure
