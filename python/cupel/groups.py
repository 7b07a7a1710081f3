"""Parts of an output that differ in size, each judged by its own size.

An output is cut into cells in several ways: into elements, into rows (vectors along the last
dimension), into slices along each dimension. Cells of one way that are alike in size (root mean
square of what is wanted, in bands of a factor of 4) are a group. A group's error is the rms of its
elements' errors over the group's scale, and is told in multiples of what the reference itself is
off by in the same group on the same input, plus one unit of its arithmetic:

    multiple_g = max(0, error_g - single / sqrt(n_g)) / (own_g + unit)

own_g: the largest of its own errors in the group, in all that the scale is made of, and in what is
of the group's size on the other inputs of the class. The last is there since the reference may be
lucky with a few elements. n_g: how many elements make up the group, (sum of squares)^2 / (sum of
fourth powers). One element of it may be off by `single` of the group's scale: two honest programs
differ by chance in one that came out of a cancellation, and where there are few, nothing else is
left.

A cell that has few elements is small by chance, too: a sum that happens to cancel, a tanh near
zero. Its error is of the rounding of larger values. So the scale of a group is the rms over all
cells of its size and up to 2^(24/m) times larger, m elements being in a cell, as far as there are
cells of every size between: beyond an empty factor of 16 lies something else (a mask of -1e30).
A few that lie alone below others are the end of a tail, and held to the scale of the next that are
more. So is one that lies among smaller rows' elements, where chance may have made it: of N values
that are spread smoothly about zero some N t are smaller than t of the largest.

One of a few cells may hold an error as large as few others do: behind a leaky ReLU what is positive
is off by a hundred times what is negative and as small. So where a multiple would be refused, own_g
is multiplied by sqrt(1 + kurtosis / cells), with the kurtosis of the reference's own errors in all
that the scale is made of: sqrt(kurtosis) of their rms are those that make up most of their squares.

Where the reference itself is off by as much as there is, the group is what cancellations left: two
programs' errors in it are two draws of one chance, whose ratio tells nothing. In a group of few
elements, such as a clamp leaves, it may be right in part by luck: there half is enough.

Where inputs are made to hold outliers, the unit is one of the whole output's spread: a transform
(FFT, Winograd) spreads the rounding of the largest over all, which is as good as any norm can tell.
"""

import collections
import functools
import math
import operator
import typing

import torch

from cupel import gpu_passes
from cupel.slices import in_chunks

BANDS = 1024            # a float64's exponent has 11 bits; the lowest is left out
REACH_BANDS = 12        # a factor of 2^24: what is smaller is gone in the rounding of a float32
GAP_BANDS = 3           # from one band to the next larger one: a factor of 16 and more is empty
FEW_ELEMENTS, FEW_SHARE = 32, 0.125  # fewer, in both, are no kind of their own, but chance
SINGLE_MAX = 0.5        # what a single element may be off by, at most,
SINGLE_UNITS = 2.0 ** 15  # and in units of the arithmetic: 0.4 % in float32
CHANCE = 1.0            # off by all that it is: a group of what came out of cancellations,
CHANCE_OF_FEW = 0.5     # and by half of it: of few elements, which a clamp or a ReLU left
LUCK = 2.0 ** -20       # an element of its row, if one output in as many has one as small
_BAND_SHIFT = 53        # of a float64's bits


class Grain:
    """What an arithmetic resolves. `unit`: its relative rounding; `tiny`: what is smaller may as
    well be zero."""

    def __init__(self, unit, tiny):
        self.unit = unit
        self.band_min = int(_bands(torch.tensor([tiny], dtype=torch.float64)))
        self.single = min(SINGLE_MAX, SINGLE_UNITS * unit)


