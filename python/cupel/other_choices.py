"""How leaves of integers and booleans may be others than the task has them: masks, indices, lengths
and places that are always the same, and masks that are not. A mask is a leaf of booleans, or one of
two dimensions and more that holds zeros and ones alone. What else is ordered (offsets, positions,
lengths by size) stays, since what reads it may rely on that. survey.py finds out which ways the
reference survives; the class `permuted` draws from them.
"""

import typing

import torch

from cupel.leaves import has_one_value, is_ordered
from cupel.value_classes import drawn_like, flat_of, some_places, some_rows

SOME_ONE_IN = 16  # elements or rows that differ


class Way(typing.NamedTuple):
    """`kind`:
      step     of one value: some elements, or whole `rows` along the last axis, are another by
               `low` to `high`, both of one sign (of a boolean: its opposite)
      alike    the elements of each row change places, in all rows alike
      apart    in each row in its own way
    `flips`: some of a mask's elements become the opposite, so that rows have more or fewer of
    either; no row loses its last one. Without a kind that is all."""
    kind: str
    low: int = 0
    high: int = 0
    rows: bool = False
    flips: bool = False


def ways(leaf, is_fixed):
    """Ways of a leaf, the boldest first; `is_fixed`: it is the same in all samples. What a GPU is
    asked for beyond a table's end ends its context: there numbers are only smaller, and never
    negative."""
    if has_one_value(leaf):
        return _steps(leaf) if is_fixed else []
    flat = leaf.squeeze()
    is_mask = _is_mask(flat)
    if not is_mask and (is_ordered(flat) or not is_fixed):
        return []
    orders = ("apart", "alike") if flat.dim() > 1 else ("alike",)
    bold = [Way(kind, flips=True) for kind in (*orders, "")] if is_mask else []
    return [*bold[:-1], *map(Way, orders), *bold[-1:]]


def _is_mask(flat):
    return flat.dtype == torch.bool or flat.dim() > 1 and bool(((flat == 0) | (flat == 1)).all())


def _steps(leaf):
    """By one; of numbers that count something also to half and to twice."""
    value = int(leaf.reshape(-1)[0])
    several = (False, True) if leaf.dim() > 1 and leaf.shape[:-1].numel() > 1 else (False,)
    if leaf.dtype == torch.bool:
        return [Way("step", 1, 1, rows) for rows in several]
    least, most = torch.iinfo(leaf.dtype).min, torch.iinfo(leaf.dtype).max
    far = (-(value // 2), value) if value > 2 else ()
    return [Way("step", by, by, rows) for by in (-1, 1, *far) if least <= value + by <= most
            and (value + by >= 0 or value < 0) and not (leaf.is_cuda and (by > 0 or value < 1))
            for rows in several]


def between(steps):
    """Ways that step by all between zero and the furthest of some steps, down and then up: what
    reads up to a place minds one of the two alone."""
    spans = {}
    for way in sorted(steps, key=lambda way: way.low > 0):
        spans.setdefault((way.low > 0, way.rows), []).append(way.low)
    return [Way("step", min(by), max(by), rows) for (_, rows), by in spans.items()]


def in_another_way(leaf, way, generator):
    """A copy of the leaf; `generator`: the CPU's."""
    made = leaf.clone()
    flat = made.squeeze()  # a view without axes of size 1
    if way.kind == "step":
        _step_some(made, way, generator)
    elif way.kind == "alike":
        order = torch.randperm(flat.shape[-1], generator=generator).to(leaf.device)
        flat.copy_(flat.index_select(-1, order))
    elif way.kind == "apart":
        flat.copy_(flat.gather(-1, drawn_like(flat, generator).argsort(-1)))
    if way.flips:
        some = drawn_like(flat, generator).lt(1 / SOME_ONE_IN)
        other = flat ^ some
        lost = _holds_both(flat != 0) & ~_holds_both(other != 0)
        flat.copy_(torch.where(lost, flat, other))
    return made


def _holds_both(mask):
    """Which rows have truths of either kind."""
    return mask.any(-1, keepdim=True) & ~mask.all(-1, keepdim=True)


def _step_some(leaf, way, generator):
    """One element or row in 16, one at least."""
    if way.rows:
        rows = some_rows(leaf, SOME_ONE_IN, generator)
        leaf.copy_(torch.where(rows, _stepped(leaf, way, rows.shape, generator), leaf))
        return
    flat = flat_of(leaf)
    places = some_places(leaf, SOME_ONE_IN, leaf.numel(), generator).to(leaf.device)
    flat[places] = _stepped(flat[places], way, places.shape, generator)


def _stepped(values, way, shape, generator):
    """Each place of the shape has a step of its own."""
    if values.dtype == torch.bool:
        return ~values
    by = torch.randint(way.low, way.high + 1, shape, generator=generator)
    return values + by.to(values)
