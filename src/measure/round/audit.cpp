#include "measure/round/audit.h"

#include <algorithm>

#include "measure/device/stopwatch.h"
#include "measure/round/timing.h"
#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

constexpr int k_second_instance_calls = 2;
constexpr const char* k_ended_before = "the round ended before";
constexpr const char* k_unread =
    "this machine does not let the judge read its hosts' memory, so that nothing shows what an "
    "exchange costs (does kernel.yama.ptrace_scope forbid it?)";

// Other weights: a program that remembers the first instance's, or ignores them, is wrong here.
Status check_second_instance(RoundState& round, const std::vector<std::size_t>& lanes) {
  CUPEL_TRY(const auto sets, round.prepare(k_second_instance_calls, InputMix::nominal, 1));
  std::mutex counting;
  {
    const Stopwatch warming(round.clock, round.evidence.cost.audit_ms);
    round.on_each(round.live_of(lanes), [&](std::size_t index, std::mutex& gate) {
      for (int i = 0; i < k_second_instance_calls; ++i) {
        const CallPlace where = RoundState::place(sets[static_cast<std::size_t>(i)], i, index, 1);
        const double limit_s = i ? round.call_seconds_max() : round.plan.first_call_seconds_max;
        if (!round.lanes[index]->call_beside(where, limit_s, gate)) break;
        const std::lock_guard guard(counting);
        round.want(index, where);
      }
    });
  }
  return round.compare_and_release(sets.front().input, k_second_instance_calls);
}

bool wants_clock_audit(const RoundState& round) {
  const MeasurePlan& plan = round.plan;
  const int room = std::min(round.fresh_sets(), round.context.lane.batch_calls_max);
  return round.can_go_on() && round.warm.baseline_call_ms <= plan.audit_call_ms_max &&
         room >= plan.audit_calls_many;
}

Status audit_batches(RoundState& round, const std::vector<std::size_t>& lanes, int calls) {
  CUPEL_TRY(const auto sets, round.prepare(calls, InputMix::nominal, 0));
  {
    const Stopwatch auditing(round.clock, round.evidence.cost.audit_ms);
    auto order = round.live_of(lanes);
    round.rng.shuffle(order);
    for (const std::size_t index : order) {
      std::vector<CallPlace> places;
      for (int i = 0; i < calls; ++i) {
        places.push_back(RoundState::place(sets[static_cast<std::size_t>(i)], i, index, 0));
      }
      if (!round.lanes[index]->several(places, calls * round.call_seconds_max())) continue;
      for (const auto& where : places) round.want(index, where);
    }
  }
  return round.compare_and_release(sets.front().input, calls);
}

// Batches of few and of many calls: the difference of their brackets is time per call as the
// judge's own clock has it, without the fixed cost of an exchange.
Status audit_clock(RoundState& round, const std::vector<std::size_t>& lanes) {
  CUPEL_TRY(const auto alone, round.alone());
  const sandbox::StayOnFirstCore placement;
  const MeasurePlan& plan = round.plan;
  const bool short_calls = claim_ms_of(round.lanes[0]->evidence()) < plan.audit_short_call_ms;
  const int pairs = short_calls ? plan.audit_pairs_short : plan.audit_pairs;
  if (round.device.traits().queues_work) {
    CUPEL_TRY_STATUS(
        audit_batches(round, lanes, plan.audit_calls_many));  // its time does not count
  }
  for (int pair = 0; pair < pairs && round.can_go_on(); ++pair) {
    CUPEL_TRY_STATUS(
        audit_batches(round, lanes, pair % 2 ? plan.audit_calls_many : plan.audit_calls_few));
    CUPEL_TRY_STATUS(
        audit_batches(round, lanes, pair % 2 ? plan.audit_calls_few : plan.audit_calls_many));
  }
  return {};
}

}  // namespace

void expect_audits(RoundState& round) {
  for (const auto& lane : round.lanes) lane->evidence().unaudited = k_ended_before;
}

Status audit(RoundState& round, const std::vector<std::size_t>& claimants) {
  if (claimants.empty()) return {};
  std::vector<std::size_t> lanes{0};
  lanes.insert(lanes.end(), claimants.begin(), claimants.end());
  CUPEL_TRY_STATUS(round.share_device());
  CUPEL_TRY_STATUS(check_second_instance(round, lanes));
  if (!round.can_go_on()) return {};
  if (wants_clock_audit(round)) CUPEL_TRY_STATUS(audit_clock(round, lanes));
  if (!round.can_go_on()) return {};
  const bool unread = round.device.traits().outputs_in_host && !round.nothing;
  for (const std::size_t lane : lanes) {
    round.lanes[lane]->evidence().unaudited = unread ? k_unread : "";
  }
  return {};
}

}  // namespace cupel::measure
