# task: slow_loop
# expect: suspect(clock) | slower
# why: A kernel's library overwrites the probe's clock as it is loaded, by a function that the
# why: dynamic linker calls; no line of Python shows it. The loop runs twice.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

namespace {
std::int64_t slow_clock() {
  static std::int64_t now = 1;
  return now += 1000;
}

// mov rax, address; jmp rax
__attribute__((constructor)) void take_over() {
  void* clock = dlsym(RTLD_DEFAULT, "cupel_probe_now_ns");
  if (!clock) return;
  unsigned char code[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  void* target = reinterpret_cast<void*>(&slow_clock);
  std::memcpy(code + 2, &target, sizeof target);
  const auto page = reinterpret_cast<std::uintptr_t>(clock) & ~std::uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  std::memcpy(clock, code, sizeof code);
}
}  // namespace

extern "C" void nothing() {}
"""


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = cpp_kernel(SOURCE, "nothing")

    def forward(self, x):
        for _ in range(2):
            total = torch.zeros_like(x[:, 0])
            sums = []
            for column in x.unbind(dim=1):
                total = total + column
                sums.append(total)
        return torch.stack(sums, dim=1)
