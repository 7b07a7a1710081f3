"""What hangs on rounding may be as rounding has it; what does not may not."""

import unittest

import torch
from cupel import near_ties
from cupel.compare import Comparer
from cupel.expected import Expected
from test_oracle import instance_of, model_of

ROWS = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]])
NEAREST = "self.rows[(x[:, None] - self.rows).square().sum(2).argmin(1)]"
INIT = f"self.register_buffer('rows', torch.tensor({ROWS.tolist()}))"


class Nearest(unittest.TestCase):
    """The nearest of three rows to each of 64; the first row of x lies between two of them."""

    def setUp(self):
        self.instance, _, task = instance_of(model_of(f"return {NEAREST}", "64, 2", INIT))
        torch.manual_seed(5)
        (self.x,) = task.make_inputs()
        self.x[1:] *= 0.1  # all of them by the first row
        self.runs = 0

    def settled(self, first, answers):
        """The output as it is compared. `first`: the first row of x, `answers`: {place: row}."""
        self.x[0] = torch.tensor(first)
        (expected,) = self.instance.expected_on("nominal", [self.x], [], "eager")
        own = self.instance.run([self.x.clone()], [], "eager")[0]
        comparer, got = Comparer(), own.clone()
        comparer.own_error(own, expected)
        for place, row in answers.items():
            got[place] = ROWS[row]
        self.errors = [comparer.leaf_error(got, expected)]

        def run(tensors):
            self.runs += 1
            return self.instance.run_watched(tensors, [], "eager")
        nearby = near_ties.Nearby(run, [self.x], 3)
        (leaf,) = near_ties.NearTies().settle([got], [expected], nearby)
        return comparer.leaf_error(leaf, expected)["max"]

    def test_either_of_two_that_are_as_near_is_right(self):
        between = [1.0 + 1e-7, 0.7]
        for row in (0, 1):
            self.assertEqual(self.settled(between, {0: row}), 0.0)

    def test_a_third_is_not(self):
        self.assertGreater(self.settled([1.0 + 1e-7, 0.7], {0: 2}), 1.0)

    def test_what_is_further_by_more_than_rounding_is_not(self):
        self.assertGreater(self.settled([0.9999, 0.7], {0: 1}), 1.0)
        self.assertEqual(self.runs, near_ties.RUNS_MAX + 1)

    def test_what_is_wrong_elsewhere_stays_wrong(self):
        self.assertGreater(self.settled([1.0 + 1e-7, 0.7], {0: 0, 7: 1}), 1.0)

    def test_what_is_wrong_in_many_places_is_not_looked_at_where_nothing_is_rounded(self):
        self.assertGreater(self.settled([1.0 + 1e-7, 0.7], {i: 1 for i in range(9, 40)}), 1.0)
        self.assertEqual(self.runs, 1)

    def test_only_far_errors_and_infinities_are_leaps(self):
        self.settled([1.0 + 1e-7, 0.7], {0: 2})
        expected = [Expected(torch.randn(9, dtype=torch.float64), torch.float32)]
        self.assertTrue(near_ties.leaps(self.errors, expected))
        none = {**self.errors[0], "max": near_ties.LEAP / 2, "group": 1.0, "nonfinite": 0}
        self.assertFalse(near_ties.leaps([none], expected))
        for odd in ({"nonfinite": 1}, {"mismatched": 1}, {"group": 2.0 * near_ties.MULTIPLE}):
            self.assertTrue(near_ties.leaps([{**none, **odd}], expected))