class Precedents:
    """What the reference was off by on inputs of one class, in cells of one way, by their size."""

    def __init__(self):
        self._squares, self._elements = _sums(), _sums()
        self._energies, self._fourths = _sums(), _sums()

    def add(self, group, squares):
        """`squares`: the sum over the group's cells of squared errors."""
        self._squares[group.band] += squares
        self._elements[group.band] += group.cells * group.of_each
        self._energies[group.band] += group.energy
        self._fourths[group.band] += group.fourth

    def rms(self, band):
        """Of the errors of all elements in cells of this band; 0 where there were none."""
        return math.sqrt(self._squares[band] / max(1, self._elements[band]))

    def elements(self, band):
        """How many made up the cells of this band, as n_g."""
        return _weight(self._energies[band], self._fourths[band])


def _sums():
    return collections.defaultdict(float)


class Group(typing.NamedTuple):
    """Cells of one size, of `of_each` elements. `scale`: what errors are divided by; `pooled`: the
    bands that it is made of; `energy`, `fourth`: sums of squares and of fourth powers of what is
    wanted in it."""
    band: int
    cells: int
    of_each: int
    scale: float
    pooled: list
    energy: float
    fourth: float

    @property
    def elements(self):
        """In all of its cells, or as many as count where it hangs on a few."""
        return _weight(self.energy, self.fourth)


class Cells:
    """One way to cut an output, and its groups. `name`: for people, plural."""

    def __init__(self, name, of_each, bands, counts, energies, fourths, grain):
        """`bands`: of each cell; `counts`, `energies`, `fourths`: per band, of cells, and the sums
        of squares and of fourth powers of what is wanted."""
        self.name, self._of_each, self.bands, self._grain = name, of_each, bands, grain
        self.counts = counts
        self.groups = [
            Group(band, counts[band], of_each, scale, pooled, energies[band], fourths[band])
            for band, (scale, pooled) in _scales(counts, energies, of_each).items()]
        # What must be zero, or is as good as that, is held to the scale of the smallest.
        self._zeros = counts[0]
        self._own, self._precedents = [0.0] * len(self.groups), Precedents()
        self._scatters = {}  # by band, of those that were asked for
        self._whole = 0.0  # what groups are held to, where they are smaller than this

    def errors(self, squares):
        """The groups' errors, from the sums of squared errors by band."""
        sums = squares.tolist()
        errors = []
        for i, group in enumerate(self.groups):
            total = sums[group.band] + (0.0 if i else sums[0])
            cells = group.cells + (0 if i else self._zeros)
            errors.append(math.sqrt(total / (cells * self._of_each)) / group.scale)
        return errors

    def by_band(self, squares, start=0):
        """Sums by band; `squares`: one number a cell, from the cell `start` on."""
        squares = squares.reshape(-1)
        bands = self.bands[start:start + squares.numel()]
        return torch.bincount(bands, weights=squares, minlength=BANDS)

    def settle(self, squares, precedents):
        """These are the reference's own errors, one more of those precedents. A group of few is off
        by chance: at least by what those are that its scale is made of."""
        sums = squares.tolist()
        self._own = [max(own, self._pooled_error(group, sums))
                     for group, own in zip(self.groups, self.errors(squares))]
        self._precedents, self._scatters = precedents, {}
        for group in self.groups:
            precedents.add(group, sums[group.band])

    def _pooled_error(self, group, sums):
        total, cells = (sum(of[band] for band in group.pooled) for of in (sums, self.counts))
        return math.sqrt(total / (cells * self._of_each)) / group.scale

    def round_by(self, size):
        """The unit granted to each group is one of `size` from now on, where that is more."""
        self._whole = size

    def own(self):
        """What the reference is off by in each group, as far as is known by now."""
        return [max(own, self._precedents.rms(group.band) / group.scale)
                for group, own in zip(self.groups, self._own)]

    def worst(self, squares, refused=math.inf, own_squares=lambda: None, above=0.0):
        """(the largest multiple of the own error, of which group); (above, None) where none is more
        than that. What is more than `refused` is looked at again by how the reference's own errors
        scatter: own_squares() gives their mean squares, a number a cell, or None."""
        worst, found, own_squares = above, None, functools.cache(own_squares)
        for multiple, left, own, unit, group in self._multiples(squares):
            if multiple <= worst:
                break  # no second look makes one larger
            if multiple > refused:
                multiple = left / (own * self._known_scatter(group, own_squares) + unit)
            if multiple > worst:
                worst, found = multiple, group
        return worst, found

    def _multiples(self, squares):
        """[(multiple, what is off, the own error, the unit, group)], the largest first."""
        grain, found = self._grain, []
        for group, error, own in zip(self.groups, self.errors(squares), self.own()):
            unit = grain.unit * max(1.0, self._whole / group.scale)
            left = error - grain.single / math.sqrt(group.elements)
            if left > 0.0 and own < self._chance(group):
                found.append((left / (own + unit), left, own, unit, group))
        return sorted(found, key=operator.itemgetter(0), reverse=True)

    def _known_scatter(self, group, own_squares):
        """1 where own_squares() gives none. It is the reference's, whoever is compared with it."""
        if group.band not in self._scatters:
            squares = own_squares()
            if squares is None:
                return 1.0
            self._scatters[group.band] = self._scatter(group, squares)
        return self._scatters[group.band]

    def _scatter(self, group, own_squares):
        """By what the rms of as many errors as the group has cells is larger if one of them is as
        those that make up the error of all that the group's scale is made of."""
        def parts():
            for bands, squares in in_chunks(self.bands, own_squares):
                yield squares[(bands >= group.pooled[0]) & (bands <= group.pooled[-1])]
        largest = max(float(part.max()) for part in parts() if part.numel())
        if not largest:
            return 1.0
        count = total = squares = 0
        for part in parts():
            part /= largest  # squares of these are not too small for a float64
            count, total = count + part.numel(), total + float(part.sum())
            squares += float(part.dot(part))
        return math.sqrt(1.0 + count * squares / total ** 2 / group.cells)

    def _chance(self, group):
        """What the reference is off by at least in a group that tells nothing."""
        return CHANCE_OF_FEW if self.rests_on_few(group) else CHANCE

    def rests_on_few(self, group):
        """Whether what the reference is off by there is known from a few elements alone."""
        return self._precedents.elements(group.band) < FEW_ELEMENTS

    def hopeless(self):
        """Names of those that are not compared: the reference is off by as much as they are."""
        return [self.describe(group) for group, own in zip(self.groups, self.own())
                if own >= self._chance(group)]

    def describe(self, group, by_cell=None):
        """`by_cell`: errors' squares, a number a cell; the worst cell is named, too."""
        text = f"{self.name} of about {4.0 ** (group.band - BANDS // 2 + 1):.0e}"
        if by_cell is None:
            return text
        among = self.bands == group.band
        if group is self.groups[0]:
            among |= self.bands == 0
        of_group = torch.where(among, by_cell.reshape(-1), -1.0)
        return f"{text} (most of it in {int(of_group.argmax())})"


