# task: level3/3_DeepNarrowMLP
# device: cuda
# expect: correct
# why: bias and ReLU ride in cuBLASLt's epilogue through torch._addmm_activation; the last layer
# why: is a plain addmm.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        layers = []
        current = input_size
        for size in hidden_layer_sizes:
            layers.append(nn.Linear(current, size))
            layers.append(nn.ReLU())
            current = size
        layers.append(nn.Linear(current, output_size))
        self.network = nn.Sequential(*layers)

    @torch.no_grad()
    def forward(self, x):
        linears = [m for m in self.network if isinstance(m, nn.Linear)]
        for lin in linears[:-1]:
            x = torch._addmm_activation(lin.bias, x, lin.weight.t(), use_gelu=False)
        last = linears[-1]
        return torch.addmm(last.bias, x, last.weight.t())
