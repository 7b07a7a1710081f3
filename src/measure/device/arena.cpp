#include "measure/device/arena.h"

#include <utility>

#include "base/result.h"

namespace cupel::measure {

std::int64_t align_up(std::int64_t bytes) {
  return (bytes + k_alignment_bytes - 1) / k_alignment_bytes * k_alignment_bytes;
}

Slice Slice::part(std::int64_t offset, std::int64_t size) const {
  CUPEL_CHECK(offset >= 0 && size >= 0 && offset <= bytes - size);
  return {address + static_cast<std::uintptr_t>(offset), size};
}

std::span<std::byte> host_bytes(Slice slice) {
  return {reinterpret_cast<std::byte*>(slice.address), static_cast<std::size_t>(slice.bytes)};
}

Arena::Arena(int fd, Slice memory, std::shared_ptr<void> owner)
    : fd_(fd), memory_(memory), owner_(std::move(owner)) {}

}  // namespace cupel::measure
