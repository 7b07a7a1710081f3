#include "measure/call/staged_row.h"

#include <algorithm>
#include <cstring>

namespace cupel::measure {

namespace {

// Of a call's input, while its clock runs: some 2 us on their way to pinned memory.
constexpr std::int64_t k_opened_bytes = 64 << 10;

}  // namespace

Slice StagedRow::look_at(std::size_t index) const {
  return staging_.part(static_cast<std::int64_t>(index) * look_bytes_, look_bytes_);
}

Status StagedRow::lay_out(const std::vector<CallPlace>& places, CallRequest& request) {
  places_ = places;
  CUPEL_TRY_STATUS(slots_.place_apart(places, row_slots_, request));
  inputs_ = request.inputs;
  request.sealed_bytes = input(0).bytes;
  draw_looks();
  const auto looks = 2 * static_cast<std::int64_t>(places.size());
  CUPEL_TRY(staging_, device_.staging(std::max(k_alignment_bytes, looks * look_bytes_)));
  keys_.clear();
  for (std::size_t call = 0; call < places.size(); ++call) {
    CUPEL_TRY(const CupelCipherKey key, slots_.seal_input(places[call], inputs_[call]));
    keys_.push_back(key);
  }
  return device_.finish();
}

// Others for each call of the row, and no program knows them.
void StagedRow::draw_looks() {
  Rng keys(slots_.key());
  looks_.clear();
  for (const int slot : row_slots_) {
    std::vector<Look>& looks = looks_.emplace_back();
    look_bytes_ = 0;
    look_at_opened(looks, keys);
    for (std::size_t leaf = 0; leaf < slots_.leaves(); ++leaf) {
      const Slice from = slots_.output(slot, leaf);
      if (from.bytes == 0) continue;
      looks.push_back({from, stripes_of(from.bytes, keys.next()), look_bytes_});
      look_bytes_ += align_up(striped_bytes_max(from.bytes));
    }
  }
}

// Some of the input: a host that gives the call back has opened it.
void StagedRow::look_at_opened(std::vector<Look>& looks, Rng& keys) {
  const Slice whole = input(looks_.size() - 1);
  const std::int64_t bytes = std::min(whole.bytes, k_opened_bytes);
  if (bytes == 0) return;
  const auto places = static_cast<std::uint64_t>((whole.bytes - bytes) / k_alignment_bytes + 1);
  const auto at = k_alignment_bytes * static_cast<std::int64_t>(keys.below(places));
  looks.push_back({whole.part(at, bytes), {0, bytes, bytes, 1}, look_bytes_});
  look_bytes_ += align_up(bytes);
}

Status StagedRow::look(std::size_t call, Slice to) {
  for (const auto& [from, stripes, offset] : looks_[call]) {
    const Slice part = to.part(offset, stripes.total());
    CUPEL_TRY_STATUS(stripes.count == 1 ? device_.copy(part, from)
                                        : device_.copy_stripes(part, from, stripes));
  }
  return device_.finish();
}

Result<bool> StagedRow::keep(std::size_t call) {
  CUPEL_TRY_STATUS(device_.copy(slots_.snapshot(places_[call]), slots_.output(row_slots_[call])));
  CUPEL_TRY_STATUS(look(call, taken_again(call)));
  const auto first = host_bytes(taken(call)), second = host_bytes(taken_again(call));
  return std::ranges::all_of(looks_[call], [&](const Look& one) {
    const auto bytes = static_cast<std::size_t>(one.stripes.total());
    return std::memcmp(&first[static_cast<std::size_t>(one.offset)],
                       &second[static_cast<std::size_t>(one.offset)], bytes) == 0;
  });
}

}  // namespace cupel::measure
