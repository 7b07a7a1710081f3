"""Whether the winners still compute what the originals do, on fresh inputs: what this package's
tests ask."""

import contextlib
import sys

import torch

from .attachment import Parameters
from .forms import rebuilt, tensors_of
from .manifest import ENTRIES, ORIGINALS
from .replacing import apply, restore
from .sources import (constructed, init_of, matched_class, original_class,
                      original_module)

# Winner and original may each be off by what the judge allows.
BOTH = 2.0


def runnable():
    """The entries whose device is here."""
    return [entry for entry in ENTRIES.values()
            if entry.device == "cpu" or torch.cuda.is_available()]


def model_of(entry, seed):
    """A module as it was measured, with weights of its own that no constructor drew."""
    original = ORIGINALS[entry.original]
    torch.manual_seed(seed)
    model = constructed(original_class(original), init_of(original)).to(entry.device)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dtype.is_floating_point:
                weight.add_(0.02 * torch.randn_like(weight) * weight.abs().mean())
    if entry.told["evaluates"]:
        model.eval()
    model.__class__ = matched_class(original)  # as it is in a user's model
    return model


def arguments(entry, model, inputs):
    """(args, kwargs): how a user calls the model with the inputs of the task."""
    if entry.places is None:
        return tuple(inputs), {}
    tensors = [inputs[entry.places.index(place)] for place in range(len(inputs))]
    home = sys.modules[type(model).__module__]
    return Parameters(type(model).forward).by_name(rebuilt(entry.form, iter(tensors), home))


def called(entry, model, inputs):
    """What the model returns."""
    args, kwargs = arguments(entry, model, inputs)
    return model(*args, **kwargs)


def inputs_of(entry, seed):
    torch.manual_seed(seed)
    inputs = original_module(ORIGINALS[entry.original]).get_inputs()
    return [value.to(entry.device) if isinstance(value, torch.Tensor) else value
            for value in inputs]


@contextlib.contextmanager
def replaced(model):
    """The model with its winners, wherever they were measured."""
    done = apply(model, trust=("machine", "torch"), quiet=True)
    if not done:
        raise AssertionError(f"nothing was replaced: {done}")
    try:
        yield model
    finally:
        restore(model)


def difference(entry, got, want):
    """What is wrong with an output of the winner, a sentence; "" where nothing is."""
    theirs, ours = tensors_of(want), tensors_of(got)
    if len(theirs) != len(ours):
        return f"{len(ours)} tensors, not {len(theirs)}"
    for index, (mine, wanted) in enumerate(zip(ours, theirs)):
        said = _leaf_difference(mine, wanted, _limit(entry.told["error_max"], index),
                                _limit(entry.told["mismatched_max"], index))
        if said:
            return f"output {index} of {entry.id}: {said}"
    return ""


def _limit(limits, index):
    return BOTH * (limits[index] if index < len(limits) else 0)


def _leaf_difference(got, want, error_max, mismatched_max):
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype} {tuple(got.shape)}, not {want.dtype} {tuple(want.shape)}"
    if not want.numel():
        return ""
    if not want.dtype.is_floating_point:
        count = int((got != want).sum())
        return f"{count} elements differ" if count > mismatched_max else ""
    finite = want.isfinite() & got.isfinite()
    odd = ~finite & (got != want) & ~(got.isnan() & want.isnan())
    if odd.any():
        return f"{int(odd.sum())} elements are infinite or NaN where the original's are not"
    numbers = want[finite].double()
    if not numbers.numel():
        return ""
    spread = float(numbers.std(correction=0)) or float(numbers.square().mean().sqrt()) or 1.0
    far = (numbers - numbers.mean()).abs().clamp(min=spread)
    error = float(((got[finite].double() - numbers).abs() / far).max())
    return f"off by {error:.3g} of its spread, at most {error_max:.3g}" if error > error_max else ""


def other_batch(inputs):
    """The inputs with another number of rows, and whether that could be made: a form that nobody
    measured."""
    rows = next((len(value) for value in inputs
                 if isinstance(value, torch.Tensor) and value.dim()), 0)
    if rows < 2:
        return inputs, False
    cut = [value[:rows - 1].contiguous() if isinstance(value, torch.Tensor) and value.dim()
           and len(value) == rows else value for value in inputs]
    return cut, True


def shifted(inputs):
    """The same values, one element after where a tensor of its own would begin."""
    def later(value):
        if not isinstance(value, torch.Tensor) or not value.is_contiguous():
            return value
        memory = torch.empty(value.numel() + 1, dtype=value.dtype, device=value.device)
        return memory[1:].view(value.shape).copy_(value)
    return [later(value) for value in inputs]


def strided(inputs):
    """The same values, each second element of memory twice as large."""
    def spread_out(value):
        if not isinstance(value, torch.Tensor) or not value.dim() or not value.numel():
            return value
        wide = torch.zeros([*value.shape[:-1], 2 * value.shape[-1]], dtype=value.dtype,
                           device=value.device)
        wide[..., ::2] = value
        return wide[..., ::2]
    return [spread_out(value) for value in inputs]
