#include "measure/round/round_state.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "measure/device/stopwatch.h"

namespace cupel::measure {
namespace {

constexpr int k_trained_instance = 2;  // docs/protocol.md, "Referee"

}  // namespace

RoundState::RoundState(RoundContext context_of_round, Rng rng_of_round)
    : context(context_of_round),
      plan(context.lane.plan),
      device(context.lane.device),
      rng(rng_of_round),
      order_(context_of_round.next_input) {}

Evidence RoundState::current_evidence() const {
  Evidence found = evidence;
  for (const auto& lane : lanes) found.programs.push_back(lane->evidence());
  return found;
}

std::vector<std::size_t> RoundState::all_lanes() const {
  std::vector<std::size_t> all(lanes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<std::size_t> RoundState::live_of(const std::vector<std::size_t>& some) const {
  std::vector<std::size_t> live;
  for (const std::size_t lane : some) {
    if (lanes[lane]->usable()) live.push_back(lane);
  }
  return live;
}

std::vector<std::size_t> RoundState::live_lanes() const {
  return live_of(all_lanes());
}

bool RoundState::can_go_on() const {
  const auto live = live_lanes();
  return evidence.infra_fault.empty() && live.size() >= 2 && live.front() == 0;
}

Status RoundState::share_device() {
  const Stopwatch waiting(clock, evidence.cost.wait_device_ms);
  const auto each = [this](void (Lane::*act)()) {
    return [this, act] {
      for (auto& lane : lanes) (lane.get()->*act)();
    };
  };
  CUPEL_TRY(sharing_,
            Sharing::start(device.lock(),
                           preparing(context.referee, {each(&Lane::pause), each(&Lane::resume)})));
  return {};
}

Result<std::unique_ptr<Alone>> RoundState::alone() {
  const Stopwatch waiting(clock, evidence.cost.wait_device_ms);
  sharing_.reset();
  return Alone::wait(device.lock());
}

void RoundState::on_each(const std::vector<std::size_t>& some,
                         const std::function<void(std::size_t, std::mutex&)>& work) {
  std::mutex& shared_gate = gate();
  if (!device.traits().compiles_beside) {
    for (const std::size_t lane : some) work(lane, shared_gate);
    return;
  }
  std::vector<std::jthread> threads;
  for (const std::size_t lane : some) {
    threads.emplace_back([&work, &shared_gate, lane] { work(lane, shared_gate); });
  }
}

Result<std::vector<InputSet>> RoundState::prepare(int count, InputMix mix, int instance,
                                                  int first_set) {
  const InputDraw draw = next_draw(mix);
  if (mix == InputMix::timed) drawn_ += count;
  return prepare_drawn(draw, count, instance, first_set);
}

Result<std::vector<InputSet>> RoundState::prepare_drawn(const InputDraw& draw, int count,
                                                        int instance, int first_set) {
  const Stopwatch preparing(clock, evidence.cost.prepare_ms);
  const VaultLayout& layout = context.lane.layout;
  CUPEL_CHECK(first_set + count <= layout.sets + layout.spares);
  const std::int64_t first = context.next_input;
  context.next_input += count;
  return context.referee.prepare(first, count, layout.input_at(first_set), layout.input_stride,
                                 instance, draw);
}

int RoundState::fresh_sets() const {
  return context.lane.layout.sets - static_cast<int>(warm.sets.size());
}

CallPlace RoundState::place(const InputSet& set, int set_index, std::size_t lane, int instance) {
  return {set.input, set.value_class, set.values, set_index, static_cast<int>(lane), instance};
}

CallPlace RoundState::warm_place(int call, std::size_t lane) const {
  const int set = call % static_cast<int>(warm.sets.size());
  return place(warm.sets[static_cast<std::size_t>(set)], fresh_sets() + set, lane, 0);
}

double RoundState::call_seconds_max() const {
  return std::max(plan.call_seconds_min, plan.call_slowdown_max * warm.baseline_call_ms / 1e3);
}

// The second instance's state, as hosts are given it, is not quite what its seed makes.
int RoundState::compared_instance(const Wanted& wanted) const {
  const bool loaded = lanes[wanted.lane]->evidence().weights == "loaded";
  const int instance = wanted.place.instance;
  return instance > 0 && loaded ? k_trained_instance : instance;
}

CompareItem RoundState::item_of(const Wanted& wanted, const SlotLayout& leaves) const {
  const CallPlace& where = wanted.place;
  const Lane::Told told = lanes[wanted.lane]->told_of(where);
  CompareItem item{wanted.lane, where.input,  compared_instance(wanted),
                   {},          told.strides, told.values};
  const std::int64_t slot = context.lane.layout.output_at(where.set, where.program);
  for (const auto offset : leaves.offsets) item.offsets.push_back(slot + offset);
  return item;
}

RoundState::Comparison RoundState::take_wanted() {
  Comparison comparison{std::exchange(wanted_, {}), {}};
  const SlotLayout leaves = slot_layout(context.lane.facts.outputs);
  for (const Wanted& wanted : comparison.wanted) {
    comparison.items.push_back(item_of(wanted, leaves));
  }
  return comparison;
}

void RoundState::note(const Comparison& comparison, std::vector<Compared> found,
                      const CheckList& list) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CallPlace& where = comparison.wanted.at(i).place;
    ProgramEvidence& program = lanes[comparison.wanted[i].lane]->evidence();
    Compared& one = found[i];
    if (one.wrong.size() == 2) {
      program.mismatches.push_back({"value", one.wrong[0], one.wrong[1], where.input});
    }
    list(program).push_back({where.input, where.value_class, where.instance, std::move(one.outputs),
                             std::move(one.own), std::move(one.in_order)});
  }
}

Status RoundState::compare(const CheckList& list) {
  const Stopwatch comparing(clock, evidence.cost.compare_ms);
  if (wanted_.empty()) return {};
  const Comparison comparison = take_wanted();
  CUPEL_TRY(auto found, context.referee.compare(comparison.items));
  note(comparison, std::move(found), list);
  return {};
}

Status RoundState::compare_and_release(std::int64_t first, int count) {
  CUPEL_TRY_STATUS(compare(
      [](ProgramEvidence& program) -> std::vector<OutputCheck>& { return program.checks; }));
  return context.referee.release(first, count);
}

}  // namespace cupel::measure
