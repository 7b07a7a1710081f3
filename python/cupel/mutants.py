"""Wrong programs made from the reference. Each must be told from the right one, or the task is
degenerate. A mutant returns output leaves in the dtypes of the facts, or None where it does not
apply to the task."""

import math

import torch

from cupel.loading import seed_everything
from cupel.protocol import is_floating
from cupel.slices import in_chunks

PERTURBATION = 0.05   # relative size of the noise on weights
RESCALE = 1.01
TAIL_SHARE = 8        # one element in so many, at the end, is skipped
TAIL_ELEMENTS_MIN = 2  # of one element the tail would be all
MEDIAN_OF = 1 << 20


class Case:
    """What mutants of one value class are made from.

    `tensors`: the input's leaves; `outputs`: the reference's outputs on it; `other`: on another
    input of the class; `previous`: on a nominal input; `perturbed`: a function that runs the
    reference with noisy weights, or None without weights.
    """

    def __init__(self, tensors, outputs, other, previous, perturbed):
        self.tensors, self.outputs, self.other = tensors, outputs, other
        self.previous, self.perturbed = previous, perturbed


def _zeros(case):
    return [torch.zeros_like(leaf) for leaf in case.outputs]


def _constant(case):
    """The mean of another input's outputs: a single number's own mean would be the answer."""
    return [torch.full_like(leaf, _mean_of(leaf)) for leaf in case.other]


def _mean_of(leaf):
    if leaf.dtype.is_complex:
        leaf = leaf.real
    total = count = 0
    for part, in in_chunks(leaf.reshape(-1)):
        finite = part[torch.isfinite(part)]
        total, count = total + float(finite.sum(dtype=torch.float64)), count + finite.numel()
    mean = total / count if count else 0.0
    if is_floating(leaf.dtype):
        return mean
    return bool(round(mean)) if leaf.dtype == torch.bool else round(mean)


def _row_means(case):
    if not any(leaf.dim() > 1 and leaf.shape[-1] > 1 for leaf in case.outputs):
        return None
    return [_row_mean(leaf) for leaf in case.outputs]


def _row_mean(leaf):
    if leaf.dim() < 2 or not leaf.numel():
        return leaf
    wide = leaf.to(torch.complex128 if leaf.dtype.is_complex else torch.float64)
    return wide.mean(-1, keepdim=True).expand(leaf.shape).to(leaf.dtype)


def _identity(case):
    taken = [_input_like(leaf, case.tensors) for leaf in case.outputs]
    if all(found is None for found, leaf in zip(taken, case.outputs) if is_floating(leaf.dtype)):
        return None
    return [torch.zeros_like(leaf) if found is None else found
            for found, leaf in zip(taken, case.outputs)]


def _input_like(leaf, tensors):
    alike = [t for t in tensors if t.dtype == leaf.dtype and t.numel() == leaf.numel()]
    same = [t for t in alike if t.shape == leaf.shape]
    return (same or [t.reshape(leaf.shape) for t in alike] or [None])[0]


def _perturbed_weights(case):
    return case.perturbed() if case.perturbed else None


def _skipped_tail(case):
    if all(leaf.numel() < TAIL_ELEMENTS_MIN for leaf in case.outputs):
        return None
    return [_without_tail(leaf, leaf.numel() - max(1, leaf.numel() // TAIL_SHARE))
            for leaf in case.outputs]


def _without_tail(leaf, kept):
    flat = leaf.clone(memory_format=torch.contiguous_format).view(-1)
    if leaf.numel() >= TAIL_ELEMENTS_MIN:
        flat[kept:] = 0
    return flat.view(leaf.shape)


def _first_rows_only(case):
    if not any(leaf.dim() and leaf.shape[0] > 1 for leaf in case.outputs):
        return None
    return [_without_tail(leaf, leaf.shape[0] // 2 * leaf[0].numel())
            if leaf.dim() and leaf.shape[0] > 1 else leaf for leaf in case.outputs]


def _largest_only(case):
    """Masks, or the peaks of what has any."""
    return _with_changes(case, lambda leaf: _without_small(leaf, _rms(leaf)))


def _larger_half_only(case):
    return _with_changes(case, lambda leaf: _without_small(leaf, _median_size(leaf)))


def _some_rows_only(case):
    """Every other one: vectors along the last dimension."""
    return _with_changes(case, _without_odd_rows)


def _with_changes(case, change):
    """None where no floating leaf is changed."""
    changed = [change(leaf) if is_floating(leaf.dtype) and leaf.numel() > 1 else leaf
               for leaf in case.outputs]
    return None if all(map(torch.equal, *map(_numbers, (changed, case.outputs)))) else changed


def _numbers(leaves):
    return [leaf.nan_to_num() if leaf.dtype.is_floating_point else leaf for leaf in leaves]


def _sizes(leaf):
    """NaN and infinities count for nothing: they stay as they are."""
    return leaf.abs().double().nan_to_num_(0.0, 0.0)


def _rms(leaf):
    squares = sum(float(_sizes(part).square_().sum()) for part, in in_chunks(leaf.reshape(-1)))
    return math.sqrt(squares / leaf.numel())


def _median_size(leaf):
    """Of so many numbers as tell it well enough."""
    flat = leaf.reshape(-1)
    return float(_sizes(flat[::flat.numel() // MEDIAN_OF | 1]).median())


def _without_small(leaf, least):
    return torch.where(leaf.abs() < least, 0, leaf)


def _without_odd_rows(leaf):
    if leaf.dim() < 2:
        return leaf
    rows = leaf.clone(memory_format=torch.contiguous_format).view(-1, leaf.shape[-1])
    rows[1::2] = 0
    return rows.view(leaf.shape)


def _rescaled(case):
    if not any(is_floating(leaf.dtype) for leaf in case.outputs):
        return None
    return [leaf * RESCALE if is_floating(leaf.dtype) else leaf for leaf in case.outputs]


MUTANTS = {
    "zeros": _zeros, "constant": _constant, "mean": _row_means, "identity": _identity,
    "other_input": lambda case: case.other, "stale": lambda case: case.previous,
    "perturbed_weights": _perturbed_weights, "skipped_tail": _skipped_tail,
    "first_rows_only": _first_rows_only, "some_rows_only": _some_rows_only,
    "largest_only": _largest_only, "larger_half_only": _larger_half_only,
    "rescale_1.01": _rescaled,
}


def perturb_weights(model, seed):
    """Multiplies every floating parameter by 1 + PERTURBATION * normal, in place. Returns False
    for a model without any."""
    seed_everything(seed)
    parameters = [p for p in model.parameters() if p.dtype.is_floating_point and p.numel()]
    for parameter in parameters:
        parameter.data.mul_(1 + PERTURBATION * torch.randn_like(parameter.data))
    return bool(parameters)
