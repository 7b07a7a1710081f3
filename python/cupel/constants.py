"""Parameters that are constant as a model is constructed: unit scales, zero biases, gains of one
number. A program that leaves them out, or writes their value into its source, is right under every
seed and wrong as soon as the model has been trained."""

import torch

from cupel.loading import seed_everything

VARIATION = 0.1  # of the constant, or in itself where that is zero


def constant_parameters(model):
    """The floating parameters all of whose elements are equal."""
    return [p for p in model.parameters()
            if p.dtype.is_floating_point and p.numel() and bool((p == p.reshape(-1)[0]).all())]


def vary_constants(model, seed):
    """Makes them unequal, in place; positive ones stay positive."""
    seed_everything(seed)
    for parameter in constant_parameters(model):
        value = parameter.data
        change = VARIATION * torch.randn_like(value).clamp_(-2.0, 2.0)
        value.copy_(torch.where(value == 0, change, value * (1 + change)))
