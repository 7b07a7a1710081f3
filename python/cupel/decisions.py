"""Near ties in lower precision than float32's, which a policy allows, or the model itself has.

There numbers move by so much that no run with other roundings gives what a right program gives. It
shows how decisions may fall, and no more. So the oracle is run once more, and decides as such a run
did. What it gives then is as exact as the oracle, and differs from it by what was decided alone.

What is near to such an answer is right. How near, the first runs tell as well: by how much numbers
move there that are computed alike.
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_iter

from cupel.choices import is_view, name_of
from cupel.failures import TaskFailure
from cupel.leaves import is_whole
from cupel.near_ties import RUNS_MAX, NearTie, NearTies, leaps
from cupel.operations import OperationMode, tensors_in
from cupel.protocol import is_floating
from cupel.roundings import OtherRoundings

MULTIPLE = 4              # of what the reference is off by: the judge's k for lower precision
OUTLYING = 16             # times its median error: what is further off may hang on a choice
SHARE_MAX = 1 / 4         # of its elements: of small inputs many scores are alike
# Of the arithmetic's units, that each operand and each result is off by at most. A right program is
# off by one in each. Decisions that fall otherwise by that are to do so in one run of a few.
UNITS = 4
MOVED = 2                 # times as far as it moves in such runs, rms, anything may be off
# Results that leap, though they are floats. Of other operations whole numbers and truths do.
_STEPS = frozenset((
    "round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside", "floor_divide", "gt",
    "ge", "lt", "le", "eq", "ne", "frexp", "mode"))
# Numbers that become Python's, of an operation and of functions.
_READS = frozenset(("_local_scalar_dense", "tolist", "numpy", "__array__", "__dlpack__"))


class Decisions(OperationMode):
    """Keeps what operations make of floats by steps and choices, by number, in `made`. `given`:
    those of another run; this one decides as it did.

    What comes beside other results (the places of a pool's largest numbers, what a norm keeps for
    its gradient) decides nothing unless somebody reads it. `count`: all that might have decided.
    `branches`: the program has read a number, and may do another thing on other inputs."""

    def __init__(self, given=None):
        super().__init__()
        self.made, self.count, self.branches, self._given = {}, 0, False, given
        self._beside = {}  # by storage: numbers and results that nobody has read
        self._reading = _Reading(self)

    def __enter__(self):
        self._reading.__enter__()
        return super().__enter__()

    def __exit__(self, *problem):
        super().__exit__(*problem)
        self._reading.__exit__(*problem)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        operands = tensors_in((args, kwargs))
        if not is_view(func):
            self.read(operands)
        result = func(*args, **kwargs)
        if any(map(_is_float, operands)):
            self.branches |= name_of(func) in _READS
            steps = name_of(func) in _STEPS or kwargs.get("rounding_mode") is not None
            given = set(map(id, operands))
            for place, leaf in enumerate(tree_iter(result)):
                if isinstance(leaf, torch.Tensor) and (steps or _is_coarse(leaf.dtype)):
                    self._settle(leaf, beside=place > 0 and id(leaf) not in given)
        return result

    def read(self, leaves):
        """Somebody reads these tensors."""
        for leaf in leaves if self._beside else ():
            for number, one in self._beside.pop(_storage(leaf), ()):
                with _disable_current_modes():  # no operation of the program's
                    self.made[number] = one.clone()

    def _settle(self, leaf, beside):
        number, self.count = self.count, self.count + 1
        if self._given:
            if number >= self._given.count:
                raise RuntimeError("this run decides more often than the one that it follows")
            if number in self._given.made:
                leaf.copy_(self._given.made[number])
        elif beside and _storage(leaf) is not None:
            self._beside.setdefault(_storage(leaf), []).append((number, leaf))
        else:
            self.made[number] = leaf.clone()


class _Reading(TorchFunctionMode):
    """Tells Decisions of what is read past all operations, as by tolist()."""

    def __init__(self, decisions):
        super().__init__()
        self._decisions = decisions

    def __torch_function__(self, func, types, args=(), kwargs=None):
        operands = tensors_in((args, kwargs or {}))
        self._decisions.read(operands)
        if getattr(func, "__name__", "") in _READS and any(map(_is_float, operands)):
            self._decisions.branches = True
        return func(*args, **(kwargs or {}))


def _storage(leaf):
    """None of a tensor that has none of its own, as where torch.func has wrapped one."""
    try:
        return leaf.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def _is_float(operand):
    """Of one byte they are decided already."""
    return is_floating(operand.dtype) and not _is_coarse(operand.dtype)


def _is_coarse(dtype):
    """Whole numbers, truths, and floats of one byte."""
    return is_whole(dtype) or dtype.itemsize == 1


class DecidedOtherwise:
    """A call gives the leaves of `oracle()` with decisions that other roundings make, and those
    with the other roundings themselves; None where nothing is decided, of which learn_none() is
    told, unless another input may decide. `unit`: of the arithmetic; `seed`: of 64 bits."""

    def __init__(self, oracle, unit, seed, learn_none=lambda: None):
        self._oracle, self._rounding, self._seed = oracle, UNITS * unit, seed
        self._learn_none = learn_none

    def __call__(self):
        self._seed = (self._seed + 1) % 2 ** 64
        with Decisions() as decisions, OtherRoundings(self._seed, self._rounding, results=True):
            moved = self._oracle()
        decisions.read(list(moved))
        if not decisions.made:
            if not decisions.branches:
                self._learn_none()
            return None
        with Decisions(decisions) as followed:
            answer = self._oracle()
        if followed.count != decisions.count:
            raise TaskFailure("raised", "a run that decides alike takes another course")
        return answer, moved


class DecidedTie(NearTie):
    """As NearTie, in lower precision."""

    outlying, share_max = OUTLYING, SHARE_MAX

    def __init__(self, got, expected, is_own=False):
        super().__init__(got, expected, is_own)
        self._values = expected.matching(got)[self._places].double()
        self._same = torch.zeros_like(self._right)
        self._low = self._high = self._between(expected.want)
        self._squares, self._runs = torch.zeros_like(self._values), 0

    def failed(self):
        """Is it a wrong program's? Of a right one's places chance leaves few open."""
        return 2 * int(self._right.sum()) < self._right.numel()

    def see(self, leaf, moved):
        """An answer, and what came of it with other roundings. Right is what lies between answers,
        or as near to that as other roundings move it, or as what hangs on no choice."""
        one, moved = map(self._expected.flat, (leaf, moved))
        self._same |= self._values == one[self._places]
        self._squares += (moved - one)[self._places].double().square_().nan_to_num_(0.0, 0.0, 0.0)
        self._runs += 1
        numbers = self._between(one)
        self._low, self._high = self._low.fmin(numbers), self._high.fmax(numbers)
        off = torch.maximum(self._low - self._values, self._values - self._high)
        limit = MOVED * (self._squares / self._runs).sqrt_()
        self._right = self._same | (off <= limit.clamp_(min=self._reach * self._expected.spread))

    def _between(self, flat):
        """In the places, what other numbers may lie next to; NaN for none. Whole numbers and
        infinities are right or wrong."""
        numbers = flat[self._places].double()
        found = torch.isfinite(numbers) if self._expected.is_float else False
        return numbers.masked_fill(~torch.as_tensor(found, device=numbers.device), torch.nan)


class DecidedTies(NearTies):
    """As NearTies. Far errors are looked at where the reference has such, too: rms may tell."""

    kind, own_runs, in_a_row, turns = DecidedTie, RUNS_MAX, True, False

    def may_settle(self, errors, expected):
        return leaps(errors, expected, MULTIPLE) or any(
            error["max"] > OUTLYING * one.own_median for error, one in zip(errors, expected))

    def settle_behind(self, expected, behind, nearby):
        """Nobody looks: outputs of whole numbers are decided as the oracle's are."""
        return [None] * len(expected)
