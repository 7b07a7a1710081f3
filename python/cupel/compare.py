"""Errors of outputs against the oracle (OutputError, docs/judging.md), in chunks that stay in
a CPU's cache: about 6 passes, no temporary larger than a chunk.

error_i = max(0, |out_i - oracle_i| - 8 eps |oracle_i|) / spread, eps of the output's dtype.
`spread` is the standard deviation of the oracle's finite values; where that is nothing (one
element, or a constant up to float64 rounding) their root mean square; where that is zero too, 1.
NaN agrees with NaN and an infinity with the same infinity, only at the same place.

The maximum is less strict with elements that lie farther from the mean than 8 spreads: of what lies
beyond, 2^-16 (128 eps in float64) is forgiven. That is the least tolerance that an element a spread
in size has, too (docs/judging.md): where one probability is 1 among thousands of next to nothing,
the spread tells nothing about the rounding of a sum.

Where parts of an output differ in size, the spread of all hides what happens in the small ones. So
errors are also measured slice by slice along every dimension, by the slice's own root mean square.
"""

import math

import torch

CHUNK = 1 << 17             # elements: three float64 chunks fit a core's L2 cache
GPU_CHUNK = 1 << 24         # fewer, since each ends in a wait for the GPU
ULPS_FORGIVEN = 8
FAR_SPREADS = 8.0
FAR_FORGIVEN = 2.0 ** -16   # k (own + 4 h) of docs/judging.md at the least k, 32, and own = 0
FAR_EPS_MAX = 128           # the same in eps of float32; caps it for float64
POISON_BYTE = 0xFF          # what the judge fills floating output slots with: a NaN
NUMBER_MAX = 1.7976931348623157e308  # stands for infinities and NaN in JSON, which has neither
_SHOWN = ("worst_got", "worst_want")
_NOTHING = 1e-12            # a spread below this share of the rms is rounding
SLICE_ELEMENTS_MIN = 32     # in fewer, the root mean square is a matter of chance,
SLICE_WEIGHT_MIN = 8.0      # as it is where fewer than that make up the slice (participation ratio)
_CLOSE = (1e-2, 1e-4)
_INT_OF_SIZE = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


class Expected:
    """One output leaf of the oracle. `dtype`: the output's own (TensorSpec)."""

    def __init__(self, leaf, dtype):
        self.is_float = dtype.is_floating_point or dtype.is_complex
        self.want = _flatten_leaf(leaf.detach(), torch.float64 if self.is_float else None)
        self.bytes = self.want.numel() * self.want.element_size()
        self.finite = True
        self.spread, self.mean = 0.0, 0.0
        self.has_far = False
        self.shape = _sliced_shape(leaf)
        self._slices = None
        if self.is_float:
            self.eps = torch.finfo(dtype).eps
            self.far_forgiven = min(FAR_FORGIVEN, FAR_EPS_MAX * self.eps)
            self._measure()

    def _measure(self):
        values = self.want
        total = float(values.sum()) if values.numel() else 0.0
        self.finite = math.isfinite(total)
        if not self.finite:
            finite = torch.isfinite(values)
            self.finite = bool(finite.all())  # a sum may overflow where no element does
            values = values[finite]
        self.mean, self.spread = _mean_and_spread(values)
        if values.numel():
            low, high = (float(end) for end in values.aminmax())
            farthest = max(high - self.mean, self.mean - low)
            self.has_far = farthest > FAR_SPREADS * self.spread

    def far(self, want, out):
        """By how much each of some wanted values lies beyond 8 spreads from the mean, in `out`."""
        torch.sub(want, self.mean, out=out).abs_()
        return out.sub_(FAR_SPREADS * self.spread).clamp_(min=0.0)

    def slices(self):
        """Sums of squares of the wanted values over every slice, one tensor a dimension; 0 for
        those that are not looked at. A slice that hangs on a few elements has errors that hang on
        them: of two honest programs one is there by chance many times closer than the other. How
        many make it up is (sum of squares)^2 / sum of fourth powers."""
        if self._slices is None:
            squares = self._sums(torch.Tensor.square)
            fourths = self._sums(lambda values: values.square().square_())
            self._slices = [torch.where(two * two >= SLICE_WEIGHT_MIN * four, two, 0.0)
                            for two, four in zip(squares, fourths)]
        return self._slices

    def _sums(self, function):
        return _sums_by_slice(lambda a, b: function(self.want[a:b]), self.shape, self.want.device)


