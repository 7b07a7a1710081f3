// One GPU in this process: the primary context, a stream of our own, work on memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "cuda/driver_api.h"
#include "probe/cipher.h"

namespace cupel::cuda {

struct DeviceFacts {
  std::string name;
  std::string uuid;    // "GPU-...", as CUDA_VISIBLE_DEVICES takes it
  std::string pci_id;  // "0000:65:00.0"
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;  // level 2
  int multiprocessors = 0;
  double memory_gb_s = 0;  // by its clock and width, in 1e9 bytes a second; 0: the driver says none
  int compute_capability = 0;  // 90 for 9.0
  int driver_version = 0;      // 13000 for CUDA 13.0
  // The machine's node of memory next to it; -1: the driver shares no memory of the machine's by
  // descriptor.
  int host_node = -1;
};

// How many GPUs this process may use; 0 without a driver.
int device_count();

// Work is queued on one stream and done when finish(), same() or filled() returns. Addresses and
// sizes must be multiples of 16 in same() and filled(). Errors are infra errors: after one, the
// context is lost. Not thread-safe, but any thread may be the one.
class Device {
 public:
  // Environment error: no driver, no such GPU, or one that cannot share memory by descriptor.
  static Result<std::shared_ptr<Device>> open(int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const DeviceFacts& facts() const { return facts_; }
  int ordinal() const { return ordinal_; }

  // From or to pinned memory an engine for copies does it: the device need not change contexts for
  // that, as it must for a copy within its own memory (seen: 160 us for what runs there next).
  Status copy(Address to, Address from, std::size_t bytes);
  // `rows` times `bytes` of device memory, `pitch` apart, into pinned memory, one behind the other.
  Status copy_rows(Address to, Address from, std::size_t pitch, std::size_t bytes,
                   std::size_t rows);
  Status fill(Address to, std::size_t bytes, std::uint8_t byte);
  // Both `to` and `bytes` are even.
  Status fill_words(Address to, std::size_t bytes, std::uint16_t word);
  // As probe/cipher.h has it. `bytes` is a multiple of 16; `to` may be `from`.
  Status cipher(Address to, Address from, std::size_t bytes, const CupelCipherKey& key);
  // Pushes everything out of the level-2 cache by writing and reading twice its size, persisting
  // lines included. Waits.
  Status empty_cache();
  Status finish();
  // Do both hold the same bytes?
  Result<bool> same(Address one, Address other, std::size_t bytes);
  // Is every byte `byte`?
  Result<bool> filled(Address at, std::size_t bytes, std::uint8_t byte);
  // At least `bytes` of pinned memory, which is the same each time, and stays as it is until more
  // is asked for.
  Result<Address> pinned(std::size_t bytes);
  // Milliseconds that copying takes on the device; the best of `repetitions`.
  Result<double> copy_ms(Address to, Address from, std::size_t bytes, int repetitions);

  // Makes the context current on the calling thread.
  Status enter();
  const DriverApi& api() const { return api_; }

 private:
  Device(const DriverApi& api, int ordinal) : api_(api), ordinal_(ordinal) {}
  Status start();
  Status read_facts();
  Result<bool> flag_stays_clear(Handle kernel, void** arguments, std::size_t vectors);

  const DriverApi& api_;
  int ordinal_;
  int device_ = 0;
  DeviceFacts facts_;
  Handle context_ = nullptr;
  Handle stream_ = nullptr;
  Handle module_ = nullptr;
  Handle cipher_module_ = nullptr;
  Handle cipher_ = nullptr;
  Handle differ_ = nullptr;
  Handle not_filled_ = nullptr;
  std::uint32_t* flag_ = nullptr;  // in host memory that the device can write to
  Address flush_buffer_ = 0;       // of twice the cache's size; made when it is needed first
  std::uint8_t flush_byte_ = 0;
  void* pinned_ = nullptr;
  std::size_t pinned_bytes_ = 0;
};

}  // namespace cupel::cuda
