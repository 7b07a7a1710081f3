// A lane's bare calls: nothing of the exchange is in their times.
#include "base/clock.h"
#include "measure/lane.h"

namespace cupel::measure {

bool Lane::bare_calls(const std::vector<CallPlace>& places, const BareRow& row) {
  CallRequest request;
  request.instance = places.at(0).instance;
  request.core = core_of_next_call();
  digest_key_ = rng_.next();
  for (const CallPlace& place : places) {
    request.inputs.push_back(input_slots_.slot_at(0, shift_of(place)));
    request.values.push_back(place.values);
  }
  std::vector<BareSample> samples;
  const auto reveal_one = [&](std::size_t call) -> Status {
    samples.push_back({places[call].input});
    CUPEL_TRY(const std::int64_t took_ns, reveal_bare(places[call], request.inputs[call]));
    if (!row.unseen) samples.back().seen_ns = took_ns;
    return {};
  };
  Shown shown;
  const auto sample = [&] { shown = sample_shown(); };
  const auto returned = [&](std::size_t call, std::int64_t bracket_ns) -> Status {
    samples[call].bracket_ns = bracket_ns;
    CUPEL_TRY_STATUS(take_shown(places[call], shown));
    return look_at_inputs(places[call], 0, request.inputs[call]);
  };
  const HostReply reply =
      host_->bare(request, baton_, {row.unseen, row.seconds_max, reveal_one, sample, returned});
  host_->freeze();
  if (!alive()) return false;  // an output that is not where it was said to be
  if (take_fault(reply, places[0])) return false;
  for (std::size_t call = 0; call < places.size(); ++call) {
    if (!form_matches(places[call], reply.results[call])) return false;
    samples[call].claim_ns = reply.claims_ns[call];
  }
  evidence_.bare.insert(evidence_.bare.end(), samples.begin() + row.uncounted, samples.end());
  return true;
}

// How long the input took to arrive, nanoseconds. The red zones come first: what a running host may
// see arrive is the input alone.
Result<std::int64_t> Lane::reveal_bare(const CallPlace& place, std::int64_t at) {
  CUPEL_TRY_STATUS(draw_red_zones(0, at));
  const SystemClock clock;
  const std::int64_t from_ns = clock.now_ns();
  CUPEL_TRY_STATUS(copy_input(place, at));
  return clock.now_ns() - from_ns;
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
