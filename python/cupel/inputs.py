"""Inputs as a function of (input_seed, index, class), and the value classes.

A class changes the floating leaves that the task's own generator made, or those of integers and
booleans; values stay. `std` is that of the leaf. All classes are deterministic in the seed, keep
dtype, shape and strides, and cost a few passes over the leaf:

  nominal        as generated
  captured       a call that really happened, of those that the task brings (captured.py)
  large          times 16
  small          divided by 64
  shifted        plus 16 std, or minus where the leaf has both signs, by chance: one-pass variances
                 lose digits, and a maximum that begins at zero is none
  heavy_tails    times Pareto-distributed factors between 1 and about 60 (tail exponent 2)
  spikes         1 element in 4096 (at least 1, at most 64) times 1000
  repeated_rows  only the first quarter of the rows is kept; it repeats below
  extremes       1 element in 65536 (1 to 16) becomes each of +3 10^5 std, -3 10^5 std and 0: too
                 much for float16, so that it is 10^4 std under `half`
  zeros          1 element in 16 is zero, and of 16 rows along the last axis, one at least, all
  shared_rows    of 16 rows along the last axis, one at least, all are rows of an earlier leaf with
                 as many columns; in a leaf of the same shape each is the row at its own place
  negated_rows   each row is negated or not, by chance: for tasks whose own inputs have one sign
  nonfinite      1 element in 65536 (1 to 4) becomes each of NaN, infinity and its negative
  ties           each element becomes one of three values, about a std apart: whatever looks for the
                 largest finds many of it
  permuted       integers and booleans change places along the last axis, in all rows alike: for
                 tasks in which they are always the same. Ordered ones (offsets, positions, lengths
                 by size) stay: what reads them may rely on that
  other_values   of the arguments that are no tensors one has another value, of those that the
                 reference survives: a flag turned, a number more or less, something for None
"""

import base64
import hashlib
import itertools
import math
import pickle
import random
import typing

import torch

from cupel import protocol
from cupel.captured import Captured
from cupel.facts import dense
from cupel.failures import TaskFailure
from cupel.leaves import has_one_sign, is_choice, is_ordered
from cupel.loading import seed_everything

LARGE_FACTOR = 16.0
SMALL_FACTOR = 1.0 / 64.0
SHIFT_STD = 16.0
TAIL_TABLE = 4093  # factors drawn per leaf and laid end to end; prime, so that rows differ
SPIKE_FACTOR = 1000.0
EXTREME_STD = 3e5
EXTREME_STD_HALF = 1e4
ROWS_KEPT = 4      # one row in so many
_SPIKE_SHARE, _SPIKES_MAX = 4096, 64
_EXTREME_SHARE, _EXTREMES_MAX = 65536, 16
_NONFINITE_MAX = 4
_EXTREME_ROOM = 8  # the largest number of a leaf's dtype is at least so many times an extreme


# In the place of a value that is no tensor; of None the reference says what it is.
OTHERS_OF_NONE = (True, 1, 0.5)


