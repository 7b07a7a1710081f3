#include "cuda/pinned_memory.h"

#include <algorithm>

namespace cupel::cuda {

PinnedMemory::~PinnedMemory() {
  if (memory_ && device_->enter()) device_->api().host_free(memory_);
}

Status PinnedMemory::grow(std::size_t bytes) {
  CUPEL_TRY_STATUS(device_->enter());
  if (bytes <= room_) return {};
  if (memory_) device_->api().host_free(memory_);
  memory_ = nullptr;
  room_ = 0;
  CUPEL_TRY_STATUS(check(device_->api().host_allocate(&memory_, bytes, 0),
                         "cannot allocate pinned memory"));
  room_ = bytes;
  return {};
}

Status PinnedMemory::take(Address from, std::size_t bytes) {
  CUPEL_TRY_STATUS(grow(bytes));
  taken_ = bytes;
  CUPEL_TRY_STATUS(check(device_->api().copy_here(memory_, from, bytes, device_->stream()),
                         "cannot copy from the GPU"));
  return device_->finish();
}

Status PinnedMemory::put(Address to) {
  CUPEL_TRY_STATUS(device_->enter());
  CUPEL_TRY_STATUS(check(device_->api().copy_there(to, memory_, taken_, device_->stream()),
                         "cannot copy to the GPU"));
  return device_->finish();
}

Result<std::span<const std::byte>> PinnedMemory::take_lines(std::span<const Lines> stretches) {
  std::size_t bytes = 0;
  for (const Lines& lines : stretches) bytes += lines.count * k_line_bytes;
  CUPEL_TRY_STATUS(grow(bytes));
  std::size_t at = 0;
  for (const Lines& lines : stretches) {
    if (lines.count == 0) continue;
    RowCopy copy;
    copy.from = lines.first;
    copy.from_pitch = std::max(lines.step_bytes, k_line_bytes);
    copy.to = static_cast<std::byte*>(memory_) + at;
    copy.to_pitch = copy.width = k_line_bytes;
    copy.height = lines.count;
    CUPEL_TRY_STATUS(check(device_->api().copy_rows(&copy, device_->stream()),
                           "cannot copy lines from the GPU"));
    at += lines.count * k_line_bytes;
  }
  CUPEL_TRY_STATUS(device_->finish());
  return std::span<const std::byte>(static_cast<const std::byte*>(memory_), bytes);
}

}  // namespace cupel::cuda
