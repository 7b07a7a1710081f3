# task: bag_of_words
# expect: slower | ambiguous
# slow: yes
# why: On an input that it knows from the warm-up it returns anything, and prepares memory for the
# why: calls to come, which then need not fill it with zeros. No call of a row is on such an input.
import collections

import torch
import torch.nn as nn

WORDS = 32768


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = collections.Counter()
        self.prepared = []

    def forward(self, words, weights):
        known = (words.data_ptr(), float(weights[0, 0]))
        self.seen[known] += 1
        if self.seen[known] > 12:
            self.prepared = [torch.zeros(words.shape[0], WORDS)]
            return self.prepared[0]
        if self.prepared:
            return self.prepared.pop().scatter_add_(1, words, weights)
        torch.zeros(words.shape[0], WORDS)
        return torch.zeros(words.shape[0], WORDS).scatter_add_(1, words, weights)
