// Arenas in this machine's memory: memfds, guarded against resizing (a host that could shrink one
// would kill the judge with SIGBUS), mapped shared.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "measure/device/bandwidth.h"
#include "measure/device/device.h"
#include "measure/device/machine_memory.h"
#include "measure/device/slots.h"
#include "measure/device/spread_copy.h"

namespace cupel::measure {
namespace {

// Small: fresh pages are slow to come by, and what is used again stays in the caches.
constexpr std::int64_t k_vault_bytes = 48LL << 20;
constexpr std::int64_t k_vault_share =
    8;  // one part in so many of the memory, where there is a choice
// Slots for batches cost memory.
constexpr std::int64_t k_batch_slot_bytes_max = 1LL << 20;
constexpr std::int64_t k_shift_room_bytes = 4096;

// Contents start as zero pages and cost nothing until used.
struct SharedPages {
  UniqueFd fd;
  void* memory = MAP_FAILED;
  std::size_t bytes = 0;

  ~SharedPages() {
    if (memory != MAP_FAILED) ::munmap(memory, bytes);
  }
};

class CpuDevice final : public Device {
 public:
  CpuDevice() {
    traits_.name = "cpu";
    traits_.memory_bytes = machine_memory_bytes();
    traits_.vault_bytes_wanted = k_vault_bytes;
    traits_.vault_bytes_max = traits_.memory_bytes / k_vault_share;
    traits_.batch_slot_bytes_max = k_batch_slot_bytes_max;
    traits_.shift_step_bytes = k_alignment_bytes;
    traits_.shift_room_bytes = k_shift_room_bytes;
    traits_.outputs_in_host = true;
  }

  const DeviceTraits& traits() const override { return traits_; }

  Result<Arena> create_arena(const char* name, std::int64_t bytes) override {
    return create_shared_arena(name, bytes);
  }

  Status copy(Slice to, Slice from) override {
    CUPEL_CHECK(to.bytes == from.bytes);
    std::memcpy(host_bytes(to).data(), host_bytes(from).data(), host_bytes(from).size());
    return {};
  }

  Status reveal(Slice to, Slice from, std::span<const std::int64_t> starts) override {
    CUPEL_CHECK(to.bytes == from.bytes);
    spread_.copy(host_bytes(to), host_bytes(from), starts);
    return {};
  }

  Status fill(Slice target, std::uint8_t byte) override {
    std::memset(host_bytes(target).data(), byte, host_bytes(target).size());
    return {};
  }

  Status fill_words(Slice target, std::uint16_t word) override {
    const auto bytes = host_bytes(target);
    std::fill_n(reinterpret_cast<std::uint16_t*>(bytes.data()), bytes.size() / sizeof word, word);
    return {};
  }

  Status finish() override { return {}; }

  Result<bool> same(Slice one, Slice other) override {
    CUPEL_CHECK(one.bytes == other.bytes);
    return std::memcmp(host_bytes(one).data(), host_bytes(other).data(), host_bytes(one).size()) ==
           0;
  }

  Result<bool> filled(Slice target, std::uint8_t byte) override {
    const auto bytes = host_bytes(target);
    return std::all_of(bytes.begin(), bytes.end(),
                       [byte](std::byte each) { return std::to_integer<int>(each) == byte; });
  }

  // Copying takes too long to be at once, so a digest stands for the outputs until then: of places
  // that the host cannot know.
  Result<std::uint64_t> begin_snapshot(Slice, Slice from, std::uint64_t key) override {
    return digest(host_bytes(from), key);
  }

  Result<bool> end_snapshot(Slice to, Slice from, std::uint64_t key, std::uint64_t begun) override {
    const bool unchanged = digest(host_bytes(from), key) == begun;
    CUPEL_TRY_STATUS(copy(to, from));
    return unchanged;
  }

  // Freezing is enough.
  Result<bool> becomes_quiet(Slice, double) override { return true; }

  // Cores are not waited for: who else uses them is the machine's affair.
  DeviceLock& lock() override { return lock_; }

  double bandwidth_ceiling(int threads) override { return core_bandwidth_ceiling() * threads; }

 private:
  DeviceLock lock_;
  DeviceTraits traits_;
  SpreadCopy spread_;
};

}  // namespace

Result<Arena> create_shared_arena(const char* name, std::int64_t bytes) {
  auto pages = std::make_shared<SharedPages>();
  pages->bytes = static_cast<std::size_t>(std::max(align_up(bytes), k_alignment_bytes));
  pages->fd.reset(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int fd = pages->fd.get();
  if (fd < 0) return errno_error("cannot create shared memory", name);
  if (::ftruncate(fd, static_cast<off_t>(pages->bytes)) != 0) {
    return errno_error("cannot size shared memory", name);
  }
  if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return errno_error("cannot seal shared memory", name);
  }
  pages->memory = ::mmap(nullptr, pages->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages->memory == MAP_FAILED) return errno_error("cannot map shared memory", name);
  const Slice all{reinterpret_cast<std::uintptr_t>(pages->memory),
                  static_cast<std::int64_t>(pages->bytes)};
  return Arena(fd, all, pages);
}

std::shared_ptr<Device> open_cpu() {
  return std::make_shared<CpuDevice>();
}

}  // namespace cupel::measure
