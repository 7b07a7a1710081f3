"""Parameters that are constant as a model is constructed: unit scales, zero biases, gains of one
number, and running statistics that nothing has run through. A program that leaves them out, writes
their value into its source, or is right only as long as they are small, is right under every seed
and wrong as soon as the model has been trained."""

import torch

from cupel.loading import seed_everything

VARIATION = 0.1  # of the constant, or in itself where that is zero
# Trained norms have a few channels of much larger gain: what follows one meets values there that
# random weights alone never make. Of norms alone: elsewhere a constant may be a decay, an exponent.
OUTLIER_FACTOR = 8.0
ONE_OUTLIER_IN = 16


def constant_parameters(model):
    """The floating ones all of whose elements are equal. Of buffers only the statistics of norms:
    others are masks, positions, decays."""
    return [p for p in [*model.parameters(), *_statistics_in_use(model)]
            if p.dtype.is_floating_point and p.numel() and bool((p == p.reshape(-1)[0]).all())]


def vary_constants(model, seed):
    """Makes them unequal, in place; positive ones stay positive."""
    seed_everything(seed)
    norms = _parameters_of_norms(model)
    for parameter in constant_parameters(model):
        value = parameter.data
        change = VARIATION * torch.randn_like(value).clamp_(-2.0, 2.0)
        gains = _gains(value) if id(parameter) in norms else 1
        value.copy_(torch.where(value == 0, change, value * (1 + change) * gains))


def _statistics_in_use(model):
    """What norms in eval mode normalize by."""
    return [statistics for module in model.modules()
            if isinstance(module, torch.nn.modules.batchnorm._NormBase) and not module.training
            for statistics in (module.running_mean, module.running_var) if statistics is not None]


def _parameters_of_norms(model):
    """By id. In eval mode a batch norm is a mere scale: large ones would multiply from layer to
    layer, as no trained model's do."""
    return {id(parameter) for module in model.modules()
            if "norm" in type(module).__name__.lower()
            and (module.training or not isinstance(module, torch.nn.modules.batchnorm._BatchNorm))
            for parameter in module.parameters(recurse=False)}


def _gains(value):
    """1, and OUTLIER_FACTOR for a few elements of those that have enough."""
    gains = torch.ones(value.numel(), dtype=value.dtype, device=value.device)
    gains[torch.randperm(len(gains))[:len(gains) // ONE_OUTLIER_IN]] = OUTLIER_FACTOR
    return gains.view(value.shape)
