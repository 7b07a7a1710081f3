#include "measure/call/staged_row.h"

#include <cstring>

namespace cupel::measure {

// Of the places in the machine's memory.
Slice StagedRow::at(std::size_t call, std::int64_t offset, std::int64_t bytes) const {
  const std::int64_t of_each = input(call).bytes + 2 * look_bytes_;
  return staging_.part(static_cast<std::int64_t>(call) * of_each + offset, bytes);
}

Slice StagedRow::taken_again(std::size_t call) const {
  return at(call, input(call).bytes + look_bytes_, look_bytes_);
}

Status StagedRow::lay_out(const std::vector<CallPlace>& places, CallRequest& request) {
  places_ = places;
  CUPEL_TRY_STATUS(slots_.place_apart(places, row_slots_, request));
  inputs_ = request.inputs;
  key_ = slots_.key();
  look_bytes_ = 0;
  for (std::size_t leaf = 0; leaf < slots_.leaves(); ++leaf) {
    look_bytes_ += striped_bytes(slots_.output(0, leaf).bytes);
  }
  const auto calls = static_cast<std::int64_t>(places.size());
  CUPEL_TRY(staging_, device_.staging(calls * (input(0).bytes + 2 * look_bytes_)));
  for (std::size_t call = 0; call < places.size(); ++call) {
    CUPEL_TRY_STATUS(device_.copy(staged_input(call), slots_.given(places[call])));
  }
  return device_.finish();
}

Status StagedRow::reveal(std::size_t call) {
  CUPEL_TRY_STATUS(device_.copy(input(call), staged_input(call)));
  return device_.finish();
}

// At the same places each time, which nobody knows before.
Status StagedRow::look(std::size_t call, Slice to) {
  Rng keys(key_ ^ call);
  std::int64_t offset = 0;
  for (std::size_t leaf = 0; leaf < slots_.leaves(); ++leaf) {
    const Slice from = slots_.output(row_slots_[call], leaf);
    const Stripes stripes = stripes_of(from.bytes, keys.next());
    const Slice part = to.part(offset, stripes.total());
    CUPEL_TRY_STATUS(stripes.count == 1 ? device_.copy(part, from)
                                        : device_.copy_stripes(part, from, stripes));
    offset += stripes.total();
  }
  return device_.finish();
}

Result<bool> StagedRow::keep(std::size_t call) {
  CUPEL_TRY_STATUS(device_.copy(slots_.snapshot(places_[call]), slots_.output(row_slots_[call])));
  CUPEL_TRY_STATUS(look(call, taken_again(call)));
  const auto first = host_bytes(taken(call)), second = host_bytes(taken_again(call));
  return std::memcmp(first.data(), second.data(), first.size()) == 0;
}

}  // namespace cupel::measure