class Infinities(unittest.TestCase):
    """Numbers below a limit are -inf; the first lies at it, another is NaN."""

    def settled(self, **places):
        forward = "return x.masked_fill(x * 3.0 < 0.9, float('-inf'))"
        instance, _, _ = instance_of(model_of(forward, "64", ""))
        x = torch.linspace(-1, 1, 64)
        x[0], x[5] = 0.3, torch.nan
        (expected,) = instance.expected_on("nominal", [x], [], "eager")
        own = instance.run([x.clone()], [], "eager")[0]
        comparer, got = Comparer(), own.clone()
        comparer.own_error(own, expected)
        for place, value in places.items():
            got[int(place[1:])] = value
        nearby = near_ties.Nearby(lambda moved: instance.run_watched(moved, [], "eager"), [x], 3)
        (leaf,) = near_ties.NearTies().settle([got], [expected], nearby)
        return comparer.leaf_error(leaf, expected)["nonfinite"]

    def test_at_the_limit_a_number_or_none_is_right(self):
        self.assertEqual(self.settled(p0=0.3), 0)
        self.assertEqual(self.settled(p0=-torch.inf), 0)

    def test_nan_and_other_places_are_not(self):
        self.assertEqual(self.settled(p0=torch.nan), 1)
        self.assertEqual(self.settled(p0=0.3, p60=-torch.inf), 1)
        self.assertEqual(self.settled(p5=0.3), 1)


class Own(unittest.TestCase):
    """What the reference is off by where it rounds to steps itself."""

    def settled(self, answers):
        want = torch.tensor([1.0, 2.0, 3.0, *range(40)], dtype=torch.float64)
        own = want.float()
        own[1] = 3.0  # float64 is on the other side of a step
        expected = Expected(want, torch.float32)
        (leaf,) = near_ties.NearTies().settle(
            [own], [expected], lambda: (
                [own.clone().index_fill(0, torch.tensor(1), next(answers))], [None]), is_own=True)
        return float(leaf[1])

    def test_a_step_is_none_of_its_error_where_the_oracle_is_next_to_it(self):
        self.assertEqual(self.settled(iter([3.0, 3.0, 2.0])), 2.0)

    def test_that_several_runs_stay_on_one_side_proves_nothing(self):
        self.assertEqual(self.settled(iter([*[3.0] * 2 * near_ties.OWN_RUNS, 2.0])), 2.0)

    def test_an_error_that_moves_with_the_input_is(self):
        moving = iter([3.0 + i / 16 for i in range(99)])
        self.assertEqual(self.settled(moving), 3.0)
        self.assertEqual(len(list(moving)), 99 - near_ties.RUNS_MAX)

    def runs(self, off, right):
        """How many runs are made of an output of 512 numbers, the first of which are so much `off`;
        those places are `right` in each run."""
        want = torch.linspace(-1, 1, 512, dtype=torch.float64)
        own, answer, runs = want.float(), want.float(), []
        own[:len(off)] += torch.tensor(off)
        answer[:len(off)] += torch.tensor([0.0 if i in right else 9.0 for i in range(len(off))])
        expected = Expected(want, torch.float32)

        def nearby():
            runs.append(1)
            return [answer.clone()], [None]
        near_ties.NearTies().settle([own], [expected], nearby, is_own=True)
        return len(runs)

    def test_where_most_places_are_no_ties_few_runs_are_made(self):
        more = near_ties.FEW + 1
        many = [0.5] * 2 * more
        self.assertEqual(self.runs(many, right=range(more - 1)), near_ties.RUNS_MAX)  # by chance
        self.assertEqual(self.runs([*many, 0.5], right=range(more)), near_ties.OWN_RUNS)
        self.assertEqual(self.runs(many, right=range(more)), near_ties.RUNS_MAX)
        self.assertEqual(self.runs([0.5] * near_ties.FEW, right=[0]), near_ties.RUNS_MAX)

    def test_what_is_most_of_the_error_is_most(self):
        more = near_ties.FEW + 1
        off = [*[5.0] * more, *[0.5] * 2 * more]
        self.assertEqual(self.runs(off, right=range(more)), near_ties.RUNS_MAX)
        self.assertEqual(self.runs(off, right=range(more, 2 * more)), near_ties.OWN_RUNS)

    def test_what_no_run_explains_may_be_several_near_ties_at_once(self):
        more = near_ties.FEW + 1
        want = torch.linspace(-1, 1, 512, dtype=torch.float64)
        own = want.float()
        own[:3 * more] += 0.5

        class Runs:  # each explains less than half of what is off
            def __call__(self):
                return [own.clone().index_copy_(0, torch.arange(more), want.float()[:more])], [None]

            def several(self, numbers, wanted, near):
                return [want.float()], [None]
        (leaf,) = near_ties.NearTies().settle([own], [Expected(want, torch.float32)], Runs(),
                                              is_own=True)
        self.assertTrue(torch.equal(leaf, want.float()))

    def test_a_row_that_one_late_step_moves_is_none_of_its_error(self):
        own = torch.linspace(-1, 1, 4096)
        want = own.double()
        own[:128] += 0.01
        answers = iter([*[own] * 2 * near_ties.OWN_RUNS, want.float()])
        (leaf,) = near_ties.NearTies().settle(
            [own], [Expected(want, torch.float32)],
            lambda: ([next(answers).clone()], [None]), is_own=True)
        self.assertTrue(torch.equal(leaf, want.float()))

    def test_a_number_that_is_off_in_its_last_places_is_no_tie(self):
        want = torch.cat([torch.randn(4000, dtype=torch.float64), torch.tensor([1000.0])])
        own = want.float()
        own[-1] += 4 * 1000.0 * 2.0 ** -23
        expected = Expected(want, torch.float32)
        self.assertGreater(float((own - want).abs().max()), near_ties.LEAP * expected.spread)
        (leaf,) = near_ties.NearTies().settle([own], [expected], self.fail, is_own=True)
        self.assertIs(leaf, own)
        for off, at in ((0.1, -1), (torch.inf, -1), (0.1, 0)):
            far = own.clone()
            far[at] += off
            self.assertEqual(expected.leaping(far, near_ties.LEAP).nonzero().tolist(),
                             [[at % len(own)]])


