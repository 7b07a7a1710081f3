"""Answers that hang on rounding. A reference that chooses (the nearest row, the best experts, a
step of a quantizer) leaps where two choices are near equals. There two right programs may differ by
whole spreads in a few places, and no multiple of the reference's own error tells it.

So a few places that are far off are right if the reference itself gives what stands there, on
the given inputs or on such as differ from them by rounding: the answer has a small backward error
(Higham, *Accuracy and Stability of Numerical Algorithms*, chapter 1). See docs/equality.md.
"""

import torch

from cupel.failures import TaskFailure

LEAP = 0.001              # spreads: what is less far off hangs on no choice
NEAR = 0.0001             # spreads: so near to one of the reference's answers is that answer
SHARE_MAX = 1 / 8         # of a leaf's elements; where more leap, the program is another one
ROUNDING = 32 * 2.0 ** -23   # relative, of each input: k units of float32
RUNS_MAX = 24             # a near tie falls to either side in about one of two, and they are many
OWN_RUNS = 6              # of the reference's own places: if none is right by then, what is far off
                          # came out of a cancellation
FAILURES_MAX = 2          # of one comparison: wrong programs are not to cost much


class NearTie:
    """The places of one output leaf that are far off, and which of them are right after all.
    `is_own`: it is the reference's own, on the given inputs; then what is wanted there must be
    among its answers."""

    def __init__(self, got, expected, is_own=False):
        self._got, self._expected = got, expected
        flat = expected.matching(got)
        self._places = expected.leaping(flat, LEAP).nonzero().view(-1)
        self._values = (expected.want if is_own else flat)[self._places].double()
        self._right = torch.zeros_like(self._places, dtype=torch.bool)

    def may_be(self):
        """Few places, and some."""
        return 0 < self._places.numel() <= SHARE_MAX * self._expected.want.numel()

    def open(self):
        return not bool(self._right.all())

    def found(self):
        """Is some place right?"""
        return bool(self._right.any())

    def see(self, leaf, behind):
        """An answer of the reference's, on the given inputs or next to them; `behind`: what it
        hangs on (behind.py), None where that is not known. Of numbers that lie between two whole
        ones either is as near."""
        answer = self._expected.flat(leaf)
        one = answer[self._places].double()
        self._right |= (self._values == one) | \
            ((self._values - one).abs() <= NEAR * self._expected.spread)
        if behind is not None and self._expected.behind is not None:
            off = behind.given(self._expected.matching(self._got), answer) - behind.wanted(answer)
            self._right |= off[self._places].abs() <= NEAR * self._expected.behind.spread

    def settled(self):
        """The output, with what is wanted in the places that are right."""
        return self._expected.as_wanted(self._got, self._places[self._right])


class NearTies:
    """Looks for near ties where outputs leap, until too many were none."""

    def __init__(self):
        self._failures_left = FAILURES_MAX

    def settle(self, leaves, expected, nearby, is_own=False):
        """Output leaves, with what is wanted in the places that are right by a near tie.
        `nearby`: gives the reference's leaves and what these hang on, first on the inputs, then on
        others next to them.
        `is_own`: `leaves` are the reference's own."""
        ties = [NearTie(got, one, is_own) if one.may_leap(is_own) else None
                for got, one in zip(leaves, expected)]
        ties = [tie if tie and tie.may_be() else None for tie in ties]
        looked_at = [tie for tie in ties if tie]
        for run in range(RUNS_MAX if self._failures_left else 0):
            hopeless = is_own and run >= OWN_RUNS and not any(tie.found() for tie in looked_at)
            if hopeless or not any(tie.open() for tie in looked_at):
                break
            try:
                answers, behind = nearby()
            except TaskFailure:  # inputs next to a limit of what the reference takes
                break
            for tie, *answer in zip(ties, answers, behind):
                if tie:
                    tie.see(*answer)
        if any(tie.open() and not (is_own and tie.found()) for tie in looked_at):
            self._failures_left = max(0, self._failures_left - 1)
        return [tie.settled() if tie else leaf for leaf, tie in zip(leaves, ties)]


def leaps(errors):
    """Is some leaf far off, by its OutputError? It may be infinite in the wrong place."""
    return any(error["max"] > LEAP or error["nonfinite"] > 0 for error in errors)


class Nearby:
    """A call gives the leaves of `run(tensors)`: first of copies of `tensors`, then of such in
    which each floating element is off by up to ROUNDING of itself. `seed`: of 64 bits."""

    def __init__(self, run, tensors, seed):
        self._run, self._tensors = run, tensors
        self._generator = torch.Generator().manual_seed(seed)
        self._rounding = 0.0

    def __call__(self):
        moved = [self._moved(tensor) for tensor in self._tensors]
        self._rounding = ROUNDING
        return self._run(moved)

    def _moved(self, tensor):
        if not tensor.dtype.is_floating_point or not self._rounding:
            return tensor.clone()
        by = torch.rand(tensor.shape, dtype=torch.float64, generator=self._generator)
        by = by.mul_(2).sub_(1).mul_(self._rounding).add_(1).to(tensor.device)
        return by.mul_(tensor).to(tensor.dtype)
