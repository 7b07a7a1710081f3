#include "measure/device/bandwidth.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/clock.h"

namespace cupel::measure {
namespace {

constexpr std::size_t k_buffer_bytes = 128 << 10;  // source and destination fit any level-2 cache
constexpr int k_repetitions = 200;
constexpr double k_margin = 3;

double copy_rate() {
  std::vector<char> from(k_buffer_bytes, 1);
  std::vector<char> to(k_buffer_bytes, 2);
  const SystemClock clock;
  std::int64_t best_ns = INT64_MAX;
  for (int i = 0; i < k_repetitions; ++i) {
    const std::int64_t start_ns = clock.now_ns();
    std::memcpy(to.data(), from.data(), k_buffer_bytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // the copy must happen
    best_ns = std::min(best_ns, clock.now_ns() - start_ns);
  }
  return 2 * k_buffer_bytes /
         (static_cast<double>(std::max<std::int64_t>(best_ns, 1)) / k_ns_per_s);
}

}  // namespace

double core_bandwidth_ceiling() {
  static const double per_core = k_margin * copy_rate();
  return per_core;
}

double floor_ms(const TaskFacts& facts, const AdmissionEvidence& admission, double bandwidth) {
  double bytes = 0;
  for (const auto& output : facts.outputs) bytes += static_cast<double>(output.bytes);
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const bool read = i < admission.input_fully_read.size() && admission.input_fully_read[i];
    if (read) bytes += static_cast<double>(facts.inputs[i].bytes);
  }
  return bandwidth > 0 ? 1e3 * bytes / bandwidth : 0;
}

}  // namespace cupel::measure
