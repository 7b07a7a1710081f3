# task: slow_loop
# expect: faster
# audited: yes
# ratio_min: 1.3
# why: Hands out memory of its own again once no tensor lies on it any more, as an allocator does:
# why: who keeps a result keeps its memory.
import torch
import torch.nn as nn
from torch.multiprocessing.reductions import StorageWeakRef

BUFFERS_MAX = 16


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = []  # (memory, the storage that was made of it last)

    def free_memory(self, count):
        for i, (memory, user) in enumerate(self.pool):
            if user.expired() and len(memory) == count:
                del self.pool[i]
                return memory
        return bytearray(count)

    def forward(self, x):
        memory = self.free_memory(x.numel() * x.element_size())
        y = torch.frombuffer(memory, dtype=x.dtype).view(x.shape)
        self.pool = [(memory, StorageWeakRef(y.untyped_storage())), *self.pool[:BUFFERS_MAX - 1]]
        return torch.cumsum(x, dim=1, out=y)
