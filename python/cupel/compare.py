"""Errors of outputs against the oracle (OutputError, docs/equality.md), in chunks that stay in
a CPU's cache: no temporary is larger than a chunk.

rms_i = max(0, |out_i - oracle_i| - 8 eps |oracle_i|) / spread, eps of the output's dtype.
`spread` is the standard deviation of the oracle's finite values; where that is nothing (one
element, or a constant up to float64 rounding) their root mean square; where that is zero too, 1.
The maximum divides by the distance from the mean where that is more than a spread: where one
probability is 1 among thousands of next to nothing, the spread says nothing of how it is rounded.
NaN agrees with NaN and an infinity with the same infinity, only at the same place.

Where parts of an output differ in size, the spread of all hides what happens in the small ones.
So each part is judged by its own size as well: groups.py.
"""

import collections
import math
import operator

import torch

from cupel.groups import (FEW_ELEMENTS, SINGLE_MAX, Grain, Precedents, elements_of,
                          slices_of)
from cupel.output_errors import output_error
from cupel.protocol import is_floating
from cupel.slices import SliceSums, chunk_of, sliced_shape, stretches

ULPS_FORGIVEN = 8
HANGS_SHARE = 1e-9         # spreads: outputs that differ by less do not hang on an input
HIDDEN = 2.0 ** -23         # h of docs/equality.md, spreads
MULTIPLE_NAMED = 1.0       # of what the reference is off by: a group with less needs no name
LARGEST_UNITS = 32          # so near its largest number, a type may overflow or not
FLOAT64_UNIT = 2.0 ** -45     # of a float64 output: 2^-40, docs/equality.md, at the least k
_POLICY_GRAINS = {"half": (2.0 ** -8, 2.0 ** -14), "tf32": (2.0 ** -11, 2.0 ** -126)}
_NOTHING = 1e-12            # a spread below this share of the rms is rounding
_CLOSE = (1e-2, 1e-4)
_INT_OF_SIZE = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def new_precedents():
    """Of one output leaf, class and instance: Precedents by the way of cutting."""
    return collections.defaultdict(Precedents)


def grain_of(dtype, policy="eager", exact_oracle=True):
    """The Grain of an output: of its own dtype, or of the arithmetic that the policy allows."""
    own, single = torch.finfo(dtype), torch.finfo(torch.float32)
    if own.eps < single.eps and exact_oracle:
        return Grain(FLOAT64_UNIT, own.tiny)
    unit, tiny = _POLICY_GRAINS.get(policy, (single.eps, single.tiny))
    return Grain(max(own.eps, unit), max(own.tiny, tiny))


