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
  // The lines of sampled_lines() of the blocks at `addresses`, in its order. Empty where there is
  // nothing to read, or where read() would say false.
  std::vector<std::byte> sample(std::span<const std::uintptr_t> addresses,
                                std::span<const std::int64_t> bytes, std::uint64_t key) const;

 private:
  pid_t process_;
};

// 64 bytes of a block of memory; fewer at its end.
struct SampledLine {
  std::size_t block = 0;
  std::int64_t offset = 0;  // bytes
  std::size_t bytes = 0;
};
// Some lines of each block of `bytes`, all of them in one order. Places and order are drawn from
// `key`, which the owner of the memory does not know.
std::vector<SampledLine> sampled_lines(std::span<const std::int64_t> bytes, std::uint64_t key);
// What HostMemory::sample() gives for copies of those blocks.
std::vector<std::byte> sample_of(std::span<const std::span<const std::byte>> blocks,
                                 std::uint64_t key);

}  // namespace cupel::measure
