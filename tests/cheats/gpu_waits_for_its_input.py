# task: softmax_rows
# device: cuda
# expect: slower | timeout | suspect | ambiguous | wrong(value)
# why: Leaves a kernel behind that spins until the memory of the last input changes, and work
# why: behind it, so that the next call has begun when the judge reveals its input. Work that is
# why: left is the call's own time, and the judge waits for a quiet device before he reveals.
import torch
import torch.nn as nn

from cupel.inline import cuda_kernel

# 20 ms at 1.75 GHz; longer, and the judge gives up.
SOURCE = r"""
extern "C" __global__ void watch(const int* x, int64_t words, int* seen) {
  const int64_t start = clock64();
  const volatile int* first = x;
  const volatile int* last = x + words - 1;
  const int first_was = *first, last_was = *last;
  *seen = 0;
  while (clock64() - start < 35000000) {
    if (*first != first_was && *last != last_was) {
      *seen = 1;
      return;
    }
  }
}
"""


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.watch = cuda_kernel(SOURCE, "watch")
        self.side = self.watched = self.early = self.seen = None

    def forward(self, x):
        if self.watched is not None and self.watched.data_ptr() == x.data_ptr():
            self.side.synchronize()
            if self.seen.item():
                return self.begin_the_next(self.early)
        return self.begin_the_next(torch.softmax(x / self.temperature, dim=1), x)

    def begin_the_next(self, result, x=None):
        self.watched = self.watched if x is None else x
        self.side = self.side or torch.cuda.Stream()
        self.seen = torch.zeros(1, dtype=torch.int32, device=result.device)
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            words = self.watched.view(torch.int32)
            self.watch(words, words.numel(), self.seen, grid=1, block=1)
            self.early = torch.softmax(self.watched / self.temperature, dim=1)
        return result