def derived_seed(seed, *words):
    """64 bits that tell nothing about `seed`; different words give unrelated ones."""
    text = ":".join([str(seed), *map(str, words)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class InputSource:
    """Makes the inputs of one task under one policy."""

    def __init__(self, program, facts, seed, policy="eager"):
        self._program, self._seed = program, seed
        self.other_values = []  # lists of value leaves that the reference survives
        self.steps = None  # {tensor leaf: steps() from its one value that it survives}
        self._changes = CLASSES
        if policy == "half":
            self._changes = {**CLASSES, "extremes": _extremes_in_half}
        self._specs, self._tree = facts["inputs"], facts["input_tree"]
        self._captured = Captured(program, facts)

    def has_captured(self):
        """Does the task bring calls that really happened?"""
        return bool(self._captured)

    def make(self, index, value_class):
        """Returns (tensor leaves in the strides of the facts, value leaves)."""
        with torch.no_grad():
            seed_everything(derived_seed(self._seed, "input", index))
            generator = torch.Generator().manual_seed(derived_seed(self._seed, "class", index))
            if value_class == "captured":
                return self._captured.draw(generator)
            tree, tensors, values = protocol.flatten(self._program.make_inputs())
            tensors = [dense(tensor.to(self._program.device)) for tensor in tensors]
            self._require_form(tree, tensors)
            tensors = [self._in_class(i, tensor, value_class, generator)
                       for i, tensor in enumerate(tensors)]
            if value_class == "shared_rows":
                tensors = _with_shared_rows(tensors, generator)
            if value_class == "other_values" and self.other_values:
                chosen = torch.randint(0, len(self.other_values), (), generator=generator)
                values = self.other_values[int(chosen)]
        return tensors, values

    def _in_class(self, place, tensor, value_class, generator):
        concerned = is_choice(tensor) if value_class in _OF_CHOICES \
            else protocol.is_floating(tensor.dtype)
        change = self._changes[value_class]
        if change is None or not concerned or not tensor.numel():
            return tensor
        tensor = tensor.clone()
        found = (self.steps or {}).get(place) if value_class == "permuted" else None
        if found:
            step_some(tensor, found[int(torch.randint(0, len(found), (), generator=generator))],
                      generator)
        elif not tensor.is_complex():
            change(tensor, generator)
        elif value_class not in _OF_REALS:
            change(torch.view_as_real(tensor), generator)
        return tensor

    def _require_form(self, tree, tensors):
        got = [(protocol.dtype_name(t.dtype), list(t.shape)) for t in tensors]
        want = [(spec["dtype"], spec["shape"]) for spec in self._specs]
        if tree != self._tree or got != want:
            raise TaskFailure("unsupported", f"{self._program.path}: get_inputs() does not return "
                              f"the same shapes every time ({want}, then {got}); fix the shapes",
                              "get_inputs")


def _flat(leaf):
    """The leaf's memory in one dimension: leaves are dense."""
    return leaf.as_strided((leaf.numel(),), (1,))


def _large(leaf, _):
    leaf.mul_(LARGE_FACTOR)


def _small(leaf, _):
    leaf.mul_(SMALL_FACTOR)


def _std(leaf):
    value = float(leaf.float().std(correction=0)) if leaf.numel() > 1 else 0.0
    return value if 0.0 < value < float("inf") else 1.0


def _shifted(leaf, generator):
    down = not has_one_sign(leaf) and bool(torch.randint(0, 2, (), generator=generator))
    leaf.add_((-SHIFT_STD if down else SHIFT_STD) * _std(leaf))


def _heavy_tails(leaf, generator):
    flat = _flat(leaf)
    uniform = torch.rand(TAIL_TABLE, generator=generator, dtype=torch.float32)
    factors = (1.0 - uniform).rsqrt_().to(leaf)
    whole = flat.numel() // TAIL_TABLE
    if whole:
        flat[: whole * TAIL_TABLE].view(whole, TAIL_TABLE).mul_(factors)
    rest = flat[whole * TAIL_TABLE:]
    rest.mul_(factors[: rest.numel()])


def _places(leaf, share, most, generator):
    count = max(1, min(most, leaf.numel() // share))
    return torch.randint(0, leaf.numel(), (count,), generator=generator)


def _spikes(leaf, generator):
    flat = _flat(leaf)
    places = _places(leaf, _SPIKE_SHARE, _SPIKES_MAX, generator)
    flat[places] = flat[places] * SPIKE_FACTOR


def _row_axis(leaf):
    return next((i for i, size in enumerate(leaf.shape) if size > 1), None)


def _repeated_rows(leaf, _):
    axis = _row_axis(leaf)
    if axis is None:
        return
    rows = leaf.shape[axis]
    kept = -(-rows // ROWS_KEPT)
    for start in range(kept, rows, kept):
        count = min(kept, rows - start)
        leaf.narrow(axis, start, count).copy_(leaf.narrow(axis, 0, count))


def _extremes(leaf, generator, reach=EXTREME_STD):
    flat = _flat(leaf)
    size = min(reach * _std(leaf), torch.finfo(leaf.dtype).max / _EXTREME_ROOM)
    for value in (size, -size, 0.0):
        flat[_places(leaf, _EXTREME_SHARE, _EXTREMES_MAX, generator)] = value


def _extremes_in_half(leaf, generator):
    _extremes(leaf, generator, EXTREME_STD_HALF)


def _zeros(leaf, generator):
    leaf.masked_fill_(torch.rand(leaf.shape, generator=generator).lt(1 / ZEROS_ONE_IN)
                      .to(leaf.device), 0.0)
    leaf.masked_fill_(_some_rows(leaf, ZEROS_ONE_IN, generator), 0.0)


def _some_rows(leaf, one_in, generator):
    """A mask of one row along the last axis in so many, one at least; of one row alone none."""
    rows = torch.zeros(leaf.shape[:-1] + (1,) if leaf.dim() else (), dtype=torch.bool)
    if rows.numel() > 1:
        count = max(1, rows.numel() // one_in)
        rows.view(-1)[torch.randperm(rows.numel(), generator=generator)[:count]] = True
    return rows.to(leaf.device)


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


def _with_shared_rows(tensors, generator):
    tensors = list(tensors)
    for i, givers in sharing(tensors).items():
        giver = tensors[givers[int(torch.randint(0, len(givers), (), generator=generator))]]
        if giver.shape != tensors[i].shape:
            rows = giver.reshape(-1, giver.shape[-1])
            drawn = torch.randint(0, rows.shape[0], tensors[i].shape[:-1], generator=generator)
            giver = rows[drawn.to(rows.device)]
        rows = _some_rows(tensors[i], SHARED_ONE_IN, generator)
        tensors[i] = tensors[i].clone().copy_(torch.where(rows, giver, tensors[i]))
    return tensors


def _negated_rows(leaf, generator):
    axis = _row_axis(leaf)
    shape = [1] * leaf.dim()
    if axis is not None:
        shape[axis] = leaf.shape[axis]
    signs = torch.randint(0, 2, shape, generator=generator) * 2 - 1
    leaf.mul_(signs.to(leaf))


def _nonfinite(leaf, generator):
    flat = _flat(leaf)
    for value in (math.nan, math.inf, -math.inf):
        flat[_places(leaf, _EXTREME_SHARE, _NONFINITE_MAX, generator)] = value


def _ties(leaf, _):
    """Values that half precisions hold as well: a whole number of a power of two."""
    step = 2.0 ** math.floor(math.log2(_std(leaf)))
    wide = leaf.double()
    middle = float(wide.mean()) if torch.isfinite(wide).all() else 0.0
    levels = ((wide - middle) / step).round_().clamp_(-1, 1) + round(middle / step)
    leaf.copy_(levels.mul_(step))


def _permuted(leaf, generator):
    if is_ordered(leaf):
        return
    order = torch.randperm(leaf.shape[-1], generator=generator).to(leaf.device)
    leaf.copy_(leaf.index_select(-1, order))


class Step(typing.NamedTuple):
    """How a leaf of integers or booleans, all of one value, may differ from it: by so much in some
    elements (of a boolean: its opposite), or in whole `rows` along the last axis."""
    by: int
    rows: bool = False


def steps(leaf):
    """Steps of such a leaf: by one; of numbers that count something also to half and to twice. What
    a GPU is asked for beyond a table's end ends its context: there they are only smaller, and
    never negative."""
    value = int(leaf.reshape(-1)[0])
    ways = (False, True) if leaf.dim() > 1 and leaf.shape[:-1].numel() > 1 else (False,)
    if leaf.dtype == torch.bool:
        return [Step(1, rows) for rows in ways]
    least, most = torch.iinfo(leaf.dtype).min, torch.iinfo(leaf.dtype).max
    far = (-(value // 2), value) if value > 2 else ()
    return [Step(by, rows) for by in (-1, 1, *far) if least <= value + by <= most
            and (value + by >= 0 or value < 0) and not (leaf.is_cuda and (by > 0 or value < 1))
            for rows in ways]


def step_some(leaf, step, generator):
    """One element or row in 16 of a leaf, one at least, is another by a step."""
    if step.rows:
        rows = _some_rows(leaf, STEPPED_ONE_IN, generator)
        leaf.copy_(torch.where(rows, _stepped(leaf, step), leaf))
        return
    flat = _flat(leaf)
    places = _places(leaf, STEPPED_ONE_IN, leaf.numel(), generator).to(leaf.device)
    flat[places] = _stepped(flat[places], step)


def _stepped(values, step):
    return ~values if values.dtype == torch.bool else values + step.by


def alternatives(value):
    """Other values that an argument which is no tensor could have, the likelier ones first."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, 2 * value]
    if isinstance(value, float):
        return [value * 0.5, value * 1.5 + 0.25]
    return list(OTHERS_OF_NONE) if value is None else []


CLASSES = {
    "nominal": None, "captured": None, "large": _large, "small": _small, "shifted": _shifted,
    "heavy_tails": _heavy_tails, "spikes": _spikes, "repeated_rows": _repeated_rows,
    "extremes": _extremes, "zeros": _zeros, "shared_rows": None, "negated_rows": _negated_rows,
    "nonfinite": _nonfinite, "ties": _ties, "permuted": _permuted, "other_values": None,
}
_OF_CHOICES = {"permuted"}
_OF_REALS = {"nonfinite"}  # what a complex infinity times a number is differs from kernel to kernel
USUAL = ("nominal", "captured")  # as a user's inputs are: is_usual_class() of src/model/samples.h
STEPPED_ONE_IN = 16
ZEROS_ONE_IN = 16
SHARED_ONE_IN = 16
USUAL_TO_OTHERS = 3              # inputs that tell a time, to each that does not


def enabled_classes(names, has_captured=False):
    """The classes that the settings name, nominal first; all of them for an empty list. `captured`
    is none where the task brings no such inputs."""
    unknown = [name for name in names if name not in CLASSES]
    if unknown:
        raise TaskFailure("unsupported", f"unknown value class {unknown[0]!r}; one of: "
                          + ", ".join(CLASSES), "open")
    idle = {"nominal"} if has_captured else {"nominal", "captured"}
    return ["nominal", *(name for name in CLASSES
                         if name not in idle and (not names or name in names))]


def draw_classes(kept, mix, count, seed, at=0):
    """The classes of `count` sets, from number `at` of an order on. nominal: nominal. timed: an
    order that `seed` draws (_order)."""
    if mix == "nominal":
        return ["nominal"] * count
    return list(itertools.islice(_order(kept, random.Random(seed)), at, at + count))


def _order(kept, rng):
    """Endless: first each other class once among as many usual ones, so that a short round meets
    all; then three usual ones, which tell a time, to one other. Shuffled within each stretch."""
    usual = [name for name in kept if name in USUAL]
    others = [name for name in kept if name not in USUAL]
    if not usual or not others:
        yield from _again_and_again(kept, rng)
    next_usual, next_other = _again_and_again(usual, rng), _again_and_again(others, rng)

    def stretch(of_usual, of_others):
        drawn = [*itertools.islice(next_usual, of_usual), *itertools.islice(next_other, of_others)]
        rng.shuffle(drawn)
        return drawn

    yield from stretch(len(others), len(others))
    while True:
        yield from stretch(USUAL_TO_OTHERS, 1)


def _again_and_again(names, rng):
    """All of the names in one order after the other."""
    names = list(names)
    while True:
        rng.shuffle(names)
        yield from names


def pack_values(values):
    """Base64 of the pickled value leaves; empty for none."""
    return base64.b64encode(pickle.dumps(values)).decode() if values else ""
