"""Errors of outputs against the oracle (OutputError, docs/equality.md), in chunks that stay in
a CPU's cache: no temporary is larger than a chunk.

rms_i = max(0, |out_i - oracle_i| - 8 eps |oracle_i|) / spread, eps of the output's dtype, once in
place of 8 times where that is float16 or bfloat16.
The maximum divides by the distance from the mean where that is more than a spread: where one
probability is 1 among thousands of next to nothing, the spread says nothing of how it is rounded.
NaN agrees with NaN and an infinity with the same infinity, only at the same place.

Where parts of an output differ in size, the spread of all hides what happens in the small ones.
So each part is judged by its own size as well: groups.py. An output that is the reference's own,
bit by bit, is off by what that is off by, and nothing is computed again.
"""

import functools
import math

import torch

from cupel import gpu_passes
from cupel.expected import LeafPrecedents, agree
from cupel.output_errors import output_error
from cupel.slices import SliceSums, chunk_of, stretches

HIDDEN = 2.0 ** -23         # h of docs/equality.md, spreads
MULTIPLE_NAMED = 1.0       # of what the reference is off by: a group with less needs no name
_CLOSE = (1e-2, 1e-4)
# What src/measure/device/slots.cpp fills an output with, by the size of a number: words of 0xFFFD.
_POISON = {dtype.itemsize: (dtype, int.from_bytes(b"\xfd\xff" * (dtype.itemsize // 2), "little",
                                                  signed=True))
           for dtype in (torch.int16, torch.int32, torch.int64)}


class Comparer:
    """Compares leaves; owns the scratch memory. Not thread-safe. `least_multiple`: the judge's
    least k; no error of fewer times the reference's own is ever refused."""

    def __init__(self, device="cpu", least_multiple=0.0):
        self._least_multiple = least_multiple
        self._chunk_size = chunk_of(torch.device(device))
        self._error, self._size, self._excess = torch.empty(
            3, self._chunk_size, dtype=torch.float64, device=device)

    def own_error(self, got, expected, behind=None, precedents=None, values=None):
        """As of leaf_error; `got` is the reference's own output, `behind` what it hangs on, and
        what it is off by is what others are measured with from now on. `precedents`: of the leaf on
        other inputs of the class (LeafPrecedents; None: there are none), to which this one is
        added. `values`: the numbers of `behind` with near ties settled, if there are any."""
        got = expected.matching(got)
        precedents = LeafPrecedents() if precedents is None else precedents
        if not expected.is_float:
            got = got.to(expected.want.dtype)
            return self._own_answers(got, expected, behind, precedents, values)
        expected.know_odd(got)
        total = self._floats(got, expected, _OwnTotal(expected))
        count = got.numel()
        expected.settle(total.own_rms(count), total.own_max(), total.by_group(), precedents,
                        total.raw_rms(count))
        report = total.report(got, expected)
        expected.keep_own(got, report)
        return report

    def leaf_error(self, got, expected, learn=None):
        """OutputError as a dict. `got`: the output, dense, in its own dtype and shape. `learn`:
        called where a group might be refused that hangs on few elements; adds one more to the
        precedents, or returns False."""
        got = expected.matching(got)
        known = expected.report_of_own(got)
        if known is not None:
            return known
        got = expected.where_it_counts(got)
        if not expected.is_float:
            return self._answers(got.to(expected.want.dtype), expected, learn)
        total = _Total(expected, learn, self._least_multiple)
        return self._floats(got, expected, total).report(got, expected)

    def _own_answers(self, got, expected, behind, precedents, values):
        """Where nothing is known of what they hang on: how many differ."""
        expected.settle_answers(got, behind)
        if expected.behind is None:
            return _integers(got, expected.want, got != expected.want)
        values = behind.wanted(expected.want) if values is None else values
        error = self.own_error(values, expected.behind, precedents=precedents)
        return {**error, "mismatched": 0}

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
        seen = gpu_passes.compare(got, expected, total.of_slices, self._excess)
        if seen is not None:
            total.take(seen)
            return total
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
        excess = torch.sub(error, size, alpha=expected.forgiven,
                           out=self._excess[: got.numel()]).clamp_(min=0.0)
        total.squares += float(excess.dot(excess))
        away = torch.sub(want, expected.mean, out=size).abs_().clamp_(min=expected.spread)
        total.see_worst(excess.div_(away), start)
        total.see_all(error, away)

    def _plain_close(self, error, size, worst, total):
        for tolerance in _CLOSE:
            if worst > tolerance and total.close[tolerance]:
                excess = torch.add(error, size, alpha=-tolerance, out=self._excess[: len(error)])
                total.close[tolerance] = float(excess.max()) <= tolerance


class _Total:
    """What the chunks of one leaf add up to."""

    def __init__(self, expected, learn=None, least_multiple=0.0):
        self._least_multiple = least_multiple
        self.squares, self.max, self.worst_index = 0.0, 0.0, 0
        self._learn, self._expected = learn, expected
        self.nonfinite, self.poison, self.first_nonfinite = 0, 0, None
        self.close = dict.fromkeys(_CLOSE, True)
        self._cells = expected.cells
        self._of_elements = 0.0
        self.of_slices = None
        if expected.shape and expected.cells:
            self.of_slices = SliceSums(expected.shape, expected.want)

    def take(self, seen):
        """All at once (gpu_passes.Seen); squared errors are in `of_slices` by now."""
        self.squares, self.max, self.worst_index = seen.squares, seen.most, seen.at
        self.close = {tolerance: not far for tolerance, far in zip(_CLOSE, seen.far)}
        if seen.by_band is not None:
            self._of_elements = seen.by_band

    def see_groups(self, squares, start):
        """`squares`: of the errors of the elements from `start` on."""
        if self._cells:
            self._of_elements += self._cells[0].by_band(squares, start)
        if self.of_slices is not None:
            self.of_slices.add(start, squares)

    def by_group(self):
        """What Cells.settle takes, one a way of cutting."""
        return [sums for _, sums, _ in self._ways()]

    def _ways(self):
        """[(cells, sums of squared errors by band, by cell; None of elements)]."""
        if not self._cells:
            return []
        sliced = self.of_slices.named() if self.of_slices is not None else []
        return [(self._cells[0], self._of_elements, None),
                *((cells, cells.by_band(values), values)
                  for cells, (_, values) in zip(self._cells[1:], sliced))]

    def worst_group(self):
        """(in multiples of what the reference is off by in the same group, that group's name)."""
        ways = self._ways()
        while True:
            worst = 0.0, None, None, None
            for cells, sums, by_cell in ways:
                multiple, group = cells.worst(
                    sums, self._least_multiple,
                    functools.partial(self._expected.own_squares, cells.name), worst[0])
                if group:
                    worst = multiple, group, cells, by_cell
            multiple, group, cells, by_cell = worst
            told = multiple <= self._least_multiple or not cells.rests_on_few(group)
            if told or not self._learns():
                break
        return multiple, cells.describe(group, by_cell) if multiple > MULTIPLE_NAMED else ""

    def _learns_beyond(self, rms, expected):
        """Whether one more input was looked at, since that might be refused."""
        own = expected.least_own(expected.own_rms)
        return rms > self._least_multiple * (own + HIDDEN) and self._learns()

    def _learns(self):
        return self._learn is not None and self._learn()

    def see_all(self, error, away):
        """Errors before anything is forgiven; `away`: what the maximum divides by. Writes to
        `error`."""

    def see_worst(self, error, start):
        worst = float(error.max())
        if worst > self.max:
            self.max, self.worst_index = worst, start + int(error.argmax())

    def report(self, got, expected):
        count = got.numel()
        spread = expected.spread
        at = self.worst_index if self.first_nonfinite is None else self.first_nonfinite
        rms = math.sqrt(self.squares / count) if count else 0.0
        while expected.is_of_few() and self._learns_beyond(rms / spread, expected):
            pass
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
        self._all_squares, self._all_max = 0.0, 0.0

    def take(self, seen):
        super().take(seen)
        self._all_squares, self._all_max = seen.all_squares, seen.all_most

    def see_all(self, error, away):
        self._all_squares += float(error.dot(error))
        self._all_max = max(self._all_max, float(error.div_(away).max()))

    def raw_rms(self, count):
        return math.sqrt(self._all_squares / max(1, count))

    def own_rms(self, count):
        spread = self._expected.spread
        seen = math.sqrt(self.squares / max(1, count)) / spread
        return max(seen, self.raw_rms(count) / spread - HIDDEN)

    def own_max(self):
        return max(self.max, self._all_max - 4 * HIDDEN)


def _drop_nonfinite(got, want, error, start, total, expected):
    """Counts where NaN or an infinity stands on one side only, and takes such places out of
    `error`. Returns `want` with finite numbers there."""
    finite = torch.isfinite(got.double()) & torch.isfinite(want)
    places = (~agree(got, want)).nonzero().view(-1)
    places = places[~expected.excuse(places + start, got[places].double())]
    if places.numel():
        if total.first_nonfinite is None:
            total.first_nonfinite = start + int(places[0])
        total.close = dict.fromkeys(_CLOSE, False)
    total.nonfinite += places.numel()
    if got.element_size() in _POISON:
        dtype, poison = _POISON[got.element_size()]
        total.poison += int((got.view(dtype) == poison).sum())
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
