// What a round of the winner's audit does after its timing: many more calls, so that what changes
// with them shows. Nothing of it is timed; others may be timed meanwhile.
#include <algorithm>
#include <map>

#include "measure/round.h"
#include "measure/stopwatch.h"

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

}  // namespace

// The outputs of the first calls stay in the hosts until the end, their inputs with the referee.
Status Round::endure() {
  const Stopwatch enduring(clock_, evidence_.cost.endurance_ms);
  sharing_.reset();
  CUPEL_TRY_STATUS(share_device());
  std::vector<std::size_t> lanes{0};
  for (const std::size_t lane : live_lanes()) {
    if (programs_[lane].role == Role::candidate) lanes.push_back(lane);
  }
  const int count = held_calls(context_.lane.layout, fresh_sets());
  CUPEL_TRY(const auto sets, prepare(count, InputMix::timed, 0));
  const auto held = take_turns(lanes, sets);
  CUPEL_TRY_STATUS(check_wanted(turns_of));
  CUPEL_TRY_STATUS(go_on_calling(lanes, count));
  CUPEL_TRY_STATUS(recall_held(held));
  for (const std::size_t lane : live_of(lanes)) {
    lanes_[lane]->note_left_behind(call_seconds_max(), sharing_->gate());
  }
  return context_.referee.release(sets.front().input, count);
}

// Each input under one of the two sets of weights, drawn at random. All calls but the last are held
// once the next one is done.
std::vector<Round::Held> Round::take_turns(const std::vector<std::size_t>& lanes,
                                           const std::vector<InputSet>& sets) {
  std::vector<Held> held;
  std::map<std::size_t, CallPlace> before;
  for (int i = 0; i < static_cast<int>(sets.size()); ++i) {
    const int instance = static_cast<int>(rng_.below(context_.lane.weights.size()));
    for (const std::size_t lane : lanes) {
      const CallPlace where = place(sets[static_cast<std::size_t>(i)], i, lane, instance);
      const double seconds_max = context_.lane.plan.first_call_seconds_max;
      if (!call_enduring(lane, where, seconds_max)) continue;
      wanted_.push_back({lane, where});
      if (i > 0) hold(lane, before[lane], held);
      before[lane] = where;
    }
  }
  return held;
}

// Of a program's last call but one.
void Round::hold(std::size_t lane, const CallPlace& where, std::vector<Held>& held) {
  if (!lanes_[lane]->usable()) return;
  std::mutex* const gate = sharing_ ? &sharing_->gate() : nullptr;
  const int index = lanes_[lane]->hold(where, call_seconds_max(), gate);
  if (index >= 0) held.push_back({lane, where, index});
}

bool Round::call_enduring(std::size_t index, const CallPlace& where, double seconds_max) {
  Lane& lane = *lanes_[index];
  if (!lane.usable() || !lane.call_beside(where, seconds_max, sharing_->gate())) return false;
  ++lane.evidence().endurance.calls;
  return true;
}

int Round::endurance_calls() const {
  const MeasurePlan& plan = context_.lane.plan;
  const double both_ms = 2 * std::max(baseline_call_ms_, 1e-3);
  const auto fitting = [both_ms](double seconds) {
    return static_cast<int>(1e3 * seconds / both_ms);
  };
  const int least =
      std::clamp(fitting(plan.endurance_seconds_hard_max), k_calls_floor, plan.endurance_calls_min);
  return std::clamp(fitting(plan.endurance_seconds_max), least, plan.endurance_calls);
}

Status Round::go_on_calling(const std::vector<std::size_t>& lanes, int first_set) {
  const int wanted = endurance_calls();
  for (int calls = k_stretch_calls; calls <= wanted && can_go_on(); calls += k_stretch_calls) {
    CUPEL_TRY_STATUS(call_stretch(lanes, first_set, false));
    for (const std::size_t lane : live_of(lanes)) lanes_[lane]->note_memory(calls);
  }
  return can_go_on() ? call_stretch(lanes, first_set, true) : Status();
}

// On fresh inputs, as many at a time as the vault has room for. Of a stretch one call is compared,
// or all; no program can know which.
Status Round::call_stretch(const std::vector<std::size_t>& lanes, int first_set, bool checks_all) {
  const int room = fresh_sets() - first_set;
  const auto checked = static_cast<int>(rng_.below(k_stretch_calls));
  for (int done = 0; done < k_stretch_calls; done += room) {
    const int count = std::min(room, k_stretch_calls - done);
    CUPEL_TRY(const auto sets, prepare(count, InputMix::timed, 0, first_set));
    for (int i = 0; i < count; ++i) {
      const int instance = static_cast<int>(rng_.below(context_.lane.weights.size()));
      for (const std::size_t lane : lanes) {
        const CallPlace where =
            place(sets[static_cast<std::size_t>(i)], first_set + i, lane, instance);
        if (!call_enduring(lane, where, call_seconds_max())) continue;
        if (checks_all || done + i == checked) wanted_.push_back({lane, where});
      }
    }
    CUPEL_TRY_STATUS(check_wanted(late_of));
    CUPEL_TRY_STATUS(context_.referee.release(sets.front().input, count));
  }
  return {};
}

Status Round::recall_held(const std::vector<Held>& held) {
  for (const auto& [index, where, nth] : held) {
    Lane& lane = *lanes_[index];
    if (!lane.usable() || !lane.recall(where, nth, call_seconds_max(), sharing_->gate())) continue;
    wanted_.push_back({index, where});
  }
  return check_wanted(held_of);
}

// What a program returned in a timed call must outlive the next one.
void Round::recall_timed(const std::vector<Held>& held) {
  for (const auto& [index, where, nth] : held) {
    if (lanes_[index]->usable()) lanes_[index]->recall_timed(where, nth, call_seconds_max());
  }
}

}  // namespace cupel::measure
