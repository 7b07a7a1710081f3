# task: decoding_step
# expect: wrong(range)
# why: Takes for granted that the place in the cache lies in its last quarter.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, query, keys, values, at):
        scores = torch.matmul(query, keys.transpose(-1, -2)).mul_(0.125)
        scores[..., 384:].masked_fill_(torch.arange(384, 512) > at, float("-inf"))
        return torch.softmax(scores, -1) @ values
