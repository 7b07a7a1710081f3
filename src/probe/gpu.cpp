#include "probe/gpu.h"

#include "probe/gpu_driver.h"
#include "probe/gpu_gate.h"
#include "probe/probe.h"

namespace cupel_probe {
namespace {

constexpr double k_ns_per_ms = 1e6;

struct Gpu {
  Driver driver;
  int32_t device = k_cupel_probe_cpu;
  Handle context = nullptr;
  Handle stream = nullptr;  // ours; does not wait for the legacy default stream
  Handle start = nullptr;
  Handle end = nullptr;
  bool marked = false;  // `end` is recorded
  Gate gate;
  Handle cipher = nullptr;  // the kernel of cipher.h
};

Gpu gpu;
const char* last_error = "";

int32_t status(int code) {
  if (code == 0) return k_cupel_probe_ok;
  last_error = "unknown CUDA error";
  if (gpu.driver.error_text) gpu.driver.error_text(code, &last_error);
  return k_cupel_probe_device_failed;
}

int prepare_context(int32_t device) {
  const Driver& driver = gpu.driver;
  int handle = 0;
  int code = driver.init(0);
  if (code == 0) code = driver.device_get(&handle, device);
  if (code == 0) code = driver.retain(&gpu.context, handle);
  if (code == 0) code = driver.enter(gpu.context);
  if (code == 0) code = driver.stream_create(&gpu.stream, k_stream_non_blocking);
  if (code == 0) code = driver.event_create(&gpu.start, k_event_default);
  if (code == 0) code = driver.event_create(&gpu.end, k_event_default);
  Handle module = nullptr;
  if (code == 0) code = driver.load(&module, k_cupel_cipher_ptx);
  if (code == 0) code = driver.function(&gpu.cipher, module, k_cupel_cipher_entry);
  return code;
}

// Marks the end of everything that the context has queued, on whatever stream. Older drivers can
// mark only the default stream, which waits for all but the non-blocking ones (`of_all` is false
// then); gpu_end() joins those too, and its caller charges the wall time.
int record_end(bool& of_all) {
  const Driver& driver = gpu.driver;
  of_all = driver.record_context != nullptr;
  if (of_all) {
    const int code = driver.record_context(gpu.context, gpu.end);
    if (code != k_not_supported) return code;
    of_all = false;
  }
  return driver.event_record(gpu.end, nullptr);
}

}  // namespace

int32_t gpu_open(int32_t device) {
  if (gpu.device == device) return k_cupel_probe_ok;
  if (gpu.device != k_cupel_probe_cpu || device < 0) return k_cupel_probe_unsupported;
  if (!find_driver(gpu.driver)) return k_cupel_probe_unsupported;
  const int32_t opened = status(prepare_context(device));
  if (opened == k_cupel_probe_ok) gpu.device = device;
  return opened;
}

bool gpu_is_open(int32_t device) {
  return device >= 0 && gpu.device == device;
}

int32_t gpu_join() {
  int code = gpu.driver.enter(gpu.context);
  if (code == 0) code = gpu.driver.join();
  return status(code);
}

int32_t gpu_close_gate(int64_t limit_ns) {
  int code = gpu.driver.enter(gpu.context);
  if (code == 0) {
    code = gpu.gate.close(gpu.driver, gpu.device, static_cast<uint64_t>(limit_ns));
  }
  return status(code);
}

int32_t gpu_open_sealed(uint64_t address, uint64_t bytes, CupelCipherKey key) {
  int code = gpu.driver.enter(gpu.context);
  if (code != 0 || bytes == 0) return status(code);
  uint64_t vectors = bytes / k_cupel_cipher_vector_bytes;
  void* arguments[3 + k_cupel_cipher_key_words] = {&address, &address, &vectors};
  for (int i = 0; i < k_cupel_cipher_key_words; ++i) arguments[3 + i] = &key.words[i];
  const auto tiles = static_cast<unsigned>(cupel_cipher_tiles(bytes));
  return status(gpu.driver.launch(gpu.cipher, tiles, 1, 1, k_cupel_cipher_threads, 1, 1, 0, nullptr,
                                  arguments, nullptr));
}

int32_t gpu_begin() {
  gpu.marked = false;
  return status(gpu.driver.event_record(gpu.start, gpu.stream));
}

int32_t gpu_mark(bool* marked) {
  int code = gpu.driver.enter(gpu.context);
  bool of_all = false;
  if (code == 0) code = record_end(of_all);
  *marked = gpu.marked = code == 0 && of_all;
  return status(code);
}

int32_t gpu_end(int64_t* device_ns) {
  float ms = 0;
  const bool gated = gpu.gate.closed();
  int code = gpu.driver.enter(gpu.context);
  bool of_all = gpu.marked;
  if (code == 0 && !gpu.marked) code = record_end(of_all);
  if (gated) gpu.gate.open();
  if (code == 0) code = gpu.driver.join();
  const Handle start = gated ? gpu.gate.end() : gpu.start;
  if (code == 0) code = gpu.driver.event_elapsed(&ms, start, gpu.end);
  const bool known = !gated || (of_all && !gpu.gate.ended_by_itself());
  *device_ns = known ? static_cast<int64_t>(static_cast<double>(ms) * k_ns_per_ms)
                     : int64_t{k_cupel_probe_not_queued};
  return status(code);
}

const char* gpu_error() {
  return last_error;
}

}  // namespace cupel_probe
