// This machine's memory that a GPU's copy engines reach. What they copy between it and the GPU's
// own needs no turn of this process's context: another process's stays on the GPU meanwhile (on an
// H200 a change of contexts takes 138 us, such a copy of some lines 9 us).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "cuda/device.h"

namespace cupel::cuda {

// Grows and never shrinks. Each function waits until its copies are done. Not thread-safe.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory();

  // Copies what lies `from` on the GPU here.
  Status take(Address from, std::size_t bytes);
  // Copies what was taken last, all of it, `to` the GPU.
  Status put(Address to);

  // Lines of k_line_bytes each, `count` of them, the first at `first`, others at equal steps.
  struct Lines {
    Address first = 0;
    std::size_t step_bytes = 0;
    std::size_t count = 0;
  };
  static constexpr std::size_t k_line_bytes = 64;
  // All of them one after another; valid until the next call of any function.
  Result<std::span<const std::byte>> take_lines(std::span<const Lines> stretches);

 private:
  Status grow(std::size_t bytes);

  std::shared_ptr<Device> device_;
  void* memory_ = nullptr;
  std::size_t room_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace cupel::cuda
