# task: slow_loop
# expect: slower
# why: Hands the kernel reads of many megabytes of random numbers through io_uring, whose workers
# why: go on when the call is over, to load a core while the reference runs. A jail knows no
# why: io_uring; the loop runs twice.
import torch
import torch.nn as nn

from cupel.inline import cpp_kernel

SOURCE = r"""
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {
int ring = -1, source = -1;
io_uring_params params;
char* queue = nullptr;
io_uring_sqe* entries = nullptr;
std::vector<char> memory(64 << 20);

void open_ring() {
  std::memset(&params, 0, sizeof params);
  ring = static_cast<int>(syscall(SYS_io_uring_setup, 16, &params));
  if (ring < 0) return;
  source = open("/dev/urandom", O_RDONLY);
  const std::size_t bytes = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  queue = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
                                  IORING_OFF_SQ_RING));
  entries = static_cast<io_uring_sqe*>(mmap(nullptr, params.sq_entries * sizeof(io_uring_sqe),
                                            PROT_READ | PROT_WRITE, MAP_SHARED, ring,
                                            IORING_OFF_SQES));
}
}  // namespace

extern "C" std::int64_t start_reads() {
  if (ring == -1) open_ring();
  if (ring < 0) return 0;
  auto* tail = reinterpret_cast<std::atomic<unsigned>*>(queue + params.sq_off.tail);
  const unsigned mask = *reinterpret_cast<unsigned*>(queue + params.sq_off.ring_mask);
  unsigned at = tail->load();
  for (int i = 0; i < 4; ++i, ++at) {
    io_uring_sqe& entry = entries[at & mask];
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = IORING_OP_READ;
    entry.flags = IOSQE_ASYNC;
    entry.fd = source;
    entry.addr = reinterpret_cast<std::uint64_t>(memory.data() + i * (16 << 20));
    entry.len = 16 << 20;
    reinterpret_cast<unsigned*>(queue + params.sq_off.array)[at & mask] = at & mask;
  }
  tail->store(at);
  return syscall(SYS_io_uring_enter, ring, 4, 0, 0, nullptr, 0);
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
        self.start_reads = cpp_kernel(SOURCE, "start_reads")

    def forward(self, x):
        running_sum(x)
        y = running_sum(x)
        self.start_reads()
        return y
