// A lane's bare calls: nothing of the exchange is in their times.
#include "base/clock.h"
#include "measure/lane.h"

namespace cupel::measure {

// Where a bare call's outputs are said to lie, and some lines of each.
struct Lane::Shown {
  std::vector<std::uintptr_t> addresses;
  std::vector<std::vector<std::byte>> lines;
};

// A row of bare calls: what its turns work on.
struct Lane::BareRun {
  const std::vector<CallPlace>& places;
  bool unseen = false;
  CallRequest request;
  std::vector<BareSample> samples;  // one a call
  Shown shown;
};

bool Lane::bare_calls(const std::vector<CallPlace>& places, const BareRow& row) {
  BareRun run{places, row.unseen, {}, {}, {}};
  run.request.instance = places.at(0).instance;
  run.request.core = core_of_next_call();
  Host::BareCalls calls{row.unseen, row.seconds_max, {}};
  for (std::size_t call = 0; call < places.size(); ++call) {
    run.samples.push_back({places[call].input});
    run.request.inputs.push_back(input_slots_.slot_at(0, shift_of(places[call])));
    run.request.values.push_back(places[call].values);
    calls.turns.push_back(turn_of_call(run, call));
  }
  const HostReply reply = host_->bare(run.request, baton_, calls);
  host_->freeze();
  if (!alive()) return false;  // an output that is not where it was said to be
  if (take_fault(reply, places[0])) return false;
  for (std::size_t call = 0; call < places.size(); ++call) {
    if (!form_matches(places[call], reply.results[call])) return false;
    run.samples[call].claim_ns = reply.claims_ns[call];
  }
  evidence_.bare.insert(evidence_.bare.end(), run.samples.begin() + row.uncounted,
                        run.samples.end());
  return true;
}

Host::BareTurn Lane::turn_of_call(BareRun& run, std::size_t call) {
  // Reading a process's memory waits for whoever changes its map.
  const auto sample = [this, &run, call]() -> Status {
    const SystemClock clock;
    const std::int64_t from_ns = clock.now_ns();
    run.shown = sample_shown();
    run.samples[call].read_ns = clock.now_ns() - from_ns;
    return {};
  };
  const auto returned = [this, &run, call](std::int64_t bracket_ns) -> Status {
    run.samples[call].bracket_ns = bracket_ns;
    CUPEL_TRY_STATUS(take_shown(run.places[call], run.shown));
    return look_at_inputs(run.places[call], 0, run.request.inputs[call]);
  };
  return {[this, &run, call] { return reveal_bare(run, call); }, sample, returned};
}

// The red zones come first: what a running host may see arrive is the input alone.
Status Lane::reveal_bare(BareRun& run, std::size_t call) {
  digest_key_ = rng_.next();  // what was read of the outputs before tells nothing
  CUPEL_TRY_STATUS(draw_red_zones(0, run.request.inputs[call]));
  const SystemClock clock;
  const std::int64_t from_ns = clock.now_ns();
  CUPEL_TRY_STATUS(copy_input(run.places[call], run.request.inputs[call]));
  if (!run.unseen) run.samples[call].seen_ns = clock.now_ns() - from_ns;
  return {};
}

// Of a bare call that has just been given back.
Lane::Shown Lane::sample_shown() const {
  const auto& leaves = context_.facts.outputs;
  Shown shown{baton_.addresses(leaves.size()), {}};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    shown.lines.push_back(host_->memory().sample(shown.addresses[i], leaves[i].bytes, digest_key_));
  }
  return shown;
}

// All of its outputs, into the vault. A program may have gone on computing: the lines that were
// read at once must be the same.
Status Lane::take_shown(const CallPlace& place, const Shown& shown) {
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

}  // namespace cupel::measure
