"""Generators of inputs like those that were seen: of the same dtype and, about, the same spread."""

import unittest

import torch
from cupel.capture.leaf_text import generator_text, needs_calls


def drawn(seen):
    return eval(generator_text("shape", 0, [seen]), {"torch": torch, "shape": seen.shape})


class LeafTextTest(unittest.TestCase):
    def test_dtypes_stay(self):
        for seen in (torch.zeros(4, 4), torch.full((3,), 2.0), torch.full((3,), 0.25).half(),
                     torch.randn(50, 4), torch.rand(50).double(), torch.randn(50).abs(),
                     torch.tensor([3, 1, 2]), torch.randn(4, dtype=torch.complex64)):
            with self.subTest(text=generator_text("shape", 0, [seen])):
                made = drawn(seen)
                self.assertEqual((made.dtype, made.shape), (seen.dtype, seen.shape))

    def test_spread_stays(self):
        torch.manual_seed(0)
        made = drawn(torch.randn(4000) * 5 + 100)
        self.assertAlmostEqual(float(made.std()), 5, delta=0.3)
        self.assertAlmostEqual(float(made.mean()), 100, delta=0.5)

    def test_masks_are_those_that_occurred(self):
        text = generator_text("shape", 2, [torch.ones(4) > 0])
        self.assertEqual(text, "real[2]")
        self.assertTrue(needs_calls([text]))


if __name__ == "__main__":
    unittest.main()
