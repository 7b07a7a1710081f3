# task: softmax
# expect: correct
# why: Splits the rows over a pool of Python threads and waits for them.
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = ThreadPoolExecutor(2)

    def forward(self, x):
        return torch.cat(list(self.pool.map(lambda rows: torch.softmax(rows, dim=-1), x.chunk(2))))
