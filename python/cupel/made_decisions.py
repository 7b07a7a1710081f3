"""What a run decides: steps, choices and comparisons of floats, whose results leap where what they
were made of hardly moves. Kept, given to another run; and which numbers were next to the middle
between two steps, so that they may be turned.

An answer in which several of these near ties fall otherwise at once is met by no run with other
roundings: of m each falls otherwise in every second run, all as a program has it in one of 2^m. So
each is turned by itself, which shows how far it moves each number. What a program gives is off by
the sum of some of these effects, as long as they are small. Which, least squares tell. Then one run
in which just these are turned gives an answer that is not estimated.

Of numbers that are rounded one may be turned, and all that follows is what follows. Of what is
chosen or compared it is not so: an element would be chosen twice, or be on neither side.
"""

import collections
import itertools
import math

import torch
from torch.utils._pytree import tree_iter

from cupel.choices import name_of
from cupel.failures import TaskFailure
from cupel.leaves import is_whole
from cupel.operations import OperationMode
from cupel.protocol import is_floating

TURNS_MAX = 64            # near ties of one call
PLACES_MAX = 1 << 14      # in which they lie: of equal rows each has the same
ROW_MIN = 16              # numbers in such rows: fewer are equal by chance
NOTHING = 1e-9            # of what is to be explained: a turn that explains less is none
CLEAR = 4.0               # times what is too near to tell: so far apart are what turns do
# Results that leap, though they are floats. Of other operations whole numbers and truths do.
_STEPS = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "gt",
    "ge", "lt", "le", "eq", "ne"))
_ROUNDINGS = frozenset(("round", "floor", "ceil", "trunc", "fix", "_to_copy", "copy"))
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


class Decisions(OperationMode):
    """Keeps what operations make of floats by steps and choices, in `made`, in order. `given`: made
    in another run; this one goes on with the same, whatever its own were."""

    def __init__(self, given=None):
        super().__init__()
        self.made, self._given = [], None if given is None else iter(given)
        self.rounds = False  # may some number have been rounded by itself?

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if any(_is_float(operand) for operand in tree_iter((args, kwargs))):
            name, rounds = name_of(func), kwargs.get("rounding_mode") is not None
            steps = name in _STEPS or rounds
            for leaf in tree_iter(result):
                if isinstance(leaf, torch.Tensor) and (steps or _is_coarse(leaf.dtype)):
                    self._settle(leaf, rounds or name in _ROUNDINGS)
        return result

    def _settle(self, leaf, is_rounded):
        """`is_rounded`: each number by itself."""
        self.rounds |= is_rounded
        if self._given is None:
            self.made.append(leaf.clone())
        else:
            leaf.copy_(next(self._given))


class NearTurns(Decisions):
    """A run whose decisions are those given. Where it would have rounded otherwise, `found` (a set)
    gets (which decision, its flat place, the number there instead), up to PLACES_MAX and a few.
    Nothing that follows from another turn is among them. TaskFailure where the runs do not decide
    the same things."""

    def __init__(self, given, found):
        super().__init__()
        self._left, self._found, self._at = list(given), found, -1

    def _settle(self, leaf, is_rounded):
        self._at += 1
        if self._at >= len(self._left) or leaf.shape != self._left[self._at].shape:
            raise TaskFailure("raised", "a run with other roundings decides something else")
        given = self._left[self._at]
        if is_rounded and len(self._found) <= PLACES_MAX and not leaf.is_complex():
            own = _in_whole(leaf).reshape(-1)
            differ = (own != _in_whole(given).reshape(-1)) & (own == own)  # no NaN
            places = differ.nonzero().view(-1)[:PLACES_MAX + 1]
            self._found.update((self._at, *each)
                               for each in zip(places.tolist(), own[places].tolist()))
        leaf.copy_(given)


