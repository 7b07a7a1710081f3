# task: avg_pool
# expect: correct
# why: Average pooling as the mean of a view.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        images, channels, rows, columns = x.shape
        return x.view(images, channels, rows // 4, 4, columns // 4, 4).mean(dim=(3, 5))
