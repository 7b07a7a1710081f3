# task: bag_of_words
# expect: wrong(value) | wrong(range) | wrong(nondeterministic)
# slow: yes
# why: The first call of a row, and one after the judge has copied outputs, comes after a pause, and
# why: does not count. There it returns what it has prepared for the next calls. Some of these calls
# why: are compared.
import time

import torch
import torch.nn as nn

WORDS = 32768
PAUSE_NS = 700_000


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.returned_ns = 0
        self.calls = 0
        self.prepared = []

    def forward(self, words, weights):
        paused = time.monotonic_ns() - self.returned_ns > PAUSE_NS
        self.calls += 1
        if paused and self.calls > 30:
            self.prepared = [torch.zeros(words.shape[0], WORDS) for _ in range(3)]
            out = self.prepared[0]
        elif self.prepared:
            out = self.prepared.pop().scatter_add_(1, words, weights)
        else:
            out = torch.zeros(words.shape[0], WORDS).scatter_add_(1, words, weights)
        self.returned_ns = time.monotonic_ns()
        return out
