"""What an output must be: one leaf of the oracle, its spread, the groups that it falls into, what
the reference itself is off by on it, and where it may be odd. compare.py compares outputs with it.

`spread` is the standard deviation of those of the oracle's values that the output's type can hold;
where that is nothing (one element, or a constant up to float64 rounding) their root mean square;
where that is zero too, 1.
"""

import collections
import copy
import math
import statistics

import torch

from cupel.behind import Stepped
from cupel.groups import (FEW_ELEMENTS, SINGLE_MAX, Grain, Precedents, elements_of,
                          slices_of)
from cupel.output_errors import output_error
from cupel.protocol import is_floating
from cupel.slices import SliceSums, chunk_of, in_chunks, sliced_shape, stretches

# Of the value itself: rounding of the output. 8 of a bfloat16 are 6 %, more than what weights of
# eight bits are off by. In low precision the numbers on both sides of the right one are right.
ULPS_FORGIVEN, ULPS_FORGIVEN_LOW = 8, 1
HANGS_SHARE = 1e-9         # spreads: outputs that differ by less do not hang on an input
LARGEST_UNITS = 32          # so near its largest number, a type may overflow or not
FLOAT64_UNIT = 2.0 ** -45     # of a float64 output: 2^-40, docs/equality.md, at the least k
# Such a number may be 2^24 times one that is below float32's least and was flushed to zero: x times
# a tanh of next to nothing.
FLOAT32_TINY = 2.0 ** -126 * 2.0 ** 24
POLICY_GRAINS = {"half": (2.0 ** -8, 2.0 ** -14), "tf32": (2.0 ** -11, FLOAT32_TINY)}
_NOTHING = 1e-12            # a spread below this share of the rms is rounding


class LeafPrecedents(collections.defaultdict):
    """Of one output leaf, class and instance: Precedents by the way of cutting. `errors`: what the
    reference was off by, rms, in the output's own unit; one an input."""

    def __init__(self):
        super().__init__(Precedents)
        self.errors = []

    def copied(self):
        """These so far, to which others may be added."""
        made = LeafPrecedents()
        made.update(copy.deepcopy(dict(self)))
        made.errors = list(self.errors)
        return made


def grain_of(dtype, policy="eager", exact_oracle=True):
    """The Grain of an output: of its own dtype, or of the arithmetic that the policy allows."""
    own, single = torch.finfo(dtype), torch.finfo(torch.float32)
    if own.eps < single.eps and exact_oracle:
        return Grain(FLOAT64_UNIT, own.tiny)
    unit, tiny = POLICY_GRAINS.get(policy, (single.eps, FLOAT32_TINY))
    return Grain(max(_unit_of(own), unit), max(own.tiny, tiny))


def coarse_unit(policy, dtypes):
    """One unit of the arithmetic, where that is coarser than float32's: the policy's, or that of
    the reference's own numbers, if all of them are of low precision. `dtypes`: theirs; else 0."""
    unit, _ = POLICY_GRAINS.get(policy, (0.0, 0.0))
    if not in_half(dtypes):
        return unit
    return max(unit, *(_unit_of(torch.finfo(dtype)) for dtype in dtypes))


def in_half(dtypes):
    """Are all numbers of a reference of low precision, by their types, whatever the policy?"""
    return bool(dtypes) and all(_is_low(torch.finfo(dtype)) for dtype in dtypes)


def _is_low(limits):
    return limits.eps > torch.finfo(torch.float32).eps


def _unit_of(limits):
    """Of low precision what rounding is off by at the most, as of policies that allow it."""
    return limits.eps / 2 if _is_low(limits) else torch.finfo(torch.float32).eps


def _forgiven(limits):
    """The share of a value that its output may be off by at no cost. `limits`: of its type."""
    return (ULPS_FORGIVEN_LOW if _is_low(limits) else ULPS_FORGIVEN) * limits.eps


