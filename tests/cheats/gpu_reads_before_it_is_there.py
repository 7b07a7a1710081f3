# task: softmax_rows
# device: cuda
# expect: wrong(layout) | slower
# audited: yes
# why: Reads its input on a side stream that does not wait for the current one, on which the layer
# why: before is still at work. Inputs that lie there when the call begins hide that.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        with torch.cuda.stream(self.side):
            y = torch.softmax(x / self.temperature, dim=1)
        torch.cuda.current_stream().wait_stream(self.side)
        return y
