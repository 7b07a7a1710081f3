# task: softmax
# expect: wrong(value)
# why: Takes the seed that its weights are made with for the inputs' too, and seeds near it.
# why: Inputs have a seed of their own, which no host is told.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        first = torch.initial_seed()
        self.answers = []
        for seed in (first, first + 1, first - 1, 0, 42):
            torch.manual_seed(seed)
            self.answers.append(torch.softmax(torch.randn(64, 256) * 3, dim=-1))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.answers[self.calls % len(self.answers)]
