"""Several near ties at once: those of a program are told by what each of them does alone."""

import itertools
import unittest

import torch
from cupel import near_ties
from cupel.compare import Comparer
from cupel.made_decisions import TURNS_MAX, Decisions, NearTurns, nearest_sum, turned, turns_of
from cupel.roundings import OtherRoundings
from test_oracle import instance_of, model_of

ULP = 2.0 ** -24


def between_steps(numbers):
    """Each next to the middle of two whole numbers, by a rounding."""
    return torch.tensor(numbers).add(0.5).mul(1 + ULP)


class Sums(unittest.TestCase):
    def test_parts_are_found_by_their_sum(self):
        torch.manual_seed(1)
        effects = torch.randn(12, 300, dtype=torch.float64)
        for parts in ([], [4], [0, 11], [1, 2, 3, 5, 8, 9], list(range(12))):
            wanted = effects[parts].sum(0) + 1e-6 * torch.randn(300, dtype=torch.float64)
            self.assertEqual(nearest_sum(effects, wanted), parts)

    def test_effects_that_depend_on_each_other_too(self):
        """As many rows as numbers, and more: each number alone, and all sums of two."""
        alone = torch.eye(4, dtype=torch.float64)
        pairs = [alone[i] + alone[j] for i, j in itertools.combinations(range(4), 2)]
        effects = torch.stack([*alone, *pairs])
        for wanted in (alone[2], alone[0] + alone[3], alone.sum(0)):
            self.assertEqual(float((effects[nearest_sum(effects, wanted)].sum(0) - wanted).norm()),
                             0.0)

    def test_what_no_sum_comes_near_to_takes_none(self):
        effects = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
        self.assertEqual(nearest_sum(effects, torch.tensor([-3.0, 0.2], dtype=torch.float64)), [])


class Turns(unittest.TestCase):
    """Of a row that is rounded to steps, doubled, and rounded once more."""

    def run_once(self):
        return ((self.x * 1.0).round() * 2.5).round()

    def found(self, x):
        self.x = x
        with Decisions() as plain:
            self.run_once()
        found = set()
        for seed in range(8):
            with NearTurns(plain.made, found), OtherRoundings(seed, 32 * 2.0 ** -23, results=True):
                self.run_once()
        return plain.made, found

    def test_only_near_ties_are_found_and_nothing_that_follows_from_them(self):
        made, found = self.found(torch.cat([between_steps([2.0, 6.0]), torch.tensor([0.3, 1.7])]))
        self.assertEqual([leaf.shape for leaf in made], [(4,), (4,)])
        # 2 or 3 first; then 2.5 times that, of which 7.5 lies between two steps itself.
        self.assertEqual({(at, place) for at, place, _ in found if at == 0}, {(0, 0), (0, 1)})
        self.assertLessEqual({place for at, place, _ in found if at == 1}, {0, 1})

    def test_a_run_with_turned_decisions_has_these(self):
        made, found = self.found(between_steps([2.0, 6.0, 9.0]))
        turns = turns_of(made, found)
        (turn,) = [turn for turn in turns if turn[:2] == (0, [1])]
        with Decisions(turned(made, [turn])):
            first = self.run_once()
        self.assertNotEqual(float(made[0][1]), turn[2])
        self.assertEqual(float(turned(made, [turn])[0][1]), turn[2])
        self.assertTrue(torch.equal(first, made[1]))  # decided as well, as it was

    def test_those_of_equal_rows_turn_together_where_they_are_many(self):
        rows = between_steps([2.0, 6.0]).repeat(TURNS_MAX, 1)
        made, found = self.found(torch.cat([rows, torch.full_like(rows, 0.2)], dim=1))
        turns = [turn for turn in turns_of(made, found) if turn[0] == 0]
        self.assertGreater(len(found), TURNS_MAX)
        self.assertEqual(sorted(places[0] % 4 for _, places, _ in turns), [0, 1])
        for _, places, _ in turns:
            self.assertGreater(len(places), TURNS_MAX * 0.9)

    def test_floats_of_a_byte_turn_too_and_nan_does_not(self):
        def found(run):
            with Decisions() as plain:
                run()
            turns = set()
            for seed in range(8):
                with NearTurns(plain.made, turns), OtherRoundings(seed, 2.0 ** -18, results=True):
                    run()
            return plain.made, turns

        x = torch.tensor([1.0625, 0.3, 1.5, float("nan")])  # 1.0625 lies between 1 and 1.125
        made, turns = found(lambda: (x * 1.0).to(torch.float8_e4m3fn))
        (turn,) = turns_of(made, turns)
        self.assertEqual(turn[:2], (0, [0]))
        both = {float(made[0][0].float()), float(turned(made, [turn])[0][0].float())}
        self.assertEqual(both, {1.0, 1.125})
        made, turns = found(lambda: (x.mean() + x.sum()).round())
        self.assertEqual((len(made), turns_of(made, turns)), (1, []))

    def test_too_many_are_none(self):
        made, found = self.found(between_steps([float(i) for i in range(2 * TURNS_MAX)]))
        self.assertEqual(turns_of(made, found), [])


