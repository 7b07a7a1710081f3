"""Answers that hang on rounding. A reference that chooses (the nearest row, the best experts, a
step of a quantizer) leaps where two choices are near equals. There two right programs may differ by
whole spreads in a few places, and no multiple of the reference's own error tells it.

So a few places that are far off are right if the reference itself gives what stands there, as it
is or with other roundings (roundings.py): the answer has a small backward error (Higham, *Accuracy
and Stability of Numerical Algorithms*, chapter 1). See docs/equality.md. In lower precision than
float32's: decided_ties.py.
"""

import contextlib
import time

import torch

from cupel.decisions import Decisions
from cupel.failures import TaskFailure
from cupel.roundings import OtherRoundings
from cupel.turned_roundings import NearMiddles, Turned, nearest_sum, told_apart

LEAP = 2.0 ** -17         # spreads: half of what is allowed to any program under `eager`
MULTIPLE = 12             # of what the reference is off by: the judge's least k for float32
OUTLYING = 64             # times its median error: what it is off by itself is no rounding then
NEAR = 8                  # times that, or LEAP: so near to one of its answers is that answer
SAMPLE = 4096             # elements that a median is of
SHARE_MAX = 1 / 8         # of a leaf's elements: where more leap, only turned roundings tell
LOOKED_AT = 1 << 16       # of the numbers of a leaf, by which turned roundings are told apart
# By turns, relative, of each operand and of each result: what another order of a sum makes, and k
# units of float32, for what another formula loses. Noise on the operands of a long sum evens out,
# its own rounding does not. An answer that moves with the operands is near under the first.
ROUNDINGS = (4 * 2.0 ** -23, 32 * 2.0 ** -23)
RUNS_MAX = 24             # a near tie falls to either side in about one of two, and they are many
OWN_RUNS = 6              # of the reference's own places: if more than FEW are right by then, but
OWN_SHARE = 0.5           # less than this of them, and of their squared error, what is far off
FEW = 16                  # came of a cancellation, or of several near ties at once
SECONDS_MAX = 60          # for runs with turned roundings: the referee has to answer
FAILURES_MAX = 2          # of one comparison: wrong programs are not to cost much


class NearTie:
    """The places of one output leaf that are far off, and which of them are right after all.
    `is_own`: it is the reference's own, on the given inputs; then what is wanted there must be
    among its answers."""

    outlying, share_max = OUTLYING, SHARE_MAX

    def __init__(self, got, expected, is_own=False):
        self._got, self._expected, self._is_own = got, expected, is_own
        flat = expected.matching(got)
        if is_own and expected.is_float:
            expected.own_median = _median_error(flat, expected)
        self._near = max(LEAP, NEAR * expected.own_median)
        self._reach = max(LEAP, self.outlying * expected.own_median)
        self._places = expected.leaping(flat, self._reach).nonzero().view(-1)
        self._values = (expected.want if is_own else flat)[self._places].double()
        self._right = torch.zeros_like(self._places, dtype=torch.bool)
        self._whole = None  # places and values, where many leap

    def leaps(self):
        """Is there any such place?"""
        return self._places.numel() > 0

    def is_wide(self):
        """Do so many leap that most programs of which they do are other ones?"""
        return self._places.numel() > self.share_max * self._expected.want.numel()

    def near(self):
        """So near to an answer is that answer, spreads."""
        return self._near

    def open(self):
        return not bool(self._right.all())

    def found(self):
        """Is some place right?"""
        return bool(self._right.any())

    def is_hopeless(self):
        """Are more places right than chance makes, and yet too few? Then more runs are of no use,
        while several near ties at once may be turned. While none is right, all of them may hang
        on one step that has not leapt yet."""
        return int(self._right.sum()) > FEW and not self.explains()

    def explains(self):
        """Is half of what is far off right, in number or in squares? Of a few, is any?"""
        if self._places.numel() <= FEW or not self.found():
            return self.found()
        right = self._right.double()
        got, want = (leaf[self._places].double() for leaf in (
            self._expected.matching(self._got), self._expected.want))
        squares = (got - want).square()
        return bool(right.mean() >= OWN_SHARE) or \
            bool(squares.dot(right) >= OWN_SHARE * squares.sum())

    def failed(self):
        """Was it not worth the look?"""
        return self.open() and not (self._is_own and self.explains())

    def see(self, leaf, behind):
        """An answer of the reference's; `behind`: what it hangs on (behind.py), None where that is
        not known. Of numbers that lie between two whole ones either is as near."""
        answer = self._expected.flat(leaf)
        one = answer[self._places].double()
        self._right |= (self._values == one) | \
            ((self._values - one).abs() <= self._near * self._expected.spread)
        if behind is not None and self._expected.behind is not None:
            off = behind.given(self._expected.matching(self._got), answer) - behind.wanted(answer)
            self._right |= off[self._places].abs() <= LEAP * self._expected.behind.spread

    def see_whole(self, leaf):
        """An answer with turned roundings, of which most places are right. Where that is what is
        wanted of the reference, or what a program gives, errors are those from it; smaller ones,
        which the turns made, too. Of whole numbers none is settled so."""
        expected = self._expected
        if not expected.is_float or float(self._right.double().mean()) < OWN_SHARE:
            return
        answer = expected.flat(leaf).double()
        got = expected.matching(self._got).double()
        target = expected.want if self._is_own else got
        off = (target - answer).masked_fill_(target == answer, 0.0)  # infinities
        places = (off.abs() <= self._near * expected.spread).nonzero().view(-1)
        values = answer if self._is_own else expected.want + off
        self._whole = places, values[places]

    def settled(self):
        """The output, with what is wanted in the places that are right."""
        if self._whole:
            return self._expected.with_values(self._got, *self._whole)
        if self.is_wide():
            return self._got
        places = self._places[self._right]
        return self._expected.with_values(self._got, places, self._expected.want[places])


