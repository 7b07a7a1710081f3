#include "measure/round/endurance.h"

#include <algorithm>
#include <map>

#include "measure/device/stopwatch.h"
#include "measure/round/held_calls.h"

namespace cupel::measure {
namespace {

// Calls whose outputs a host keeps, as many as there is room for.
constexpr int k_held_calls_max = 8;
constexpr int k_held_calls_min = 2;
constexpr std::int64_t k_held_bytes_max = 256LL << 20;
// Calls between two looks at the memory.
constexpr int k_stretch_calls = 10;
// However long a call takes.
constexpr int k_calls_floor = 20;

int held_calls(const VaultLayout& layout, int sets) {
  const auto fitting = static_cast<int>(
      std::min<std::int64_t>(k_held_bytes_max / layout.output_stride, k_held_calls_max));
  return std::min(std::max(fitting, k_held_calls_min), sets / 2);
}

std::vector<OutputCheck>& turns_of(ProgramEvidence& program) {
  return program.endurance.turns;
}
std::vector<OutputCheck>& held_of(ProgramEvidence& program) {
  return program.endurance.held;
}
std::vector<OutputCheck>& late_of(ProgramEvidence& program) {
  return program.endurance.late;
}

bool call_enduring(RoundState& round, std::size_t index, const CallPlace& where,
                   double seconds_max) {
  Lane& lane = *round.lanes[index];
  if (!lane.usable() || !lane.call_beside(where, seconds_max, round.gate())) return false;
  ++lane.evidence().endurance.calls;
  return true;
}

// Each input under one of the two sets of weights, drawn at random. All calls but the last are held
// once the next one is done.
void take_turns(RoundState& round, const std::vector<std::size_t>& lanes,
                const std::vector<InputSet>& sets, HeldCalls& held) {
  std::map<std::size_t, CallPlace> before;
  for (int i = 0; i < static_cast<int>(sets.size()); ++i) {
    const int instance = static_cast<int>(round.rng.below(round.context.lane.weights.size()));
    for (const std::size_t lane : lanes) {
      const CallPlace where =
          RoundState::place(sets[static_cast<std::size_t>(i)], i, lane, instance);
      const double seconds_max = round.plan.first_call_seconds_max;
      if (!call_enduring(round, lane, where, seconds_max)) continue;
      round.want(lane, where);
      if (i > 0) held.hold(lane, before[lane]);
      before[lane] = where;
    }
  }
}

int endurance_calls(const RoundState& round) {
  const MeasurePlan& plan = round.plan;
  const double both_ms = 2 * std::max(round.warm.baseline_call_ms, 1e-3);
  const auto fitting = [both_ms](double seconds) {
    return static_cast<int>(1e3 * seconds / both_ms);
  };
  const int least =
      std::clamp(fitting(plan.endurance_seconds_hard_max), k_calls_floor, plan.endurance_calls_min);
  return std::clamp(fitting(plan.endurance_seconds_max), least, plan.endurance_calls);
}

// On fresh inputs, as many at a time as the vault has room for. Of a stretch one call is compared,
// or all; no program can know which.
Status call_stretch(RoundState& round, const std::vector<std::size_t>& lanes, int first_set,
                    bool checks_all) {
  const int room = round.fresh_sets() - first_set;
  const auto checked = static_cast<int>(round.rng.below(k_stretch_calls));
  for (int done = 0; done < k_stretch_calls; done += room) {
    const int count = std::min(room, k_stretch_calls - done);
    CUPEL_TRY(const auto sets, round.prepare(count, InputMix::timed, 0, first_set));
    for (int i = 0; i < count; ++i) {
      const int instance = static_cast<int>(round.rng.below(round.context.lane.weights.size()));
      for (const std::size_t lane : lanes) {
        const CallPlace where =
            RoundState::place(sets[static_cast<std::size_t>(i)], first_set + i, lane, instance);
        if (!call_enduring(round, lane, where, round.call_seconds_max())) continue;
        if (checks_all || done + i == checked) round.want(lane, where);
      }
    }
    CUPEL_TRY_STATUS(round.compare(late_of));
    CUPEL_TRY_STATUS(round.context.referee.release(sets.front().input, count));
  }
  return {};
}

Status go_on_calling(RoundState& round, const std::vector<std::size_t>& lanes, int first_set) {
  const int wanted = endurance_calls(round);
  for (int calls = k_stretch_calls; calls <= wanted && round.can_go_on();
       calls += k_stretch_calls) {
    CUPEL_TRY_STATUS(call_stretch(round, lanes, first_set, false));
    for (const std::size_t lane : round.live_of(lanes)) round.lanes[lane]->note_memory(calls);
  }
  return round.can_go_on() ? call_stretch(round, lanes, first_set, true) : Status();
}

}  // namespace

// The outputs of the first calls stay in the hosts until the end, their inputs with the referee.
Status endure(RoundState& round) {
  const Stopwatch enduring(round.clock, round.evidence.cost.endurance_ms);
  round.stop_sharing();
  CUPEL_TRY_STATUS(round.share_device());
  std::vector<std::size_t> lanes{0};
  for (const std::size_t lane : round.live_lanes()) {
    if (round.lanes[lane]->evidence().role == Role::candidate) lanes.push_back(lane);
  }
  const int count = held_calls(round.context.lane.layout, round.fresh_sets());
  CUPEL_TRY(const auto sets, round.prepare(count, InputMix::timed, 0));
  HeldCalls held(round);
  take_turns(round, lanes, sets, held);
  CUPEL_TRY_STATUS(round.compare(turns_of));
  CUPEL_TRY_STATUS(go_on_calling(round, lanes, count));
  CUPEL_TRY_STATUS(held.recall(held_of));
  for (const std::size_t lane : round.live_of(lanes)) {
    round.lanes[lane]->note_left_behind(round.call_seconds_max(), round.gate());
  }
  return round.context.referee.release(sets.front().input, count);
}

}  // namespace cupel::measure
