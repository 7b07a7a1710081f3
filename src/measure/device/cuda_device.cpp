// Arenas in a GPU's memory, worked on from the judge's own CUDA context.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/clock.h"
#include "base/text.h"
#include "cuda/clocks.h"
#include "cuda/device.h"
#include "cuda/shared_memory.h"
#include "measure/device/device.h"
#include "sandbox/process.h"

namespace cupel::measure {
namespace {

namespace fs = std::filesystem;

// A chunk of inputs and outputs of a large task, the eight of a burst and three others at best; one
// part in so many of a small GPU's memory.
constexpr std::int64_t k_vault_bytes = 8LL << 30;
constexpr std::int64_t k_vault_share = 16;
// Of the GPU's memory a vault takes no more than one part in so many. Larger ones lie in the
// machine's memory, which a GPU reads at some 50 GB a second. No bracket waits for that.
constexpr std::int64_t k_vault_share_max = 4;
// Several calls' inputs and outputs lie there at once; one part in so many of a small GPU's memory.
constexpr std::int64_t k_batch_slot_bytes_max = 256LL << 20;
constexpr std::int64_t k_batch_slot_share = 512;
// One part in so many of the memory is one program's slots, of which a round may have ten.
constexpr std::int64_t k_staged_slots_share = 64;
// torch's own allocator aligns to 512 bytes; kernels choose their loads by it.
constexpr std::int64_t k_shift_step_bytes = 512;
constexpr std::int64_t k_shift_room_bytes = 32 << 10;
// A small task of ours takes 10 us on an idle GPU, 2 ms on one that another process uses; less
// where that process's turn was about to end, but then its next one is whole.
constexpr std::int64_t k_turn_ns_min = 500'000;
constexpr int k_quiet_looks = 2;
// The ceiling is this many times what a plain copy reaches.
constexpr double k_bandwidth_margin = 2;
constexpr std::int64_t k_bandwidth_bytes = 256LL << 20;
constexpr int k_bandwidth_repetitions = 5;

// /dev/nvidiaN of the GPU; the kernel module tells which N it is. Without its word, all of them.
std::vector<fs::path> device_nodes(const std::string& pci_id) {
  std::ifstream file("/proc/driver/nvidia/gpus/" + lower_case(pci_id) + "/information");
  constexpr std::string_view k_key = "Device Minor:";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(k_key)) continue;
    const auto digits = line.find_first_of("0123456789");
    if (digits != std::string::npos) return {"/dev/nvidia" + line.substr(digits)};
  }
  std::vector<fs::path> nodes;
  std::error_code failure;
  for (int minor = 0; fs::exists("/dev/nvidia" + std::to_string(minor), failure); ++minor) {
    nodes.emplace_back("/dev/nvidia" + std::to_string(minor));
  }
  return nodes;
}

std::vector<sandbox::Bind> binds_for(const cuda::DeviceFacts& facts) {
  std::vector<sandbox::Bind> binds;
  for (const auto& node : device_nodes(facts.pci_id)) binds.push_back({node, {}, true, true});
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    std::error_code failure;
    if (fs::exists(node, failure)) binds.push_back({node, {}, true, true});
  }
  return binds;
}

std::vector<std::string> environment_for(const cuda::DeviceFacts& facts) {
  const auto [major, minor] = std::div(facts.compute_capability, 10);
  std::vector<std::string> environment{
      "CUDA_VISIBLE_DEVICES=" + facts.uuid,
      // What torch would find out itself; build jails see no device.
      std::string(k_architectures) + std::to_string(major) + "." + std::to_string(minor) + "+PTX"};
  // Where containers put the driver's libraries.
  const std::string libraries = sandbox::environment_or("LD_LIBRARY_PATH", "");
  if (!libraries.empty()) environment.push_back("LD_LIBRARY_PATH=" + libraries);
  return environment;
}

// Of the CUDA toolkit, which not every machine has.
std::vector<std::string> memory_checker() {
  const fs::path tool =
      fs::path(sandbox::environment_or("CUDA_HOME", "/usr/local/cuda")) / "bin/compute-sanitizer";
  std::error_code failure;
  if (!fs::exists(tool, failure)) return {};
  return {tool.string(), "--print-limit", "4"};
}

