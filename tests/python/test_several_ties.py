"""Several near ties at once: those of a program are told by what each of them does alone."""

import itertools
import unittest

import torch
from cupel import near_ties
from cupel.compare import Comparer
from cupel.turned_roundings import TURNS_MAX, NearMiddles, Turned, nearest_sum, told_apart
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


class Apart(unittest.TestCase):
    """A sum tells which turns it is of only if they are independent of each other."""

    def test_turns_that_move_what_no_other_does_are(self):
        effects = torch.zeros(5, 30, dtype=torch.float64)
        for turn in range(5):
            effects[turn, 6 * turn:6 * turn + 6] = torch.randn(6)
        self.assertEqual(told_apart(effects, 1e-5), list(range(5)))

    def test_more_turns_than_numbers_are_not_nor_turns_that_differ_in_size_alone(self):
        torch.manual_seed(2)
        self.assertEqual(told_apart(torch.randn(20, 1, dtype=torch.float64), 1e-5), [])
        row = torch.randn(1, 64, dtype=torch.float64)
        sizes = torch.rand(7, 1, dtype=torch.float64) + 0.5
        self.assertEqual(told_apart(sizes * row, 1e-5), [])
        apart = torch.zeros(8, 70, dtype=torch.float64)
        apart[:7, :64] = sizes * row
        apart[7, 64:] = 1.0
        self.assertEqual(told_apart(apart, 1e-5), [7])

    def test_one_alone_is_and_what_moves_nothing_is_not(self):
        effects = torch.tensor([[0.3]], dtype=torch.float64)
        self.assertEqual(told_apart(effects, 1e-5), [0])
        self.assertEqual(told_apart(1e-6 * effects, 1e-5), [])


class Turns(unittest.TestCase):
    """Of numbers that are rounded to steps, multiplied, and rounded once more."""

    def run_once(self, x):
        return ((x * 1.0).round() * 2.5).round_()

    def turns(self, x):
        with NearMiddles() as middles:
            self.run_once(x)
        return middles.turns()

    def test_numbers_next_to_the_middle_are_found_and_others_are_not(self):
        x = torch.cat([between_steps([2.0, 6.0, -4.0]),
                       torch.tensor([0.3, 1.7, 4.0, 2.4999, 3.5001, float("nan"), float("inf")])])
        turns = self.turns(x)
        self.assertEqual([(at, place) for _, ((at, place),) in turns], [(0, 0), (0, 1), (0, 2)])
        self.assertEqual([number for number, _ in turns],
                         [2.0 + 3.0 - float((x[0] * 1.0).round()), 6.0 + 7.0 - float(x[1].round()),
                          -3.0 - 4.0 - float(x[2].round())])

    def test_what_follows_from_a_turn_follows(self):
        x = between_steps([2.0, 6.0, 9.0])
        plain = self.run_once(x)
        (turn,) = [turn for turn in self.turns(x) if turn[1] == [(0, 1)]]
        with Turned([turn]):
            got = self.run_once(x)
        self.assertNotEqual(float(got[1]), float(plain[1]))
        self.assertEqual(float(got[1]), float(torch.tensor(2.5 * turn[0]).round()))
        self.assertTrue(torch.equal(got[[0, 2]], plain[[0, 2]]))

    def test_those_of_equal_rows_turn_together_and_those_of_others_do_not(self):
        row = torch.full((16,), 0.2)
        row[3] = between_steps([0.0])
        rows = row.repeat(2 * TURNS_MAX, 1)
        rows[5, 9] = 0.3
        turns = self.turns(rows)
        places = sorted([[place for _, place in places] for _, places in turns], key=len)
        self.assertEqual([len(each) for each in places], [1, 2 * TURNS_MAX - 1])
        self.assertEqual(places[0], [5 * 16 + 3])

    def test_numbers_that_are_rounded_twice_turn_together(self):
        x = torch.full((4, 16), 0.2)
        x[2, 1] = between_steps([7.0])
        with NearMiddles() as middles:
            (x * 1.0).round() + (x * 1.0).round()
        ((_, places),) = middles.turns()
        self.assertEqual(places, [(0, 33), (1, 33)])

    def test_too_many_are_none(self):
        self.assertEqual(self.turns(between_steps([float(i) for i in range(2 * TURNS_MAX)])), [])

    def test_other_steps_and_other_types_are_left_alone(self):
        x = between_steps([2.0, 6.0])
        with NearMiddles() as middles:
            (x * 1.0).floor(), (2.0 * x).to(torch.int8), x.bfloat16().round(), x.round(decimals=1)
            torch.zeros(0).round(), (x.to(torch.int32)).round()
        self.assertEqual(middles.turns(), [])


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


