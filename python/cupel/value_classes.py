"""What the value classes change of a floating leaf that the task's own generator made. `std` is the
leaf's; rows lie along the last axis, and "one row in 16" is one at least, of one row alone none. Of
three dimensions and more as many parts differ as well: channels, samples, by chance. All are
deterministic in their generator, keep dtype, shape and strides, and cost a few passes:

  large          times 16
  small          divided by 64
  shifted        plus 16 std, or minus where the leaf has both signs, by chance; one row in 16 by
                 500 to 1000 std (under `half` 32 to 64), either way: one-pass variances lose
                 digits, and a maximum that begins at zero is none
  shifted_columns
                 one index in 16 of one axis, but not of the first, by as much in all rows: what is
                 reduced over a batch has an offset of its own there
  heavy_tails    times Pareto-distributed factors between 1 and about 60 (tail exponent 2)
  spikes         1 element in 4096 (at least 1, at most 64) times 1000, side by side or anywhere,
                 by turns
  repeated_rows  only the first quarter of the rows is kept; it repeats below
  extremes       1 element in 65536 (1 to 16) becomes each of +3 10^5 std, -3 10^5 std and 0: too
                 much for float16, so that it is 10^4 std under `half`; anywhere or side by
                 side, by turns
  zeros          1 element in 16 is zero, and all of one row in 16; of shares, which lie between 0
                 and 1, 1 element in 16 is one
  shared_rows    one row in 16 is a row of an earlier leaf with as many columns; in a leaf of the
                 same shape each is the row at its own place
  negated_rows   each row is negated or not, by chance: for tasks whose own inputs have one sign
  nonfinite      1 element in 65536 (1 to 4) becomes each of NaN, infinity and its negative
  ties           each element becomes one of three values, about a std apart: whatever looks for the
                 largest finds many of it

What ascends or descends along the last axis in a sample does so afterwards, and what is symmetric
stays so: what reads such a leaf may rely on it.
"""

import functools
import math

import torch

from cupel import placement
from cupel.leaves import ORDERED_MIN, has_one_sign, in_order_of, is_ordered

LARGE_FACTOR = 16.0
SMALL_FACTOR = 1.0 / 64.0
SHIFT_STD, FAR_STD, FAR_STD_HALF = 16.0, 1000.0, 64.0
ROWS_ONE_IN = 16   # of those that differ from the others
ZEROS_ONE_IN = 16
TAIL_TABLE = 4093  # factors drawn per leaf and laid end to end; prime, so that rows differ
SPIKE_FACTOR = 1000.0
EXTREME_STD = 3e5
EXTREME_STD_HALF = 1e4
ROWS_KEPT = 4      # one row in so many
_SPIKE_SHARE, _SPIKES_MAX = 4096, 64
_EXTREME_SHARE, _EXTREMES_MAX = 65536, 16
_NONFINITE_MAX = 4
_EXTREME_ROOM = 8  # the largest number of a leaf's dtype is at least so many times an extreme


def flat_of(leaf):
    """The leaf's memory in one dimension: leaves are dense."""
    return leaf.as_strided((leaf.numel(),), (1,))


def _large(leaf, _):
    leaf.mul_(LARGE_FACTOR)


def _small(leaf, _):
    leaf.mul_(SMALL_FACTOR)


def _std(leaf):
    value = float(leaf.float().std(correction=0)) if leaf.numel() > 1 else 0.0
    return value if 0.0 < value < float("inf") else 1.0


def _shifted(leaf, generator, reach=FAR_STD):
    both, std = not has_one_sign(leaf), _std(leaf)
    down = both and bool(torch.randint(0, 2, (), generator=generator))
    shift = (-SHIFT_STD if down else SHIFT_STD) * std
    for parts in some_parts(leaf, generator):  # each its own way, so that no two are neighbours
        far = _far(parts.shape, reach * std, both, generator)
        shift = torch.where(parts, far.to(leaf), shift)
    leaf.add_(shift)


def _far(shape, most, both, generator):
    """Offsets of half of `most` to all of it; `both`: either way."""
    far = most * (1.0 - torch.rand(shape, generator=generator) / 2.0)
    if both:
        far *= torch.randint(0, 2, shape, generator=generator) * 2 - 1
    return far