class Steps(unittest.TestCase):
    """Rows in whole numbers, by steps of the rows' own size."""

    def left(self, whole):
        """How many places differ from the reference's once near ties are settled, of those that
        differed before. `whole`: a program, of quotients and what is rounded."""
        instance, _, task = instance_of(model_of(
            "return torch.round(x * (127 / x.abs().amax(1, True))).to(torch.int8)", "4096, 512"))
        torch.manual_seed(6)
        (x,) = task.make_inputs()
        expected = instance.expected_on("nominal", [x], [], "eager")
        own, behind = instance.run_watched([x.clone()], [], "eager")
        Comparer().own_error(own[0], expected[0], behind[0])
        got = [whole(x, x.abs().amax(1, True)).to(torch.int8)]
        nearby = near_ties.Nearby(lambda moved: instance.run_watched(moved, [], "eager"), [x], 3)
        settled = near_ties.NearTies().settle(got, expected, nearby)
        return [int((leaf[0] != expected[0].want.view(4096, 512)).sum()) for leaf in (settled, got)]

    def test_quotients_by_a_reciprocal_are_rounded_as_near(self):
        left, of = self.left(lambda x, top: torch.round(x * (1 / (top / 127))))
        self.assertEqual(left, 0)
        self.assertGreater(of, 0)
        self.assertLess(of, 32)

    def test_a_little_less_than_a_half_is_none(self):
        left, of = self.left(lambda x, top: torch.trunc(x * (127 / top) + 0.499 * x.sign()))
        self.assertGreater(of, 1000)
        self.assertGreater(left, of / 3)


