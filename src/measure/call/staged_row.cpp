#include "measure/call/staged_row.h"

namespace cupel::measure {

// Of the places in the machine's memory: where the input lies, or behind it the outputs.
Slice StagedRow::at(std::size_t call, std::int64_t offset) const {
  const std::int64_t of_input = input(call).bytes;
  const std::int64_t of_outputs = output(call).bytes;
  const auto start = static_cast<std::int64_t>(call) * (of_input + of_outputs);
  return staging_.part(start + offset, offset == 0 ? of_input : of_outputs);
}

Status StagedRow::lay_out(const std::vector<CallPlace>& places, CallRequest& request) {
  places_ = places;
  CUPEL_TRY_STATUS(slots_.place_apart(places, row_slots_, request));
  inputs_ = request.inputs;
  const auto calls = static_cast<std::int64_t>(places.size());
  CUPEL_TRY(staging_, device_.staging(calls * (input(0).bytes + output(0).bytes)));
  for (std::size_t call = 0; call < places.size(); ++call) {
    CUPEL_TRY_STATUS(device_.copy(at(call, 0), slots_.given(places[call])));
  }
  return device_.finish();
}

Status StagedRow::move(Slice to, Slice from) {
  CUPEL_TRY_STATUS(device_.copy(to, from));
  return device_.finish();
}

Result<bool> StagedRow::keep(std::size_t call) {
  const Slice kept = slots_.snapshot(places_[call]);
  CUPEL_TRY_STATUS(move(kept, at(call, input(call).bytes)));
  return device_.same(kept, output(call));
}

}  // namespace cupel::measure
