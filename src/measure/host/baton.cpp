#include "measure/host/baton.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>

#include "base/clock.h"
#include "measure/device/device.h"

namespace cupel::measure {
namespace {

std::uint32_t read(std::uint32_t& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

void poll_while(std::uint32_t& word, std::uint32_t value, std::uint32_t us) {
  const SystemClock clock;
  const std::int64_t until_ns = clock.now_ns() + std::int64_t{1'000} * us;
  while (read(word) == value && clock.now_ns() < until_ns) {
    cupel_relax_core();
  }
}

// Sleeps until somebody wakes it, at most `ms`.
void sleep_while(std::uint32_t& word, std::uint32_t value, int ms) {
  const timespec wait_max{ms / 1000, ms % 1000 * 1'000'000L};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &wait_max, nullptr, 0);
}

}  // namespace

Result<Baton> Baton::make(std::uint32_t polls_us) {
  Baton baton;
  CUPEL_TRY(baton.page_, create_shared_arena("cupel-baton", k_cupel_baton_bytes));
  baton.polls_us_ = baton.shared().polls_us = polls_us;
  return baton;
}

void Baton::wait_while(std::uint32_t& word, std::uint32_t value, int ms) const {
  if (polls_us_ > 0) poll_while(word, value, polls_us_);
  if (read(word) == value) sleep_while(word, value, ms);
}

CupelBaton& Baton::shared() const {
  return *reinterpret_cast<CupelBaton*>(page_.at(0, k_cupel_baton_bytes).address);
}

bool Baton::awaited(int ms) const {
  const std::uint32_t before = read(shared().awaited);
  if (before != turn_) wait_while(shared().awaited, before, ms);
  return read(shared().awaited) == turn_;
}

void Baton::turn_to(std::uint32_t turn) {
  std::atomic_ref(shared().turn).store(turn, std::memory_order_release);
  ::syscall(SYS_futex, &shared().turn, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Baton::hand_over(std::span<const CupelCipherKey> keys) {
  CUPEL_CHECK(keys.size() <= k_cupel_baton_keys_max);
  std::ranges::copy(keys, shared().keys);
  turn_to(turn_);
}

bool Baton::given_back(int ms) const {
  wait_while(shared().turn, turn_, ms);
  return read(shared().turn) != turn_;
}

bool Baton::failed() const {
  return read(shared().count) == 0;
}

std::vector<std::uintptr_t> Baton::addresses(std::size_t count) const {
  std::vector<std::uintptr_t> addresses(count, 0);
  const std::size_t told = std::min<std::size_t>(read(shared().count), k_cupel_baton_addresses_max);
  for (std::size_t i = 0; i < std::min(count, told); ++i) addresses[i] = shared().addresses[i];
  return addresses;
}

void Baton::take() {
  turn_to(turn_ + k_cupel_baton_taken);
}

}  // namespace cupel::measure