class Turned(Decisions):
    """A run that decides for itself, but for `turns`."""

    def __init__(self, turns):
        super().__init__()
        self._turns, self._at = collections.defaultdict(list), -1
        for at, places, number in turns:
            self._turns[at].append((places, number))

    def _settle(self, leaf, is_rounded):
        self._at += 1
        if self._at not in self._turns:
            return
        numbers = _in_whole(leaf).reshape(-1).clone()
        for places, number in self._turns[self._at]:
            if places[-1] >= numbers.numel():
                raise TaskFailure("raised", "a run with other roundings decides something else")
            numbers[places] = number
        _in_whole(leaf).copy_(numbers.view(leaf.shape))


def turns_of(made, found):
    """[(which decision, its flat places, the number there instead)]: what may be turned by itself,
    of what NearTurns found; none where these are many. Equal rows are rounded alike, so the places
    in one column of them turn together."""
    turns = []
    for at, some in itertools.groupby(sorted(found), key=lambda each: each[0]):
        turns += [(at, places, number) for places, number in _together(made[at], list(some))]
    return turns if len(turns) <= TURNS_MAX else []


def _together(leaf, found):
    columns = leaf.shape[-1] if leaf.dim() else 1
    if columns < ROW_MIN:
        return [([place], number) for _, place, number in found]
    rows = _in_whole(leaf).reshape(-1, columns)
    places = torch.tensor([place for _, place, _ in found], device=leaf.device)
    contents = rows[places // columns].cpu().numpy()
    distinct = {(place % columns, number, content.tobytes()): place
                for (_, place, number), content in zip(found, contents)}
    if len(distinct) > TURNS_MAX:
        return [([place], None) for place in distinct.values()]
    return [(((rows == rows[place // columns]).all(dim=1).nonzero().view(-1) * columns
              + column).tolist(), number) for (column, number, _), place in distinct.items()]


def told_apart(effects, near):
    """Which rows of `effects` are independent of each other: those of turns of which no other sum
    comes near to what one of them does. A program's numbers then leave no choice. Of turns that
    move the same numbers all are, or none: else some of many add up to anything. `near`: what is
    too near to tell, of one number."""
    moved = effects.abs() > near
    beside = (moved.double() @ moved.double().T > 0).tolist()
    found, left = [], set(range(len(effects)))
    while left:
        group, new = set(), {left.pop()}
        while new:
            group |= new
            new = {other for one in new for other in left if beside[one][other]}
            left -= new
        at = sorted(group)
        rows = effects[at][:, moved[at].any(dim=0)]
        clear = CLEAR * near * math.sqrt(max(1, rows.shape[1]))
        seen = [one for one, row in zip(at, rows) if float(row.norm()) > clear]
        rows = rows[[at.index(one) for one in seen]]
        if 0 < len(seen) <= rows.shape[1] and float(torch.linalg.svdvals(rows)[-1]) > clear:
            found += seen
    return sorted(found)


def nearest_sum(effects, wanted):
    """The numbers of the rows of `effects` that add up to what is nearest to `wanted`, a vector."""
    gram, projected = effects @ effects.T, effects @ wanted
    chosen = (torch.linalg.pinv(gram) @ projected > 0.5).to(gram.dtype)
    worth = NOTHING * float(wanted.dot(wanted))
    for _ in range(len(projected) ** 2):  # to the nearest of those that differ in one
        gains = (1 - 2 * chosen) * 2 * (projected - gram @ chosen) - gram.diagonal()
        best = int(gains.argmax())
        if not float(gains[best]) > worth:
            break
        chosen[best] = 1 - chosen[best]
    return chosen.nonzero().view(-1).tolist()


def _is_float(operand):
    return isinstance(operand, torch.Tensor) and is_floating(operand.dtype)


def _in_whole(leaf):
    """Floats of one byte, and whole numbers without a sign, as other whole numbers: little is
    defined for them."""
    if is_floating(leaf.dtype) and leaf.dtype.itemsize == 1:
        return leaf.view(torch.uint8)
    return leaf.view(_SIGNED[leaf.dtype]) if leaf.dtype in _SIGNED else leaf


def _is_coarse(dtype):
    """Whole numbers, truths, and floats of one byte."""
    return is_whole(dtype) or dtype.itemsize == 1
