#include "cuda/shared_memory.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace cupel::cuda {
namespace {

constexpr int k_granularity_minimum = 0;
constexpr int k_handle_descriptor = 1;
// cuda.h's CUmemLocationType.
constexpr int k_at_device = 1;
constexpr int k_at_host_node = 3;

}  // namespace

Result<SharedMemory> SharedMemory::create(std::shared_ptr<Device> device, std::int64_t bytes,
                                          Place place) {
  CUPEL_TRY_STATUS(device->enter());
  SharedMemory memory(std::move(device));
  CUPEL_TRY_STATUS(memory.allocate(bytes, place));
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : device_(std::move(other.device_)),
      fd_(std::move(other.fd_)),
      address_(std::exchange(other.address_, 0)),
      bytes_(other.bytes_),
      mapped_(std::exchange(other.mapped_, false)) {}

Status SharedMemory::allocate(std::int64_t bytes, Place place) {
  const DriverApi& api = device_->api();
  const bool on_device = place == Place::device;
  AllocationProperties properties;
  properties.location.type = on_device ? k_at_device : k_at_host_node;
  properties.location.id = on_device ? device_->ordinal() : device_->facts().host_node;
  std::size_t page = 0;
  CUPEL_TRY_STATUS(check(api.granularity(&page, &properties, k_granularity_minimum),
                         "cannot learn the GPU's page size"));
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  bytes_ = (wanted + page - 1) / page * page;
  Address handle = 0;
  CUPEL_TRY_STATUS(check(api.create(&handle, bytes_, &properties, 0),
                         on_device ? "cannot allocate GPU memory for an arena"
                                   : "cannot allocate the machine's memory for a vault"));
  const Status mapped = map(handle);
  // Mapping and descriptor keep the memory alive.
  api.release(handle);
  return mapped;
}

Status SharedMemory::map(Address handle) {
  const DriverApi& api = device_->api();
  int fd = -1;
  CUPEL_TRY_STATUS(
      check(api.export_handle(&fd, handle, k_handle_descriptor, 0), "cannot share GPU memory"));
  fd_.reset(fd);
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  CUPEL_TRY_STATUS(check(api.reserve(&address_, bytes_, 0, 0, 0), "cannot reserve GPU addresses"));
  CUPEL_TRY_STATUS(check(api.map(address_, bytes_, 0, handle, 0), "cannot map GPU memory"));
  mapped_ = true;
  AccessDescription access;
  access.location.id = device_->ordinal();
  return check(api.set_access(address_, bytes_, &access, 1), "cannot get access to GPU memory");
}

SharedMemory::~SharedMemory() {
  if (!device_ || !device_->enter()) return;
  const DriverApi& api = device_->api();
  if (mapped_) api.unmap(address_, bytes_);
  if (address_) api.unreserve(address_, bytes_);
}

}  // namespace cupel::cuda
