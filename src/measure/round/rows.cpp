// A round's timed calls, in rows: each program's calls follow each other as in its user's loop. A
// program that does nothing shows what the exchange around them costs.
#include <algorithm>

#include "measure/round/timing.h"
#include "stats/quantile.h"

namespace cupel::measure {

void Timing::time_rows(const std::vector<InputSet>& sets, HeldCalls& held) {
  const int count = static_cast<int>(sets.size());
  const int to_hold = turn_to_hold(count);
  for (int first = 0; first < count && round_.can_go_on();) {
    const int calls = std::min(row_calls(count), count - first);
    make_rows(sets, first, calls);
    if (first <= to_hold && to_hold < first + calls) {
      const int last = first + calls - 1;
      const InputSet& set = sets[static_cast<std::size_t>(last)];
      for (const std::size_t index : turn_) {
        held.hold(index, RoundState::place(set, last, index, 0));
      }
    }
    first += calls;
  }
}

// All programs have rows on the same inputs, one program after the other.
void Timing::make_rows(const std::vector<InputSet>& sets, int first, int calls) {
  RowPlan plan = next_row();
  const std::vector<int> gaps = gaps_of_row(calls);
  const auto of_nothing = row_of(sets, first, gaps, 0);
  if (round_.nothing) {
    round_.nothing->row(of_nothing, plan);
    note_exchange(round_);
    plan.reading_ns_max = round_.nothing->usual_reading_ns();
  }
  for (const std::size_t index : turn_) {
    plan.order = order_++;
    if (!round_.lanes[index]->usable()) continue;
    const auto row = row_of(sets, first, gaps, index);
    if (!round_.lanes[index]->row(row, plan)) continue;
    for (const RowCall& call : row) {
      if (call.counts) round_.want(index, call.place);
    }
  }
  repeats_ += std::ranges::count(of_nothing, false, &RowCall::counts);
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
  row.first_uncounted = repeats_;
  row.seconds_max = round_.call_seconds_max();
  return row;
}

// At most.
int Timing::calls_in_row() const {
  const MeasurePlan& plan = round_.plan;
  const double call_ms = std::max(round_.warm.baseline_call_ms, 1e-3);
  return std::clamp(static_cast<int>(plan.row_ms / call_ms), 1, plan.row_calls_max);
}

// Of a row, those that count: `count` in as few rows as may be, all alike.
int Timing::row_calls(int count) const {
  const int most = calls_in_row();
  const int rows = (count + most - 1) / most;
  return (count + rows - 1) / rows;
}

// Of each call that counts, how many before it do not: drawn, so that the number of a call alone
// does not tell whether it counts.
std::vector<int> Timing::gaps_of_row(int calls) {
  const MeasurePlan& plan = round_.plan;
  std::vector<int> gaps(static_cast<std::size_t>(calls), 0);
  if (round_.warm.baseline_call_ms > plan.row_settled_call_ms) return gaps;
  const bool copies_disturb = round_.device.traits().outputs_in_host;
  for (std::size_t i = 0; i < (copies_disturb ? gaps.size() : 1); ++i) {
    const auto drawn = round_.rng.below(static_cast<std::uint64_t>(plan.row_gap_max));
    gaps[i] = 1 + static_cast<int>(drawn);
  }
  gaps.front() +=
      copies_disturb ? std::max(calls_in_row(), plan.row_cold_calls) : plan.row_cold_calls;
  return gaps;
}

// Calls that do not count are on inputs of the warm-up: a program that knows them again gains
// nothing by it. Where outputs may be held, one ends the row: what is held is the call before it.
std::vector<RowCall> Timing::row_of(const std::vector<InputSet>& sets, int first,
                                    const std::vector<int>& gaps, std::size_t lane) const {
  std::vector<RowCall> calls;
  int repeat = 0;
  const auto add_uncounted = [&](int count) {
    for (int i = 0; i < count; ++i) {
      calls.push_back({round_.warm_place(repeat++, lane), false});
    }
  };
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    add_uncounted(gaps[i]);
    const int set = first + static_cast<int>(i);
    const InputSet& inputs = sets[static_cast<std::size_t>(set)];
    calls.push_back({RoundState::place(inputs, set, lane, 0)});
  }
  add_uncounted(round_.plan.holds_outputs ? 1 : 0);
  return calls;
}

void note_exchange(RoundState& round) {
  const ProgramEvidence& nothing = round.nothing->evidence();
  if (!round.nothing->usable()) {
    round.evidence.infra_fault = "the program that does nothing failed: " + nothing.fault.what;
    return;
  }
  std::vector<double> running_ns, still_ns;
  for (const CallSample& call : nothing.calls) {
    (call.seen_ns > 0 ? running_ns : still_ns).push_back(static_cast<double>(call.bracket_ns));
  }
  const auto usual = [](const std::vector<double>& brackets_ns) {
    return brackets_ns.empty() ? 0 : static_cast<std::int64_t>(stats::median(brackets_ns));
  };
  const bool all_still = running_ns.empty();
  round.evidence.exchanges_ns = {usual(all_still ? still_ns : running_ns)};
  round.evidence.still_exchanges_ns = {all_still ? 0 : usual(still_ns)};
}

}  // namespace cupel::measure
