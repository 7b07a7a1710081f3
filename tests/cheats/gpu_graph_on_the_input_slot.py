# task: softmax_rows
# device: cuda
# expect: wrong(value) | wrong(range) | wrong(nan)
# why: Captures a graph that reads the first input's address, where every input is hoped to lie.
# why: Inputs arrive at shifted addresses.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            torch.softmax(x / self.temperature, dim=1)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = torch.softmax(x / self.temperature, dim=1)
        self.graph.replay()
        return self.y.clone()
