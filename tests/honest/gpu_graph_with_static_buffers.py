# task: softmax_rows
# device: cuda
# expect: correct
# audited: yes
# why: A CUDA graph with static buffers; every input is copied in, every result out.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.capture(x)
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()

    def capture(self, x):
        self.x = x.clone()
        torch.softmax(self.x / self.temperature, dim=1)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = torch.softmax(self.x / self.temperature, dim=1)
