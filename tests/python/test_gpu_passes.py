"""The kernels of gpu_passes.cu, on threads of a CPU: what they find is what torch finds in chunks.
On a GPU tests/gpu/test_passes.py runs them as they are."""

import contextlib
import ctypes
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import torch

from cupel import compare, gpu_passes, groups, slices
from cupel.expected import Expected, LeafPrecedents, grain_of

HERE = Path(__file__).resolve().parent
KERNELS = Path(gpu_passes.__file__).with_name("gpu_passes.cu")
EXACT = 1e-12


def setUpModule():
    global folder, emulation
    folder = tempfile.TemporaryDirectory(prefix="cupel-gpu-passes-")
    library = Path(folder.name) / "emulation.so"
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-shared", "-fPIC",
                    "-pthread",
                    f'-DKERNELS="{KERNELS}"', "-o", library, HERE / "emulated_gpu.cpp"], check=True)
    emulation = ctypes.CDLL(library)
    emulation.emulate.restype = ctypes.c_bool


def tearDownModule():
    folder.cleanup()


class Emulated:
    """In place of _Kernels."""

    def __init__(self, blocks):
        self._blocks, self.launched = blocks, []

    def blocks(self, count):
        return min(self._blocks, -(-count // 256))

    def launch(self, name, count, argument):
        self.launched.append(name)
        assert emulation.emulate(name.encode(), self.blocks(count), ctypes.byref(argument)), name


@contextlib.contextmanager
def at_once(blocks=3):
    """The passes instead of chunks, in which torch would work on few elements at a time."""
    kernels = Emulated(blocks)
    with mock.patch.object(gpu_passes, "_kernels_for", lambda tensor: kernels):
        yield kernels


def both(work, blocks=3):
    """(by torch, by the passes, what was launched)."""
    plain = work()
    with at_once(blocks) as kernels:
        return plain, work(), kernels.launched


def spread_out(shape, seed=7):
    """Numbers of many sizes, none of them NaN or infinite; some are zero."""
    torch.manual_seed(seed)
    want = torch.randn(shape, dtype=torch.float64)
    want *= torch.randn(shape, dtype=torch.float64).mul_(3).exp_()
    return want.masked_fill_(torch.rand(shape) < 0.01, 0.0)


class Passes(unittest.TestCase):
    def assert_near(self, one, other, what):
        if isinstance(one, float) and math.isfinite(one):
            self.assertLessEqual(abs(one - other), EXACT * max(abs(one), 1e-30), (what, one, other))
        else:
            self.assertEqual(one, other, what)

    def assert_same_report(self, one, other):
        self.assertEqual(one.keys(), other.keys())
        for key, value in one.items():
            self.assert_near(value, other[key], key)

    def test_bands_and_their_sums(self):
        for least in (0, 400, 512):
            for seed, size in ((1, 5000), (2, 1)):
                want = spread_out((size,), seed)
                want[0] = (math.inf, math.nan)[seed % 2]
                grain = grain_of(torch.float32)
                grain.band_min = least
                plain, passed, launched = both(lambda: groups.elements_of(want, 700, grain))
                self.assertEqual(launched, ["bands_of"])
                self.assertTrue(torch.equal(plain.bands, passed.bands))
                self.assertEqual(plain.counts, passed.counts)
                self.assertEqual([g.band for g in plain.groups], [g.band for g in passed.groups])
                for one, other in zip(plain.groups, passed.groups):
                    for of_one, of_other in zip(one, other):
                        self.assert_near(of_one, of_other, one.band)

    def reports(self, want, got, own, dtype):
        """What the reference is off by, and a program, with all that follows from it."""
        def work():
            expected, comparer = Expected(want, dtype), compare.Comparer(least_multiple=4.0)
            precedents = LeafPrecedents()
            off = comparer.own_error(own, expected, precedents=precedents)
            errors = [expected.own_rms, expected.own_max, *precedents.errors,
                      *(each for cells in expected.cells for each in cells.own())]
            return off, errors, comparer.leaf_error(got, expected)
        return both(work)

    def test_reports_are_the_same(self):
        shapes = [(4, 16, 33), (2000,), (1, 900), (40, 50), (3, 1, 1, 300)]
        dtypes = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
        for at, shape in enumerate(shapes):
            for dtype in dtypes[at % 2::2]:  # each meets several shapes
                want = spread_out(shape, at).clamp_(-6e4, 6e4)
                own = want.to(dtype)
                off = (1e-7, 1e-3, 0.3)[at % 3]
                got = (want + off * torch.randn(shape, dtype=torch.float64)).to(dtype)
                with self.subTest(shape=shape, dtype=dtype, off=off):
                    plain, passed, launched = self.reports(want, got, own, dtype)
                    kind = f"compare_{str(dtype).removeprefix('torch.')}"
                    self.assertEqual(set(launched), {"bands_of", kind})
                    for one, other in zip(plain[1], passed[1], strict=True):
                        self.assert_near(one, other, "own")
                    self.assert_same_report(plain[0], passed[0])
                    self.assert_same_report(plain[2], passed[2])

    def test_a_leaf_of_several_chunks_and_rows_that_a_chunk_cuts(self):
        for shape in ((64, 50), (3, 1500), (2, 3, 700)):
            with mock.patch.object(slices, "CHUNK", 640):
                want = spread_out(shape)
                got = (want + 1e-3 * torch.randn(shape)).float()
                plain, passed, launched = self.reports(want, got, want.float(), torch.float32)
            self.assertGreater(launched.count("compare_float32"), 6)
            self.assert_same_report(plain[0], passed[0])
            self.assert_same_report(plain[2], passed[2])

    def test_the_first_of_equal_errors_is_named(self):
        want = torch.zeros(3000, dtype=torch.float64)
        want[::2] = 1.0
        got = want.float()
        for at in (2999, 1777, 1235):
            got[at] += 0.5
        plain, passed, _ = self.reports(want, got, want.float(), torch.float32)
        self.assertEqual((plain[2]["worst_index"], passed[2]["worst_index"]), (1235, 1235))

    def test_numbers_of_half_precision_are_read_as_they_are(self):
        bits = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16)
        for dtype in (torch.float16, torch.bfloat16):
            own = bits.view(dtype)
            own = own[torch.isfinite(own)]
            expected = Expected(own.double(), dtype)
            with at_once():
                seen = gpu_passes.compare(own, expected, None, None)
            if dtype == torch.float16:
                self.assertEqual((seen.all_squares, seen.all_most, seen.far),
                                 (0.0, 0.0, [False, False]))
            else:
                self.assertIsNone(seen)  # their sum is beyond a float32

    def test_what_is_not_finite_is_left_to_chunks(self):
        want = spread_out((40, 30))
        for place, value in ((7, math.nan), (0, math.inf)):
            got = want.float()
            got.view(-1)[place] = value
            plain, passed, launched = self.reports(want, got, want.float(), torch.float32)
            self.assertEqual(launched.count("compare_float32"), 1)  # the reference's own
            self.assertEqual(passed[2]["nonfinite"], 1)
            self.assert_same_report(plain[2], passed[2])

    def test_a_cpu_works_in_chunks(self):
        self.assertIsNone(gpu_passes._kernels_for(torch.zeros(gpu_passes.LEAST)))


if __name__ == "__main__":
    unittest.main()
