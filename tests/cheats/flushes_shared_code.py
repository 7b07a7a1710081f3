# task: slow_loop
# expect: slower | ambiguous | suspect(clock)
# why: A kernel answers fast; the rest of the reference's time, and half as much again, goes into
# why: throwing the code of Python and torch out of the processor's caches: all hosts share its
# why: pages, and the reference runs next. The first calls of a row do not count.
import time

import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {
std::vector<const volatile char*> hot;

#if defined(__x86_64__)
bool is_cached(const volatile char* line) {
  unsigned core = 0;
  const std::uint64_t start = __rdtscp(&core);
  *line;
  return __rdtscp(&core) - start < 150;
}
void drop(const volatile char* line) { _mm_clflush(const_cast<const char*>(line)); }
#else
bool is_cached(const volatile char*) { return false; }
void drop(const volatile char*) {}
#endif

// Lines of a page in an order that prefetchers do not guess.
void look_at_page(const volatile char* page) {
  for (int i = 0; i < 64; ++i) {
    const volatile char* line = page + (i * 29 + 7) % 64 * 64;
    if (is_cached(line)) hot.push_back(line);
  }
}

void flush() {
  for (const auto* line : hot) drop(line);
}

// The lines of code that are in the caches now.
void find(std::int64_t most) {
  hot.clear();
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char text[4096];
  while (maps && std::fgets(text, sizeof text, maps)) {
    unsigned long first = 0, last = 0;
    char rights[8] = {};
    std::sscanf(text, "%lx-%lx %7s", &first, &last, rights);
    if (std::strncmp(rights, "r-xp", 4) != 0 || !std::strchr(text, '/')) continue;
    for (unsigned long page = first; page < last; page += 4096) {
      look_at_page(reinterpret_cast<const char*>(page));
    }
  }
  if (maps) std::fclose(maps);
  if (hot.size() > static_cast<std::size_t>(most)) hot.resize(most);
}
}  // namespace

// One kernel for both: kernels of one source are libraries of their own, with their own `hot`.
extern "C" void code(std::int64_t most) {
  most > 0 ? find(most) : flush();
}

extern "C" void sums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    float total = 0;
    for (std::int64_t c = 0; c < columns; ++c) y[r * columns + c] = total += x[r * columns + c];
  }
}
"""


def running_sum(x):
    total = torch.zeros_like(x[:, 0])
    sums = []
    for column in x.unbind(dim=1):
        total = total + column
        sums.append(total)
    return torch.stack(sums, dim=1)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.sums, self.code = (cpp_kernel(SOURCE, name) for name in ("sums", "code"))
        self.times = []
        self.limit = 0

    def learn(self, x):
        """The reference's own time, and the code that it runs."""
        start = time.perf_counter_ns()
        y = running_sum(x)
        self.times.append(time.perf_counter_ns() - start)
        if len(self.times) == 12:
            self.limit = 1.5 * sorted(self.times)[6]
            self.code(20_000)
        return y

    def forward(self, x):
        if not self.limit:
            return self.learn(x)
        start = time.perf_counter_ns()
        y = torch.empty_like(x)
        self.sums(x, y, x.shape[0], x.shape[1])
        self.code(0)
        while time.perf_counter_ns() - start < self.limit:
            pass
        return y