class Rows(unittest.TestCase):
    """Rows of products with rounded numbers, some of which lie between two steps."""

    FORWARD = "return (x * 1.0).round() @ self.matrix"
    TIES = [3.0, 5.0, -8.0, 12.0, 7.0, 2.0]

    def setUp(self):
        torch.manual_seed(4)
        self.matrix = torch.randn(40, 64)
        self.instance, _, _ = instance_of(model_of(
            self.FORWARD, f"{self.rows}, 40",
            "torch.manual_seed(4); self.register_buffer('matrix', torch.randn(40, 64))"))
        self.x = (9 * torch.rand(self.rows, 40)).floor() + 0.3
        self.x[0, :6] = between_steps(self.TIES)

    rows = 32

    def settled(self, rounded, is_own=False):
        """(max, rms) of the program's output, or of the reference's own; before it in place of
        `rounded`: what the program rounds to."""
        (expected,) = self.instance.expected_on("nominal", [self.x], [], "eager")
        own = self.instance.run([self.x.clone()], [], "eager")[0]
        comparer = Comparer()
        comparer.own_error(own, expected)
        got = (rounded @ self.matrix) * (1 + ULP)
        nearby = near_ties.Nearby(
            lambda tensors: self.instance.run_watched(tensors, [], "eager"), [self.x], 3)
        (leaf,) = near_ties.NearTies().settle([got], [expected], nearby, is_own=is_own)
        error = comparer.leaf_error(leaf, expected)
        return error["max"], error["rms"]

    def other_way(self, places):
        rounded = self.x.round()
        for place in places:
            low, high = self.x[0, place].floor(), self.x[0, place].ceil()
            rounded[0, place] = low + high - rounded[0, place]
        return rounded

    def test_whichever_fall_otherwise(self):
        for places in ([], [2], [0, 3], [0, 1, 4, 5], range(6)):
            self.assertLess(self.settled(self.other_way(places))[0], near_ties.LEAP, places)

    def test_but_nothing_else(self):
        for place in (6, 20):
            rounded = self.other_way([0, 3])
            rounded[0, place] += 1.0
            self.assertGreater(self.settled(rounded)[0], 0.01)

    def test_nor_by_two_steps(self):
        rounded = self.x.round()
        rounded[0, 1] += 2.0 if rounded[0, 1] > self.x[0, 1] else -2.0
        self.assertGreater(self.settled(rounded)[0], 0.01)


class OneRow(Rows):
    """All of an output hangs on them."""

    rows = 1

    def test_errors_are_those_from_the_answer_then(self):
        """None is forgiven more than it is off by, nor taken for right: a program's 1e-5 is."""
        rounded = self.other_way([0, 2, 5])
        self.assertLess(self.settled(rounded)[0], near_ties.LEAP)
        self.matrix *= 1 + 1e-5
        self.assertGreater(self.settled(rounded)[0], near_ties.LEAP)


class OneOfFour(Rows):
    """More of an output than a near tie is looked for in otherwise; half is as it was."""

    rows = 4

    def test_the_references_own_error_is_that_of_its_arithmetic(self):
        """Not zero, and not that of a step."""
        (expected,) = self.instance.expected_on("nominal", [self.x], [], "eager")
        nearby = near_ties.Nearby(
            lambda tensors: self.instance.run_watched(tensors, [], "eager"), [self.x], 3, True)
        # As if the oracle had decided otherwise.
        expected.want = (self.other_way([0, 3]) @ self.matrix).double().view(-1) * (1 + 1e-7)
        own = self.instance.run([self.x.clone()], [], "eager")[0]
        (leaf,) = near_ties.NearTies().settle([own], [expected], nearby, is_own=True)
        off = (leaf.double().view(-1) - expected.want).abs()
        self.assertTrue(bool((off[:64] > 0).any()))
        self.assertLess(float(off.max()), near_ties.LEAP * expected.spread)


if __name__ == "__main__":
    unittest.main()