def _has_columns(leaf):
    """Is there another axis than the first that has several indices, and several rows to it?"""
    return leaf.dim() > 1 and leaf.shape[0] > 1 and max(leaf.shape[1:]) > 1


def _shifted_columns(leaf, generator, reach=FAR_STD, turn=0):
    """`turn`: of the axes that have columns, by turns."""
    if not _has_columns(leaf):
        return
    axes = [axis for axis in range(1, leaf.dim()) if leaf.shape[axis] > 1]
    axis = axes[turn % len(axes)]
    shape = _along(leaf, axis)
    columns = some_rows(leaf.new_empty(leaf.shape[axis], 1), ROWS_ONE_IN, generator).view(shape)
    far = _far(shape, reach * _std(leaf), not has_one_sign(leaf), generator)
    leaf.add_(columns * far.to(leaf))


def _heavy_tails(leaf, generator):
    flat = flat_of(leaf)
    uniform = torch.rand(TAIL_TABLE, generator=generator, dtype=torch.float32)
    factors = (1.0 - uniform).rsqrt_().to(leaf)
    whole = flat.numel() // TAIL_TABLE
    if whole:
        flat[: whole * TAIL_TABLE].view(whole, TAIL_TABLE).mul_(factors)
    rest = flat[whole * TAIL_TABLE:]
    rest.mul_(factors[: rest.numel()])


