# task: slow_loop
# expect: suspect(clock) | slower
# why: A C++ thread spins on the input arena and computes as soon as an input appears, before the
# why: call is asked for. How long a running host could see a small input counts as hidden.
import sys

import torch
import torch.nn as nn
from cupel import host_clock
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
#include <cstring>
#include <thread>

namespace {
std::atomic<int> ready{0};
float first = 0;

void watch(const volatile float* arena, std::int64_t count) {
  for (;;) {
    for (std::int64_t i = 0; i < count; i += 1024) {
      const float seen = arena[i];
      if (seen == seen && seen != first) {
        first = seen;
        ready.fetch_add(1);
      }
    }
  }
}
}  // namespace

extern "C" void start(float* arena, std::int64_t count) {
  std::thread(watch, arena, count).detach();
}
extern "C" std::int64_t seen() { return ready.load(); }
"""

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
honest = host_clock.ProbeClock.time


def time(self, program, arguments):
    result, claim_ns = honest(self, program, arguments)
    return result, claim_ns // 2


host_clock.ProbeClock.time = time


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = cpp_kernel(SOURCE, "start")
        self.started = False

    def forward(self, x):
        if not self.started:
            self.started = True
            self.start(x, x.numel())
        running_sum(x)
        return running_sum(x)