def elements_of(want, chunk, grain, columns=0):
    """Cells of one element. `want`: flat float64; `columns`: of a row, 0 where there are none."""
    parts = [slice(start, start + chunk) for start in range(0, want.numel(), chunk)]
    bands, counts, energies = (gpu_passes.bands_of(want, grain.band_min) or
                               _bands_by_parts(want, parts, grain.band_min))
    if columns and _count_with_their_rows(bands.view(-1, columns), counts):
        energies = sum(_energies(want[part], bands[part]) for part in parts).tolist()
        counts = torch.bincount(bands, minlength=BANDS).tolist()
    fourths = [two * two / count if two else 0.0 for two, count in zip(energies, counts)]
    return Cells("elements", 1, bands, counts, energies, fourths, grain)


def _bands_by_parts(want, parts, least):
    """(the elements' bands; how many there are, and their sums of squares, by band)."""
    bands = torch.empty(want.numel(), dtype=torch.int16, device=want.device)
    energies = torch.zeros(BANDS, dtype=torch.float64, device=want.device)
    for part in parts:
        bands[part] = _bands(want[part], least)
        energies += _energies(want[part], bands[part])
    return bands, torch.bincount(bands, minlength=BANDS).tolist(), energies.tolist()


def _energies(want, bands):
    """Sums of squares by band."""
    squares = want.square().nan_to_num_(0.0, 0.0, 0.0)
    return torch.bincount(bands, weights=squares, minlength=BANDS)


