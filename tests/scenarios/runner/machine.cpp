#include "machine.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace cupel::scenarios {
namespace {

constexpr double k_spin_ns = 200e6;  // some scheduler periods
constexpr int k_looks_max = 5;  // a build or a download is over by then, or it is not over soon
constexpr auto k_between_looks = std::chrono::seconds(2);

double thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * k_ns_per_s + static_cast<double>(now.tv_nsec);
}

double own_share() {
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  const double start_cpu_ns = thread_cpu_ns();
  double elapsed_ns = 0;
  while (elapsed_ns < k_spin_ns) elapsed_ns = static_cast<double>(clock.now_ns() - start_ns);
  return (thread_cpu_ns() - start_cpu_ns) / elapsed_ns;
}

}  // namespace

double share_of_a_core() {
  std::vector<double> shares(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  threads.reserve(shares.size());
  for (double& share : shares) threads.emplace_back([&share] { share = own_share(); });
  for (auto& thread : threads) thread.join();
  return *std::min_element(shares.begin(), shares.end());
}

bool wait_for_quiet() {
  for (int look = 0; look < k_looks_max; ++look) {
    if (share_of_a_core() >= k_quiet_share) return true;
    std::this_thread::sleep_for(k_between_looks);
  }
  return false;
}

}  // namespace cupel::scenarios
