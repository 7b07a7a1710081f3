#include "measure/round/endurance.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>

#include "base/result.h"
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

// One batch of a stretch, called on.
struct Step {
  Stretch* stretch;
  std::size_t batch;
  bool is_again;    // on inputs that it has had
  bool checks_all;  // else one call of the stretch
  Batch& called() const { return (*stretch)[batch]; }
  bool ends_stretch() const { return batch + 1 == stretch->size(); }
};

// Had again, these inputs of an order are the ones before them but for two rows.
bool is_twin(std::int64_t number) {
  return number % 2 == 1;
}

// A program's calls after those whose outputs are kept. Nothing is timed. So the referee compares
// what the last batch gave, and makes the inputs of the next, while calls are made on this one.
class Stretches {
 public:
  Stretches(RoundState& round, const std::vector<std::size_t>& lanes, int first_set)
      : round_(round),
        lanes_(lanes),
        first_set_(first_set),
        room_((round.context.lane.layout.sets - first_set) / 2) {
    CUPEL_CHECK(room_ > 0);
  }

  // Half of the calls are on fresh inputs, half on the same in another order of their rows: what is
  // kept by a shape that hangs on values is there by then, and what is kept of each call is not.
  // There those of odd numbers are the ones before but for two rows; of these some are compared.
  Status call(int count) {
    std::vector<Stretch> stretches;
    for (int i = 0; i <= count; ++i) stretches.push_back(fresh_stretch());
    std::vector<Step> steps;
    for (const bool is_again : {false, true}) {
      for (int i = 0; i < count; ++i) {
        add_steps(stretches[static_cast<std::size_t>(i)], is_again, false, steps);
      }
    }
    add_steps(stretches.back(), false, true, steps);
    return run(steps);
  }

 private:
  // Calls whose outputs are not compared yet, and whose inputs are still with the referee.
  struct Behind {
    RoundState::Comparison comparison;
    std::int64_t first_input = 0;
    int count = 0;
  };
  // What the referee has done meanwhile.
  struct Beside {
    std::vector<Compared> found;
    std::vector<InputSet> sets;
  };

  // As many inputs at a time as half of the vault has room for, the warm-up's sets among it: nobody
  // is called on those any more.
  Stretch fresh_stretch() {
    Stretch stretch;
    for (int done = 0; done < k_stretch_calls; done += room_) {
      Batch& batch = stretch.emplace_back();
      for (int i = std::min(room_, k_stretch_calls - done); i > 0; --i) {
        batch.instances.push_back(
            static_cast<int>(round_.rng.below(round_.context.lane.weights.size())));
      }
    }
    return stretch;
  }

  static void add_steps(Stretch& stretch, bool is_again, bool checks_all,
                        std::vector<Step>& steps) {
    for (std::size_t batch = 0; batch < stretch.size(); ++batch) {
      steps.push_back({&stretch, batch, is_again, checks_all});
    }
  }

  // Sets of one half of the vault are called on while the referee works on the other's.
  Status run(const std::vector<Step>& steps) {
    CUPEL_TRY(Beside beside, work_beside({}, &steps.front(), set_of_step(0)));
    Behind behind;
    for (std::size_t i = 0; i < steps.size() && round_.can_go_on(); ++i) {
      const std::vector<InputSet> sets = std::move(beside.sets);
      const Step* const next = i + 1 < steps.size() ? &steps[i + 1] : nullptr;
      auto working = std::async(std::launch::async, [&, at = set_of_step(i + 1)] {
        return work_beside(behind, next, at);
      });
      call_step(steps[i], sets, set_of_step(i));
      CUPEL_TRY(beside, working.get());
      round_.note(behind.comparison, std::move(beside.found), late_of);
      behind = {round_.take_wanted(), sets.front().input, static_cast<int>(sets.size())};
    }
    CUPEL_TRY(Beside last, work_beside(behind, nullptr, 0));
    round_.note(behind.comparison, std::move(last.found), late_of);
    if (beside.sets.empty()) return {};
    const auto count = static_cast<int>(beside.sets.size());
    return round_.context.referee.release(beside.sets.front().input, count);
  }

  int set_of_step(std::size_t step) const {
    return first_set_ + static_cast<int>(step % 2) * room_;
  }

  // All that the referee is asked for: nobody else speaks to it, or draws inputs, meanwhile.
  Result<Beside> work_beside(const Behind& behind, const Step* next, int first_set) {
    Beside done;
    if (!behind.comparison.items.empty()) {
      CUPEL_TRY(done.found, round_.context.referee.compare(behind.comparison.items));
    }
    if (behind.count > 0) {
      CUPEL_TRY_STATUS(round_.context.referee.release(behind.first_input, behind.count));
    }
    if (next) {
      CUPEL_TRY(done.sets, prepare(next->called(), first_set));
    }
    return done;
  }

  Result<std::vector<InputSet>> prepare(Batch& batch, int first_set) {
    const InputDraw next = round_.next_draw(InputMix::timed);
    const auto count = static_cast<int>(batch.instances.size());
    if (batch.draw.again >= 0) return round_.prepare_drawn(batch.draw, count, 0, first_set);
    for (int i = 0; i < count; ++i) {  // under the weights of the call before, as a twin
      int& instance = batch.instances[static_cast<std::size_t>(i)];
      if (is_twin(next.at + i)) instance = last_instance_;
      last_instance_ = instance;
    }
    CUPEL_TRY(auto sets, round_.prepare(count, InputMix::timed, 0, first_set));
    batch.draw = next;
    batch.draw.again = sets.front().input;
    return sets;
  }

  // One call of a stretch is compared, or all; no program can know which.
  void call_step(const Step& step, const std::vector<InputSet>& sets, int first_set) {
    if (step.batch == 0) checked_ = draw_checked(step);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const auto index = static_cast<int>(i);
      const int number = static_cast<int>(step.batch) * room_ + index;
      call_lanes(sets[i], first_set + index, step.called().instances[i],
                 step.checks_all || number == checked_);
    }
    if (!step.ends_stretch()) return;
    if (!step.checks_all) note_memory(calls_ += k_stretch_calls);
  }

  int draw_checked(const Step& step) {
    const auto checked = static_cast<int>(round_.rng.below(k_stretch_calls));
    return step.is_again && !is_twin(step.called().draw.at + checked) ? checked ^ 1 : checked;
  }

  void call_lanes(const InputSet& inputs, int set, int instance, bool checks) {
    for (const std::size_t lane : lanes_) {
      const CallPlace where = RoundState::place(inputs, set, lane, instance);
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
  const int room_;
  int checked_ = 0, calls_ = 0;
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
