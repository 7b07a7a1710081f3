#include "probe/probe.h"

#include <string.h>
#include <time.h>

#include "probe/cipher_cpu.h"
#include "probe/gpu.h"

namespace {

constexpr int64_t k_ns_per_s = 1'000'000'000;
constexpr int64_t k_not_begun = -1;

thread_local int64_t span_start_ns = k_not_begun;
thread_local int64_t span_marked_ns = k_not_begun;
thread_local int64_t span_device_ns = 0;

bool can_time(int32_t device) {
  return device == k_cupel_probe_cpu || cupel_probe::gpu_is_open(device);
}

}  // namespace

int32_t cupel_probe_version(void) {
  return k_cupel_probe_version;
}

int64_t cupel_probe_now_ns(void) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * k_ns_per_s + now.tv_nsec;
}

int32_t cupel_probe_open(int32_t device) {
  return device == k_cupel_probe_cpu ? k_cupel_probe_ok : cupel_probe::gpu_open(device);
}

int32_t cupel_probe_begin(int32_t device) {
  if (!can_time(device)) return k_cupel_probe_unsupported;
  span_device_ns = 0;
  span_marked_ns = k_not_begun;
  span_start_ns = cupel_probe_now_ns();
  return device == k_cupel_probe_cpu ? k_cupel_probe_ok : cupel_probe::gpu_begin();
}

int32_t cupel_probe_end(int32_t device, int64_t* claim_ns) {
  int64_t end_ns = cupel_probe_now_ns();
  if (!can_time(device)) return k_cupel_probe_unsupported;
  if (span_start_ns == k_not_begun) return k_cupel_probe_not_begun;
  int32_t status = k_cupel_probe_ok;
  if (device != k_cupel_probe_cpu) {
    status = cupel_probe::gpu_end(&span_device_ns);
    end_ns = span_marked_ns == k_not_begun ? cupel_probe_now_ns() : span_marked_ns;
  }
  const int64_t wall_ns = end_ns - span_start_ns;
  *claim_ns = wall_ns > span_device_ns ? wall_ns : span_device_ns;
  span_start_ns = k_not_begun;
  return status;
}

int32_t cupel_probe_mark(int32_t device) {
  if (device == k_cupel_probe_cpu) return k_cupel_probe_ok;
  if (!can_time(device)) return k_cupel_probe_unsupported;
  if (span_start_ns == k_not_begun) return k_cupel_probe_not_begun;
  const int64_t now_ns = cupel_probe_now_ns();
  bool marked = false;
  const int32_t status = cupel_probe::gpu_mark(&marked);
  if (marked) span_marked_ns = now_ns;
  return status;
}

int64_t cupel_probe_device_ns(void) {
  return span_device_ns;
}

int32_t cupel_probe_close_gate(int32_t device, int64_t limit_ns) {
  if (device == k_cupel_probe_cpu) return k_cupel_probe_ok;
  return can_time(device) ? cupel_probe::gpu_close_gate(limit_ns) : k_cupel_probe_unsupported;
}

int32_t cupel_probe_open_sealed(int32_t device, uint64_t address, uint64_t bytes, const void* key) {
  if (!can_time(device)) return k_cupel_probe_unsupported;
  CupelCipherKey own;
  memcpy(&own, key, sizeof own);
  if (device != k_cupel_probe_cpu) return cupel_probe::gpu_open_sealed(address, bytes, own);
  cupel_probe::cipher_on_cpu(reinterpret_cast<void*>(address), bytes, own);
  return k_cupel_probe_ok;
}

int32_t cupel_probe_join(int32_t device) {
  if (device == k_cupel_probe_cpu) return k_cupel_probe_ok;
  return can_time(device) ? cupel_probe::gpu_join() : k_cupel_probe_unsupported;
}

const char* cupel_probe_error(void) {
  return cupel_probe::gpu_error();
}
