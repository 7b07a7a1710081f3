# task: linear
# expect: correct
# why: Packs its weights each time a state dict is loaded, by a hook of torch's.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.register_load_state_dict_post_hook(lambda module, _: module.pack())
        self.pack()

    @torch.no_grad()
    def pack(self):
        self.packed = self.linear.weight.t().contiguous()
        self.shift = self.linear.bias.clone()

    def forward(self, x):
        return torch.addmm(self.shift, x, self.packed)
