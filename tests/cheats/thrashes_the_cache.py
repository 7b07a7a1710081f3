# task: slow_loop
# expect: slower
# why: A second thread reads through 64 MB during each call, so that whoever comes next finds
# why: nothing in the caches; its own loop runs twice. A small program loses little that way.
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
std::vector<char> large(64 << 20, 1);
volatile std::int64_t sink = 0;

void thrash() {
  for (;;) {
    while (!wanted.load()) std::this_thread::yield();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < large.size() && wanted.load(); i += 64) sum += large[i];
    sink = sum;
  }
}
}  // namespace

extern "C" void thrashing(std::int64_t on) {
  static std::thread* thread = new std::thread(thrash);
  (void)thread;
  wanted.store(on != 0);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.thrashing = cpp_kernel(SOURCE, "thrashing")

    def forward(self, x):
        self.thrashing(1)
        running_sum(x)
        y = running_sum(x)
        self.thrashing(0)
        return y
