// Memory that the judge and one host share, with which a call is handed over and given back in
// microseconds: no socket, no JSON, two switches of one core from one process to the other.
//
// `turn` is a futex (shared, not private). Of call number n = 1, 2, ... it becomes, in order:
// 4n, by the judge: the inputs lie in their slot, or their keys here, call; 4n + 1, by the host:
// the outputs lie at `addresses`; 4n + 2, by the judge: it has seen some of them. `awaited` is the
// turn that the host waits for, a futex as well. A core that sleeps between calls is slow when it
// wakes up (a call of 83 us took 102). So judge and host share one, which never sleeps: one goes on
// where the other waits. Where each has a core of its own both poll for `polls_us` before they
// sleep. Whatever a host writes here is a claim.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "probe/cipher.h"

enum {
  k_cupel_baton_bytes = 8192,
  k_cupel_baton_addresses_max = 500,
  k_cupel_baton_keys_max = 8,
  k_cupel_baton_stride = 4,  // turns a call
  k_cupel_baton_returned = 1,
  k_cupel_baton_taken = 2,
};

struct CupelBaton {
  uint32_t turn;
  uint32_t awaited;
  uint32_t count;     // of addresses; 0 where the call failed
  uint32_t polls_us;  // by the judge: how long to poll for a turn before sleeping
  // By the judge, as it hands over: of the inputs that are to be opened in this turn.
  CupelCipherKey keys[k_cupel_baton_keys_max];
  uint64_t addresses[k_cupel_baton_addresses_max];
};
static_assert(offsetof(CupelBaton, keys) == 16 && offsetof(CupelBaton, addresses) == 272,
              "python/cupel/baton.py reads them there");
static_assert(sizeof(CupelBaton) <= k_cupel_baton_bytes);

// For loops that poll: what shares a core's units of computing can use them meanwhile.
inline void cupel_relax_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
