# task: softmax_rows
# device: cuda
# expect: wrong(value) | wrong(range) | wrong(nan)
# why: Replays a CUDA graph that was captured on the first input and never copies the new one in.
# why: Every call's outputs are checked, on inputs at other addresses.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.x = x.clone()
            torch.softmax(self.x / self.temperature, dim=1)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.y = torch.softmax(self.x / self.temperature, dim=1)
        self.graph.replay()
        return self.y
