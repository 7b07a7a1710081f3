#include "measure/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace cupel::measure {

std::int64_t align_up(std::int64_t bytes) {
  return (bytes + k_alignment_bytes - 1) / k_alignment_bytes * k_alignment_bytes;
}

Result<Arena> Arena::create(const char* name, std::int64_t bytes) {
  Arena arena;
  arena.bytes_ = std::max(align_up(bytes), k_alignment_bytes);
  arena.fd_.reset(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!arena.fd_.valid()) return errno_error("cannot create shared memory", name);
  if (::ftruncate(arena.fd_.get(), arena.bytes_) != 0) {
    return errno_error("cannot size shared memory", name);
  }
  if (::fcntl(arena.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error("cannot seal shared memory", name);
  }
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(arena.bytes_), PROT_READ | PROT_WRITE,
                        MAP_SHARED, arena.fd_.get(), 0);
  if (memory == MAP_FAILED) return errno_error("cannot map shared memory", name);
  arena.memory_ = static_cast<std::byte*>(memory);
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : fd_(std::move(other.fd_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this != &other) {
    unmap();
    fd_ = std::move(other.fd_);
    memory_ = std::exchange(other.memory_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

Arena::~Arena() {
  unmap();
}

void Arena::unmap() {
  if (memory_) ::munmap(memory_, static_cast<std::size_t>(bytes_));
}

std::span<std::byte> Arena::at(std::int64_t offset, std::int64_t size) const {
  CUPEL_CHECK(offset >= 0 && size >= 0 && offset <= bytes_ - size);
  return {memory_ + offset, static_cast<std::size_t>(size)};
}

}  // namespace cupel::measure
