"""Near ties in lower precision than float32's, which a policy allows, or the model itself has.

There numbers move by so much that no run with other roundings gives what a right program gives. It
shows how decisions may fall, and no more. So the oracle is run once more, and decides as such a run
did. What it gives then is as exact as the oracle, and differs from it by what was decided alone.

What is near to such an answer is right. How near, the first runs tell as well: by how much numbers
move there that are computed alike.
"""

import torch

from cupel.decisions import Decisions
from cupel.failures import TaskFailure
from cupel.near_ties import RUNS_MAX, NearTie, NearTies, leaps
from cupel.roundings import OtherRoundings

MULTIPLE = 4              # of what the reference is off by: the judge's k for lower precision
OUTLYING = 16             # times its median error: what is further off may hang on a choice
SHARE_MAX = 1 / 4         # of its elements: of small inputs many scores are alike
# Of the arithmetic's units, that each operand and each result is off by at most. A right program is
# off by one in each. Decisions that fall otherwise by that are to do so in one run of a few.
UNITS = 4
MOVED = 2                 # times as far as it moves in such runs, rms, anything may be off


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