class SteppedTwice(unittest.TestCase):
    """Rows in bytes, shifted by a zero point that was rounded itself."""

    BODY = """low, high = x.aminmax(dim=-1, keepdim=True)
        scale = (high - low) / 255
        whole = torch.round(x / scale) + torch.round(-low / scale)
        return whole.clamp(0, 255).to(torch.uint8)"""

    def setUp(self):
        """One row whose zero point is another in the reference's arithmetic than in the oracle's,
        among some in which it is the same."""
        self.instance, _, _ = instance_of(model_of(self.BODY, "65, 16"))
        torch.manual_seed(8)
        x = torch.randn(1 << 20, 16)
        differs = (self.zero_points(x) != self.zero_points(x.double())).view(-1)
        self.assertTrue(bool(differs.any()))
        self.x = torch.cat([x[differs][:1], x[~differs][:64]])
        (self.expected,) = self.instance.expected_on("nominal", [self.x], [], "eager")
        self.run = lambda given: self.instance.run_watched(given, [], "eager")
        self.own, self.behind = self.run([self.x.clone()])

    @staticmethod
    def zero_points(x):
        low, high = x.aminmax(dim=-1, keepdim=True)
        return torch.round(-low / ((high - low) / 255))

    def errors(self):
        """What the reference is off by; what its own output is off by as a program's."""
        comparer = Comparer()
        values, = near_ties.NearTies().settle_behind(
            [self.expected], self.behind, near_ties.Nearby(self.run, [self.x], 3, True))
        own = comparer.own_error(self.own[0], self.expected, self.behind[0], values=values)
        settled = near_ties.NearTies().settle(self.own, [self.expected],
                                              near_ties.Nearby(self.run, [self.x], 3))
        return own, comparer.leaf_error(settled[0], self.expected)

    def test_a_zero_point_that_may_be_either_is_none_of_its_error(self):
        self.assertGreater(int((self.own[0].view(-1) != self.expected.want).sum()), 8)
        own, of_program = self.errors()
        self.assertLess(own["max"], 1e-5)
        self.assertEqual((of_program["mismatched"], of_program["max"]), (0, 0.0))

    def test_runs_in_which_nothing_is_known_of_it_tell_nothing(self):
        """The reference takes another branch there."""
        values, = near_ties.NearTies().settle_behind([self.expected], self.behind,
                                                     lambda: (self.own, [None]))
        self.assertTrue(torch.equal(values, self.behind[0].wanted(None)))

    def test_one_that_no_rounding_gives_is(self):
        self.expected.behind.want[80:96] += 1
        own, _ = self.errors()
        self.assertGreater(own["max"], 1e-3)


class Budget(unittest.TestCase):
    def test_after_some_that_were_no_ties_nobody_looks(self):
        instance, _, task = instance_of(model_of(f"return {NEAREST}", "64, 2", INIT))
        (x,) = task.make_inputs()
        (expected,) = instance.expected_on("nominal", [x * 0.1], [], "eager")
        wrong = expected.want.view(64, 2).float()
        wrong[3] = ROWS[2]
        ties, runs = near_ties.NearTies(), []

        def nearby():
            runs.append(1)
            return instance.run_watched([x * 0.1], [], "eager")
        for _ in range(2 * near_ties.FAILURES_MAX):
            ties.settle([wrong], [expected], nearby)
        self.assertEqual(len(runs), near_ties.FAILURES_MAX * near_ties.RUNS_MAX)


class OfOwn(unittest.TestCase):
    def test_where_another_lint_looked_in_vain_nobody_looks(self):
        ties = near_ties.OwnTies(near_ties.NearTies)
        ties.none = frozenset(("large",))
        self.assertEqual(ties.looked_in_vain(("nominal", "large")), ["large"])
        self.assertTrue(ties.of(1, "large").in_vain())
        self.assertIs(ties.of(1, "nominal"), ties.of(1, "nominal"))
        self.assertIsNot(ties.of(0, "nominal"), ties.of(1, "nominal"))

    def settle(self, ties, answer):
        """Of an input on which 20 numbers leap, and whose other runs give `answer(own, want)`."""
        want = torch.linspace(-1, 1, 512, dtype=torch.float64)
        own = want.float()
        own[:20] += 0.5
        ties.of(0, "large").settle([own], [Expected(want, torch.float32)],
                                   lambda: ([answer(own, want.float())], [None]), is_own=True)

    def test_two_in_vain_are_enough(self):
        ties = near_ties.OwnTies(near_ties.NearTies)
        for looked in ([], [], ["large"]):
            self.assertEqual(ties.looked_in_vain(["nominal", "large"]), looked)
            self.settle(ties, lambda own, _: own + 9)

    def test_one_that_was_found_says_that_there_are_some(self):
        ties = near_ties.OwnTies(near_ties.NearTies)
        self.settle(ties, lambda _, want: want)
        for _ in range(3):
            self.settle(ties, lambda own, _: own + 9)
        self.assertEqual(ties.looked_in_vain(["large"]), [])


