"""The passes of gpu_passes.cu on a GPU find what torch finds in chunks there."""

import math
import unittest
from unittest import mock

import torch
from gpu_machine import needs_gpu

from cupel import compare, gpu_passes
from cupel.expected import Expected

EXACT = 1e-9  # torch's own sums come out in another order each time
SHAPES = ((64, 300, 257), (1 << 23,), (3, 20_000_000))  # rows in chunks, none, in several chunks


def reports(want, got, own, dtype):
    """What the reference is off by, and a program."""
    expected, comparer = Expected(want, dtype), compare.Comparer("cuda", least_multiple=4.0)
    own_report = comparer.own_error(own, expected)
    return own_report, comparer.leaf_error(got, expected)


@needs_gpu
class Passes(unittest.TestCase):
    def assert_same(self, plain, passed):
        for key, value in plain.items():
            if isinstance(value, float) and math.isfinite(value):
                self.assertLessEqual(abs(value - passed[key]), EXACT * max(abs(value), 1e-30), key)
            else:
                self.assertEqual(value, passed[key], key)

    def test_there_are_kernels_here(self):
        self.assertIsNotNone(gpu_passes._kernels(torch.cuda.current_device()))

    def test_reports_are_those_of_chunks(self):
        for shape in SHAPES:
            for dtype in (torch.float32, torch.bfloat16):
                torch.manual_seed(5)
                want = torch.randn(shape, dtype=torch.float64, device="cuda")
                want *= torch.randn(shape, device="cuda").exp_()
                got = (want + 1e-3 * torch.randn(shape, device="cuda")).to(dtype)
                own = want.to(dtype)
                with self.subTest(shape=shape, dtype=dtype):
                    with mock.patch.object(gpu_passes, "LEAST", 1 << 62):
                        plain = reports(want, got, own, dtype)
                    with mock.patch.object(gpu_passes, "LEAST", 0), \
                         mock.patch.object(gpu_passes._Kernels, "launch", autospec=True,
                                           side_effect=gpu_passes._Kernels.launch) as launch:
                        passed = reports(want, got, own, dtype)
                    self.assertGreaterEqual(launch.call_count, 3)
                    for one, other in zip(plain, passed):
                        self.assert_same(one, other)


if __name__ == "__main__":
    unittest.main()
