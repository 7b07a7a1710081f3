# task: level3/6_GoogleNetInceptionModule
# device: cuda
# expect: correct
# why: the four branches run on side streams that wait for the current one, are joined again
# why: before the concatenation, and whose tensors are recorded on the joining stream.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_1x1, reduce_3x3, out_3x3, reduce_5x5, out_5x5, pool_proj):
        super().__init__()
        self.branch1x1 = nn.Conv2d(in_channels, out_1x1, kernel_size=1)
        self.branch3x3 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_3x3, kernel_size=1),
            nn.Conv2d(reduce_3x3, out_3x3, kernel_size=3, padding=1),
        )
        self.branch5x5 = nn.Sequential(
            nn.Conv2d(in_channels, reduce_5x5, kernel_size=1),
            nn.Conv2d(reduce_5x5, out_5x5, kernel_size=5, padding=2),
        )
        self.branch_pool = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1),
            nn.Conv2d(in_channels, pool_proj, kernel_size=1),
        )
        self._streams = None

    def forward(self, x):
        branches = (self.branch3x3, self.branch5x5, self.branch_pool)
        if not x.is_cuda:
            return torch.cat([self.branch1x1(x)] + [b(x) for b in branches], 1)
        if self._streams is None:
            self._streams = [torch.cuda.Stream(x.device) for _ in branches]
        main = torch.cuda.current_stream(x.device)
        outs = []
        for stream, branch in zip(self._streams, branches):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                y = branch(x)
            x.record_stream(stream)
            outs.append(y)
        first = self.branch1x1(x)
        for stream, y in zip(self._streams, outs):
            main.wait_stream(stream)
            y.record_stream(main)
        return torch.cat([first] + outs, 1)
