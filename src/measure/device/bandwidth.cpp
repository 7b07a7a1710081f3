#include "measure/device/bandwidth.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace cupel::measure {
namespace {

constexpr std::size_t k_words = 16 << 10;  // 128 KiB: both buffers fit any level-2 cache
constexpr int k_repetitions = 200;
constexpr double k_margin = 3;

// Not by memcpy(), which on some processors (rep movsb on AMD's Zen 3) is up to 30 times slower
// where one buffer lies little further into its page than the other.
[[gnu::no_sanitize("address", "undefined", "thread")]]  // whose checks take longer than the copy
void copy_words(const std::uint64_t* __restrict from, std::uint64_t* __restrict to) {
  for (std::size_t i = 0; i < k_words; ++i) to[i] = from[i] ^ 1;
}

double copy_rate() {
  const std::vector<std::uint64_t> from(k_words, 1);
  std::vector<std::uint64_t> to(k_words, 2);
  const SystemClock clock;
  std::int64_t best_ns = INT64_MAX;
  for (int i = 0; i < k_repetitions; ++i) {
    const std::int64_t start_ns = clock.now_ns();
    copy_words(from.data(), to.data());
    asm volatile("" : : "r"(to.data()) : "memory");  // the copy must happen
    best_ns = std::min(best_ns, clock.now_ns() - start_ns);
  }
  const double bytes = 2 * k_words * sizeof(std::uint64_t);
  return bytes / (static_cast<double>(std::max<std::int64_t>(best_ns, 1)) / k_ns_per_s);
}

}  // namespace

double core_bandwidth_ceiling() {
  static std::atomic<double> best_rate = 0;
  const double rate = copy_rate();
  double best = best_rate;
  while (best < rate && !best_rate.compare_exchange_weak(best, rate)) {
  }
  return k_margin * std::max(best, rate);
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
