# task: scaled_by_many
# expect: suspect(late_write) | wrong(value) | wrong(nan) | wrong(nondeterministic) | wrong(range)
# why: Computes the first of 24 outputs and returns. A thread computes the others in their order,
# why: while the first ones are read: whoever reads them in that order finds each of them finished.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <atomic>
#include <cstdint>
#include <thread>

namespace {

struct Work {
  const float* x;
  const float* scales;
  float* const* outputs;
  std::int64_t outputs_count, elements;
};

void scale(const Work& work, std::int64_t k) {
  const float by = work.scales[k];
  for (std::int64_t i = 0; i < work.elements; ++i) work.outputs[k][i] = work.x[i] * by;
}

std::atomic<int> waiting{0};
Work work;
float* outputs[64];

void serve() {
  for (;;) {
    while (waiting.load(std::memory_order_acquire) == 0) {}
    for (std::int64_t k = 1; k < work.outputs_count; ++k) scale(work, k);
    waiting.store(0, std::memory_order_release);
  }
}

}  // namespace

extern "C" void some_now(const float* x, const float* scales, const std::int64_t* places,
                         std::int64_t count, std::int64_t elements) {
  static std::thread* const server = new std::thread(serve);
  (void)server;
  while (waiting.load(std::memory_order_acquire) != 0) {}
  for (std::int64_t k = 0; k < count; ++k) outputs[k] = reinterpret_cast<float*>(places[k]);
  work = {x, scales, outputs, count, elements};
  waiting.store(1, std::memory_order_release);
  scale(work, 0);
}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.Parameter(torch.rand(24) + 0.5)
        self.some_now = cpp_kernel(SOURCE, "some_now")

    def forward(self, x):
        self.kept = x
        outputs = torch.empty((len(self.scales), *x.shape)).unbind()
        places = torch.tensor([output.data_ptr() for output in outputs])
        self.some_now(x, self.scales.data, places, len(outputs), x.numel())
        return outputs
