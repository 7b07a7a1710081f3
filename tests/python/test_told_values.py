"""Leaves that are no tensors: told and compared."""

import math
import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel.told_values import difference, told


def differ(got, own, wide=None):
    tell = lambda values: [told(value) for value in values]  # noqa: E731
    return difference(tell(got), tell(own), tell(own if wide is None else wide))


class Told(unittest.TestCase):
    def test_types_are_told_apart(self):
        values = [None, True, 1, 1.0, "1", b"1", 1j, torch.float32, torch.Size([1])]
        self.assertEqual(len({told(value) for value in values}), len(values))

    def test_what_may_hold_anything_is_not_told(self):
        for value in (object(), torch.nn.Identity(), lambda: 1, {1}, range(3)):
            self.assertIsNone(told(value))

    def test_long_texts_are_told_by_a_digest(self):
        self.assertLess(len(told("x" * 10_000)), 100)
        self.assertNotEqual(told("x" * 10_000), told("x" * 9_999 + "y"))


class Compared(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(differ([1, "a", None, 0.1, math.nan, True, 0.0],
                                [1, "a", None, 0.1, math.nan, True, -0.0]), ())

    def test_unequal(self):
        for got, own in (([1], [2]), ([1.0], [1]), ([True], [1]), (["a"], ["b"]), ([None], [0]),
                         ([0.1], [0.1 + 1e-16]), ([math.inf], [math.nan]), ([1, 2], [1]),
                         ([], [1])):
            with self.subTest(got=got, own=own):
                self.assertTrue(differ(got, own))

    def test_the_text_says_what_is_wrong(self):
        self.assertEqual(differ([1, 3.5], [1, 4.5]),
                         ("float 3.5", "float 4.5"))

    def test_a_float_that_was_rounded_may_be_off_by_rounding(self):
        self.assertEqual(differ([1.000002], [1.0000001], [1.0]), ())
        self.assertTrue(differ([1.01], [1.0000001], [1.0]))

    def test_a_count_that_hangs_on_rounding(self):
        self.assertEqual(differ([7], [8], [7]), ())
        self.assertTrue(differ([9], [8], [7]))


if __name__ == "__main__":
    unittest.main()
