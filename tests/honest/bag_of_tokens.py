# task: token_bag
# expect: faster
# ratio_min: 2
# why: PyTorch's own bag in place of a loop over the words.
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, words, width, classes):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.out = nn.Linear(width, classes)

    def forward(self, words):
        return self.out(F.embedding_bag(words, self.embedding.weight, mode="mean"))
