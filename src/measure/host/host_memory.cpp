#include "measure/host/host_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/rng.h"

namespace cupel::measure {
namespace {

constexpr std::int64_t k_line_bytes = 64;
// Reading one takes a third of a microsecond. Who has left out a share s of its work, and finishes
// it evenly while they are read, gets through n calls with probability (1 - s/2)^(32 n).
constexpr std::int64_t k_lines_max = 32;
// Mapped nowhere: reading it fails for that reason, or for want of permission.
constexpr std::uintptr_t k_unmapped_address = 4096;

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

std::vector<std::byte> HostMemory::sample(std::span<const std::uintptr_t> addresses,
                                          std::span<const std::int64_t> bytes,
                                          std::uint64_t key) const {
  std::vector<iovec> from;
  std::size_t wanted = 0;
  for (const SampledLine& line : sampled_lines(bytes, key)) {
    const auto offset = static_cast<std::uintptr_t>(line.offset);
    from.push_back(place(addresses[line.block] + offset, line.bytes));
    wanted += line.bytes;
  }
  std::vector<std::byte> lines(wanted);
  std::span<std::byte> left(lines);
  for (std::size_t first = 0; first < from.size(); first += IOV_MAX) {
    const iovec into = place(reinterpret_cast<std::uintptr_t>(left.data()), left.size());
    const auto count = std::min<std::size_t>(IOV_MAX, from.size() - first);
    const ssize_t got = ::process_vm_readv(process_, &into, 1, from.data() + first, count, 0);
    if (got <= 0) return {};
    left = left.subspan(static_cast<std::size_t>(got));
  }
  if (!left.empty()) lines.clear();
  return lines;
}

std::vector<SampledLine> sampled_lines(std::span<const std::int64_t> bytes, std::uint64_t key) {
  Rng places(key);
  std::vector<SampledLine> sampled;
  for (std::size_t block = 0; block < bytes.size(); ++block) {
    const std::int64_t lines = (bytes[block] + k_line_bytes - 1) / k_line_bytes;
    const bool all = lines <= k_lines_max;
    for (std::int64_t i = 0; i < std::min(lines, k_lines_max); ++i) {
      const auto line =
          all ? i : static_cast<std::int64_t>(places.below(static_cast<std::uint64_t>(lines)));
      const std::int64_t offset = line * k_line_bytes;
      const std::int64_t size = std::min(k_line_bytes, bytes[block] - offset);
      sampled.push_back({block, offset, static_cast<std::size_t>(size)});
    }
  }
  places.shuffle(sampled);  // nobody can keep ahead of an order that is not known
  return sampled;
}

std::vector<std::byte> sample_of(std::span<const std::span<const std::byte>> blocks,
                                 std::uint64_t key) {
  std::vector<std::int64_t> bytes;
  for (const auto& block : blocks) bytes.push_back(static_cast<std::int64_t>(block.size()));
  std::vector<std::byte> lines;
  for (const SampledLine& line : sampled_lines(bytes, key)) {
    const auto at = blocks[line.block].subspan(static_cast<std::size_t>(line.offset), line.bytes);
    lines.insert(lines.end(), at.begin(), at.end());
  }
  return lines;
}

}  // namespace cupel::measure
