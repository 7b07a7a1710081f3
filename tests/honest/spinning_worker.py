# task: slow_loop
# expect: faster
# ratio_min: 3
# audited: yes
# why: A worker of its own that spins for a millisecond after each job before it sleeps, as OpenMP's
# why: active waiting does: between calls it is busy and does nothing.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

struct Job {
  const float* x = nullptr;
  float* y = nullptr;
  std::int64_t first = 0, last = 0, columns = 0;
};

void run(const Job& job) {
  for (std::int64_t i = job.first * job.columns; i < job.last * job.columns; i += job.columns) {
    double sum = 0;
    for (std::int64_t j = 0; j < job.columns; ++j) job.y[i + j] = sum += job.x[i + j];
  }
}

std::atomic<int> asked{0}, done{0};
Job half;

void wait_for_more(int seen) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (asked.load(std::memory_order_acquire) == seen) {
    if (std::chrono::steady_clock::now() > until) asked.wait(seen);
  }
}

void work() {
  for (int seen = 0;;) {
    wait_for_more(seen);
    run(half);
    done.store(++seen, std::memory_order_release);
  }
}

}  // namespace

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  static const bool started = (std::thread(work).detach(), true);
  (void)started;
  half = {x, y, rows / 2, rows, columns};
  const int turn = asked.fetch_add(1, std::memory_order_release) + 1;
  asked.notify_one();
  run({x, y, 0, rows / 2, columns});
  while (done.load(std::memory_order_acquire) != turn) std::this_thread::yield();
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums = cpp_kernel(SOURCE, "sums")

    def forward(self, x):
        y = torch.empty_like(x)
        self.sums(x, y, x.shape[0], x.shape[1])
        return y