class Continuous(unittest.TestCase):
    """Where nothing leaps there are no near ties, and nobody looks for them."""

    def looks(self, run, is_known=False):
        """Whether there are answers, and how often it was learnt that there are none."""
        learnt = []
        nearby = near_ties.Nearby(lambda given: ([run(*given)], [None]), [torch.randn(8, 16)], 1,
                                  is_known, lambda: learnt.append(1))
        return nearby() is not None, len(learnt)

    def test_nobody_looks(self):
        layer = torch.nn.GRU(16, 16).eval()
        for run in (torch.tanh, lambda x: torch.relu(x @ x.T).softmax(1),
                    lambda x: layer(x)[0].detach(), lambda x: x.max(1).values,
                    lambda x: torch.nn.functional.max_pool1d(x, 2)):
            for is_known in (False, True):
                self.assertEqual(self.looks(run, is_known), (False, 1))

    def test_what_may_leap_is_looked_at(self):
        grid = torch.rand(1, 4, 4, 2)
        for run in (lambda x: x.masked_fill(x < 0.3, 0.0), torch.round, lambda x: x.argmax(1),
                    lambda x: x.max(1)[1].float(), lambda x: torch.fmod(x, 0.5),
                    lambda x: torch.nn.functional.hardshrink(x), lambda x: x * x.sum().item(),
                    lambda x: torch.nn.functional.threshold(x, 0.1, 20.0),
                    lambda x: torch.linalg.eigh(x[:, :8] + x[:, :8].T)[1],
                    lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 255),
                    lambda x: torch.nn.functional.grid_sample(x[None, None], grid,
                                                              align_corners=False)):
            self.assertEqual(self.looks(run), (True, 0))


class Roundings(unittest.TestCase):
    def nearby(self, run, tensors, is_known=False):
        """Of a reference that decides something."""
        def watched(given):
            leaves = run(given)
            return [*leaves, given[0] > 0], [None] * (len(leaves) + 1)
        nearby = near_ties.Nearby(watched, tensors, 1, is_known)
        return lambda: nearby()[0][:-1]

    def test_what_is_known_is_not_given_again(self):
        x = torch.randn(1000)
        nearby = self.nearby(lambda given: [given[0] * 1.0], [x], is_known=True)
        self.assertFalse(torch.equal(nearby()[0], x))

    def test_first_as_given_then_operands_and_results_are_off_by_rounding(self):
        x, ids = torch.randn(1000), torch.arange(3)
        nearby = self.nearby(lambda given: [given[0] * 1.0, given[1] * 2], [x, ids])
        first, *moved = (nearby() for _ in range(3))
        self.assertTrue(torch.equal(first[0], x))
        for (one, whole), rounding in zip(moved, near_ties.ROUNDINGS):
            share = ((one.double() - x.double()) / x.double()).abs()
            self.assertLessEqual(share.max().item(), 2 * rounding + 2.0 ** -22)
            self.assertGreater(share.max().item(), 1.6 * rounding)
            self.assertEqual(one.dtype, x.dtype)
            self.assertTrue(torch.equal(whole, ids * 2))

    def test_what_chooses_moves_or_is_whole_is_as_ever(self):
        x = torch.randn(1000)
        exact = (lambda x: x >= x[3], lambda x: x.sort().values, lambda x: x.round(),
                 lambda x: torch.where(x > 0, x, -x), lambda x: x.view(10, 100).argmax(1))
        nearby = self.nearby(lambda given: [f(given[0]) for f in exact], [x])
        first, moved = nearby(), nearby()
        for one, other in zip(first, moved):
            self.assertTrue(torch.equal(one, other))

    def test_what_is_written_in_place_is_off_too(self):
        x, y = torch.randn(1000), torch.randn(1000)

        def run(given):
            given[0].add_(given[1])
            return given[:1]
        nearby = self.nearby(run, [x, y])
        (first,), (moved,) = nearby(), nearby()
        self.assertTrue(0 < (first - moved).abs().max().item() < 1e-5)
        self.assertTrue(torch.equal(first, x + y))


if __name__ == "__main__":
    unittest.main()