class Told(unittest.TestCase):
    """Programs that were taken for right when turns were made otherwise."""

    def errors(self, forward, x, program, count=1, init=""):
        """Of each output: (max before a look, max after it)."""
        instance, _, _ = instance_of(model_of(
            f"return {forward}", ", ".join(map(str, x.shape)),
            "torch.manual_seed(4); self.register_buffer('matrix', torch.randn(40, 64))" + init))
        torch.manual_seed(4)
        matrix = torch.randn(40, 64)
        expected = instance.expected_on("nominal", [x], [], "eager")
        own, comparer = instance.run([x.clone()], [], "eager"), Comparer()
        for each in zip(own, expected):
            comparer.own_error(*each)
        got = program(x, matrix)
        got = list(got) if isinstance(got, tuple) else [got]
        nearby = near_ties.Nearby(
            lambda tensors: instance.run_watched(tensors, [], "eager"), [x], 3)
        after = near_ties.NearTies().settle(got, expected, nearby)
        return [(comparer.leaf_error(before, one)["max"], comparer.leaf_error(leaf, one)["max"])
                for before, leaf, one in zip(got, after, expected)]

    def row(self):
        torch.manual_seed(6)
        x = (9 * torch.rand(1, 40)).floor() + 0.3
        x[0, :6] = between_steps(Rows.TIES)
        return x

    def test_a_number_is_off_by_any_of_many_sums(self):
        torch.manual_seed(5)
        x = (20 * torch.rand(64, 64)).floor() + 0.2
        x.view(-1)[:60] = between_steps([float(i) for i in range(60)])
        for off in (2e-4, 7e-4, -1.3e-3):
            (before, after), = self.errors(
                "((x * 1.0).round() * (1.0 + x.sin())).square().mean()", x,
                lambda x, _: ((x * 1.0).round() * (1.0 + x.sin())).square().mean() * (1 + off))
            self.assertGreater(before, near_ties.LEAP)
            self.assertEqual(before, after)

    def test_what_follows_from_a_turn_follows(self):
        """A zero is rounded, added, and taken off: a program takes off another one."""
        x = self.row()
        forward = "((x * 1.0 + (x[:, :1] * 1.0).round()).round() - (x[:, :1] * 1.0).round()) " \
                  "@ self.matrix"

        def program(x, matrix):
            zero = (x[:, :1] * 1.0).round()
            return ((x * 1.0 + zero).round() - (2 * x[:, :1].floor() + 1 - zero)) @ matrix
        (before, after), = self.errors(forward, x, program)
        self.assertGreater(after, 0.01 * before)

    def test_a_chosen_place_is_not_turned(self):
        """The same of two experts twice."""
        x = torch.randn(8, 40)
        x[:, 1] = x[:, 0] = x.amax(dim=1) + 1.0
        forward = "self.matrix[(x * 1.0).topk(2, dim=1).indices].sum(1)"
        (_, after), = self.errors(forward, x, lambda x, matrix: 2 * matrix[
            torch.zeros(8, dtype=torch.long)])
        self.assertGreater(after, 0.1)

    def test_rounded_numbers_may_be_whole_ones(self):
        x = self.row()
        rounded = x.round()
        for place in (0, 2, 3, 5):
            rounded[0, place] = x[0, place].floor() + x[0, place].ceil() - rounded[0, place]
        for cast in (".round()", ".round().to(torch.int8).float()", ".round_().int().float()",
                     ".round().clamp(-127, 127).to(torch.int16).float()",
                     ".round().add(8.0).to(torch.uint8).float().sub(8.0)"):
            (before, after), = self.errors(
                f"(x * 1.0).abs(){cast} @ self.matrix", x,
                lambda x, matrix: rounded.abs() @ matrix)
            self.assertGreater(before, 0.01, cast)
            self.assertLess(after, near_ties.LEAP, cast)

    def test_what_was_rounded_is_no_near_tie_of_what_follows(self):
        """One less in every third place, after arithmetic that is exact."""
        torch.manual_seed(8)
        x = (9 * torch.rand(1, 40)).floor() + 0.3
        less = (torch.arange(40) % 3 == 0).float()
        for forward in ("((x * 1.0).round() + 8).to(torch.uint8).float() @ self.matrix",
                        "((x * 1.0).round() + 8.0).floor() @ self.matrix",
                        "((x * 1.0).round() + 8.0).round() @ self.matrix",
                        "torch.div(x * 1.0, 0.5, rounding_mode='floor').to(torch.int8).float() "
                        "@ self.matrix"):
            scale = 1.0 if "div" not in forward else None
            (before, after), = self.errors(
                forward, x, lambda x, matrix: (
                    ((x * 1.0).round() + 8 if scale else (x / 0.5).floor()) - less) @ matrix)
            self.assertGreater(before, 0.01, forward)
            self.assertEqual(before, after, forward)

    def test_rows_that_are_equal_once_rounded_do_not_turn_together(self):
        torch.manual_seed(9)
        x = torch.rand(8, 40) * 0.4 + 0.03
        x[0, 0] = 0.5 * (1 - ULP)
        for rows, limit in ((1, 0.0), (8, 0.1)):
            turned_x = x.round()
            turned_x[:rows, 0] = 1.0
            (before, after), = self.errors("(x * 1.0).round() @ self.matrix", x,
                                           lambda x, matrix: turned_x @ matrix)
            self.assertGreater(before, 0.1)
            (self.assertGreater if limit else self.assertLess)(after, limit or near_ties.LEAP)

    def test_numbers_too_large_to_square_and_not_finite_are_no_ones_failure(self):
        x = torch.rand(1, 40) * 0.2 + 0.1
        x[0, :3] = 0.5 * (1 - ULP)
        (_, after), = self.errors(
            "((x * 1.0).round().double() * 400).exp() @ self.matrix.double()", x,
            lambda x, matrix: 2.0 * torch.ones(1, 64, dtype=torch.float64))
        self.assertGreater(after, 0.1)
        x = self.row()
        x[0, 0] = 3.5 * (1 - 2 * ULP)
        turned_x = x.round()
        turned_x[0, 0] = 7.0 - turned_x[0, 0]
        forward = "torch.cat([(r := (x * 1.0).round()) @ self.matrix, 1 / ((r - {0})[:, :1])], 1)"
        for pole in (3.0, 4.0):
            (_, after), = self.errors(forward.format(pole), x, lambda x, matrix: torch.cat(
                [turned_x @ matrix, 1 / ((turned_x - pole)[:, :1])], 1))
            self.assertLess(after, near_ties.LEAP)

    def test_beside_a_leaf_of_which_few_places_leap(self):
        x = torch.cat([self.row(), (9 * torch.rand(31, 40)).floor() + 0.3])
        turned_x = x.round()
        for place in (0, 2, 3):
            turned_x[0, place] = x[0, place].floor() + x[0, place].ceil() - turned_x[0, place]
        forward = "(x * 1.0).round()[:1] @ self.matrix, (x * 1.0).round() @ self.matrix"
        both = self.errors(forward, x, lambda x, matrix: (turned_x[:1] @ matrix,
                                                          turned_x @ matrix))
        for before, after in both:
            self.assertGreater(before, 0.001)
            self.assertLess(after, near_ties.LEAP)


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
