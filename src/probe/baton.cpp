#include "probe/baton.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/probe.h"

namespace {

// A wake-up that went missing costs this much, and no more.
constexpr timespec k_wait_max{0, 50'000'000};

void wake(uint32_t* word) {
  ::syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool is_still(const CupelBaton* baton, uint32_t value) {
  return __atomic_load_n(&baton->turn, __ATOMIC_ACQUIRE) == value;
}

void poll_while(const CupelBaton* baton, uint32_t value) {
  const int64_t until_ns = cupel_probe_now_ns() + int64_t{1'000} * baton->polls_us;
  while (is_still(baton, value) && cupel_probe_now_ns() < until_ns) {
    cupel_relax_core();
  }
}

// Until `turn` of the baton is no longer `value`.
void wait_while(CupelBaton* baton, uint32_t value) {
  if (baton->polls_us > 0) poll_while(baton, value);
  while (is_still(baton, value)) {
    ::syscall(SYS_futex, &baton->turn, FUTEX_WAIT, value, &k_wait_max, nullptr, 0);
  }
}

}  // namespace

void cupel_probe_await_turn(void* page, uint32_t turn) {
  auto* baton = static_cast<CupelBaton*>(page);
  const uint32_t before = __atomic_load_n(&baton->turn, __ATOMIC_ACQUIRE);
  __atomic_store_n(&baton->awaited, turn, __ATOMIC_RELEASE);
  wake(&baton->awaited);
  if (before != turn) wait_while(baton, before);
}

void cupel_probe_give_back(void* page, uint32_t turn, const uint64_t* addresses, uint32_t count) {
  auto* baton = static_cast<CupelBaton*>(page);
  baton->count = count <= k_cupel_baton_addresses_max ? count : 0;
  memcpy(baton->addresses, addresses, baton->count * sizeof(uint64_t));
  const uint32_t returned = turn + k_cupel_baton_returned;
  __atomic_store_n(&baton->turn, returned, __ATOMIC_RELEASE);
  wake(&baton->turn);
  wait_while(baton, returned);
}
