// The CPU, as if it had memory of its own behind the machine's, as a GPU has it.
#pragma once

#include "cipher_reference.h"
#include "measure/device/device.h"

namespace cupel::measure {

class FarDevice final : public Device {
 public:
  FarDevice() : traits_(near_->traits()) {
    traits_.staged_slots_bytes_max = 1 << 30;
    traits_.queues_work = true;
    traits_.outputs_in_host = false;
  }

  const DeviceTraits& traits() const override { return traits_; }
  Result<Arena> create_arena(const char* name, std::int64_t bytes) override {
    return near_->create_arena(name, bytes);
  }
  Status copy(Slice to, Slice from) override { return near_->copy(to, from); }
  Result<Slice> staging(std::int64_t bytes) override {
    CUPEL_TRY(staging_, near_->create_arena("staging", bytes));
    return staging_.at(0, bytes);
  }
  Status encipher(Slice to, Slice from, const CupelCipherKey& key) override {
    CUPEL_TRY_STATUS(copy(to, from));
    cipher_by_reference(host_bytes(to), key);
    return {};
  }
  Status fill(Slice target, std::uint8_t byte) override { return near_->fill(target, byte); }
  Status fill_words(Slice target, std::uint16_t word) override {
    return near_->fill_words(target, word);
  }
  Status finish() override { return {}; }
  Result<bool> same(Slice one, Slice other) override { return near_->same(one, other); }
  Result<bool> filled(Slice target, std::uint8_t byte) override {
    return near_->filled(target, byte);
  }
  Result<std::uint64_t> begin_snapshot(Slice to, Slice from, std::uint64_t key) override {
    return near_->begin_snapshot(to, from, key);
  }
  Result<bool> end_snapshot(Slice to, Slice from, std::uint64_t key, std::uint64_t begun) override {
    return near_->end_snapshot(to, from, key, begun);
  }
  Result<bool> becomes_quiet(Slice, double) override { return true; }
  DeviceLock& lock() override { return near_->lock(); }
  double bandwidth_ceiling(int threads) override { return near_->bandwidth_ceiling(threads); }

 private:
  std::shared_ptr<Device> near_ = open_cpu();
  DeviceTraits traits_;
  Arena staging_;
};

}  // namespace cupel::measure
