// A round's timed calls, in rows: each program's calls follow each other as in its user's loop. A
// program that does nothing shows what the exchange around them costs.
#include <algorithm>
#include <numeric>

#include "measure/call/call_slots.h"
#include "measure/device/stopwatch.h"
#include "measure/round/timing.h"
#include "stats/quantile.h"

namespace cupel::measure {

Status Timing::time_rows(const std::vector<InputSet>& sets, HeldCalls& held) {
  const int count = static_cast<int>(sets.size());
  const int to_hold = turn_to_hold(count);
  for (int first = 0; first < count && round_.can_go_on();) {
    const int calls = std::min(row_calls(count), count - first);
    CUPEL_TRY_STATUS(make_rows(sets, first, calls));
    if (first <= to_hold && to_hold < first + calls) {
      const int last = first + calls - 1;
      const InputSet& set = sets[static_cast<std::size_t>(last)];
      for (const std::size_t index : turn_) {
        held.hold(index, RoundState::place(set, last, index, 0));
      }
    }
    first += calls;
  }
  return {};
}

// All programs have rows on the same inputs, one program after the other.
Status Timing::make_rows(const std::vector<InputSet>& sets, int first, int calls) {
  const std::vector<int> gaps = gaps_of_row(calls);
  CUPEL_TRY(const auto spares,
            prepare_spares(std::reduce(gaps.begin(), gaps.end()) + trailing_calls()));
  std::vector<RowCall> row = row_of(sets, first, gaps, spares);
  const Stopwatch calling(round_.clock, round_.evidence.cost.calls_ms);
  RowPlan plan = next_row();
  if (round_.nothing) {
    round_.nothing->row(row, plan);
    note_exchange(round_);
    plan.reading_ns_max = round_.nothing->usual_reading_ns();
  }
  for (const std::size_t index : turn_) {
    plan.order = order_++;
    if (!round_.lanes[index]->usable()) continue;
    for (RowCall& call : row) call.place.program = static_cast<int>(index);
    if (!round_.lanes[index]->row(row, plan)) continue;
    for (const RowCall& call : row) {
      if (call.taken) round_.want(index, call.place);
    }
  }
  if (spares.empty()) return {};
  return round_.context.referee.release(spares.front().input, static_cast<int>(spares.size()));
}

// Inputs of calls that do not count: fresh ones, like all of a row's. On one that a program has
// seen it could answer what it has answered then, and do other work of its own.
Result<std::vector<InputSet>> Timing::prepare_spares(int count) {
  if (count == 0) return std::vector<InputSet>();
  return round_.prepare(count, InputMix::nominal, 0, round_.context.lane.layout.sets);
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
  row.seconds_max = round_.call_seconds_max();
  return row;
}

// At most: for as many as that there are inputs to call the program on before, and slots.
int Timing::calls_in_row() const {
  const MeasurePlan& plan = round_.plan;
  const double call_ms = std::max(round_.warm.baseline_call_ms, 1e-3);
  const int spares = round_.context.lane.layout.spares - trailing_calls();
  const int slots = row_slots_of(round_.context.lane);
  const int fit = slots == 0 ? plan.row_calls_max : slots - plan.row_calls_around();
  const int most = std::clamp(spares / (plan.row_gap_max + 1), 1, fit);
  return std::clamp(static_cast<int>(plan.row_ms / call_ms), 1, most);
}

// Where outputs may be held, one more call ends a row: what is held is the call before it.
int Timing::trailing_calls() const {
  return round_.plan.holds_outputs ? 1 : 0;
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
    gaps[i] = 1 + draw_below(plan.row_gap_max);
  }
  gaps.front() +=
      copies_disturb ? std::max(calls_in_row(), plan.row_cold_calls) : plan.row_cold_calls;
  // Of inputs so large that few spare ones fit, a call takes longer than a cold one loses.
  const int most = round_.context.lane.layout.spares - trailing_calls();
  if (calls == 1 && gaps.front() > most) gaps.front() = 1 + draw_below(most);
  return gaps;
}

// The calls of a row, of the first program.
std::vector<RowCall> Timing::row_of(const std::vector<InputSet>& sets, int first,
                                    const std::vector<int>& gaps,
                                    const std::vector<InputSet>& spares) {
  std::vector<RowCall> row;
  const int early = early_call(gaps);
  int spare = 0;
  const auto add_uncounted = [&](int count) {
    for (const int end = spare + count; spare < end; ++spare) {
      const int set = round_.context.lane.layout.sets + spare;
      const InputSet& inputs = spares[static_cast<std::size_t>(spare)];
      row.push_back({RoundState::place(inputs, set, 0, 0), false, false});
    }
  };
  for (int i = 0; i < static_cast<int>(gaps.size()); ++i) {
    const int gap = gaps[static_cast<std::size_t>(i)];
    const bool counts = i != early;
    const int before = counts ? gap : draw_below(gap);
    add_uncounted(before);
    const InputSet& inputs = sets[static_cast<std::size_t>(first + i)];
    row.push_back({RoundState::place(inputs, first + i, 0, 0), counts});
    if (!counts) add_uncounted(gap - before - 1);
  }
  add_uncounted(trailing_calls());
  return row;
}

// Which of a row's compared calls comes too early to count, so that of no call it is sure that
// nobody compares it; -1: none. Not the one that is held, which is the last.
int Timing::early_call(const std::vector<int>& gaps) {
  const MeasurePlan& plan = round_.plan;
  const auto calls = static_cast<int>(gaps.size());
  std::vector<int> possible;
  for (int i = 0; i < calls - trailing_calls(); ++i) {
    if (gaps[static_cast<std::size_t>(i)] > 0) possible.push_back(i);
  }
  const int rows = std::max(plan.row_early_rows, plan.row_early_calls / calls);
  if (possible.empty() || draw_below(rows) > 0) return -1;
  return possible[static_cast<std::size_t>(draw_below(static_cast<int>(possible.size())))];
}

int Timing::draw_below(int bound) {
  return static_cast<int>(round_.rng.below(static_cast<std::uint64_t>(bound)));
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
