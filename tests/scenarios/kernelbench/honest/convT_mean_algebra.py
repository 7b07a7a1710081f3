# task: level2/44_ConvTranspose2d_Multiply_GlobalAvgPool_GlobalAvgPool_Mean
# device: cuda
# expect: correct
# why: the mean over a transposed convolution's output is linear in input sums; with stride 2,
# why: padding 1, output padding 1, kernel 3 only row 0 for kh=0 and column 0 for kw=0 fall off,
# why: so nine small matmuls on plane sums suffice (in plain fp32).
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, multiplier):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                 padding=padding, output_padding=output_padding)
        self.multiplier = multiplier
        self.closed_form = (kernel_size, stride, padding, output_padding) == (3, 2, 1, 1)

    def forward(self, x):
        conv = self.conv_transpose
        if not self.closed_form:
            return torch.mean(conv(x) * self.multiplier, dim=[2, 3], keepdim=True)
        n, c, h, w = x.shape
        rows = x.sum(dim=3)                      # (n, c, h)
        full = rows.sum(dim=2)                   # all pixels
        no_r0 = rows[:, :, 1:].sum(dim=2)        # without row 0
        col0 = x[:, :, :, 0]
        no_c0 = full - col0.sum(dim=2)           # without column 0
        no_both = no_r0 - col0[:, :, 1:].sum(dim=2)
        k = conv.weight                          # (c, o, 3, 3)
        # kernel row 0 lands on output row 2*i - 1, which exists only for i > 0; same for columns
        acc = no_both @ k[:, :, 0, 0]
        acc = torch.addmm(acc, no_r0, k[:, :, 0, 1] + k[:, :, 0, 2])
        acc = torch.addmm(acc, no_c0, k[:, :, 1, 0] + k[:, :, 2, 0])
        acc = torch.addmm(acc, full, k[:, :, 1:, 1:].sum(dim=(2, 3)))
        out = acc / (4 * h * w) + conv.bias
        return (out * self.multiplier).view(n, -1, 1, 1)
