# task: slow_loop
# expect: slower | ambiguous | suspect(clock)
# why: Beside its own work, half as long again as the reference's, a thread reads through more
# why: memory than the caches hold, so that the reference begins with cold ones. It costs both.
import time

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


SOURCE = r"""
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace {
std::atomic<bool> wanted{false};
std::vector<char> large(96 << 20, 1);
volatile std::int64_t sink = 0;

void read_all() {
  std::size_t at = 0;
  std::int64_t sum = 0;
  for (;;) {
    while (!wanted.load()) std::this_thread::yield();
    for (int i = 0; i < 4096; ++i, at = (at + 64) % large.size()) sum += large[at];
    sink = sum;
  }
}
}  // namespace

extern "C" void load(std::int64_t on) {
  static std::thread* thread = new std::thread(read_all);
  (void)thread;
  wanted.store(on != 0);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.load = cpp_kernel(SOURCE, "load")

    def forward(self, x):
        start = time.perf_counter_ns()
        self.load(1)
        y = running_sum(x)
        spent = time.perf_counter_ns() - start
        while time.perf_counter_ns() - start < 1.5 * spent:
            pass
        self.load(0)
        return y
