#include "measure/round/queued_calls.h"

#include <algorithm>

#include "measure/device/stopwatch.h"
#include "measure/round/timing.h"

namespace cupel::measure {
namespace {

// Of a program that waits for the device in its calls, so many are tried.
constexpr int k_not_queued_max = 2;
constexpr std::size_t k_pair = 2;

bool can_queue(const Lane& lane) {
  const auto failed = [](const QueuedSample& call) { return call.device_ns < 0; };
  return lane.usable() && !lane.evidence().calls.empty() &&
         std::ranges::count_if(lane.evidence().queued, failed) < k_not_queued_max;
}

void make_queued_call(RoundState& round, std::size_t index, int turn) {
  Lane& lane = *round.lanes[index];
  const std::int64_t gate_ns = gate_ns_for(round.plan, claim_ms_of(lane.evidence()));
  QueuedSample sample{turn};
  const CallPlace where = round.warm_place(turn, index);
  if (lane.queued_call(where, gate_ns, round.call_seconds_max(), &sample)) {
    lane.evidence().queued.push_back(sample);
  }
}

}  // namespace

std::int64_t gate_ns_for(const MeasurePlan& plan, double call_ms) {
  const double wanted_ms = plan.gate_factor * call_ms;
  return static_cast<std::int64_t>(k_ns_per_ms *
                                   std::clamp(wanted_ms, plan.gate_ms_min, plan.gate_ms_max));
}

void make_queued_calls(RoundState& round) {
  const MeasurePlan& plan = round.plan;
  if (!round.device.traits().queues_work || plan.queued_calls == 0 ||
      round.warm.all_call_ms > plan.queued_call_ms_max) {
    return;
  }
  const Stopwatch auditing(round.clock, round.evidence.cost.audit_ms);
  const std::int64_t from_ns = round.clock.now_ns();
  const auto time_is_left = [&](int turn) {
    const double spent_ms = static_cast<double>(round.clock.now_ns() - from_ns) / k_ns_per_ms;
    return turn < plan.queued_calls_min || spent_ms < plan.queued_ms;
  };
  const auto cannot = [&round](std::size_t lane) { return !can_queue(*round.lanes[lane]); };
  auto order = round.live_lanes();
  std::erase_if(order, cannot);
  round.rng.shuffle(order);
  for (int turn = 0; turn < plan.queued_calls && order.size() >= k_pair && round.can_go_on() &&
                     time_is_left(turn);
       ++turn) {
    std::ranges::reverse(order);
    for (const std::size_t lane : order) make_queued_call(round, lane, turn);
    std::erase_if(order, cannot);
  }
}

}  // namespace cupel::measure
