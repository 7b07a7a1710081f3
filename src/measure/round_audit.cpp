// What a round looks at besides: the device's own time; of programs that claim something other
// weights and batches.
#include <algorithm>

#include "measure/round.h"
#include "measure/stopwatch.h"
#include "sandbox/cores.h"
#include "stats/quantile.h"

namespace cupel::measure {
namespace {

constexpr int k_second_instance_calls = 2;
// Of a program that waits for the device in its calls, so many are tried.
constexpr int k_not_queued_max = 2;
constexpr std::size_t k_pair = 2;
constexpr const char* k_ended_before = "the round ended before";
constexpr const char* k_unread =
    "no warm calls were made, since this machine does not let the judge read its hosts' memory "
    "(does kernel.yama.ptrace_scope forbid it?)";

bool can_queue(const ProgramEvidence& program) {
  return std::count_if(program.queued.begin(), program.queued.end(), [](const QueuedSample& call) {
           return call.device_ns < 0;
         }) < k_not_queued_max;
}

}  // namespace

bool Round::wants_queued_calls() const {
  const MeasurePlan& plan = context_.lane.plan;
  return context_.lane.device.traits().queues_work && plan.queued_calls > 0 &&
         warm_call_ms_ <= plan.queued_call_ms_max;
}

// What the device does for a call, without the host's work for it. On the warm-up's inputs, whose
// outputs were compared before: nobody wins by this.
void Round::queue_calls() {
  const MeasurePlan& plan = context_.lane.plan;
  const Stopwatch auditing(clock_, evidence_.cost.audit_ms);
  const std::int64_t from_ns = clock_.now_ns();
  const auto goes_on = [&](int turn, std::size_t programs) {
    const double spent_ms = static_cast<double>(clock_.now_ns() - from_ns) / k_ns_per_ms;
    return turn < plan.queued_calls && programs >= k_pair && can_go_on() &&
           (turn < plan.queued_calls_min || spent_ms < plan.queued_ms);
  };
  auto order = that_can_queue();
  rng_.shuffle(order);
  for (int turn = 0; goes_on(turn, order.size()); ++turn) {
    std::reverse(order.begin(), order.end());
    const int set = turn % static_cast<int>(warm_sets_.size());
    for (const std::size_t index : order) {
      const CallPlace where =
          place(warm_sets_[static_cast<std::size_t>(set)], fresh_sets() + set, index, 0);
      QueuedSample sample{turn};
      const std::int64_t gate_ns = gate_ns_for(claim_ms_of(index));
      if (lanes_[index]->queued_call(where, gate_ns, call_seconds_max(), &sample)) {
        lanes_[index]->evidence().queued.push_back(sample);
      }
    }
    std::erase_if(order, [this](std::size_t index) {
      return !lanes_[index]->usable() || !can_queue(lanes_[index]->evidence());
    });
  }
}

// Programs that were timed.
std::vector<std::size_t> Round::that_can_queue() const {
  auto lanes = live_lanes();
  std::erase_if(lanes, [this](std::size_t lane) { return lanes_[lane]->evidence().calls.empty(); });
  return lanes;
}

// Of a timed call; 0: there is none.
double Round::claim_ms_of(std::size_t lane) const {
  std::vector<double> claims;
  for (const CallSample& call : lanes_[lane]->evidence().calls) {
    claims.push_back(static_cast<double>(call.claim_ns));
  }
  return claims.empty() ? 0 : stats::median(claims) / k_ns_per_ms;
}

std::int64_t Round::gate_ns_for(double call_ms) const {
  const MeasurePlan& plan = context_.lane.plan;
  const double wanted_ms = plan.gate_factor * call_ms;
  return static_cast<std::int64_t>(k_ns_per_ms *
                                   std::clamp(wanted_ms, plan.gate_ms_min, plan.gate_ms_max));
}

void Round::expect_audits() {
  for (const auto& lane : lanes_) lane->evidence().unaudited = k_ended_before;
}

// Of those that claim something, with the baseline beside them.
Status Round::audit(const std::vector<std::size_t>& claimants) {
  if (claimants.empty()) return {};
  std::vector<std::size_t> lanes{0};
  lanes.insert(lanes.end(), claimants.begin(), claimants.end());
  CUPEL_TRY_STATUS(share_device());
  CUPEL_TRY_STATUS(check_second_instance(lanes));
  if (!can_go_on()) return {};
  if (wants_clock_audit()) CUPEL_TRY_STATUS(audit_clock(lanes));
  if (!can_go_on()) return {};
  const bool unread = context_.lane.device.traits().outputs_in_host && !nothing_;
  for (const std::size_t lane : lanes) lanes_[lane]->evidence().unaudited = unread ? k_unread : "";
  return {};
}

// Other weights: a program that remembers the first instance's, or ignores them, is wrong here.
Status Round::check_second_instance(const std::vector<std::size_t>& lanes) {
  CUPEL_TRY(const auto sets, prepare(k_second_instance_calls, InputMix::nominal, 1));
  std::mutex counting;
  {
    const Stopwatch warming(clock_, evidence_.cost.audit_ms);
    on_each(live_of(lanes), [&](std::size_t index, std::mutex& gate) {
      for (int i = 0; i < k_second_instance_calls; ++i) {
        const CallPlace where = place(sets[static_cast<std::size_t>(i)], i, index, 1);
        const double limit_s = i ? call_seconds_max() : context_.lane.plan.first_call_seconds_max;
        if (!lanes_[index]->call_beside(where, limit_s, gate)) break;
        const std::lock_guard guard(counting);
        wanted_.push_back({index, where});
      }
    });
  }
  return compare_wanted(sets.front().input, k_second_instance_calls);
}

bool Round::wants_clock_audit() const {
  const MeasurePlan& plan = context_.lane.plan;
  const int room = std::min(fresh_sets(), context_.lane.batch_calls_max);
  return can_go_on() && baseline_call_ms_ <= plan.audit_call_ms_max &&
         room >= plan.audit_calls_many;
}

// Batches of few and of many calls: the difference of their brackets is time per call as the
// judge's own clock has it, without the fixed cost of an exchange.
Status Round::audit_clock(const std::vector<std::size_t>& lanes) {
  CUPEL_TRY(const auto alone, wait_for_device());
  const sandbox::StayOnFirstCore placement;
  const MeasurePlan& plan = context_.lane.plan;
  const bool short_calls = claim_ms_of(0) < plan.audit_short_call_ms;
  const int pairs = short_calls ? plan.audit_pairs_short : plan.audit_pairs;
  if (context_.lane.device.traits().queues_work) {
    CUPEL_TRY_STATUS(audit_batches(lanes, plan.audit_calls_many));  // its time does not count
  }
  for (int pair = 0; pair < pairs && can_go_on(); ++pair) {
    CUPEL_TRY_STATUS(audit_batches(lanes, pair % 2 ? plan.audit_calls_many : plan.audit_calls_few));
    CUPEL_TRY_STATUS(audit_batches(lanes, pair % 2 ? plan.audit_calls_few : plan.audit_calls_many));
  }
  return {};
}

Status Round::audit_batches(const std::vector<std::size_t>& lanes, int calls) {
  CUPEL_TRY(const auto sets, prepare(calls, InputMix::nominal, 0));
  {
    const Stopwatch auditing(clock_, evidence_.cost.audit_ms);
    auto order = live_of(lanes);
    rng_.shuffle(order);
    for (const std::size_t index : order) {
      std::vector<CallPlace> places;
      for (int i = 0; i < calls; ++i) {
        places.push_back(place(sets[static_cast<std::size_t>(i)], i, index, 0));
      }
      if (!lanes_[index]->several(places, calls * call_seconds_max())) continue;
      for (const auto& where : places) wanted_.push_back({index, where});
    }
  }
  return compare_wanted(sets.front().input, calls);
}

}  // namespace cupel::measure