class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<cuda::Device> gpu, std::shared_ptr<DeviceLock> lock)
      : gpu_(std::move(gpu)), lock_(std::move(lock)), clock_reader_(gpu_->facts().uuid) {
    const cuda::DeviceFacts& facts = gpu_->facts();
    traits_.name = "cuda:0";  // the only one that hosts and referee see
    traits_.description = facts.name;
    traits_.memory_bytes = facts.memory_bytes;
    traits_.vault_bytes_wanted = std::min(k_vault_bytes, facts.memory_bytes / k_vault_share);
    traits_.vault_bytes_max = facts.memory_bytes / k_vault_share_max;
    if (facts.host_node >= 0) traits_.vault_beside_bytes = traits_.vault_bytes_max;
    traits_.batch_slot_bytes_max =
        std::min(k_batch_slot_bytes_max, facts.memory_bytes / k_batch_slot_share);
    traits_.staged_slots_bytes_max = facts.memory_bytes / k_staged_slots_share;
    traits_.shift_step_bytes = k_shift_step_bytes;
    traits_.shift_room_bytes = k_shift_room_bytes;
    traits_.binds_main_thread = true;
    traits_.compiles_beside = true;
    traits_.outlives_reply = true;
    traits_.queues_work = true;
    traits_.memory_checker = memory_checker();
    traits_.environment = environment_for(facts);
    traits_.binds = binds_for(facts);
  }

  const DeviceTraits& traits() const override { return traits_; }

  Result<Arena> create_arena(const char*, std::int64_t bytes) override {
    return arena_in(cuda::Place::device, bytes);
  }

  Result<Arena> create_vault(std::int64_t bytes) override {
    beside_ = {};
    const bool beside = bytes > traits_.vault_beside_bytes;
    CUPEL_TRY(Arena vault, arena_in(beside ? cuda::Place::host : cuda::Place::device, bytes));
    if (beside) beside_ = vault.at(0, vault.bytes());
    return vault;
  }

  Status copy(Slice to, Slice from) override {
    CUPEL_CHECK(to.bytes == from.bytes);
    return gpu_->copy(to.address, from.address, static_cast<std::size_t>(from.bytes));
  }

  Status copy_stripes(Slice to, Slice from, const Stripes& stripes) override {
    CUPEL_CHECK(to.bytes == stripes.total());
    const Slice first =
        from.part(stripes.start, stripes.pitch * (stripes.count - 1) + stripes.bytes);
    return gpu_->copy_rows(to.address, first.address, static_cast<std::size_t>(stripes.pitch),
                           static_cast<std::size_t>(stripes.bytes),
                           static_cast<std::size_t>(stripes.count));
  }

  Result<Slice> staging(std::int64_t bytes) override {
    CUPEL_TRY(const auto address, gpu_->pinned(static_cast<std::size_t>(bytes)));
    return Slice{address, bytes};
  }

  Status encipher(Slice to, Slice from, const CupelCipherKey& key) override {
    CUPEL_CHECK(to.bytes == from.bytes);
    return gpu_->cipher(to.address, from.address, static_cast<std::size_t>(from.bytes), key);
  }

  Status fill(Slice target, std::uint8_t byte) override {
    return gpu_->fill(target.address, static_cast<std::size_t>(target.bytes), byte);
  }

  Status fill_words(Slice target, std::uint16_t word) override {
    return gpu_->fill_words(target.address, static_cast<std::size_t>(target.bytes), word);
  }

  Status empty_cache() override { return gpu_->empty_cache(); }

  Status finish() override { return gpu_->finish(); }

  Result<bool> same(Slice one, Slice other) override {
    CUPEL_CHECK(one.bytes == other.bytes);
    return gpu_->same(one.address, other.address, static_cast<std::size_t>(one.bytes));
  }

  Result<bool> filled(Slice target, std::uint8_t byte) override {
    return gpu_->filled(target.address, static_cast<std::size_t>(target.bytes), byte);
  }

  // Copying within the device is fast enough to be done at once. Freezing a process does not stop
  // its kernels, so what is taken later would be what was written later. On the way to a vault
  // beside it a copy takes longer than calls: stripes of it are taken at once (slots.h).
  Result<std::uint64_t> begin_snapshot(Slice to, Slice from, std::uint64_t key) override {
    if (lies_beside(to)) return take_stripes(from, key);
    CUPEL_TRY_STATUS(copy(to, from));
    CUPEL_TRY_STATUS(finish());
    return std::uint64_t{0};
  }

  Result<bool> end_snapshot(Slice to, Slice from, std::uint64_t key, std::uint64_t) override {
    if (!lies_beside(to)) return same(to, from);
    CUPEL_TRY_STATUS(copy(to, from));
    return holds_stripes(to, key);
  }

  // Contexts take turns of milliseconds on a GPU: a small task of ours that is done at once has
  // waited for nobody.
  Result<bool> becomes_quiet(Slice scratch, double seconds_max) override {
    const SystemClock clock;
    const std::int64_t start_ns = clock.now_ns();
    int quick = 0;
    for (std::int64_t asked_ns = start_ns; quick < k_quiet_looks;) {
      CUPEL_TRY(const bool done, same(scratch, scratch));
      CUPEL_CHECK(done);
      const std::int64_t done_ns = clock.now_ns();
      quick = done_ns - asked_ns < k_turn_ns_min ? quick + 1 : 0;
      if (static_cast<double>(done_ns - start_ns) > seconds_max * k_ns_per_s) return false;
      asked_ns = done_ns;
    }
    return true;
  }

  void note_clocks(DeviceClocks& clocks) override {
    const cuda::Clocks now = clock_reader_.read();
    if (now.compute_mhz == 0) return;
    const bool first = clocks.compute_mhz_max == 0;
    clocks.compute_mhz_min =
        first ? now.compute_mhz : std::min(clocks.compute_mhz_min, now.compute_mhz);
    clocks.compute_mhz_max = std::max(clocks.compute_mhz_max, now.compute_mhz);
    if (!now.throttled.empty()) clocks.throttled = now.throttled;
  }

  DeviceLock& lock() override { return *lock_; }

  double bandwidth_ceiling(int) override {
    if (ceiling_ > 0) return ceiling_;
    const auto rate = copy_rate();
    ceiling_ = rate ? k_bandwidth_margin * *rate : 0;
    return ceiling_;
  }

 private:
  Result<Arena> arena_in(cuda::Place place, std::int64_t bytes) {
    CUPEL_TRY(auto memory, cuda::SharedMemory::create(gpu_, bytes, place));
    auto owner = std::make_shared<cuda::SharedMemory>(std::move(memory));
    const Slice all{owner->address(), owner->bytes()};
    return Arena(owner->fd(), all, owner);
  }

  bool lies_beside(Slice slice) const {
    return beside_.bytes > 0 && beside_.address <= slice.address &&
           slice.address < beside_.address + static_cast<cuda::Address>(beside_.bytes);
  }

  Result<std::uint64_t> take_stripes(Slice from, std::uint64_t key) {
    const Stripes stripes = stripes_of(from.bytes, key);
    CUPEL_TRY(const Slice taken, staging(striped_bytes_max(from.bytes)));
    CUPEL_TRY_STATUS(copy_stripes(taken.part(0, stripes.total()), from, stripes));
    CUPEL_TRY_STATUS(finish());
    return std::uint64_t{0};
  }

  // Those that were taken last, under the same key. Both are compared on the device.
  Result<bool> holds_stripes(Slice copied, std::uint64_t key) {
    const Stripes stripes = stripes_of(copied.bytes, key);
    const std::int64_t room = striped_bytes_max(copied.bytes);
    if (!compared_ || compared_->bytes() < 2 * room) {
      CUPEL_TRY(auto memory, cuda::SharedMemory::create(gpu_, 2 * room, cuda::Place::device));
      compared_ = std::make_unique<cuda::SharedMemory>(std::move(memory));
    }
    const Slice taken{compared_->address(), stripes.total()};
    const Slice found{compared_->address() + static_cast<cuda::Address>(room), stripes.total()};
    CUPEL_TRY(const Slice staged, staging(room));
    CUPEL_TRY_STATUS(copy(taken, staged.part(0, stripes.total())));
    // One by one, since rows from one memory of the machine's to another may be a processor's work.
    CUPEL_TRY_STATUS(Device::copy_stripes(found, copied, stripes));
    return same(taken, found);
  }

  Result<double> copy_rate() {
    CUPEL_TRY(const auto memory,
              cuda::SharedMemory::create(gpu_, 2 * k_bandwidth_bytes, cuda::Place::device));
    CUPEL_TRY(const double ms,
              gpu_->copy_ms(memory.address() + k_bandwidth_bytes, memory.address(),
                            static_cast<std::size_t>(k_bandwidth_bytes), k_bandwidth_repetitions));
    return 1e3 * 2 * static_cast<double>(k_bandwidth_bytes) / ms;
  }

  std::shared_ptr<cuda::Device> gpu_;
  std::shared_ptr<DeviceLock> lock_;
  cuda::ClockReader clock_reader_;
  DeviceTraits traits_;
  Slice beside_;  // the vault, if it lies in the machine's memory
  std::unique_ptr<cuda::SharedMemory> compared_;
  double ceiling_ = 0;
};

}  // namespace

Result<std::shared_ptr<Device>> open_gpu(int ordinal) {
  CUPEL_TRY(auto gpu, cuda::Device::open(ordinal));
  CUPEL_TRY(auto lock, DeviceLock::open(gpu->facts().uuid));
  return std::make_shared<CudaDevice>(std::move(gpu), std::move(lock));
}

}  // namespace cupel::measure
