// Memory shared with one other process, where the programs' device can work on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cupel::measure {

// Every tensor leaf and every slot starts at a multiple of this; torch's own allocator's too.
inline constexpr std::int64_t k_alignment_bytes = 64;
std::int64_t align_up(std::int64_t bytes);

// A stretch of memory of a device, which only that Device may look into.
struct Slice {
  std::uintptr_t address = 0;
  std::int64_t bytes = 0;

  // [offset, offset + size) of it; aborts when that does not lie inside.
  Slice part(std::int64_t offset, std::int64_t size) const;
};

// The bytes of a slice of this machine's own memory.
std::span<std::byte> host_bytes(Slice slice);

// Made by a Device (device.h); owns the mapping and the descriptor.
class Arena {
 public:
  Arena() = default;
  // `owner` unmaps the memory and closes the descriptor.
  Arena(int fd, Slice memory, std::shared_ptr<void> owner);

  int fd() const { return fd_; }
  std::int64_t bytes() const { return memory_.bytes; }
  // A view of [offset, offset + size); aborts when it does not lie inside.
  Slice at(std::int64_t offset, std::int64_t size) const { return memory_.part(offset, size); }

 private:
  int fd_ = -1;
  Slice memory_;
  std::shared_ptr<void> owner_;
};

}  // namespace cupel::measure
