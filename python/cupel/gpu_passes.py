"""Launches gpu_passes.cu: what an output on a GPU holds, and how far another is from it, in passes
that read each element once. torch's own operations take some forty, and histograms with many equal
entries, of which an output has few, are the slowest of all.

Where that is not possible, on a CPU, without NVRTC, or not worth it, there is no answer (None), and
the caller works in chunks. Work is queued on torch's current stream.
"""

import collections
import ctypes
import functools
from pathlib import Path

import torch

from cupel import inline_nvrtc
from cupel.slices import stretches

BANDS = 1024                # of groups.py
LEAST = 1 << 24             # elements: of fewer, compiling costs more than it saves
_SOURCE = Path(__file__).with_name("gpu_passes.cu")
_THREADS = 256              # of a block, as the source has it
_FOUND = 7                  # numbers of a block
_BLOCKS_EACH = 6            # on a multiprocessor: what its shared memory holds
_DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_SUCCESS = 0

# What a comparison finds; see compare.py. `squares`, `most`, `at`: of errors beyond what is
# forgiven; `all_squares`, `all_most`: of errors as they are; `far`: whether an element is off by
# more than 1e-2, than 1e-4; `by_band`: sums of squared errors, None without bands.
Seen = collections.namedtuple("Seen", "squares most at all_squares all_most far by_band")


class _Comparison(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_void_p) for name in
                  ("got", "want", "bands", "code_of", "squares", "by_code", "found")),
                ("count", ctypes.c_longlong), ("start", ctypes.c_longlong),
                *((name, ctypes.c_double) for name in ("forgiven", "mean", "spread")),
                ("codes", ctypes.c_int)]


class _Banding(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_void_p) for name in ("want", "bands", "energies", "counts")),
                ("count", ctypes.c_longlong), ("least", ctypes.c_int)]


def bands_of(want, least):
    """(each element's band, int16; counts and sums of squares by band, lists), as
    groups._bands_by_parts makes them, or None. `want`: flat float64."""
    kernels = _kernels_for(want)
    if kernels is None:
        return None
    bands = torch.empty(want.numel(), dtype=torch.int16, device=want.device)
    energies = torch.zeros(BANDS, dtype=torch.float64, device=want.device)
    counts = torch.zeros(BANDS, dtype=torch.int64, device=want.device)
    kernels.launch("bands_of", want.numel(),
                   _Banding(want.data_ptr(), bands.data_ptr(), energies.data_ptr(),
                            counts.data_ptr(), want.numel(), least))
    return bands, counts.tolist(), energies.tolist()


def compare(got, expected, of_slices, scratch):
    """Seen, or None. `got`: flat, in its own dtype; `expected`: its Expected; `of_slices`:
    SliceSums that squared errors are added to, or None; `scratch`: float64, a chunk of it."""
    kernels = _kernels_for(got)
    if kernels is None or got.dtype not in _DTYPES or not expected.finite or not _all_finite(got):
        return None
    want = expected.want
    cells = expected.cells[0] if expected.cells else None
    codes = _Codes(cells, want.device)
    chunks = [(0, want.numel())] if of_slices is None else stretches(expected.shape, want)
    squares = None if of_slices is None else scratch
    found = [torch.empty(kernels.blocks(stop - start), _FOUND, dtype=torch.float64,
                         device=want.device) for start, stop in chunks]
    for (start, stop), rows in zip(chunks, found):
        kernels.launch(f"compare_{str(got.dtype).removeprefix('torch.')}", stop - start,
                       _Comparison(_pointer(got, start), _pointer(want, start),
                                   _pointer(codes.bands, start), _pointer(codes.code_of),
                                   _pointer(squares), _pointer(codes.sums), _pointer(rows),
                                   stop - start, start,
                                   expected.forgiven, expected.mean, expected.spread,
                                   codes.count))
        if squares is not None:
            of_slices.add(start, squares[:stop - start])
    return _joined(torch.cat(found), codes)


def _all_finite(got):
    return bool(torch.isfinite(got.sum(dtype=torch.float64 if got.dtype == torch.float64
                                       else torch.float32)))


def _joined(found, codes):
    squares, all_squares = found[:, :2].sum(dim=0).tolist()
    most, all_most = found[:, 2:4].amax(dim=0).tolist()
    first = found[:, 4].masked_fill(found[:, 2] < most, -float(1 << 62)).max()
    far = [bool(one) for one in found[:, 5:7].amax(dim=0).tolist()]
    return Seen(squares, most, int(-first) if most else 0, all_squares, all_most, far,
                codes.by_band())


class _Codes:
    """The bands that an output has, counted from 0, and sums by them; None where it has none."""

    def __init__(self, cells, device):
        self.count, self.bands, self.code_of, self.sums = 0, None, None, None
        if cells is not None:
            self.bands = cells.bands
            self._present = torch.tensor([band for band, count in enumerate(cells.counts) if count],
                                         device=device)
            self.count = self._present.numel()
            self.code_of = torch.zeros(BANDS, dtype=torch.int16, device=device)
            self.code_of[self._present] = torch.arange(self.count, dtype=torch.int16, device=device)
            self.sums = torch.zeros(self.count, dtype=torch.float64, device=device)

    def by_band(self):
        if self.bands is None:
            return None
        sums = torch.zeros(BANDS, dtype=torch.float64, device=self.sums.device)
        sums[self._present] = self.sums
        return sums


def _pointer(tensor, start=0):
    """To its element number `start`."""
    return None if tensor is None else tensor[start:].data_ptr()


def _kernels_for(tensor):
    if tensor.device.type != "cuda" or tensor.numel() < LEAST:
        return None
    return _kernels(tensor.device.index)


@functools.cache
def _kernels(index):
    """Of one GPU, or None where they cannot be had."""
    try:
        return _Kernels(index)
    except (inline_nvrtc.NvrtcError, RuntimeError, OSError):
        return None


class _Kernels:
    """The source's kernels, loaded in torch's context of a GPU."""

    def __init__(self, index):
        properties = torch.cuda.get_device_properties(index)
        self._index, self._blocks_max = index, _BLOCKS_EACH * properties.multi_processor_count
        cubin = inline_nvrtc.compile_cubin(_SOURCE.read_text(encoding="utf-8"), "gpu_passes",
                                           f"sm_{properties.major}{properties.minor}")
        self._driver, self._module = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        self._functions = {}
        with torch.cuda.device(index):
            torch.cuda.current_stream().query()  # torch's context is there
            self._call("cuModuleLoadData", ctypes.byref(self._module), cubin)

    def blocks(self, count):
        return min(self._blocks_max, -(-count // _THREADS))

    def launch(self, name, count, argument):
        """On so many elements; `argument`: the kernel's only one, a structure."""
        one, nothing = ctypes.c_uint(1), ctypes.c_uint(0)
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        with torch.cuda.device(self._index):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self._call("cuLaunchKernel", self._function(name), ctypes.c_uint(self.blocks(count)),
                       one, one, ctypes.c_uint(_THREADS), one, one, nothing, stream, arguments,
                       None)

    def _function(self, name):
        if name not in self._functions:
            function = ctypes.c_void_p()
            self._call("cuModuleGetFunction", ctypes.byref(function), self._module,
                       name.encode())
            self._functions[name] = function
        return self._functions[name]

    def _call(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code != _SUCCESS:
            raise RuntimeError(f"CUDA error {code} in {name}")
