// A host's own memory, read by the judge: what a program returned, where it lies.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cupel::measure {

class HostMemory {
 public:
  // `process`: the host's id in the judge's process namespace.
  explicit HostMemory(pid_t process) : process_(process) {}

  // Whether this machine lets the judge read there at all.
  bool readable() const;
  // All of `to` from `address` on. False: something of it is not mapped, or the process is gone.
  bool read(std::uintptr_t address, std::span<std::byte> to) const;
  // The lines of sampled_lines() of `bytes` at `address`, one after another. Empty where there is
  // nothing to read, or where read() would say false.
  std::vector<std::byte> sample(std::uintptr_t address, std::int64_t bytes,
                                std::uint64_t key) const;

 private:
  pid_t process_;
};

// Some lines of 64 bytes, by their offsets, at places drawn from `key`, which the owner of the
// memory does not know; the last line of a memory may be shorter.
std::vector<std::int64_t> sampled_lines(std::int64_t bytes, std::uint64_t key);
// What HostMemory::sample() gives for a copy of that memory.
std::vector<std::byte> sample_of(std::span<const std::byte> memory, std::uint64_t key);

}  // namespace cupel::measure
