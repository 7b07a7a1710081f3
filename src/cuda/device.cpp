#include "cuda/device.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cuda/kernels.h"

namespace cupel::cuda {
namespace {

// cuda.h's numbers.
constexpr int k_attribute_multiprocessors = 16;
constexpr int k_attribute_memory_khz = 36;
constexpr int k_attribute_memory_bits = 37;
constexpr int k_attribute_cache_bytes = 38;
constexpr int k_attribute_major = 75;
constexpr int k_attribute_minor = 76;
constexpr int k_attribute_shares_descriptors = 103;
constexpr int k_attribute_host_node = 134;
constexpr int k_attribute_shares_host_memory = 141;
constexpr unsigned k_stream_non_blocking = 1;
constexpr unsigned k_event_default = 0;

constexpr int k_name_bytes = 256;
constexpr std::size_t k_vector_bytes = 16;
constexpr std::size_t k_flag_bytes = 64;
constexpr std::size_t k_flush_factor = 2;
constexpr int k_not_supported = 801;  // by GPUs that keep no lines

std::string uuid_text(const DeviceUuid& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    char byte[4];
    std::snprintf(byte, sizeof byte, "%02x", uuid.bytes[i]);
    text += (i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(byte);
  }
  return text;
}

}  // namespace

int device_count() {
  const auto api = driver_api();
  int count = 0;
  return api && (*api)->device_count(&count) == 0 ? count : 0;
}

Result<std::shared_ptr<Device>> Device::open(int ordinal) {
  CUPEL_TRY(const DriverApi* const api, driver_api());
  const int count = device_count();
  if (ordinal < 0 || ordinal >= count) {
    return environment_error("there is no GPU " + std::to_string(ordinal) + ": this machine has " +
                             std::to_string(count));
  }
  std::shared_ptr<Device> device(new Device(*api, ordinal));
  CUPEL_TRY_STATUS(device->start());
  return device;
}

Status Device::start() {
  CUPEL_TRY_STATUS(check(api_.device_get(&device_, ordinal_), "cannot open the GPU"));
  CUPEL_TRY_STATUS(read_facts());
  CUPEL_TRY_STATUS(check(api_.context_retain(&context_, device_), "cannot make a CUDA context"));
  CUPEL_TRY_STATUS(enter());
  CUPEL_TRY_STATUS(
      check(api_.stream_create(&stream_, k_stream_non_blocking), "cannot make a CUDA stream"));
  CUPEL_TRY_STATUS(check(api_.module_load(&module_, k_kernels_ptx), "cannot load our kernels"));
  CUPEL_TRY_STATUS(
      check(api_.module_function(&differ_, module_, "cupel_differ"), "cannot find our kernel"));
  CUPEL_TRY_STATUS(check(api_.module_function(&not_filled_, module_, "cupel_not_filled"),
                         "cannot find our kernel"));
  CUPEL_TRY_STATUS(
      check(api_.module_load(&cipher_module_, k_cupel_cipher_ptx), "cannot load our kernel"));
  CUPEL_TRY_STATUS(check(api_.module_function(&cipher_, cipher_module_, k_cupel_cipher_entry),
                         "cannot find our kernel"));
  void* memory = nullptr;
  CUPEL_TRY_STATUS(
      check(api_.host_allocate(&memory, k_flag_bytes, 0), "cannot allocate pinned memory"));
  flag_ = static_cast<std::uint32_t*>(memory);
  return {};
}

Status Device::read_facts() {
  char text[k_name_bytes] = {};
  CUPEL_TRY_STATUS(check(api_.device_name(text, sizeof text, device_), "cannot name the GPU"));
  facts_.name = text;
  CUPEL_TRY_STATUS(check(api_.device_pci_id(text, sizeof text, device_), "cannot find the GPU"));
  facts_.pci_id = text;
  DeviceUuid uuid{};
  CUPEL_TRY_STATUS(check(api_.device_uuid(&uuid, device_), "cannot identify the GPU"));
  facts_.uuid = uuid_text(uuid);
  std::size_t bytes = 0;
  CUPEL_TRY_STATUS(check(api_.device_memory(&bytes, device_), "cannot size the GPU"));
  facts_.memory_bytes = static_cast<std::int64_t>(bytes);
  int cache = 0, major = 0, minor = 0, shares = 0, memory_khz = 0, memory_bits = 0;
  api_.device_attribute(&facts_.multiprocessors, k_attribute_multiprocessors, device_);
  api_.device_attribute(&memory_khz, k_attribute_memory_khz, device_);
  api_.device_attribute(&memory_bits, k_attribute_memory_bits, device_);
  api_.device_attribute(&cache, k_attribute_cache_bytes, device_);
  api_.device_attribute(&major, k_attribute_major, device_);
  api_.device_attribute(&minor, k_attribute_minor, device_);
  api_.device_attribute(&shares, k_attribute_shares_descriptors, device_);
  api_.driver_version(&facts_.driver_version);
  int node = 0, shares_host = 0;  // drivers that do not know what is asked leave it as it is
  api_.device_attribute(&shares_host, k_attribute_shares_host_memory, device_);
  api_.device_attribute(&node, k_attribute_host_node, device_);
  if (shares_host) facts_.host_node = std::max(node, 0);  // -1: the machine has but one
  facts_.cache_bytes = cache;
  facts_.memory_gb_s = 2e-6 * memory_khz * memory_bits / 8;  // two transfers a clock
  facts_.compute_capability = 10 * major + minor;
  if (shares) return {};
  return environment_error(facts_.name + " cannot share its memory between processes");
}

Device::~Device() {
  if (!context_) return;
  api_.context_set(context_);
  if (flag_) api_.host_free(flag_);
  if (pinned_) api_.host_free(pinned_);
  if (flush_buffer_) api_.deallocate(flush_buffer_);
  if (cipher_module_) api_.module_unload(cipher_module_);
  if (module_) api_.module_unload(module_);
  if (stream_) api_.stream_destroy(stream_);
  api_.context_release(device_);
}

Status Device::enter() {
  return check(api_.context_set(context_), "cannot enter the CUDA context");
}

Status Device::copy(Address to, Address from, std::size_t bytes) {
  CUPEL_TRY_STATUS(enter());
  return check(api_.copy(to, from, bytes, stream_), "cannot copy on the GPU");
}

Status Device::copy_rows(Address to, Address from, std::size_t pitch, std::size_t bytes,
                         std::size_t rows) {
  CUPEL_TRY_STATUS(enter());
  CopyRows copy;
  copy.from.at = from;
  copy.from.pitch = pitch;
  copy.to.at = to;
  copy.to.pitch = copy.width = bytes;
  copy.height = rows;
  return check(api_.copy_rows(&copy, stream_), "cannot copy rows on the GPU");
}

Status Device::fill(Address to, std::size_t bytes, std::uint8_t byte) {
  CUPEL_TRY_STATUS(enter());
  return bytes ? check(api_.fill(to, byte, bytes, stream_), "cannot fill GPU memory") : Status();
}

Status Device::fill_words(Address to, std::size_t bytes, std::uint16_t word) {
  CUPEL_TRY_STATUS(enter());
  if (bytes == 0) return {};
  return check(api_.fill_words(to, word, bytes / sizeof word, stream_), "cannot fill GPU memory");
}

Status Device::cipher(Address to, Address from, std::size_t bytes, const CupelCipherKey& key) {
  CUPEL_CHECK((to | from | bytes) % k_vector_bytes == 0);
  CUPEL_TRY_STATUS(enter());
  if (bytes == 0) return {};
  std::uint64_t vectors = bytes / k_vector_bytes;
  CupelCipherKey words = key;
  void* arguments[3 + k_cupel_cipher_key_words] = {&to, &from, &vectors};
  for (int i = 0; i < k_cupel_cipher_key_words; ++i) arguments[3 + i] = &words.words[i];
  const auto tiles = static_cast<unsigned>(cupel_cipher_tiles(bytes));
  return check(api_.launch(cipher_, tiles, 1, 1, k_cupel_cipher_threads, 1, 1, 0, stream_,
                           arguments, nullptr),
               "cannot launch our kernel");
}

Status Device::empty_cache() {
  CUPEL_TRY_STATUS(enter());
  const std::size_t bytes = k_flush_factor * static_cast<std::size_t>(facts_.cache_bytes);
  if (bytes == 0) return {};
  if (!flush_buffer_) {
    CUPEL_TRY_STATUS(check(api_.allocate(&flush_buffer_, bytes), "cannot allocate GPU memory"));
  }
  if (const int code = api_.reset_persisting(); code != k_not_supported) {
    CUPEL_TRY_STATUS(check(code, "cannot reset the GPU's cache"));
  }
  CUPEL_TRY_STATUS(fill(flush_buffer_, bytes, ++flush_byte_));
  // Read, too: what was only written would have to go to memory while the next program runs.
  CUPEL_TRY(const bool written, filled(flush_buffer_, bytes, flush_byte_));
  return written ? Status() : infra_error("the GPU's memory does not hold what was written to it");
}

Status Device::finish() {
  CUPEL_TRY_STATUS(enter());
  return check(api_.stream_wait(stream_), "the GPU failed");
}

Result<bool> Device::flag_stays_clear(Handle kernel, void** arguments, std::size_t vectors) {
  if (vectors == 0) return true;
  CUPEL_TRY_STATUS(enter());
  *static_cast<volatile std::uint32_t*>(flag_) = 0;
  const std::size_t wanted = (vectors + k_kernel_threads - 1) / k_kernel_threads;
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(wanted, k_kernel_blocks_max));
  CUPEL_TRY_STATUS(check(
      api_.launch(kernel, blocks, 1, 1, k_kernel_threads, 1, 1, 0, stream_, arguments, nullptr),
      "cannot launch our kernel"));
  CUPEL_TRY_STATUS(finish());
  return *static_cast<volatile std::uint32_t*>(flag_) == 0;
}

