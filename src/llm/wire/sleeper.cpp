#include "llm/wire/sleeper.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cupel::llm {
namespace {

constexpr double k_slice_s = 0.05;  // how late a raised stop flag may be noticed

}  // namespace

bool SystemSleeper::sleep_s(double seconds, const StopFlag& stop) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!stop.raised()) {
    const double left_s = std::chrono::duration<double>(end - Clock::now()).count();
    if (left_s <= 0) return true;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left_s, k_slice_s)));
  }
  return false;
}

}  // namespace cupel::llm
