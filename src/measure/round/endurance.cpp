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

// Inputs that are made together, and the instance that each is for.
struct Batch {
  InputDraw draw;  // that has them again, once they were made
  std::vector<int> instances;
};
using Stretch = std::vector<Batch>;

// Had again, these inputs of an order are the ones before them but for two rows.
bool is_twin(std::int64_t number) {
  return number % 2 == 1;
}

// A program's calls after those whose outputs are kept.
class Stretches {
 public:
  Stretches(RoundState& round, const std::vector<std::size_t>& lanes, int first_set)
      : round_(round), lanes_(lanes), first_set_(first_set) {}

  // Half of the calls are on fresh inputs, half on the same in another order of their rows: what is
  // kept by a shape that hangs on values is there by then, and what is kept of each call is not.
  // There those of odd numbers are the ones before but for two rows; of these some are compared.
  Status call(int count) {
    std::vector<Stretch> stretches;
    for (int i = 0; i < count; ++i) stretches.push_back(fresh_stretch());
    int calls = 0;
    for (int half = 0; half < 2; ++half) {
      for (Stretch& stretch : stretches) {
        if (!round_.can_go_on()) return {};
        CUPEL_TRY_STATUS(call_stretch(stretch, false));
        note_memory(calls += k_stretch_calls);
      }
    }
    Stretch last = fresh_stretch();
    return round_.can_go_on() ? call_stretch(last, true) : Status();
  }

 private:
  // As many inputs at a time as the vault has room for, the warm-up's sets among it: nobody is
  // called on those any more.
  Stretch fresh_stretch() {
    Stretch stretch;
    const int room = round_.context.lane.layout.sets - first_set_;
    for (int done = 0; done < k_stretch_calls; done += room) {
      Batch& batch = stretch.emplace_back();
      for (int i = std::min(room, k_stretch_calls - done); i > 0; --i) {
        batch.instances.push_back(
            static_cast<int>(round_.rng.below(round_.context.lane.weights.size())));
      }
    }
    return stretch;
  }

  // One call is compared, or all; no program can know which.
  Status call_stretch(Stretch& stretch, bool checks_all) {
    auto checked = static_cast<int>(round_.rng.below(k_stretch_calls));
    const InputDraw& first = stretch.front().draw;
    if (first.again >= 0 && !is_twin(first.at + checked)) checked ^= 1;
    int done = 0;
    for (Batch& batch : stretch) {
      CUPEL_TRY(const auto sets, prepare(batch));
      const auto count = static_cast<int>(sets.size());
      for (int i = 0; i < count; ++i, ++done) {
        const auto at = static_cast<std::size_t>(i);
        call_lanes(sets[at], i, batch.instances[at], checks_all || done == checked);
      }
      CUPEL_TRY_STATUS(round_.compare(late_of));
      CUPEL_TRY_STATUS(round_.context.referee.release(sets.front().input, count));
    }
    return {};
  }

  Result<std::vector<InputSet>> prepare(Batch& batch) {
    const InputDraw next = round_.next_draw(InputMix::timed);
    const auto count = static_cast<int>(batch.instances.size());
    if (batch.draw.again >= 0) return round_.prepare_drawn(batch.draw, count, 0, first_set_);
    for (int i = 0; i < count; ++i) {  // under the weights of the call before, as a twin
      int& instance = batch.instances[static_cast<std::size_t>(i)];
      if (is_twin(next.at + i)) instance = last_instance_;
      last_instance_ = instance;
    }
    CUPEL_TRY(auto sets, round_.prepare(count, InputMix::timed, 0, first_set_));
    batch.draw = next;
    batch.draw.again = sets.front().input;
    return sets;
  }

  void call_lanes(const InputSet& set, int index, int instance, bool checks) {
    for (const std::size_t lane : lanes_) {
      const CallPlace where = RoundState::place(set, first_set_ + index, lane, instance);
      if (!call_enduring(round_, lane, where, round_.call_seconds_max())) continue;
      if (checks) round_.want(lane, where);
    }
  }

  void note_memory(int calls) {
    for (const std::size_t lane : round_.live_of(lanes_)) round_.lanes[lane]->note_memory(calls);
  }

  RoundState& round_;
  const std::vector<std::size_t>& lanes_;
  const int first_set_;
  int last_instance_ = 0;
};

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
  const int stretches = endurance_calls(round) / (2 * k_stretch_calls);
  CUPEL_TRY_STATUS(Stretches(round, lanes, count).call(stretches));
  CUPEL_TRY_STATUS(held.recall(held_of));
  for (const std::size_t lane : round.live_of(lanes)) {
    round.lanes[lane]->note_left_behind(round.call_seconds_max(), round.gate());
  }
  return round.context.referee.release(sets.front().input, count);
}

}  // namespace cupel::measure