def _numbers(leaves, expected):
    """Some of the numbers of leaves, in spreads, as a vector; of whole ones none."""
    found = [torch.zeros(0, dtype=torch.float64, device=expected[0].want.device)]
    for leaf, one in zip(leaves, expected):
        if one.is_float:
            flat = one.flat(leaf)[::max(1, one.want.numel() // LOOKED_AT)].double()
            found.append((flat / one.spread).nan_to_num(0.0, 0.0, 0.0))
    return torch.cat(found)


def see(ties, answers):
    """`answers`: leaves of one answer, and what belongs to each. Of `ties` some are None."""
    for tie, *answer in zip(ties, *answers):
        if tie:
            tie.see(*answer)


class NearTies:
    """Looks for near ties where outputs leap, until too many were none (`in_a_row`, or of all)."""

    kind, own_runs, in_a_row, turns = NearTie, OWN_RUNS, False, True

    def __init__(self, looks=True):
        self._failures_left = FAILURES_MAX if looks else 0
        self._turns_left = FAILURES_MAX if looks and self.turns else 0
        self._explained = False

    def in_vain(self):
        """Of the reference's own: has it given up, and near ties explained nothing?"""
        return not self._failures_left and not self._explained

    def may_settle(self, errors, expected):
        """Is it worth a look, by OutputErrors?"""
        return leaps(errors, expected)

    def settle(self, leaves, expected, nearby, is_own=False):
        """Output leaves, with what is wanted in the places that are right by a near tie; `leaves`
        itself where none is. `nearby`: a call gives an answer's leaves, and of each what see()
        takes beside it; None where nothing is decided. It may have several() (Nearby). `is_own`:
        `leaves` are the reference's own."""
        ties = [self._tie(got, one, is_own) for got, one in zip(leaves, expected)]
        looked_at = [tie for tie in ties if tie]
        try:
            if self._look(ties, nearby, is_own) and any(tie.open() for tie in looked_at):
                self._look_at_several(leaves, expected, ties, nearby, is_own)
        except (TaskFailure, torch.OutOfMemoryError, torch.linalg.LinAlgError):
            pass  # next to a limit of what the reference takes
        self._count(looked_at)
        self._explained |= is_own and any(tie.explains() for tie in looked_at)
        if not any(tie.found() for tie in looked_at):
            return leaves
        return [tie.settled() if tie else leaf for leaf, tie in zip(leaves, ties)]

    def _tie(self, got, expected, is_own):
        """None where nobody is to look."""
        if not expected.may_leap(is_own):
            return None
        tie = self.kind(got, expected, is_own)
        left = self._turns_left if tie.is_wide() else self._failures_left
        return tie if left and tie.leaps() else None

    def _look(self, ties, nearby, is_own):
        """At runs of the reference while few places are open. Is it worth a look at several near
        ties at once?"""
        local = [tie if tie and not tie.is_wide() else None for tie in ties]
        some = [tie for tie in local if tie]
        for run in range(RUNS_MAX):
            if not any(tie.open() for tie in some):
                break
            if is_own and run >= self.own_runs and all(tie.is_hopeless() for tie in some):
                break
            answers = nearby()
            if answers is None:
                self._failures_left = 0
                return False
            see(local, answers)
        return self._turns_left and hasattr(nearby, "several")

    def _look_at_several(self, leaves, expected, ties, nearby, is_own):
        """Of several near ties no run may have met just those that are turned here. A program of
        which that is no answer is refused, so that nobody looks at it again."""
        self._turns_left = self._turns_left - 1 if is_own else 0
        wanted = [one.want if is_own and one.is_float else leaf
                  for leaf, one in zip(leaves, expected)]
        near = max(tie.near() for tie in ties if tie)
        answers = nearby.several(lambda some: _numbers(some, expected), wanted, near)
        if answers is None:
            return
        see(ties, answers)
        for tie, leaf in zip(ties, answers[0]):
            if tie and tie.is_wide():
                tie.see_whole(leaf)
        if not any(tie and tie.failed() for tie in ties):
            self._turns_left = FAILURES_MAX

    def _count(self, looked_at):
        """The looks that were in vain."""
        failed = [tie for tie in looked_at if tie.failed()]
        if any(not tie.is_wide() for tie in failed):
            self._failures_left = max(0, self._failures_left - 1)
        elif not failed and looked_at and self.in_a_row and self._failures_left:
            self._failures_left = FAILURES_MAX

    def settle_behind(self, expected, behind, nearby):
        """What the reference's own whole numbers hang on, a leaf each (flat; None where they do on
        no step): a number that is added to them may have been rounded on the way as well, as the
        zero point of a quantizer is. `nearby`: as of settle(), with what lies behind."""
        stepped = [leaf for leaf, one in enumerate(expected) if one.steps(behind[leaf])]

        def answers():
            answer = nearby()
            if answer is None:
                return None
            theirs = answer[1]
            if not all(expected[leaf].steps(theirs[leaf]) for leaf in stepped):
                raise TaskFailure("raised", "a run with other roundings takes another branch")
            return [theirs[leaf].wanted(None) for leaf in stepped], [None] * len(stepped)

        values = self.settle([behind[leaf].wanted(None) for leaf in stepped],
                             [expected[leaf].behind for leaf in stepped], answers, is_own=True)
        found = dict(zip(stepped, values))
        return [found.get(leaf) for leaf in range(len(expected))]


class OwnTies:
    """Of the reference's own, NearTies by (instance, value class), which `make(looks)` gives. On
    the classes of `none` nobody looks: a lint, of this process or another, did so in vain."""

    def __init__(self, make):
        self._make, self._of, self.none = make, {}, frozenset()

    def of(self, instance, value_class):
        key = (instance, value_class)
        if key not in self._of:
            self._of[key] = self._make(value_class not in self.none)
        return self._of[key]

    def looked_in_vain(self, classes):
        """On which of the classes, with the weights of a lint?"""
        return [name for name in classes if self.of(0, name).in_vain()]


def _median_error(own, expected):
    """In spreads, of a sample of a flat output of the reference's."""
    step = max(1, own.numel() // SAMPLE)
    off = (own[::step].double() - expected.want[::step]).abs()
    off = off[torch.isfinite(off)]
    return float(off.median()) / expected.spread if off.numel() else 0.0


def leaps(errors, expected, multiple=MULTIPLE):
    """May some leaf be refused, by its OutputError? It may be infinite in the wrong place."""
    return any(error["nonfinite"] > 0 or error["mismatched"] > 0 or error["group"] > multiple
               or error["max"] > max(LEAP, multiple * one.own_max)
               for error, one in zip(errors, expected))


class Nearby:
    """A call gives what `run(tensors)` does (the reference's leaves, and what these hang on) on
    copies of `tensors`: first as it is, unless that `is_known`, then with other roundings. `seed`:
    of 64 bits. None where nothing is decided and nothing else may leap, of which learn_none() is
    told: what is continuous has no near ties."""

    def __init__(self, run, tensors, seed, is_known=False, learn_none=lambda: None):
        self._run, self._tensors, self._seed = run, tensors, seed
        self._runs = 1 if is_known else 0
        self._learn_none, self._may_leap = learn_none, False

    def __call__(self):
        self._runs += 1
        with contextlib.nullcontext() if self._runs == 1 else self._other_roundings():
            answer = self._once() if self._may_leap else self._watched()
        return answer if self._may_leap else None

    def _watched(self):
        with Decisions() as decisions:
            answer = self._once()
        decisions.read(list(answer[0]))
        self._may_leap = bool(decisions.made) or decisions.branches or decisions.leaps
        if not self._may_leap:
            self._learn_none()
        return answer

    def several(self, numbers, wanted, near):
        """The answer with those near ties turned, or none, that come nearest to numbers(wanted);
        None where there are none, or too many to tell apart. `numbers(leaves)`: a vector, of an
        answer's leaves; `near`: what is too near to tell of one."""
        deadline = time.monotonic() + SECONDS_MAX
        with NearMiddles() as middles:
            answer = self._once()
        start, effects = numbers(answer[0]), []
        turns = middles.turns() if start.numel() else []
        for turn in turns:
            if time.monotonic() > deadline:
                return None
            effects.append(numbers(self._turned([turn])[0]) - start)
        apart = told_apart(torch.stack(effects), near) if turns else []
        if not apart:
            return None
        chosen = nearest_sum(torch.stack([effects[at] for at in apart]), numbers(wanted) - start)
        return self._turned([turns[apart[at]] for at in chosen]) if chosen else answer

    def _turned(self, turns):
        with Turned(turns):
            return self._once()

    def _once(self):
        return self._run([tensor.clone() for tensor in self._tensors])

    def _other_roundings(self):
        seed = (self._seed + self._runs) % 2 ** 64
        return OtherRoundings(seed, ROUNDINGS[self._runs % len(ROUNDINGS)], results=True)