Result<bool> Device::same(Address one, Address other, std::size_t bytes) {
  CUPEL_CHECK((one | other | bytes) % k_vector_bytes == 0);
  std::uint64_t vectors = bytes / k_vector_bytes;
  auto flag = reinterpret_cast<Address>(flag_);
  void* arguments[] = {&one, &other, &vectors, &flag};
  return flag_stays_clear(differ_, arguments, vectors);
}

Result<bool> Device::filled(Address at, std::size_t bytes, std::uint8_t byte) {
  CUPEL_CHECK((at | bytes) % k_vector_bytes == 0);
  std::uint64_t vectors = bytes / k_vector_bytes;
  std::uint64_t word = byte * 0x0101010101010101ULL;
  auto flag = reinterpret_cast<Address>(flag_);
  void* arguments[] = {&at, &word, &vectors, &flag};
  return flag_stays_clear(not_filled_, arguments, vectors);
}

Result<Address> Device::pinned(std::size_t bytes) {
  CUPEL_TRY_STATUS(enter());
  if (bytes > pinned_bytes_) {
    if (pinned_) api_.host_free(std::exchange(pinned_, nullptr));
    pinned_bytes_ = 0;
    CUPEL_TRY_STATUS(
        check(api_.host_allocate(&pinned_, bytes, 0), "cannot allocate pinned memory"));
    pinned_bytes_ = bytes;
  }
  return reinterpret_cast<Address>(pinned_);
}

Result<double> Device::copy_ms(Address to, Address from, std::size_t bytes, int repetitions) {
  CUPEL_TRY_STATUS(enter());
  Handle start = nullptr;
  Handle end = nullptr;
  CUPEL_TRY_STATUS(check(api_.event_create(&start, k_event_default), "cannot make an event"));
  CUPEL_TRY_STATUS(check(api_.event_create(&end, k_event_default), "cannot make an event"));
  float best_ms = 0;
  for (int i = 0; i < repetitions; ++i) {
    api_.event_record(start, stream_);
    CUPEL_TRY_STATUS(copy(to, from, bytes));
    api_.event_record(end, stream_);
    CUPEL_TRY_STATUS(finish());
    float ms = 0;
    CUPEL_TRY_STATUS(check(api_.event_elapsed(&ms, start, end), "cannot read an event"));
    best_ms = i ? std::min(best_ms, ms) : ms;
  }
  api_.event_destroy(start);
  api_.event_destroy(end);
  return best_ms;
}

}  // namespace cupel::cuda
