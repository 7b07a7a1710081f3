#include "measure/round/held_calls.h"

namespace cupel::measure {

void HeldCalls::hold(std::size_t lane, const CallPlace& where) {
  if (!round_.lanes[lane]->usable()) return;
  const int index =
      round_.lanes[lane]->hold(where, round_.call_seconds_max(), round_.gate_if_shared());
  if (index >= 0) held_.push_back({lane, where, index});
}

void HeldCalls::recall_timed() {
  for (const auto& [lane, where, index] : held_) {
    if (!round_.lanes[lane]->usable()) continue;
    round_.lanes[lane]->recall_timed(where, index, round_.call_seconds_max());
  }
  held_.clear();
}

Status HeldCalls::recall(const RoundState::CheckList& list) {
  for (const auto& [index, where, nth] : held_) {
    Lane& lane = *round_.lanes[index];
    if (!lane.usable()) continue;
    if (lane.recall(where, nth, round_.call_seconds_max(), round_.gate()))
      round_.want(index, where);
  }
  held_.clear();
  return round_.compare(list);
}

}  // namespace cupel::measure