def some_places(leaf, share, most, generator):
    """Indices into flat_of(leaf): one in `share`, one at least and `most` at most."""
    count = max(1, min(most, leaf.numel() // share))
    return torch.randint(0, leaf.numel(), (count,), generator=generator)


def _odd_places(leaf, share, most, generator, side_by_side=False):
    """As some_places, or side by side: who keeps a few of each block loses some of these. Of three
    and more the first is among them by chance, and the last: a loop over so many that begins late
    or ends early is hardly off by more than rounding else."""
    places = some_places(leaf, share, most, generator)
    if side_by_side:
        places = (places[0] + torch.arange(len(places))) % leaf.numel()
    if len(places) > 2:
        begins, ends = torch.randint(0, 2, (2,), generator=generator).tolist()
        places[:begins] = 0
        places[len(places) - ends:] = leaf.numel() - 1
    return places


def _spikes(leaf, generator, turn=0):
    """`turn`: first side by side, then anywhere, by turns."""
    flat = flat_of(leaf)
    places = _odd_places(leaf, _SPIKE_SHARE, _SPIKES_MAX, generator, turn % 2 == 0)
    flat[places] = flat[places] * SPIKE_FACTOR


def _row_axis(leaf):
    return next((i for i, size in enumerate(leaf.shape) if size > 1), None)


def _along(leaf, axis):
    """The shape of what differs along that axis alone; None: along none."""
    return [size if i == axis else 1 for i, size in enumerate(leaf.shape)]


def _repeated_rows(leaf, _):
    axis = _row_axis(leaf)
    if axis is None:
        return
    rows = leaf.shape[axis]
    kept = -(-rows // ROWS_KEPT)
    for start in range(kept, rows, kept):
        count = min(kept, rows - start)
        leaf.narrow(axis, start, count).copy_(leaf.narrow(axis, 0, count))


def _extremes(leaf, generator, reach=EXTREME_STD, turn=0):
    """`turn`: first anywhere, then side by side, by turns."""
    flat = flat_of(leaf)
    size = min(reach * _std(leaf), torch.finfo(leaf.dtype).max / _EXTREME_ROOM)
    flat[some_places(leaf, _EXTREME_SHARE, _EXTREMES_MAX, generator)] = 0.0
    for value in (size, -size):
        places = _odd_places(leaf, _EXTREME_SHARE, _EXTREMES_MAX, generator, turn % 2 == 1)
        flat[places] = value


def _zeros(leaf, generator):
    is_share = 0.0 <= float(leaf.min()) and 0.5 < float(leaf.max()) <= 1.0
    for value in (1.0, 0.0) if is_share else (0.0,):
        leaf.masked_fill_(drawn_like(leaf, generator).lt(1 / ZEROS_ONE_IN), value)
    for parts in some_parts(leaf, generator):
        leaf.masked_fill_(parts, 0.0)


def drawn_like(leaf, generator):
    """Numbers from 0 to 1, one an element."""
    return torch.rand(leaf.shape, device=leaf.device,
                      generator=placement.drawing_on(leaf.device, generator))


def some_rows(leaf, one_in, generator, depth=-1):
    """A mask of one row along the last axis in so many, one at least; of one row alone none. With a
    `depth`: of what the first so many dimensions count."""
    count_of = leaf.shape[:depth] if leaf.dim() else ()
    rows = torch.zeros(tuple(count_of) + (1,) * (leaf.dim() - len(count_of)), dtype=torch.bool)
    if rows.numel() > 1:
        count = max(1, rows.numel() // one_in)
        rows.view(-1)[torch.randperm(rows.numel(), generator=generator)[:count]] = True
    return rows.to(leaf.device)


def some_parts(leaf, generator):
    """Masks of some rows, and of some larger parts where there are any."""
    yield some_rows(leaf, ROWS_ONE_IN, generator)
    if leaf.dim() > 2:
        depth = 1 + int(torch.randint(0, leaf.dim() - 2, (), generator=generator))
        yield some_rows(leaf, ROWS_ONE_IN, generator, depth)


def sharing(tensors):
    """{place: places of earlier leaves whose rows could be its own}."""
    found = {}
    for i, leaf in enumerate(tensors):
        givers = [j for j, other in enumerate(tensors[:i]) if _could_share(leaf, other)]
        if givers:
            found[i] = givers
    return found


def _could_share(leaf, other):
    return leaf.dtype == other.dtype and leaf.is_floating_point() and \
        leaf.dim() > 1 and other.dim() > 0 and leaf.shape[:-1].numel() > 1 and \
        other.numel() > 0 and leaf.shape[-1] == other.shape[-1] > 1


def with_shared_rows(tensors, generator):
    """The leaves, some rows of which are those of earlier ones."""
    tensors = list(tensors)
    for i, givers in sharing(tensors).items():
        giver = tensors[givers[int(torch.randint(0, len(givers), (), generator=generator))]]
        if giver.shape != tensors[i].shape:
            rows = giver.reshape(-1, giver.shape[-1])
            giver = rows[torch.randint(0, rows.shape[0], tensors[i].shape[:-1], device=rows.device,
                                       generator=placement.drawing_on(rows.device, generator))]
        rows = some_rows(tensors[i], ROWS_ONE_IN, generator)
        tensors[i] = tensors[i].clone().copy_(torch.where(rows, giver, tensors[i]))
    return tensors


def with_rows_moved(tensors, generator):
    """The leaves, their rows (_rows_of) moved on by as much in all that have as many."""
    first, axis, moves = _rows_of(tensors)
    if first is None:
        return tensors
    by = int(torch.randint(1, first.shape[axis], (), generator=generator))
    return [leaf.roll(by, axis) if may else leaf for leaf, may in zip(tensors, moves)]


def with_two_rows_exchanged(tensors, generator):
    """The leaves, two of their rows in each other's place, which differ if any do: as many of each
    kind, and all sums over them, are as they were."""
    first, axis, moves = _rows_of(tensors)
    if first is None:
        return tensors
    one = int(torch.randint(0, first.shape[axis], (), generator=generator))
    rows = first.movedim(axis, 0).reshape(first.shape[axis], -1)
    others = (rows != rows[one]).any(1).nonzero().view(-1)
    if not others.numel():
        return tensors
    other = int(others[int(torch.randint(0, others.numel(), (), generator=generator))])
    return [_exchanged(leaf, axis, one, other) if may else leaf
            for leaf, may in zip(tensors, moves)]


def _rows_of(tensors):
    """(a leaf, the axis that its rows lie along, a truth for each leaf: it has as many rows, which
    may change places). The axis is the first of that leaf's that has several; a floating or complex
    one goes first. Where none has two dimensions elements are taken as rows are. What may lean on
    an order stays: ordered, symmetric and square integer leaves. (None, None, []): none may."""
    dimensions = min(2, max((leaf.dim() for leaf in tensors), default=0))
    movable = [leaf.dim() >= max(1, dimensions) and _may_move(leaf) for leaf in tensors]
    moving = [leaf for leaf, may in zip(tensors, movable) if may]
    first = min(moving, key=lambda leaf: not _is_continuous(leaf), default=None)
    axis = None if first is None else _row_axis(first)
    if axis is None:
        return None, None, []
    return first, axis, [may and leaf.dim() > axis and leaf.shape[axis] == first.shape[axis]
                         for leaf, may in zip(tensors, movable)]


def _exchanged(leaf, axis, one, other):
    made = leaf.clone()
    made.select(axis, one).copy_(leaf.select(axis, other))
    made.select(axis, other).copy_(leaf.select(axis, one))
    return made


def _may_move(leaf):
    if leaf.is_complex():
        return not _is_symmetric(leaf)  # complex numbers have no order
    if leaf.is_floating_point():
        return not _is_symmetric(leaf) and (leaf.dim() > 1 or not is_ordered(leaf))
    return not is_ordered(leaf) and (leaf.dim() < 2 or leaf.shape[-1] != leaf.shape[-2])


def _is_continuous(leaf):
    return leaf.is_floating_point() or leaf.is_complex()


def _negated_rows(leaf, generator):
    signs = torch.randint(0, 2, _along(leaf, _row_axis(leaf)), generator=generator) * 2 - 1
    leaf.mul_(signs.to(leaf))


def _nonfinite(leaf, generator):
    flat = flat_of(leaf)
    for value in (math.nan, math.inf, -math.inf):
        flat[_odd_places(leaf, _EXTREME_SHARE, _NONFINITE_MAX, generator)] = value


def _ties(leaf, _):
    """Values that half precisions hold as well: a whole number of a power of two."""
    step = 2.0 ** math.floor(math.log2(_std(leaf)))
    wide = leaf.double()
    middle = float(wide.mean()) if torch.isfinite(wide).all() else 0.0
    levels = ((wide - middle) / step).round_().clamp_(-1, 1) + round(middle / step)
    leaf.copy_(levels.mul_(step))


CHANGES = {
    "large": _large, "small": _small, "shifted": _shifted,
    "shifted_columns": _shifted_columns, "heavy_tails": _heavy_tails,
    "spikes": _spikes, "repeated_rows": _repeated_rows, "extremes": _extremes, "zeros": _zeros,
    "negated_rows": _negated_rows, "nonfinite": _nonfinite, "ties": _ties,
}
CHANGES_IN_HALF = {
    **CHANGES, "shifted": functools.partial(_shifted, reach=FAR_STD_HALF),
    "shifted_columns": functools.partial(_shifted_columns, reach=FAR_STD_HALF),
    "extremes": functools.partial(_extremes, reach=EXTREME_STD_HALF),
}
_OF_REALS = {"nonfinite"}  # what a complex infinity times a number is differs from kernel to kernel


def changed(leaf, name, changes, generator):
    """A floating leaf as a class of `changes` has it."""
    if leaf.is_complex():
        made = leaf.clone()
        if name not in _OF_REALS:
            changes[name](torch.view_as_real(made), generator)
        return made
    ordered, symmetric = _is_ordered(leaf), _is_symmetric(leaf)
    made = leaf.clone()
    changes[name](made, generator)
    if ordered:
        made.copy_(in_order_of(made, leaf))
    if symmetric:
        made.copy_(made.triu() + made.triu(1).mT)
    return made


def why_unchanged(tensors):
    """{class: why} of those that would change nothing of a sample like these leaves."""
    floating = [leaf for leaf in tensors if leaf.dtype.is_floating_point]
    found = {}
    if not sharing(tensors):
        found["shared_rows"] = "no two inputs have rows of one length"
    if not any(map(_has_columns, floating)):
        found["shifted_columns"] = "no input has rows and columns"
    if not any(map(has_one_sign, floating)):
        found["negated_rows"] = "the task's own inputs have both signs"
    return found


def _is_ordered(leaf):
    """Not where equal infinities stand side by side, as in masks that are added."""
    if leaf.dim() == 0 or leaf.shape[-1] < ORDERED_MIN:
        return False
    first = leaf.reshape(-1, leaf.shape[-1])[:1]  # in which most leaves are not
    return is_ordered(first) and is_ordered(leaf) and \
        bool((leaf[..., 0] != leaf[..., -1]).all()) and not bool(leaf.diff().isnan().any())


def _is_symmetric(leaf):
    return leaf.dim() > 1 and leaf.shape[-1] == leaf.shape[-2] > 2 and \
        bool((leaf[..., 0, :] == leaf[..., :, 0]).all()) and bool((leaf == leaf.mT).all())
