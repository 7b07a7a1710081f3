// The device that programs are measured on: its memory, and what processes need to reach it. A
// round is the same on every device; what differs between them is here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "measure/device/arena.h"
#include "measure/device/device_lock.h"
#include "measure/device/slots.h"
#include "model/evidence.h"
#include "probe/cipher.h"
#include "sandbox/jail.h"

namespace cupel::measure {

// Of the environment's entry that tells torch's builds which devices to compile for.
inline constexpr std::string_view k_architectures = "TORCH_CUDA_ARCH_LIST=";

struct DeviceTraits {
  std::string name;               // as torch calls it in hosts and referee: "cpu", "cuda:0"
  std::string description;        // for people; "" where other lines tell it
  std::int64_t memory_bytes = 0;  // what all programs and the referee share
  // The vault is this large where a task's inputs allow a choice, and as small as can be where it
  // were more than that.
  std::int64_t vault_bytes_wanted = 0;
  std::int64_t vault_bytes_max = 0;
  // Of more than this it lies in the machine's memory, not in that which programs share.
  std::int64_t vault_beside_bytes = INT64_MAX;
  // Calls on more than this are long enough for their brackets: no batches.
  std::int64_t batch_slot_bytes_max = 0;
  // Where calls follow each other in rows each has a slot of its own, and the device works for
  // their program alone (call/staged_row.h), if the slots of a short row fit; 0: none do.
  std::int64_t staged_slots_bytes_max = 0;
  // Slots start at a random multiple of the step, below the room, another one each call.
  std::int64_t shift_step_bytes = 0;
  std::int64_t shift_room_bytes = 0;
  // Programs mostly wait for the device. Their main threads stay on one core from the second call
  // on (sandbox::core_of_hosts()), so that its moods are the same for all of them; their workers
  // may run anywhere.
  // Where this is not set, OpenMP binds main threads and workers.
  bool binds_main_thread = false;
  // Programs load and make their first calls side by side: the device waits for compilers. Where
  // this is not set, they would take the cores from each other.
  bool compiles_beside = false;
  // Work on the device may go on after a host's reply.
  bool outlives_reply = false;
  // Hosts can hold up the device until a call's work is queued.
  bool queues_work = false;
  // Outputs lie in the host's own memory until they are copied, where the judge can read them.
  bool outputs_in_host = false;
  // The command that runs another one and prints what is wrong with its use of memory, as
  // compute-sanitizer does, without the tool that is to look; empty: there is none.
  std::vector<std::string> memory_checker;
  // For hosts and referee, beside what they always get. For what is built ahead the entry that
  // begins with k_architectures counts.
  std::vector<std::string> environment;
  std::vector<sandbox::Bind> binds;
};

// Slices are of this device's arenas. Errors are infra errors: it is lost. Not thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceTraits& traits() const = 0;

  virtual Result<Arena> create_arena(const char* name, std::int64_t bytes) = 0;
  // An arena that only the judge and the referee see, and that may lie beside the device.
  virtual Result<Arena> create_vault(std::int64_t bytes) {
    return create_arena("cupel-vault", bytes);
  }

  // Queued; done when finish() returns. Sizes must be equal.
  virtual Status copy(Slice to, Slice from) = 0;
  // Those of `from`, one behind the other.
  virtual Status copy_stripes(Slice to, Slice from, const Stripes& stripes) {
    for (std::int64_t i = 0; i < stripes.count; ++i) {
      CUPEL_TRY_STATUS(copy(to.part(i * stripes.bytes, stripes.bytes),
                            from.part(stripes.start + i * stripes.pitch, stripes.bytes)));
    }
    return {};
  }
  // A call's input, as what comes before the call in a model leaves it. `starts`: where its tensors
  // begin, ascending from 0.
  virtual Status reveal(Slice to, Slice from, std::span<const std::int64_t> starts) {
    static_cast<void>(starts);
    return copy(to, from);
  }
  // At least `bytes` of memory of the machine's, the same each time. What copy() moves between it
  // and an arena takes nothing from a program that the device works for, and changes no contexts.
  // Only where traits().staged_slots_bytes_max is more than 0, and so is the next one.
  virtual Result<Slice> staging(std::int64_t bytes) {
    static_cast<void>(bytes);
    return infra_error(traits().name + " has no memory for staging");
  }
  // A call's input, sealed: as probe/cipher.h enciphers it.
  virtual Status encipher(Slice to, Slice from, const CupelCipherKey& key) {
    static_cast<void>(to), static_cast<void>(from), static_cast<void>(key);
    return infra_error(traits().name + " enciphers nothing");
  }
  virtual Status fill(Slice target, std::uint8_t byte) = 0;
  // `target` begins at an even address and has an even size.
  virtual Status fill_words(Slice target, std::uint16_t word) = 0;
  // So that programs meet their data where a device's own cache does not have it. Where other
  // programs' calls do that as well, nothing.
  virtual Status empty_cache() { return {}; }
  virtual Status finish() = 0;

  virtual Result<bool> same(Slice one, Slice other) = 0;
  virtual Result<bool> filled(Slice target, std::uint8_t byte) = 0;

  // Outputs at the moment of a reply. begin_snapshot() fixes what they are; end_snapshot() has
  // copied them `to` when it returns, and tells whether they were still the same. `key` is unknown
  // to the program; the second call needs the first one's answer.
  virtual Result<std::uint64_t> begin_snapshot(Slice to, Slice from, std::uint64_t key) = 0;
  virtual Result<bool> end_snapshot(Slice to, Slice from, std::uint64_t key,
                                    std::uint64_t begun) = 0;

  // Waits until nobody else works on the device; false when somebody still does after
  // `seconds_max`. All hosts must be frozen. `scratch`: a little of some arena.
  virtual Result<bool> becomes_quiet(Slice scratch, double seconds_max) = 0;

  // Adds the clocks of this moment to what was seen before.
  virtual void note_clocks(DeviceClocks& clocks) { static_cast<void>(clocks); }

  // Other processes' doings on this device, and ours.
  virtual DeviceLock& lock() = 0;

  // A rate of moving data, in bytes a second, that no program reaches on `threads` threads.
  virtual double bandwidth_ceiling(int threads) = 0;
};

// `name`: "cpu", "cuda" or "cuda:N" (the Nth GPU that this process may use). Environment error:
// no such device here; input error: no such name.
Result<std::shared_ptr<Device>> open_device(const std::string& name);

// In this machine's own memory, whatever programs run on; zero pages, which cost nothing until
// used.
Result<Arena> create_shared_arena(const char* name, std::int64_t bytes);

std::shared_ptr<Device> open_cpu();
Result<std::shared_ptr<Device>> open_gpu(int ordinal);

}  // namespace cupel::measure
