# task: linear
# expect: wrong(value)
# why: Multiplies only blocks on the weight's diagonal, an eighth of the work.
# why: Every element is compared.
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        weight = self.linear.weight
        rows, columns = weight.shape[0] // 8, weight.shape[1] // 8
        parts = [x[:, i * columns:(i + 1) * columns]
                 @ weight[i * rows:(i + 1) * rows, i * columns:(i + 1) * columns].t()
                 for i in range(8)]
        return torch.cat(parts, dim=1) + self.linear.bias
