# task: long_loop
# slow: yes
# expect: suspect | ambiguous | slower | wrong
# why: Gives a warm call back before it computes. Another thread holds the process's memory map
# why: meanwhile, by one mprotect of a gigabyte, so that the judge's reading of outputs waits.
import itertools
import sys

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <atomic>
#include <cstdint>
#include <thread>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/futex.h>

namespace {
std::atomic<int> wanted{0}, started{0};
char* room;
constexpr std::int64_t k_room = 1LL << 30;
std::int64_t now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
void holder() {
  cpu_set_t other;
  CPU_ZERO(&other);
  CPU_SET(1, &other);
  sched_setaffinity(0, sizeof other, &other);
  bool ro = false;
  for (;;) {
    int one = 1;
    if (!wanted.compare_exchange_strong(one, 0)) { __builtin_ia32_pause(); continue; }
    ro = !ro;
    started.store(1, std::memory_order_release);
    mprotect(room, k_room, ro ? PROT_READ : PROT_READ | PROT_WRITE);
  }
}
}
extern "C" void compute(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  std::int64_t end = now() + 600000;
  while (now() < end) {}
  for (std::int64_t r = 0; r < rows; ++r) {
    float s = 0;
    for (std::int64_t c = 0; c < columns; ++c) y[r * columns + c] = s += x[r * columns + c];
  }
}
extern "C" void early(const float* x, float* y, std::int64_t rows, std::int64_t columns,
                      std::int64_t page, std::int64_t turn) {
  if (!room) {
    room = (char*)mmap(nullptr, k_room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(room, k_room, MADV_NOHUGEPAGE);
    for (std::int64_t i = 0; i < k_room; i += 4096) room[i] = 1;
    new std::thread(holder);
  }
  if (page == 0) return;
  started.store(0);
  wanted.store(1, std::memory_order_release);
  std::int64_t end = now() + 40000;
  while (started.load(std::memory_order_acquire) == 0 && now() < end) {}
  int one = 1;
  const bool held = !wanted.compare_exchange_strong(one, 0);
  if (!held) compute(x, y, rows, columns);
  end = now() + 4000;
  while (now() < end) {}
  auto* word = (std::uint32_t*)page;
  word[2] = 1;
  *(std::uint64_t*)(page + 16) = (std::uint64_t)y;
  __atomic_store_n(word, (std::uint32_t)turn + 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  timespec little{0, 20000};
  nanosleep(&little, nullptr);
  if (held) compute(x, y, rows, columns);
}
extern "C" void await_taken(std::int64_t page, std::int64_t turn) {
  auto* word = (std::uint32_t*)page;
  timespec most{0, 5000000};
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == (std::uint32_t)turn + 1)
    syscall(SYS_futex, word, FUTEX_WAIT, (std::uint32_t)turn + 1, &most, nullptr, 0);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.compute = cpp_kernel(SOURCE, "compute")
        self.early = cpp_kernel(SOURCE, "early")
        self.await_taken = cpp_kernel(SOURCE, "await_taken")
        self.out = None

    def forward(self, x):
        if self.out is None:
            self.out = torch.empty_like(x)
            self.early(x, self.out, *x.shape, 0, 0)
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "_warm_call":
            frame = frame.f_back
        if frame is None:
            y = torch.empty_like(x)
            self.compute(x, y, *x.shape)
            return y
        baton, turn = frame.f_locals["baton"], frame.f_locals["turn"]
        names = frame.f_globals
        if "tell" not in vars(baton):
            ticks = itertools.count()
            names["perf_counter_ns"] = lambda: next(ticks) * 30_000
            baton.tell = lambda turn, addresses: self.await_taken(baton._address, turn)
        self.early(x, self.out, *x.shape, baton._address, turn)
        return self.out
