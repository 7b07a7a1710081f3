"""Numbers that a reference rounds to whole ones and that lie next to the middle of two, and runs in
which some of them are rounded to the other one.

An answer in which several of these near ties fall otherwise at once is met by no run with other
roundings: of m each falls otherwise in every second run, all as a program has it in one of 2^m. So
each is turned by itself, which shows how far it moves each number. What a program gives is off by
the sum of some of these effects, as long as they are small. Which, least squares tell. Then one run
in which just these are turned gives an answer that is not estimated. All that follows, follows.
"""

import collections
import math

import torch

from cupel.choices import name_of
from cupel.failures import TaskFailure
from cupel.operations import OperationMode

# Units of its type that a number may be from the middle, relative: the operations before it are off
# by that (ROUNDINGS of near_ties.py).
MIDDLE_UNITS = 32
TURNS_MAX = 64            # near ties of one call
PLACES_MAX = 1 << 14      # in which they lie: of equal rows each has the same
ROW_MIN = 16              # numbers in such rows: fewer are equal by chance
ROW_BYTES_MAX = 64 << 20  # of the rows that are compared
NOTHING = 1e-9            # of what is to be explained: a turn that explains less is none
CLEAR = 4.0               # times what is too near to tell: so far apart are what turns do
EFFECT_MAX = 1e100        # whose square is a number
_REALS = (torch.float32, torch.float64)


class _Roundings(OperationMode):
    """see() gets each tensor that is rounded to whole numbers, its number, and what came of it."""

    def __init__(self):
        super().__init__()
        self._at = -1

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        rounds = name_of(func) == "round" and func._overloadname == "default" \
            and args[0].dtype in _REALS
        operand = args[0].clone() if rounds else None  # it may be written to
        result = func(*args, **(kwargs or {}))
        if rounds:
            self._at += 1
            self.see(self._at, operand, result)
        return result


class NearMiddles(_Roundings):
    """Finds numbers next to the middle of two whole ones. After the run turns() tells them."""

    def __init__(self):
        super().__init__()
        self._found, self._too_many = collections.defaultdict(list), False

    def see(self, at, operand, result):
        if self._too_many:
            return
        low = operand.floor()
        middle = MIDDLE_UNITS * torch.finfo(operand.dtype).eps * operand.abs()
        places = ((operand - low - 0.5).abs() <= middle).reshape(-1).nonzero().view(-1)
        if places.numel() > PLACES_MAX:
            self._too_many = True
            return
        others = (low + operand.ceil() - result).reshape(-1)[places].tolist()
        for key, place, other in zip(self._keys(at, operand, places), places.tolist(), others):
            self._found[key, other].append((at, place))

    def _keys(self, at, operand, places):
        """Of each place what it turns together with: the same column of rows that are equal to the
        last bit, in this tensor or another one."""
        columns = operand.shape[-1] if operand.dim() else 1
        lines = places // columns
        distinct, which = lines.unique(return_inverse=True)
        row_bytes = columns * operand.element_size()
        if columns < ROW_MIN or distinct.numel() * row_bytes > ROW_BYTES_MAX:
            return [(at, place) for place in places.tolist()]
        rows = operand.reshape(-1, columns)[distinct].contiguous().view(torch.uint8).cpu().numpy()
        contents = [row.tobytes() for row in rows]
        return [(contents[line], place % columns)
                for line, place in zip(which.tolist(), places.tolist())]

    def turns(self):
        """[(number there instead, [(which rounding, flat place)])]; none where they are many."""
        if self._too_many or len(self._found) > TURNS_MAX:
            return []
        return [(number, places) for (_, number), places in self._found.items()]


class Turned(_Roundings):
    """A run with some of a run's turns()."""

    def __init__(self, turns):
        super().__init__()
        self._turns = collections.defaultdict(list)
        for number, places in turns:
            for at, place in places:
                self._turns[at].append((place, number))

    def see(self, at, operand, result):
        if at not in self._turns:
            return
        places, numbers = zip(*self._turns[at])
        if max(places) >= result.numel():
            raise TaskFailure("raised", "a run with turned roundings rounds something else")
        flat = result.reshape(-1).clone()
        flat[torch.tensor(places, device=flat.device)] = torch.tensor(
            numbers, dtype=flat.dtype, device=flat.device)
        result.copy_(flat.view(result.shape))


def told_apart(effects, near):
    """Which rows of `effects` are independent of each other: those of turns of which no other sum
    comes near to what one of them does. A program's numbers then leave no choice. Of turns that
    move the same numbers all are, or none: else some of many add up to anything. `near`: what is
    too near to tell, of one number."""
    moved = effects.abs() > near
    beside = (moved.double() @ moved.double().T > 0).tolist()
    found = []
    left = {at for at, row in enumerate(effects) if float(row.abs().max()) < EFFECT_MAX}
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