def _sliced_shape(leaf):
    """The dimensions along which slices are looked at: as many as hold enough elements."""
    shape = tuple(leaf.shape) + ((2,) if leaf.is_complex() else ())
    return shape if leaf.numel() and len(shape) > 1 else ()


def _sums_by_slice(values, shape, device):
    """[sums over all slices along dimension 0, 1, ...]. `values(start, stop)`: those of the flat,
    row-major elements; asked for in stretches of whole rows."""
    columns = shape[-1]
    rows = math.prod(shape[:-1])
    step = max(1, chunk_of(device) // columns)
    by_row, by_column = [], 0.0
    for first in range(0, rows, step):
        last = min(rows, first + step)
        block = values(first * columns, last * columns).view(-1, columns)
        by_row.append(block.sum(dim=1))
        by_column = by_column + block.sum(dim=0)
    grid = torch.cat(by_row).view(shape[:-1])
    sums = [grid.sum(dim=[d for d in range(grid.dim()) if d != at]) if grid.dim() > 1 else grid
            for at in range(grid.dim())]
    return [*sums, by_column]


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


def chunk_of(device):
    """Elements that are worked on at a time."""
    return CHUNK if device.type == "cpu" else GPU_CHUNK


def _flatten_leaf(leaf, dtype):
    """Dense and row-major in one dimension; complex as pairs of reals."""
    leaf = leaf.resolve_conj().resolve_neg() if leaf.is_complex() else leaf
    if leaf.is_complex():
        leaf = torch.view_as_real(leaf.contiguous())
    if leaf.dtype == torch.bool:  # a host may have written any byte
        leaf = leaf.contiguous().view(torch.uint8)
    return leaf.contiguous().view(-1).to(dtype or leaf.dtype)


class Comparer:
    """Compares leaves; owns the scratch memory. Not thread-safe."""

    def __init__(self, device="cpu"):
        self._chunk_size = chunk_of(torch.device(device))
        self._error, self._size, self._excess = torch.empty(
            3, self._chunk_size, dtype=torch.float64, device=device)

    def leaf_error(self, got, expected):
        """OutputError as a dict. `got`: the output, dense, in its own dtype and shape."""
        got = _flatten_leaf(got, None)
        if got.numel() != expected.want.numel():
            raise ValueError(f"{got.numel()} elements, expected {expected.want.numel()}")
        return self._floats(got, expected) if expected.is_float else _integers(got, expected.want)

    def _floats(self, got, expected):
        total = _Total()
        for start in range(0, got.numel(), self._chunk_size):
            stop = min(start + self._chunk_size, got.numel())
            self._chunk(got[start:stop], expected.want[start:stop], expected, start, total)
        return {**total.report(got, expected), "slice": _worst_slice(got, expected)}

    def _chunk(self, got, want, expected, start, total):
        error = self._error[: got.numel()].copy_(got)
        torch.sub(error, want, out=error).abs_()
        worst = float(error.max())
        if not math.isfinite(worst):
            want = _drop_nonfinite(got, want, error, start, total)
            worst = float(error.max())
        size = torch.abs(want, out=self._size[: got.numel()])
        self._plain_close(error, size, worst, total)
        error.sub_(size, alpha=ULPS_FORGIVEN * expected.eps).clamp_(min=0.0)
        total.squares += float(error.dot(error))
        if expected.has_far:
            error.sub_(expected.far(want, size), alpha=expected.far_forgiven)
        total.see_worst(error, start)

    def _plain_close(self, error, size, worst, total):
        for tolerance in _CLOSE:
            if worst > tolerance and total.close[tolerance]:
                excess = torch.add(error, size, alpha=-tolerance, out=self._excess[: len(error)])
                total.close[tolerance] = float(excess.max()) <= tolerance


def _worst_slice(got, expected):
    """The largest error of a slice (rms, less 8 ulp) over what is wanted there (rms). 0 where there
    are no slices, or where they cannot be compared; slices that must be zero, or as good as a few
    elements, are left out."""
    if not expected.shape or not expected.finite:
        return 0.0

    def squares(start, stop):
        want = expected.want[start:stop]
        error = torch.sub(want, got[start:stop]).abs_()
        return error.sub_(want.abs(), alpha=ULPS_FORGIVEN * expected.eps).clamp_(min=0.0).square_()

    worst = 0.0
    sums = _sums_by_slice(squares, expected.shape, expected.want.device)
    for errors, wanted in zip(sums, expected.slices()):
        if expected.want.numel() // len(wanted) >= SLICE_ELEMENTS_MIN:
            shares = torch.where(wanted > 0, errors / wanted, 0.0)
            worst = max(worst, math.sqrt(float(shares.max())))
    return _as_number(worst)


class _Total:
    """What the chunks of one leaf add up to."""

    def __init__(self):
        self.squares, self.max, self.worst_index = 0.0, 0.0, 0
        self.nonfinite, self.poison, self.first_nonfinite = 0, 0, None
        self.close = dict.fromkeys(_CLOSE, True)

    def see_worst(self, error, start):
        worst = float(error.max())
        if worst > self.max:
            self.max, self.worst_index = worst, start + int(error.argmax())

    def report(self, got, expected):
        count = got.numel()
        spread = expected.spread
        at = self.worst_index if self.first_nonfinite is None else self.first_nonfinite
        rms = math.sqrt(self.squares / count) if count else 0.0
        return output_error(
            rms=rms / spread, max=self.max / spread, spread=spread, elements=count,
            nonfinite=self.nonfinite, poison=self.poison, close_1e2=self.close[1e-2],
            close_1e4=self.close[1e-4], worst_index=at, worst_got=float(got[at]) if count else 0.0,
            worst_want=float(expected.want[at]) if count else 0.0)


def _drop_nonfinite(got, want, error, start, total):
    """Counts where NaN or an infinity stands on one side only, and takes such places out of
    `error`. Returns `want` with finite numbers there."""
    got_wide = got.double()
    finite = torch.isfinite(got_wide) & torch.isfinite(want)
    agree = finite | (got_wide == want) | (got_wide.isnan() & want.isnan())
    disagree = int((~agree).sum())
    if disagree and total.first_nonfinite is None:
        total.first_nonfinite = start + int((~agree).int().argmax())
    total.nonfinite += disagree
    total.poison += int((got.view(_INT_OF_SIZE[got.element_size()]) == -1).sum())
    if disagree:
        total.close = dict.fromkeys(_CLOSE, False)
    error.masked_fill_(~finite, 0.0)
    return want.masked_fill(~finite, 0.0)


def _integers(got, want):
    differs = got != want.to(got.dtype)
    count = int(differs.sum()) if got.numel() else 0
    at = int(differs.int().argmax()) if count else 0
    wide, want_wide = got.double(), want.double()
    close = [count == 0 or torch.allclose(wide, want_wide, rtol=t, atol=t) for t in _CLOSE]
    return output_error(elements=got.numel(), mismatched=count, close_1e2=close[0],
                        close_1e4=close[1], worst_index=at,
                        worst_got=float(wide[at]) if got.numel() else 0.0,
                        worst_want=float(want_wide[at]) if got.numel() else 0.0)


def output_error(**known):
    """OutputError with all its fields: errors as finite numbers, and the two values that are
    shown to people as what they are, "nan" and "inf" among them."""
    error = {"rms": 0.0, "max": 0.0, "spread": 0.0, "elements": 0, "nonfinite": 0, "mismatched": 0,
             "poison": 0, "close_1e2": False, "close_1e4": False, "worst_index": 0,
             "worst_got": 0.0, "worst_want": 0.0, "slice": 0.0}
    error.update(known)
    return {key: _as_shown(value) if key in _SHOWN else _as_number(value)
            if isinstance(value, float) else value for key, value in error.items()}


def _as_shown(value):
    return value if math.isfinite(value) else str(value)


def _as_number(value):
    if math.isfinite(value):
        return value
    return -NUMBER_MAX if value < 0 else NUMBER_MAX


def worst_of(errors):
    """Per output leaf the worst over samples: the sample with the largest error, and the largest
    of every count. `errors`: one list of OutputErrors a sample."""
    merged = []
    for leaf_errors in zip(*errors):
        worst = dict(max(leaf_errors, key=lambda e: (e["nonfinite"], e["max"], e["mismatched"])))
        for key in ("rms", "max", "slice", "nonfinite", "mismatched", "poison"):
            worst[key] = max(error[key] for error in leaf_errors)
        for key in ("close_1e2", "close_1e4"):
            worst[key] = all(error[key] for error in leaf_errors)
        merged.append(worst)
    return merged
