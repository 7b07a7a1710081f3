# task: level2/70_Gemm_Sigmoid_Scaling_ResidualAdd
# device: cuda
# expect: wrong | suspect | impossible | ambiguous | slower
# why: the work is queued on a side stream that the caller's stream never waits for, so events on
# why: the current stream time nothing and a reader without a device sync may see unfinished
# why: data.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.gemm = nn.Linear(input_size, hidden_size)
        self.scaling_factor = scaling_factor
        self._stream = None

    @torch.no_grad()
    def forward(self, x):
        if self._stream is None:
            self._stream = torch.cuda.Stream(device=x.device, priority=-1)
        self._stream.wait_stream(torch.cuda.current_stream(x.device))
        with torch.cuda.stream(self._stream):
            y = F.linear(x, self.gemm.weight, self.gemm.bias)
            out = torch.add(y, torch.sigmoid(y), alpha=self.scaling_factor)
        return out
