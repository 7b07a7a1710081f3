#include "measure/host/host_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "base/rng.h"

namespace cupel::measure {
namespace {

constexpr std::int64_t k_line_bytes = 64;
// Reading one takes a third of a microsecond. Who has left out a share s of its work gets through n
// calls with probability (1 - s)^(32 n).
constexpr std::int64_t k_lines_max = 32;
// Mapped nowhere: reading it fails for that reason, or for want of permission.
constexpr std::uintptr_t k_unmapped_address = 4096;

std::int64_t line_bytes(std::int64_t offset, std::int64_t bytes) {
  return std::min(k_line_bytes, bytes - offset);
}

iovec place(std::uintptr_t address, std::size_t bytes) {
  return {reinterpret_cast<void*>(address), bytes};
}

}  // namespace

bool HostMemory::readable() const {
  std::byte byte{};
  const iovec to{&byte, 1};
  const iovec from = place(k_unmapped_address, 1);
  return ::process_vm_readv(process_, &to, 1, &from, 1, 0) >= 0 || errno == EFAULT;
}

bool HostMemory::read(std::uintptr_t address, std::span<std::byte> to) const {
  while (!to.empty()) {
    const iovec into{to.data(), to.size()};
    const iovec from = place(address, to.size());
    const ssize_t got = ::process_vm_readv(process_, &into, 1, &from, 1, 0);
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    address += static_cast<std::uintptr_t>(got);
  }
  return true;
}

std::vector<std::byte> HostMemory::sample(std::uintptr_t address, std::int64_t bytes,
                                          std::uint64_t key) const {
  std::vector<iovec> from;
  std::size_t wanted = 0;
  for (const std::int64_t offset : sampled_lines(bytes, key)) {
    const auto size = static_cast<std::size_t>(line_bytes(offset, bytes));
    from.push_back(place(address + static_cast<std::uintptr_t>(offset), size));
    wanted += size;
  }
  std::vector<std::byte> lines(wanted);
  const iovec into{lines.data(), lines.size()};
  const ssize_t got = ::process_vm_readv(process_, &into, 1, from.data(), from.size(), 0);
  if (got != static_cast<ssize_t>(wanted)) lines.clear();
  return lines;
}

std::vector<std::int64_t> sampled_lines(std::int64_t bytes, std::uint64_t key) {
  const std::int64_t lines = (bytes + k_line_bytes - 1) / k_line_bytes;
  Rng places(key);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < std::min(lines, k_lines_max); ++i) {
    const bool all = lines <= k_lines_max;
    const auto line =
        all ? i : static_cast<std::int64_t>(places.below(static_cast<std::uint64_t>(lines)));
    offsets.push_back(line * k_line_bytes);
  }
  places.shuffle(offsets);  // of few, too, the order is nothing to keep ahead of
  return offsets;
}

std::vector<std::byte> sample_of(std::span<const std::byte> memory, std::uint64_t key) {
  const auto bytes = static_cast<std::int64_t>(memory.size());
  std::vector<std::byte> lines;
  for (const std::int64_t offset : sampled_lines(bytes, key)) {
    const auto line = memory.subspan(static_cast<std::size_t>(offset),
                                     static_cast<std::size_t>(line_bytes(offset, bytes)));
    lines.insert(lines.end(), line.begin(), line.end());
  }
  return lines;
}

}  // namespace cupel::measure
