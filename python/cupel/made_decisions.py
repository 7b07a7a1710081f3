"""What a run decides: steps, choices and comparisons of floats, whose results leap where what they
were made of hardly moves. Kept, given to another run, and which of them are near ties.

An answer in which several near ties fall otherwise at once is met by no run with other roundings:
of m ties each falls otherwise in every second run, all as a program has it in one of 2^m. So each
is turned by itself, which shows how far it moves each number. What a program gives is off by the
sum of some of these effects, as long as they are small. Which, least squares tell. Then one run in
which just these are turned gives an answer that is not estimated.
"""

import collections

import torch
from torch.utils._pytree import tree_iter

from cupel.choices import name_of
from cupel.failures import TaskFailure
from cupel.leaves import is_whole
from cupel.operations import OperationMode
from cupel.protocol import is_floating

TURNS_MAX = 64            # near ties of one call; of more nobody tells which a program has
PLACES_MAX = 1 << 14      # in which they lie: of equal rows each has the same
NOTHING = 1e-9            # of what is to be explained: a turn that explains less is none
# Results that leap, though they are floats. Of other operations whole numbers and truths do.
_STEPS = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "gt",
    "ge", "lt", "le", "eq", "ne"))


class Decisions(OperationMode):
    """Keeps what operations make of floats by steps and choices, in `made`, in order. `given`: made
    in another run; this one goes on with the same, whatever its own were."""

    def __init__(self, given=None):
        super().__init__()
        self.made, self._given = [], None if given is None else iter(given)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if any(_is_float(operand) for operand in tree_iter((args, kwargs))):
            steps = name_of(func) in _STEPS or kwargs.get("rounding_mode") is not None
            for leaf in tree_iter(result):
                if isinstance(leaf, torch.Tensor) and (steps or _is_coarse(leaf.dtype)):
                    self._settle(leaf)
        return result

    def _settle(self, leaf):
        if self._given is None:
            self.made.append(leaf.clone())
        else:
            self._go_on(leaf, next(self._given))

    def _go_on(self, leaf, given):
        leaf.copy_(given)


class NearTurns(Decisions):
    """A run whose decisions are those given. Where it would have decided otherwise, `found` (a set)
    gets (which decision, its flat place, the number there instead). Nothing that follows from
    another turn is among them. TaskFailure where the runs do not decide the same things."""

    def __init__(self, given, found):
        super().__init__(given)
        self._found, self._at = found, -1

    def _go_on(self, leaf, given):
        self._at += 1
        if leaf.shape != given.shape:
            raise TaskFailure("raised", "a run with other roundings decides something else")
        own, other = _in_whole(leaf), _in_whole(given)
        differ = (own != other) & ~((own != own) & (other != other))  # NaN is as NaN
        places = differ.reshape(-1).nonzero().view(-1)[:PLACES_MAX + 1]
        numbers = own.reshape(-1)[places].tolist()
        self._found.update((self._at, *each) for each in zip(places.tolist(), numbers))
        super()._go_on(leaf, given)


def turns_of(made, found):
    """[(which decision, its flat places, the number there instead)]: what may be turned by itself,
    of what NearTurns found. Each place, or where these are many, those in one column of equal rows,
    which turn together; none where these are many as well."""
    turns = [(at, [place], number) for at, place, number in sorted(found)]
    if len(turns) > TURNS_MAX:
        together = collections.defaultdict(list)
        for at, (place,), number in turns:
            columns = made[at].shape[-1] if made[at].dim() else 1
            together[at, place % columns, number].append(place)
        turns = [(at, places, number) for (at, _, number), places in together.items()]
    return turns if len(turns) <= TURNS_MAX else []


def turned(made, turns):
    """Decisions, of which some are turned."""
    made = list(made)
    for at, places, number in turns:
        made[at] = made[at].clone(memory_format=torch.contiguous_format)
        _in_whole(made[at]).view(-1)[places] = number
    return made


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
    """Floats of one byte as their bits, since little is defined for them."""
    return leaf.view(torch.uint8) if is_floating(leaf.dtype) and leaf.dtype.itemsize == 1 else leaf


def _is_coarse(dtype):
    """Whole numbers, truths, and floats of one byte."""
    return is_whole(dtype) or dtype.itemsize == 1