class Expected:
    """One output leaf of the oracle. `dtype`: the output's own (TensorSpec); `grain`: of the
    arithmetic that it may be computed in (None: of its dtype); `behind`: what an output of integers
    or booleans hangs on (behind.py), None where that is not known."""

    def __init__(self, leaf, dtype, grain=None, behind=None):
        self.is_float = is_floating(dtype)
        self.want = flatten_leaf(leaf.detach(), torch.float64 if self.is_float else None)
        self.bytes = self.want.numel() * self.want.element_size()
        self.finite = self._held = True  # `_held`: the output's own type holds all
        self.spread, self.mean = 0.0, 0.0
        self.own_rms = self.own_max = self.own_median = 0.0
        self._kept = self._clean = self._decided = self._free = self._learn = None
        self._own = self._own_report = self._precedents = None
        self.odd = []  # (places, values): where the reference is NaN or infinite, or the oracle is
        self.shape = sliced_shape(leaf)
        self.cells = []
        self.behind = None  # Expected of the values that integers and booleans hang on
        self._watched, self._own_watched, self.own_answers = behind, None, None
        if self.is_float:
            limits = torch.finfo(dtype)
            self.eps, self.largest, self.forgiven = limits.eps, limits.max, _forgiven(limits)
            self._measure()
            self._cut(grain or grain_of(dtype))
        elif behind is not None and self.want.numel():
            self.behind = Expected(behind.wanted(self.want), torch.float32, grain)

    def settle(self, rms, largest, squares, precedents, raw):
        """What the reference itself is off by, as Comparer.own_error finds it. `raw`: rms, nothing
        taken off, in the output's own unit."""
        self.own_rms, self.own_max = rms, largest
        self._precedents = precedents
        precedents.errors.append(raw)
        for cells, sums in zip(self.cells, squares):
            cells.settle(sums, precedents[cells.name])

    def matching(self, got):
        """An output flat, in its own dtype; ValueError where it has not as many elements."""
        got = flatten_leaf(got, None)
        if got.numel() != self.want.numel():
            raise ValueError(f"{got.numel()} elements, expected {self.want.numel()}")
        return got

    def flat(self, leaf):
        """A leaf of the oracle's as `want` is."""
        return flatten_leaf(leaf, self.want.dtype)

    def with_values(self, got, places, values):
        """A copy of an output with others in some places of its numbers."""
        flat = self.matching(got).clone()
        flat[places] = values.to(flat.dtype)
        return _unflatten(flat, got)

    def keep_own(self, got, report):
        """`report`: OutputError of `got`, a flat output of the reference itself."""
        if self.finite and not self.odd and self._free is None:
            self._own, self._own_report = got.clone(), report
            self.bytes += got.numel() * got.element_size()

    def may_leap(self, is_own):
        """Whether near ties are looked for in a leaf, or in the reference's own. Not among integers
        and booleans that hang on known values otherwise than by a step: those are compared."""
        steps = not self.knows_behind() or isinstance(self._watched, Stepped)
        return self.want.numel() > 0 and (self.is_float or (steps and not is_own))

    def steps(self, own):
        """Do whole numbers hang on a step, here and in `own`, of the reference's own arithmetic?"""
        return self.behind is not None and all(
            isinstance(one, Stepped) and one.count() == self.want.numel()
            for one in (self._watched, own))

    def leaping(self, got, far):
        """Which elements of a flat output are more than `far` spreads off (not NaN), and more than
        their own last places; of whole numbers, which are others, where that is not decided."""
        if self.is_float:
            return self._leaps(got, far * self.spread)
        others = got != self.want
        return others & ~self.broken(got) if self.knows_behind() else others

    def _leaps(self, got, far):
        leaps = torch.cat([(one - want).abs_() > far  # in float64, as one is
                           for one, want in in_chunks(got, self.want)])
        if bool(leaps.any()):
            for parts in in_chunks(leaps, got, self.want):
                self._drop_last_places(*parts, far)
        return leaps

    def _drop_last_places(self, leaps, got, want, far):
        off, ulps = (got[leaps] - want[leaps]).abs_(), self.forgiven * want[leaps].abs()
        leaps[leaps.clone()] = off > far + ulps.masked_fill_(ulps.isinf(), 0.0)

    def settle_own(self, got):
        """`got`: the reference's own output, of which own_error() has seen one with near ties
        settled."""
        if self._own is not None:
            self._own = None  # its memory is needed
            self._own = self.matching(got).clone()

    def report_of_own(self, got):
        """OutputError of a flat output that equals the reference's own; else None."""
        own = self._own
        if own is None or got.dtype != own.dtype or not torch.equal(got, own):
            return None
        return dict(self._own_report)

    def own_squares(self, name):
        """Mean squares of the reference's own errors, a number a cell of the way of this name; None
        where its output is not kept."""
        if self._own is None:
            return None
        if name == self.cells[0].name:
            return (self._own - self.want).square_()
        sums = SliceSums(self.shape, self.want)
        for start, stop in stretches(self.shape, self.want):
            sums.add(start, (self._own[start:stop] - self.want[start:stop]).square_())
        squares, = (values for way, values in sums.named() if way == name)
        return squares.reshape(-1) / (self.want.numel() // squares.numel())

    def own_error(self):
        """OutputError with what the reference itself is off by."""
        one = self.behind or self
        return output_error(rms=one.least_own(one.own_rms), max=one.least_own(one.own_max))

    def is_of_few(self):
        """So few elements that the reference may be right in them by luck."""
        return self.want.numel() < FEW_ELEMENTS

    def least_own(self, own):
        """`own`, or of few elements the rms that the reference is off by on inputs of the class if
        that is more: in spreads of this one, and in the median, since some inputs may be much
        larger."""
        if not self.is_of_few() or self._precedents is None:
            return own
        return max(own, statistics.median(self._precedents.errors) / self.spread)

    def know_odd(self, got):
        """Learns where `got`, an output of the reference itself, is NaN or infinite and the oracle
        is not, or the other way round: its own type has overflowed. Returns how many places."""
        got = self.matching(got)
        if self.finite and math.isfinite(float(got.sum())):  # then each element is
            return 0
        start, found = 0, []
        for part, want in in_chunks(got, self.want):
            found.append((~agree(part, want)).nonzero().view(-1) + start)
            start += part.numel()
        places = torch.cat(found)
        if places.numel():
            self.odd.append((places, got[places].double()))
        return places.numel()

    def round_by_the_largest(self):
        """For inputs that hold outliers: see groups.py."""
        for cells in self.cells:
            cells.round_by(self.spread)

    def must_not_swallow(self, learn, decided):
        """For inputs that hold NaN or infinities: wrong is to swallow them, and to spread them to
        samples (slices along the first dimension) in which nothing hangs on them. `learn()` has
        learn_what_hangs() called, and is called where a program differs in what is finite.
        `decided`: what no formula can make otherwise (swallowing.py)."""
        if self.is_float and self.want.numel():
            self._learn, self._decided = learn, _numbers(decided, self.want)

    def leave_odd_alone(self):
        """What is NaN or infinite for the oracle may be anything from now on."""
        if not self.finite:
            odd = ~torch.isfinite(self.want)
            self._free = odd if self._free is None else self._free | odd

    def know_what_hangs(self):
        """What must_not_swallow() needs is found out now, if it is not known."""
        if self._learn is not None:
            self._learn()

    def learn_what_hangs(self, samples, hangs, is_nan, both_nan, nans_differ, nan_alone, all_nan):
        """From outputs on other inputs, of a leaf of so many samples; flat, a truth a number.
        `hangs`: two with finite numbers in the place of NaN and infinities differ; what does not
        hangs on neither. `both_nan`, `nans_differ`: two with numbers in the place of NaN alone;
        where they are equal, a NaN is of what the reference multiplies by zero, and another formula
        may leave it out. Where both are NaN, the infinities hide that, and make a NaN of their own,
        which another formula need not make; one counts where it is there with numbers in place of
        the infinities (`nan_alone`), and hangs on something. Of what hangs on a choice the second
        of a pair has other numbers as well. `all_nan`: it is one with NaN in place of the
        infinities, and not (`is_nan`) with numbers there; a sample that has one then hangs on them,
        although a function of it may be flat between the first two, as a sigmoid of large numbers
        is."""
        self._learn = None
        if not self.is_float or not self.want.numel():
            return
        touched = hangs | (all_nan & ~is_nan)
        untouched = ~touched.view(samples, -1).any(dim=1, keepdim=True)
        self._clean = untouched.expand(samples, hangs.numel() // samples).reshape(-1)
        of_nan = torch.where(both_nan, hangs & nan_alone, nans_differ)
        self._kept = hangs & self.want.isinf() | of_nan & self.want.isnan()

    def nan_in(self, leaf):
        """Which numbers of a leaf of the oracle's are NaN, flat."""
        return flatten_leaf(leaf.detach(), torch.float64).isnan()

    def differ(self, one, two):
        """Which numbers of two leaves of the oracle's do, flat. Infinities count as different: the
        number behind them is not seen."""
        one, two = (flatten_leaf(leaf.detach(), torch.float64) for leaf in (one, two))
        return torch.cat([~((a - b).abs_() <= HANGS_SHARE * self.spread)
                          for a, b in in_chunks(one, two)])

    def doubtful(self, spoils, spoiled):
        """swallowing.Spoils.doubtful(), of its leaf."""
        return spoils.doubtful(spoiled, _unflatten(self.want, spoiled))

    def leave_alone(self, one, two, places):
        """What hangs on a place or a truth among infinities may be anything (`places` of
        swallowing.Spoils), in samples in which something hangs on the odd inputs, or is not as with
        numbers in their place (`one`, `two`: outputs with those)."""
        if places is None or not places.numel():
            return
        want = _unflatten(self.want, one)
        hangs = (one != two) | ~((one == want) | (one.isnan() & want.isnan()))
        samples = hangs.shape[0] if hangs.dim() else 1
        places = places.reshape(samples, -1) & hangs.reshape(samples, -1).any(1, keepdim=True)
        self._free = _numbers(places, self.want) if bool(places.any()) else None

    def comparable(self):
        """The share of elements that are finite, for the oracle and for the reference."""
        if not self.is_float or not self.want.numel():
            return 1.0
        odd = sum(len(places) for places, _ in self.odd)
        finite = sum(int(torch.isfinite(part).sum()) for part, in in_chunks(self.want))
        return (finite - odd) / self.want.numel()

    def where_it_counts(self, got):
        """The output, as it must be where it may be anything."""
        return got if self._free is None else torch.where(self._free, self.want.to(got.dtype), got)

    def excuse(self, places, got):
        """Which of some places in `got` (both one for one) may be as they are: as the reference
        is, or beyond the largest number of their type by no more than rounding."""
        want, limit = self.want[places], self.largest * (1 - LARGEST_UNITS * self.eps)
        excused = got.isinf() & (got.sign() == want.sign()) & (want.abs() > limit)
        for theirs, values in self.odd:
            at = torch.searchsorted(theirs, places).clamp(max=len(theirs) - 1)
            alike = agree(got, values[at]) | (torch.isfinite(got) & torch.isfinite(values[at]))
            excused |= (theirs[at] == places) & alike
        if not bool(excused.all()):
            self.know_what_hangs()
        if self._kept is not None:
            free = torch.where(torch.isfinite(want), ~self._clean[places],
                               ~torch.isfinite(got) | ~self._kept[places])
            excused |= free & ~self._decided[places]
        return excused

    def settle_answers(self, got, behind):
        """The reference's own integers or booleans, and what it saw behind them."""
        self.own_answers, self._own_watched = got, behind
        if behind is None or self._watched is None:
            self.behind = None

    def knows_behind(self):
        """Of integers and booleans: can the values behind them be compared?"""
        return self.behind is not None and self._own_watched is not None

    def given(self, got):
        """The values behind a program's outputs."""
        return self._watched.given(got, self.want)

    def broken(self, got):
        """Which of the outputs are wrong whatever the values behind them."""
        if not self.knows_behind():
            return (got != self.want) & (got != self.own_answers) \
                if self.own_answers is not None else got != self.want
        return self._watched.broken(got, self.want, self._own_watched)

    def hopeless(self):
        """Names of the groups in which the reference itself is off by as much as there is."""
        return [name for cells in self.cells for name in cells.hopeless()]

    def _measure(self):
        if self.want.numel():
            ends = [float(end) for end in self.want.aminmax()]  # both are NaN where one is
            self.finite = all(map(math.isfinite, ends))
            self._held = all(abs(end) <= self.largest for end in ends)
        self.mean, self.spread = _mean_and_spread(self._held_parts)

    def _held_parts(self):
        for part, in in_chunks(self.want):
            yield part if self._held else part[self._holds(part)]

    def _holds(self, part):
        """Which numbers the output's own type has; NaN is none."""
        return part.abs() <= self.largest

    def _cut(self, grain):
        """Into elements, rows and slices. A single element has no size but its own; of a few, in
        low precision, one that happens to be next to zero may be off by several times its size."""
        fewest = FEW_ELEMENTS if grain.single == SINGLE_MAX else 2
        if self.want.numel() < fewest:
            return
        chunk = chunk_of(self.want.device)
        columns = self.shape[-1] if self.shape else 0
        self.cells = [elements_of(self.want, chunk, grain, columns)]
        self.bytes += 2 * self.want.numel()
        if not self.shape:
            return
        powers = (SliceSums(self.shape, self.want), SliceSums(self.shape, self.want))
        for start, stop in stretches(self.shape, self.want):
            squares = self.want[start:stop].square()
            if not self._held:
                squares[~self._holds(self.want[start:stop])] = 0.0
            for sums, values in zip(powers, (squares, squares.square())):
                sums.add(start, values)
        for (name, squares), (_, fourths) in zip(*(sums.named() for sums in powers)):
            of_each = self.want.numel() // squares.numel()
            self.cells.append(slices_of(name, of_each, squares, fourths, grain))


def _mean_and_spread(parts):
    """`parts()`: the values in chunks. Two passes: stable, and several times faster than
    torch.std_mean."""
    count = total = squares = 0
    for part in parts():
        count, total = count + part.numel(), total + part.sum()
    if not count:
        return 0.0, 1.0
    mean = float(total) / count
    for part in parts():
        centred = part - mean
        squares += centred.dot(centred)
    std = math.sqrt(float(squares) / count)
    rms = math.hypot(std, mean)
    if std > _NOTHING * rms and math.isfinite(std):
        return mean, std
    return mean, rms if 0.0 < rms < math.inf else 1.0


def _unflatten(flat, like):
    """What flatten_leaf made flat, in the form of `like`."""
    if like.is_complex():
        return torch.view_as_complex(flat.view(*like.shape, 2))
    return flat.view(like.shape)


def _numbers(places, flat):
    """Places of a leaf as those of its numbers, which `flat` has in one dimension: a complex one is
    two."""
    return places.reshape(-1).repeat_interleave(flat.numel() // places.numel())


def flatten_leaf(leaf, dtype):
    """Dense and row-major in one dimension; complex as pairs of reals."""
    leaf = leaf.resolve_conj().resolve_neg() if leaf.is_complex() else leaf
    if leaf.is_complex():
        leaf = torch.view_as_real(leaf.contiguous())
    if leaf.dtype == torch.bool:  # a host may have written any byte
        leaf = leaf.contiguous().view(torch.uint8)
    return leaf.contiguous().view(-1).to(dtype or leaf.dtype)


def agree(got, want):
    """Where both are finite, or NaN, or the same infinity."""
    got = got.double()
    return (torch.isfinite(got) & torch.isfinite(want)) | (got == want) \
        | (got.isnan() & want.isnan())
