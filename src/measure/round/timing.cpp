#include "measure/round/timing.h"

#include <algorithm>

#include "measure/device/stopwatch.h"
#include "stats/quantile.h"

namespace cupel::measure {
namespace {

// A chunk is one stretch of calls between two visits to the referee.
constexpr double k_chunk_ms = 400;
// Preparing and checking an input costs about this many times its calls (float64 oracle).
constexpr double k_referee_cost_factor = 2.5;

}  // namespace

double claim_ms_of(const ProgramEvidence& program) {
  std::vector<double> claims;
  for (const CallSample& call : program.calls) {
    claims.push_back(static_cast<double>(call.claim_ns));
  }
  return claims.empty() ? 0 : stats::median(claims) / k_ns_per_ms;
}

// The budget ends with the second of two chunks, not within a chunk that was begun before it.
int chunk_inputs(const MeasurePlan& plan, int timed_inputs, double timing_ms, double input_ms) {
  const int wanted = plan.inputs_min + plan.other_classes;
  const bool too_few = timed_inputs < k_inputs_floor ||
                       (timed_inputs < wanted && timing_ms < 1e3 * plan.timing_seconds_hard_max);
  const double left_ms = 1e3 * plan.timing_seconds_max - timing_ms;
  if (timed_inputs >= plan.inputs_max || (!too_few && left_ms <= 0)) return 0;
  const auto fitting = [&](double ms) { return static_cast<int>(ms / std::max(input_ms, 1e-3)); };
  int count = fitting(std::clamp(left_ms / 2, 0.0, k_chunk_ms));
  // All that are missing, as far as a chunk holds them: two more are an even number in each chunk.
  const int missing = std::max(wanted, k_inputs_floor) - timed_inputs;
  if (too_few) count = std::max(count, std::min(fitting(k_chunk_ms), (missing + 3) / 4 * 2));
  const int most = timed_inputs ? (plan.inputs_max - timed_inputs) / 2 : plan.first_chunk_inputs;
  return std::clamp(count, 2, std::max(2, most)) / 2 * 2;
}

int Timing::next_chunk_inputs() const {
  const double input_ms =
      timed_inputs_ ? timing_ms_ / timed_inputs_ : round_.warm.all_call_ms * k_referee_cost_factor;
  return std::min(chunk_inputs(round_.plan, timed_inputs_, timing_ms_, input_ms),
                  round_.fresh_sets() / 2 * 2);
}

Status Timing::run(const Referral& referral) {
  for (;;) {
    const int count = next_chunk_inputs();
    if (count == 0) {
      round_.evidence.stop_reason = timed_inputs_ >= round_.plan.inputs_max ? "calls" : "budget";
      return {};
    }
    {
      const Stopwatch timing(round_.clock, timing_ms_);
      for (int turn = 0; turn < 2 && round_.can_go_on(); ++turn) {
        CUPEL_TRY_STATUS(run_chunk(count));
        timed_inputs_ += count;
      }
    }
    round_.device.note_clocks(round_.evidence.clocks);
    if (!round_.can_go_on()) return {};
    round_.evidence.stop_reason = referral.stop(round_.current_evidence());
    if (!round_.evidence.stop_reason.empty()) return {};
  }
}

// From chunk to chunk the turn is reversed, which cancels what being first on an input is worth.
Status Timing::run_chunk(int count) {
  CUPEL_TRY(const auto sets, round_.prepare(count, InputMix::timed, 0));
  if (turn_.empty()) {
    turn_ = round_.live_lanes();
    round_.rng.shuffle(turn_);
  }
  std::reverse(turn_.begin(), turn_.end());
  HeldCalls held(round_);
  if (round_.plan.rows) {
    CUPEL_TRY_STATUS(time_rows(sets, held));
  } else {
    call_singly(sets);
  }
  held.recall_timed();
  return round_.compare_and_release(sets.front().input, count);
}

void Timing::call_singly(const std::vector<InputSet>& sets) {
  const Stopwatch calling(round_.clock, round_.evidence.cost.calls_ms);
  for (int i = 0; i < static_cast<int>(sets.size()) && round_.can_go_on(); ++i) {
    for (const std::size_t index : turn_) {
      Lane& lane = *round_.lanes[index];
      const CallPlace where = RoundState::place(sets[static_cast<std::size_t>(i)], i, index, 0);
      CallSample sample{where.input, 0, where.value_class, order_++};
      if (!lane.usable() || !lane.call(where, round_.call_seconds_max(), &sample)) continue;
      lane.evidence().calls.push_back(sample);
      round_.want(index, where);
    }
  }
}

// In an audit, the turn of a chunk whose outputs are to be looked at again later.
int Timing::turn_to_hold(int count) {
  const bool audits = round_.plan.holds_outputs && count > 1;
  return audits ? draw_below(count - 1) : count;
}

}  // namespace cupel::measure
