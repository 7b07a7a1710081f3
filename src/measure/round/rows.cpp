// A round's timed calls, in rows: each program's calls follow each other as in its user's loop. A
// program that does nothing shows what the exchange around them costs.
#include <algorithm>

#include "measure/round/timing.h"

namespace cupel::measure {

// All programs have rows on the same inputs, one program after the other.
void Timing::time_rows(const std::vector<InputSet>& sets, HeldCalls& held) {
  const int count = static_cast<int>(sets.size());
  const int to_hold = turn_to_hold(count);
  for (int first = 0; first < count && round_.can_go_on();) {
    const int calls = std::min(row_calls(count), count - first);
    RowPlan row = next_row();
    for (const std::size_t index : turn_) {
      row.order = order_++;
      if (!round_.lanes[index]->usable()) continue;
      const auto places = places_of_row(sets, first, calls, index, row.uncounted);
      if (!round_.lanes[index]->row(places, row)) continue;
      for (auto at = places.begin() + row.uncounted; at != places.end(); ++at) {
        round_.want(index, *at);
      }
    }
    if (round_.nothing) {
      round_.nothing->row(places_of_row(sets, first, calls, 0, row.uncounted), row);
      note_exchange(round_);
    }
    if (first <= to_hold && to_hold < first + calls && calls > 1) {
      const int last_but_one = first + calls - 2;
      const InputSet& set = sets[static_cast<std::size_t>(last_but_one)];
      for (const std::size_t index : turn_) {
        held.hold(index, RoundState::place(set, last_but_one, index, 0));
      }
    }
    first += calls;
  }
}

// Of large inputs every second row is revealed to hosts that stand still: nobody sees them come,
// and every call is a cold one. The others tell what a warm call takes, and these whether it is
// true. So it is of all inputs where it takes long until a device has them.
RowPlan Timing::next_row() {
  const MeasurePlan& plan = round_.plan;
  RowPlan row;
  const double seen_bytes_max = std::max(
      plan.row_running_bytes_min, plan.row_running_bytes_per_ms * round_.warm.baseline_call_ms);
  const bool large = !round_.device.traits().outputs_in_host ||
                     static_cast<double>(round_.context.lane.layout.input_stride) > seen_bytes_max;
  row.still = large && rows_++ % 2 == 1;
  if (round_.warm.baseline_call_ms <= plan.row_settled_call_ms) {
    const int more = plan.row_uncounted_max - plan.row_uncounted_min;
    row.uncounted = plan.row_uncounted_min +
                    static_cast<int>(round_.rng.below(static_cast<std::uint64_t>(more) + 1));
  }
  row.first_uncounted = repeats_;
  repeats_ += row.uncounted;
  row.seconds_max = round_.call_seconds_max();
  return row;
}

// Of a row, those that count: `count` in as few rows as may be, all alike.
int Timing::row_calls(int count) const {
  const MeasurePlan& plan = round_.plan;
  const double call_ms = std::max(round_.warm.baseline_call_ms, 1e-3);
  const int most = std::clamp(static_cast<int>(plan.row_ms / call_ms), 1, plan.row_calls_max);
  const int rows = (count + most - 1) / most;
  return (count + rows - 1) / rows;
}

// The first calls are on inputs of the warm-up, neither counted nor compared: a program that knows
// them again gains nothing by it.
std::vector<CallPlace> Timing::places_of_row(const std::vector<InputSet>& sets, int first,
                                             int calls, std::size_t lane, int uncounted) const {
  std::vector<CallPlace> places;
  for (int i = 0; i < uncounted; ++i) places.push_back(round_.warm_place(i, lane));
  for (int set = first; set < first + calls; ++set) {
    places.push_back(RoundState::place(sets[static_cast<std::size_t>(set)], set, lane, 0));
  }
  return places;
}

void note_exchange(RoundState& round) {
  const ProgramEvidence& nothing = round.nothing->evidence();
  if (!round.nothing->usable()) {
    round.evidence.infra_fault = "the program that does nothing failed: " + nothing.fault.what;
    return;
  }
  std::int64_t running_ns = 0, still_ns = 0;
  for (const CallSample& call : nothing.calls) {
    std::int64_t& quickest_ns = call.seen_ns > 0 ? running_ns : still_ns;
    quickest_ns = quickest_ns ? std::min(quickest_ns, call.bracket_ns) : call.bracket_ns;
  }
  round.evidence.exchanges_ns = {running_ns ? running_ns : still_ns};
  round.evidence.still_exchanges_ns = {running_ns ? still_ns : 0};
}

}  // namespace cupel::measure
