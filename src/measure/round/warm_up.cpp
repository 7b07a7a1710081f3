#include "measure/round/warm_up.h"

#include <algorithm>

#include "measure/device/stopwatch.h"
#include "measure/round/queued_calls.h"
#include "measure/round/timing.h"
#include "stats/quantile.h"

namespace cupel::measure {
namespace {

// Milliseconds of a program's typical call, once it is warm; 0: a call failed. A first call that
// mostly compiles tells nothing of the others.
double warm_up_calls(RoundState& round, std::size_t index) {
  Lane& lane = *round.lanes[index];
  const MeasurePlan& plan = round.plan;
  const int inputs = static_cast<int>(round.warm.sets.size());
  const double further_ms = plan.warmup_ms_max / static_cast<double>(round.lanes.size() - 1);
  const bool compiled = lane.evidence().first_call_ms > 0;
  double spent_ms = 0;
  double last_ms = 0;
  std::vector<double> further;
  for (int i = 0; i < inputs || (i < plan.warmup_calls_max && spent_ms < further_ms); ++i) {
    const CallPlace where = round.warm_place(i, index);
    const double limit_s =
        i ? std::max(round.call_seconds_max(), last_ms / 1e3 * 2) : plan.first_call_seconds_max;
    CallSample sample;
    if (!lane.call(where, limit_s, &sample)) return 0;
    last_ms = static_cast<double>(sample.bracket_ns) / k_ns_per_ms;
    if (i == 0 && !compiled) lane.evidence().first_call_ms = last_ms;
    if (i > 0) {
      spent_ms += last_ms;
      further.push_back(last_ms);
    }
    if (i < inputs) round.want(index, where);
  }
  return further.empty() ? last_ms : stats::median(further);
}

// Every input's outputs are compared as its last call left them. On a device that queues work that
// call finds the device held up until all of it is launched: what the current stream does not wait
// for is then not done when the outputs are taken, however quick it is.
void warm_up_lane(RoundState& round, std::size_t index) {
  const double typical_ms = warm_up_calls(round, index);
  if (!round.lanes[index]->usable()) return;
  if (round.device.traits().queues_work) {
    const std::int64_t gate_ns = gate_ns_for(round.plan, typical_ms);
    for (int call = 0; call < static_cast<int>(round.warm.sets.size()); ++call) {
      const CallPlace where = round.warm_place(call, index);
      if (!round.lanes[index]->queued_call(where, gate_ns, round.call_seconds_max(), nullptr)) {
        return;
      }
    }
  }
  round.warm.all_call_ms += typical_ms;
  if (index == 0) round.warm.baseline_call_ms = typical_ms;
}

}  // namespace

void load_programs(RoundState& round) {
  const Stopwatch loading(round.clock, round.evidence.cost.load_ms);
  round.on_each(round.all_lanes(),
                [&round](std::size_t lane, std::mutex& gate) { round.lanes[lane]->load(gate); });
  if (round.nothing && !round.nothing->load(round.gate())) note_exchange(round);
}

Status make_first_calls(RoundState& round) {
  if (!round.device.traits().compiles_beside) return {};
  CUPEL_TRY(const auto sets, round.prepare(1, InputMix::nominal, 0));
  const auto where = [&](std::size_t lane) { return RoundState::place(sets[0], 0, lane, 0); };
  {
    const Stopwatch compiling(round.clock, round.evidence.cost.load_ms);
    round.on_each(round.live_lanes(), [&](std::size_t lane, std::mutex& gate) {
      round.lanes[lane]->call_beside(where(lane), round.plan.first_call_seconds_max, gate);
    });
  }
  for (const std::size_t lane : round.live_lanes()) round.want(lane, where(lane));
  return round.compare_and_release(sets.front().input, 1);
}

Status warm_up(RoundState& round) {
  const int sets = round.context.lane.layout.sets;
  const int inputs = std::min(round.plan.warmup_inputs, sets / 2);
  CUPEL_TRY(round.warm.sets, round.prepare(inputs, InputMix::nominal, 0, sets - inputs));
  {
    const Stopwatch warming(round.clock, round.evidence.cost.warmup_ms);
    for (const std::size_t lane : round.live_lanes()) warm_up_lane(round, lane);
  }
  return round.compare_and_release(round.warm.sets.front().input, inputs);
}

}  // namespace cupel::measure
