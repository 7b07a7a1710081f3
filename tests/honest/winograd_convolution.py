# task: padded_conv
# expect: correct
# why: Winograd's F(2x2, 3x3), with transformed weights prepared. Rounding of an outlier reaches its
# why: neighbours in a tile.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def prepare(self):
        self.into = torch.tensor([[1., 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
        self.out = torch.tensor([[1., 1, 1, 0], [0, 1, -1, -1]])
        of_weights = torch.tensor([[1, 0, 0], [.5, .5, .5], [.5, -.5, .5], [0, 0, 1]])
        self.weights = torch.einsum("ia,kcab,jb->ijkc", of_weights, self.conv.weight, of_weights)

    def forward(self, x):
        count, channels, height, width = x.shape
        tiles = nn.functional.pad(x, (1, 1, 1, 1)).unfold(2, 4, 2).unfold(3, 4, 2)
        tiles = torch.einsum("ia,ncyxab,jb->ijcnyx", self.into, tiles, self.into)
        products = torch.matmul(self.weights, tiles.reshape(4, 4, channels, -1))
        products = products.view(4, 4, channels, count, height // 2, width // 2)
        result = torch.einsum("pi,ijknyx,qj->nkypxq", self.out, products, self.out)
        return result.reshape(x.shape) + self.conv.bias[:, None, None]
