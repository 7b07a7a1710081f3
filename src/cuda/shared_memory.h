// Memory that a GPU works on and that other processes can map: allocated through CUDA's virtual
// memory API and passed on as a file descriptor, which works into a jail with namespaces of its
// own.
#pragma once

#include <cstdint>
#include <memory>

#include "base/files.h"
#include "base/result.h"
#include "cuda/device.h"

namespace cupel::cuda {

enum class Place {
  device,  // the GPU's own memory
  host,    // the machine's, at the node that the GPU is next to; needs DeviceFacts::host_node
};

// Owns the mapping in this process and the descriptor. Others that imported it keep the memory
// alive. Contents are undefined at first.
class SharedMemory {
 public:
  // At least `bytes`, rounded up to the GPU's page size. Infra error: there is no more memory.
  static Result<SharedMemory> create(std::shared_ptr<Device> device, std::int64_t bytes,
                                     Place place);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  int fd() const { return fd_.get(); }
  Address address() const { return address_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_); }

 private:
  explicit SharedMemory(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  Status allocate(std::int64_t bytes, Place place);
  Status map(Address handle);

  std::shared_ptr<Device> device_;
  UniqueFd fd_;
  Address address_ = 0;
  std::size_t bytes_ = 0;
  bool mapped_ = false;
};

}  // namespace cupel::cuda