class Expected:
    """One output leaf of the oracle. `dtype`: the output's own (TensorSpec); `grain`: of the
    arithmetic that it may be computed in (None: of its dtype); `behind`: what an output of integers
    or booleans hangs on (behind.py), None where that is not known."""

    def __init__(self, leaf, dtype, grain=None, behind=None):
        self.is_float = is_floating(dtype)
        self.want = _flatten_leaf(leaf.detach(), torch.float64 if self.is_float else None)
        self.bytes = self.want.numel() * self.want.element_size()
        self.finite = True
        self.spread, self.mean = 0.0, 0.0
        self.own_rms = self.own_max = 0.0
        self._kept = self._clean = self._decided = self._free = None
        self.odd = []  # (places, values): where the reference is NaN or infinite, or the oracle is
        self.shape = sliced_shape(leaf)
        self.cells = []
        self.behind = None  # Expected of the values that integers and booleans hang on
        self._watched, self._own_watched, self.own_answers = behind, None, None
        if self.is_float:
            self.eps, self.largest = torch.finfo(dtype).eps, torch.finfo(dtype).max
            self._measure()
            self._cut(grain or grain_of(dtype))
        elif behind is not None and self.want.numel():
            self.behind = Expected(behind.wanted(self.want), torch.float32, grain)

    def settle(self, rms, largest, squares, precedents):
        """What the reference itself is off by, as Comparer.own_error finds it."""
        self.own_rms, self.own_max = rms, largest
        for cells, sums in zip(self.cells, squares):
            cells.settle(sums, precedents[cells.name])

    def own_error(self):
        """OutputError with what the reference itself is off by."""
        one = self.behind or self
        return output_error(rms=one.own_rms, max=one.own_max)

    def know_odd(self, got):
        """Learns where `got`, an output of the reference itself, is NaN or infinite and the oracle
        is not, or the other way round: its own type has overflowed. Returns how many places."""
        got = _matching(got, self)
        if self.finite and math.isfinite(float(got.sum())):  # then each element is
            return 0
        places = (~_agree(got, self.want)).nonzero().view(-1)
        if places.numel():
            self.odd.append((places, got[places].double()))
        return places.numel()

    def round_by_the_largest(self):
        """For inputs that hold outliers: see groups.py."""
        for cells in self.cells:
            cells.round_by(self.spread)

    def must_not_swallow(self, one, two, nan_alone, chosen=None, decided=None):
        """For inputs that hold NaN or infinities: wrong is to swallow them, and to spread them to
        samples (slices along the first dimension) in which nothing hangs on them. `one`, `two`:
        outputs with finite numbers in their place; what is equal there does not hang on them.
        `nan_alone`: with numbers in place of the infinities; where that is no NaN, a NaN is one of
        infinity times zero, which another formula need not make. `chosen`: what hangs on them
        through a choice; `decided`: what no formula can make otherwise (swallowing.py, both; None:
        not known)."""
        if not self.is_float or not self.want.numel():
            return
        samples = one.shape[0] if one.dim() else 1
        one, two, nan_alone = (_flatten_leaf(leaf.detach(), torch.float64)
                               for leaf in (one, two, nan_alone))
        hangs = ~((one - two).abs() <= HANGS_SHARE * self.spread)
        untouched = ~hangs.view(samples, -1).any(dim=1, keepdim=True)
        self._clean = untouched.expand(samples, hangs.numel() // samples).reshape(-1)
        if chosen is not None:
            hangs |= _numbers(chosen, hangs)
        if decided is not None:
            self._decided = _numbers(decided, hangs)
        self._kept = hangs & (self.want.isinf() | (self.want.isnan() & nan_alone.isnan()))

    def leave_alone(self, one, hangs, spoils, spoiled):
        """What hangs on a place or a truth among infinities may be anything (swallowing.Spoils;
        `spoiled`: its leaf), in samples in which something `hangs` on the odd inputs, or is not as
        with numbers in their place (`one`)."""
        want = _unflatten(self.want, spoiled)
        places = spoils.doubtful(spoiled, want)
        if places is None or not places.numel():
            return
        hangs = hangs | ~((one == want) | (one.isnan() & want.isnan()))
        samples = hangs.shape[0] if hangs.dim() else 1
        places = places.reshape(samples, -1) & hangs.reshape(samples, -1).any(1, keepdim=True)
        self._free = _numbers(places, self.want) if bool(places.any()) else None

    def comparable(self):
        """The share of elements that are finite, for the oracle and for the reference."""
        if not self.is_float or not self.want.numel():
            return 1.0
        odd = sum(len(places) for places, _ in self.odd)
        return (int(torch.isfinite(self.want).sum()) - odd) / self.want.numel()

    def where_it_counts(self, got):
        """The output, as it must be where it may be anything."""
        return got if self._free is None else torch.where(self._free, self.want.to(got.dtype), got)

    def excuse(self, places, got):
        """Which of some places in `got` (both one for one) may be as they are: as the reference
        is, or beyond the largest number of their type by no more than rounding."""
        want, limit = self.want[places], self.largest * (1 - LARGEST_UNITS * self.eps)
        excused = got.isinf() & (got.sign() == want.sign()) & (want.abs() > limit)
        if self._kept is not None:
            free = torch.where(torch.isfinite(want), ~self._clean[places],
                               ~torch.isfinite(got) | ~self._kept[places])
            excused |= free if self._decided is None else free & ~self._decided[places]
        for theirs, values in self.odd:
            at = torch.searchsorted(theirs, places).clamp(max=len(theirs) - 1)
            alike = _agree(got, values[at]) | (torch.isfinite(got) & torch.isfinite(values[at]))
            excused |= (theirs[at] == places) & alike
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

    def own_values(self):
        """What the reference's own arithmetic made of the values behind what is wanted."""
        return self._own_watched.wanted(self.want)

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
        values = self.want
        total = float(values.sum()) if values.numel() else 0.0
        self.finite = math.isfinite(total)
        if not self.finite:
            finite = torch.isfinite(values)
            self.finite = bool(finite.all())  # a sum may overflow where no element does
            values = values[finite]
        self.mean, self.spread = _mean_and_spread(values)

    def _cut(self, grain):
        """Into elements, rows and slices. A single element has no size but its own; of a few, in
        low precision, one that happens to be next to zero may be off by several times its size."""
        fewest = FEW_ELEMENTS if grain.single == SINGLE_MAX else 2
        if self.want.numel() < fewest:
            return
        chunk = chunk_of(self.want.device)
        self.cells = [elements_of(self.want, chunk, grain)]
        self.bytes += 2 * self.want.numel()
        if not self.shape:
            return
        powers = (SliceSums(self.shape, self.want), SliceSums(self.shape, self.want))
        for start, stop in stretches(self.shape, self.want):
            squares = self.want[start:stop].square()
            if not self.finite:
                squares.nan_to_num_(0.0, 0.0, 0.0)
            for sums, values in zip(powers, (squares, squares.square())):
                sums.add(start, values)
        for (name, squares), (_, fourths) in zip(*(sums.named() for sums in powers)):
            of_each = self.want.numel() // squares.numel()
            self.cells.append(slices_of(name, of_each, squares, fourths, grain))


def _mean_and_spread(values):
    """Two passes: stable, and in chunks several times faster than torch.std_mean."""
    count = values.numel()
    if not count:
        return 0.0, 1.0
    mean = float(values.sum()) / count
    squares = 0.0
    for chunk in values.split(chunk_of(values.device)):
        centred = chunk - mean
        squares += float(centred.dot(centred))
    std = math.sqrt(squares / count)
    rms = math.hypot(std, mean)
    if std > _NOTHING * rms and math.isfinite(std):
        return mean, std
    return mean, rms if 0.0 < rms < math.inf else 1.0


def _unflatten(flat, like):
    """What _flatten_leaf made flat, in the form of `like`."""
    if like.is_complex():
        return torch.view_as_complex(flat.view(*like.shape, 2))
    return flat.view(like.shape)


def _numbers(places, flat):
    """Places of a leaf as those of its numbers, which `flat` has in one dimension: a complex one is
    two."""
    return places.reshape(-1).repeat_interleave(flat.numel() // places.numel())


def _flatten_leaf(leaf, dtype):
    """Dense and row-major in one dimension; complex as pairs of reals."""
    leaf = leaf.resolve_conj().resolve_neg() if leaf.is_complex() else leaf
    if leaf.is_complex():
        leaf = torch.view_as_real(leaf.contiguous())
    if leaf.dtype == torch.bool:  # a host may have written any byte
        leaf = leaf.contiguous().view(torch.uint8)
    return leaf.contiguous().view(-1).to(dtype or leaf.dtype)


class Comparer:
    """Compares leaves; owns the scratch memory. Not thread-safe. `least_multiple`: the judge's
    least k; no error of fewer times the reference's own is ever refused."""

    def __init__(self, device="cpu", least_multiple=0.0):
        self._least_multiple = least_multiple
        self._chunk_size = chunk_of(torch.device(device))
        self._error, self._size, self._excess = torch.empty(
            3, self._chunk_size, dtype=torch.float64, device=device)

    def own_error(self, got, expected, behind=None, precedents=None):
        """As of leaf_error; `got` is the reference's own output, `behind` what it hangs on, and
        what it is off by is what others are measured with from now on. `precedents`: of the leaf on
        other inputs of the class (new_precedents(); None: there are none), to which this one is
        added."""
        got = _matching(got, expected)
        precedents = new_precedents() if precedents is None else precedents
        if not expected.is_float:
            return self._own_answers(got.to(expected.want.dtype), expected, behind, precedents)
        expected.know_odd(got)
        total = self._floats(got, expected, _OwnTotal(expected))
        expected.settle(total.own_rms(got.numel()), total.own_max(), total.by_group(), precedents)
        return total.report(got, expected)

    def leaf_error(self, got, expected, learn=None):
        """OutputError as a dict. `got`: the output, dense, in its own dtype and shape. `learn`:
        called where a group might be refused that hangs on few elements; adds one more to the
        precedents, or returns False."""
        got = expected.where_it_counts(_matching(got, expected))
        if not expected.is_float:
            return self._answers(got.to(expected.want.dtype), expected, learn)
        total = _Total(expected, learn, self._least_multiple)
        return self._floats(got, expected, total).report(got, expected)

    def _own_answers(self, got, expected, behind, precedents):
        """Where nothing is known of what they hang on: how many differ."""
        expected.settle_answers(got, behind)
        if expected.behind is None:
            return _integers(got, expected.want, got != expected.want)
        self.own_error(expected.own_values(), expected.behind, precedents=precedents)
        return {**self.leaf_error(expected.own_values(), expected.behind), "mismatched": 0}

    def _answers(self, got, expected, learn):
        """Integers or booleans. The errors are those of the values behind them."""
        error = _integers(got, expected.want, expected.broken(got))
        if not expected.knows_behind():
            return error
        values = self.leaf_error(expected.given(got), expected.behind, learn)
        at = error["worst_index"] if error["mismatched"] else values["worst_index"]
        if values["group_name"]:
            values["group_name"] += ", of the values behind them,"
        return {**values, "mismatched": error["mismatched"], "worst_index": at,
                "worst_got": float(got[at]), "worst_want": float(expected.want[at]),
                "close_1e2": error["close_1e2"], "close_1e4": error["close_1e4"]}

    def _floats(self, got, expected, total):
        for start, stop in stretches(expected.shape, expected.want):
            self._chunk(got[start:stop], expected.want[start:stop], expected, start, total)
        return total

    def _chunk(self, got, want, expected, start, total):
        error = self._error[: got.numel()].copy_(got)
        torch.sub(error, want, out=error).abs_()
        worst = float(error.max())
        if not math.isfinite(worst):
            want = _drop_nonfinite(got, want, error, start, total, expected)
            worst = float(error.max())
        size = torch.abs(want, out=self._size[: got.numel()])
        self._plain_close(error, size, worst, total)
        total.see_groups(torch.mul(error, error, out=self._excess[: got.numel()]), start)
        total.see_all(error, want)
        error.sub_(size, alpha=ULPS_FORGIVEN * expected.eps).clamp_(min=0.0)
        total.squares += float(error.dot(error))
        torch.sub(want, expected.mean, out=size).abs_().clamp_(min=expected.spread)
        total.see_worst(error.div_(size), start)

    def _plain_close(self, error, size, worst, total):
        for tolerance in _CLOSE:
            if worst > tolerance and total.close[tolerance]:
                excess = torch.add(error, size, alpha=-tolerance, out=self._excess[: len(error)])
                total.close[tolerance] = float(excess.max()) <= tolerance


def _matching(got, expected):
    got = _flatten_leaf(got, None)
    if got.numel() != expected.want.numel():
        raise ValueError(f"{got.numel()} elements, expected {expected.want.numel()}")
    return got


class _Total:
    """What the chunks of one leaf add up to."""

    def __init__(self, expected, learn=None, least_multiple=0.0):
        self._least_multiple = least_multiple
        self.squares, self.max, self.worst_index = 0.0, 0.0, 0
        self._learn = learn
        self.nonfinite, self.poison, self.first_nonfinite = 0, 0, None
        self.close = dict.fromkeys(_CLOSE, True)
        self._cells = expected.cells
        self._of_elements = 0.0
        self._of_slices = None
        if expected.shape and expected.cells:
            self._of_slices = SliceSums(expected.shape, expected.want)

    def see_groups(self, squares, start):
        """`squares`: of the errors of the elements from `start` on."""
        if self._cells:
            self._of_elements += self._cells[0].by_band(squares, start)
        if self._of_slices is not None:
            self._of_slices.add(start, squares)

    def by_group(self):
        """What Cells.settle takes, one a way of cutting."""
        return [sums for _, sums, _ in self._ways()]

    def _ways(self):
        """[(cells, sums of squared errors by band, by cell; None of elements)]."""
        if not self._cells:
            return []
        sliced = self._of_slices.named() if self._of_slices is not None else []
        return [(self._cells[0], self._of_elements, None),
                *((cells, cells.by_band(values), values)
                  for cells, (_, values) in zip(self._cells[1:], sliced))]

    def worst_group(self):
        """(in multiples of what the reference is off by in the same group, that group's name)."""
        ways = self._ways()
        while True:
            found = [(*cells.worst(sums), cells, by_cell) for cells, sums, by_cell in ways]
            multiple, group, cells, by_cell = max(found, key=operator.itemgetter(0),
                                                  default=(0.0, None, None, None))
            told = multiple <= self._least_multiple or not cells.rests_on_few(group)
            if told or not self._learns():
                break
        return multiple, cells.describe(group, by_cell) if multiple > MULTIPLE_NAMED else ""

    def _learns(self):
        return self._learn is not None and self._learn()

    def see_all(self, error, want):
        """Errors before anything is forgiven."""

    def see_worst(self, error, start):
        worst = float(error.max())
        if worst > self.max:
            self.max, self.worst_index = worst, start + int(error.argmax())

    def report(self, got, expected):
        count = got.numel()
        spread = expected.spread
        at = self.worst_index if self.first_nonfinite is None else self.first_nonfinite
        rms = math.sqrt(self.squares / count) if count else 0.0
        group, name = self.worst_group()
        return output_error(
            rms=rms / spread, max=self.max, group=group, group_name=name, spread=spread,
            elements=count,
            nonfinite=self.nonfinite, poison=self.poison, close_1e2=self.close[1e-2],
            close_1e4=self.close[1e-4], worst_index=at, worst_got=float(got[at]) if count else 0.0,
            worst_want=float(expected.want[at]) if count else 0.0)


class _OwnTotal(_Total):
    """Of the reference itself: what 8 ulp hide counts as well, but for what every tolerance grants
    on top (HIDDEN). Where values lie far from zero, beside their spread, it is much."""

    def __init__(self, expected):
        super().__init__(expected)
        self._expected = expected
        self._all_squares, self._all_max = 0.0, 0.0

    def see_all(self, error, want):
        self._all_squares += float(error.dot(error))
        away = (want - self._expected.mean).abs_().clamp_(min=self._expected.spread)
        self._all_max = max(self._all_max, float((error / away).max()))

    def own_rms(self, count):
        spread = self._expected.spread
        rms, seen = (math.sqrt(squares / max(1, count)) / spread
                     for squares in (self._all_squares, self.squares))
        return max(seen, rms - HIDDEN)

    def own_max(self):
        return max(self.max, self._all_max - 4 * HIDDEN)


def _agree(got, want):
    """Where both are finite, or NaN, or the same infinity."""
    got = got.double()
    return (torch.isfinite(got) & torch.isfinite(want)) | (got == want) \
        | (got.isnan() & want.isnan())


def _drop_nonfinite(got, want, error, start, total, expected):
    """Counts where NaN or an infinity stands on one side only, and takes such places out of
    `error`. Returns `want` with finite numbers there."""
    finite = torch.isfinite(got.double()) & torch.isfinite(want)
    places = (~_agree(got, want)).nonzero().view(-1)
    places = places[~expected.excuse(places + start, got[places].double())]
    if places.numel():
        if total.first_nonfinite is None:
            total.first_nonfinite = start + int(places[0])
        total.close = dict.fromkeys(_CLOSE, False)
    total.nonfinite += places.numel()
    total.poison += int((got.view(_INT_OF_SIZE[got.element_size()]) == -1).sum())
    error.masked_fill_(~finite, 0.0)
    return want.masked_fill(~finite, 0.0)


def _integers(got, want, differs):
    count = int(differs.sum()) if got.numel() else 0
    at = int(differs.int().argmax()) if count else 0
    wide, want_wide = got.double(), want.double()
    close = [torch.allclose(wide, want_wide, rtol=t, atol=t) for t in _CLOSE]
    return output_error(elements=got.numel(), mismatched=count, spread=1.0, close_1e2=close[0],
                        close_1e4=close[1], worst_index=at,
                        worst_got=float(wide[at]) if got.numel() else 0.0,
                        worst_want=float(want_wide[at]) if got.numel() else 0.0)