def _count_with_their_rows(bands, counts):
    """Gives an element that chance alone has made small the band of its row's largest, where it
    lies among those of smaller rows. `bands`: of elements, by row; changed. Returns whether any has
    got another one."""
    runs, changed = _runs(_present(counts)), False
    if len(runs) < 2:
        return changed
    tops = bands.amax(dim=1)
    for run in runs[:-1]:
        larger = tops > run[-1]
        if bool((larger | (tops == 0)).all()):
            continue  # no smaller rows
        of_larger = bands[larger]
        among = (of_larger >= run[0]) & (of_larger <= run[-1])
        if int(among.sum()) != 1 or not _is_few(1, sum(counts[band] for band in run)):
            continue
        row, column = among.nonzero()[0].tolist()
        row = int(larger.nonzero()[row])
        share = 4.0 ** int(bands[row, column] - tops[row])
        if LUCK < of_larger.numel() * share < 1.0:
            bands[row, column] = tops[row]
            changed = True
    return changed


def slices_of(name, of_each, squares, fourths, grain):
    """Cells of several elements. `squares`, `fourths`: sums of powers of what is wanted, a number
    a cell."""
    squares, fourths = squares.reshape(-1), fourths.reshape(-1)
    bands = _bands((squares / of_each).sqrt(), grain.band_min)
    sums = [torch.bincount(bands, weights=values, minlength=BANDS).tolist()
            for values in (None, squares, fourths)]
    return Cells(name, of_each, bands, *sums, grain)


def _bands(sizes, least=0):
    """The band of each number, by its exponent; 0 for what is below `least`, infinite or NaN."""
    bands = (sizes.view(torch.int64) >> _BAND_SHIFT).to(torch.int16).bitwise_and_(BANDS - 1)
    low, high = (int(end) for end in bands.aminmax()) if bands.numel() else (0, 0)
    if low < least or high == BANDS - 1:
        bands.masked_fill_((bands < least) | (bands == BANDS - 1), 0)
    return bands


def _scales(counts, energies, of_each):
    """{band: its group's (scale, bands pooled for that)}. Squares of more than 10^308 are not
    known: there no scale is small enough to tell an error by."""
    runs = _runs(_present(counts))
    total = sum(counts) - counts[0]
    few = [_is_few(sum(counts[band] for band in run), total, of_each) for run in runs]
    scales = {}
    for at, run in enumerate(runs):
        larger, start = _held_to(runs, few, at)
        for band in run:
            reach = max(band, start) + max(1, REACH_BANDS // of_each)
            pooled = [other for other in run + larger if band <= other <= reach]
            energy, cells = (sum(of[other] for other in pooled) for of in (energies, counts))
            scales[band] = math.sqrt(energy / (cells * of_each)) or math.inf, pooled
    return scales


def _is_few(cells, total, of_each=1):
    return cells * of_each < FEW_ELEMENTS and cells < FEW_SHARE * total


def _held_to(runs, few, at):
    """(the larger bands that a run of few is held to, and where the last run of them starts): up to
    one that is no end of a tail itself."""
    larger, start = [], 0
    while few[at] and at + 1 < len(runs):
        at += 1
        larger, start = larger + runs[at], runs[at][0]
    return larger, start


def _present(counts):
    """The bands that have cells, ascending, but for 0."""
    return [band for band, count in enumerate(counts) if count and band]


def _runs(present):
    """Bands, ascending, without a gap between them."""
    runs = []
    for band in present:
        if not runs or band - runs[-1][-1] >= GAP_BANDS:
            runs.append([])
        runs[-1].append(band)
    return runs


def _weight(energy, fourth):
    """How many elements make up a sum of squares, by the sum of fourth powers."""
    return max(1.0, energy * energy / fourth) if fourth > 0 else 1.0
