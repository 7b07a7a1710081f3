# task: softmax_rows
# device: cuda
# expect: wrong(process_state) | slower
# audited: yes
# why: Makes a stream of its own the current one and leaves it so: all that follows runs there,
# why: beside what was begun before.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        self.side.wait_stream(torch.cuda.current_stream())
        torch.cuda.set_stream(self.side)
        return torch.softmax(x / self.temperature, dim=1)
