// A round's timed calls, in rows: each program's calls follow each other as in its user's loop, and
// a program that does nothing shows what the exchange around them costs.
#include <algorithm>

#include "measure/round.h"

namespace cupel::measure {

bool Round::wants_rows() const {
  return context_.lane.plan.rows && context_.lane.device.traits().outputs_in_host &&
         lanes_.front()->memory().readable();
}

// All programs have rows on the same inputs, one program after the other.
void Round::time_rows(const std::vector<InputSet>& sets, std::vector<Held>& held) {
  const int count = static_cast<int>(sets.size());
  const int to_hold = turn_to_hold(count);
  for (int first = 0; first < count && can_go_on();) {
    const int calls = std::min(row_calls(), count - first);
    Lane::Row row = next_row();
    for (const std::size_t index : turn_) {
      row.order = order_++;
      if (!lanes_[index]->usable()) continue;
      const auto places = places_of_row(sets, first, calls, index, row.uncounted);
      if (!lanes_[index]->row(places, row)) continue;
      for (auto at = places.begin() + row.uncounted; at != places.end(); ++at) {
        wanted_.push_back({index, *at});
      }
    }
    nothing_->row(places_of_row(sets, first, calls, 0, row.uncounted), row);
    note_exchange();
    if (first <= to_hold && to_hold < first + calls && calls > 1) {
      hold_of_row(sets, first + calls - 2, held);
    }
    first += calls;
  }
}

Lane::Row Round::next_row() {
  const MeasurePlan& plan = context_.lane.plan;
  Lane::Row row;
  const double seen_bytes_max =
      std::max(plan.row_running_bytes_min, plan.row_running_bytes_per_ms * baseline_call_ms_);
  row.unseen = static_cast<double>(context_.lane.layout.input_stride) > seen_bytes_max;
  if (baseline_call_ms_ <= plan.row_settled_call_ms) {
    row.uncounted = 1 + static_cast<int>(rng_.below(plan.row_uncounted_max));
  }
  row.first_uncounted = repeats_;
  repeats_ += row.uncounted;
  row.seconds_max = call_seconds_max();
  return row;
}

// Of a row, those that count.
int Round::row_calls() const {
  const MeasurePlan& plan = context_.lane.plan;
  const double call_ms = std::max(baseline_call_ms_, 1e-3);
  return std::clamp(static_cast<int>(plan.row_ms / call_ms), 1, plan.row_calls_max);
}

// The first calls are on inputs of the warm-up, neither counted nor compared: a program that knows
// them again gains nothing by it.
std::vector<CallPlace> Round::places_of_row(const std::vector<InputSet>& sets, int first, int calls,
                                            std::size_t lane, int uncounted) const {
  std::vector<CallPlace> places;
  for (int i = 0; i < uncounted; ++i) {
    const int set = i % static_cast<int>(warm_sets_.size());
    places.push_back(place(warm_sets_[static_cast<std::size_t>(set)], fresh_sets() + set, lane, 0));
  }
  for (int set = first; set < first + calls; ++set) {
    places.push_back(place(sets[static_cast<std::size_t>(set)], set, lane, 0));
  }
  return places;
}

// Of a row's last call but one, whose input lies in `set`.
void Round::hold_of_row(const std::vector<InputSet>& sets, int set, std::vector<Held>& held) {
  for (const std::size_t index : turn_) {
    hold(index, place(sets[static_cast<std::size_t>(set)], set, index, 0), held);
  }
}

// Of the round so far. A host of ours that fails is the round's failure.
void Round::note_exchange() {
  const ProgramEvidence& nothing = nothing_->evidence();
  if (!nothing_->usable()) {
    evidence_.infra_fault = "the program that does nothing failed: " + nothing.fault.what;
    return;
  }
  std::int64_t quickest_ns = nothing.calls.front().bracket_ns;
  for (const CallSample& call : nothing.calls) {
    quickest_ns = std::min(quickest_ns, call.bracket_ns);
  }
  evidence_.exchanges_ns = {quickest_ns};
}

}  // namespace cupel::measure
