// Memory shared with one other process: a memfd, sealed against resizing (a host that could
// shrink it would kill the judge with SIGBUS), mapped shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/files.h"
#include "base/result.h"

namespace cupel::measure {

// Every tensor leaf and every slot starts at a multiple of this; torch's own allocator's too.
inline constexpr std::int64_t k_alignment_bytes = 64;
std::int64_t align_up(std::int64_t bytes);

// Owns the mapping and the descriptor. Contents start as zero pages and cost nothing until used.
class Arena {
 public:
  static Result<Arena> create(const char* name, std::int64_t bytes);
  Arena() = default;
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  int fd() const { return fd_.get(); }
  std::int64_t bytes() const { return bytes_; }
  // A view of [offset, offset + size); aborts when it does not lie inside.
  std::span<std::byte> at(std::int64_t offset, std::int64_t size) const;

 private:
  void unmap();
  UniqueFd fd_;
  std::byte* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace cupel::measure
