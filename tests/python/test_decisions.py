"""In lower precision what hangs on rounding may be as that arithmetic decides, and nothing else."""

import unittest
from unittest import mock

import torch
from cupel import near_ties
from cupel.compare import Comparer
from cupel.decided_ties import DecidedOtherwise, DecidedTies
from cupel.decisions import Decisions
from cupel.expected import POLICY_GRAINS, coarse_unit
from cupel.failures import TaskFailure
from test_oracle import instance_of, model_of

UNIT, _ = POLICY_GRAINS["half"]
ROUTED = "s, best = self.gate(x).topk(1, dim=1); return torch.sigmoid(s) * self.rows[best[:, 0]]"
INIT = ("self.gate = torch.nn.Linear(16, 4); "
        "self.rows = torch.nn.Parameter(torch.tensor([[1.0], [-2.0], [3.0], [-5.0]]).expand(4, 8))")


class Routed(unittest.TestCase):
    """Each of 1024 rows is one of four, by the largest of four scores."""

    def setUp(self):
        self.instance, _, task = instance_of(model_of(ROUTED, "1024, 16", INIT))
        torch.manual_seed(5)
        (self.x,) = task.make_inputs()
        (self.expected,) = self.instance.expected_on("nominal", [self.x], [], "half")
        self.runs = 0

    def nearby(self):
        def oracle():
            self.runs += 1
            return self.instance.oracle([self.x], [])
        return DecidedOtherwise(oracle, UNIT, 3)

    def routed(self, scores, best):
        """An output by these scores."""
        rows = self.instance.model.rows.detach()
        return torch.sigmoid(scores.gather(1, best[:, None])) * rows[best]

    def max_error(self, got):
        comparer = Comparer()
        comparer.own_error(self.own(), self.expected)
        (leaf,) = DecidedTies().settle([got], [self.expected], self.nearby())
        return comparer.leaf_error(leaf, self.expected)["max"]

    def own(self):
        return DecidedTies().settle(self.instance.run([self.x.clone()], [], "half"),
                                    [self.expected], self.nearby(), is_own=True)[0]

    def scores(self):
        return self.instance.model.gate(self.x).detach()

    def test_the_references_own_flips_are_none_of_its_error(self):
        comparer, (own,) = Comparer(), self.instance.run([self.x.clone()], [], "half")
        self.assertGreater(comparer.leaf_error(own, self.expected)["max"], 0.5)
        self.assertLess(comparer.leaf_error(self.own(), self.expected)["max"], 0.05)

    def test_another_rounding_of_the_scores_is_right(self):
        scores = self.scores()
        got = self.routed(scores, scores.bfloat16().float().argmax(1))
        self.assertLess(self.max_error(got), 0.05)

    def test_what_is_further_than_rounding_is_not(self):
        scores = self.scores()
        best, second = scores.topk(2, dim=1).indices.unbind(1)
        gap = scores.amax(1) - scores.gather(1, second[:, None])[:, 0]
        row = int((gap - 0.2).abs().argmin())
        best[row] = second[row]
        self.assertGreater(self.max_error(self.routed(scores, best)), 0.5)

    def test_a_number_beyond_both_choices_is_wrong(self):
        scores = self.scores()
        best, second = scores.topk(2, dim=1).indices.unbind(1)
        gap = scores.amax(1) - scores.gather(1, second[:, None])[:, 0]
        row = int(gap.argmin())
        best[row] = second[row]
        got = self.routed(scores, best)
        self.assertLess(self.max_error(got), 0.05)
        got[row, 3] = 9.0
        self.assertGreater(self.max_error(got), 0.5)

    def test_what_is_off_in_many_places_is_not_looked_at(self):
        ties = DecidedTies()
        got = self.expected.want.view(1024, 8).float() + 1
        self.assertIs(ties.settle([got], [self.expected], self.nearby())[0], got)
        self.assertEqual(self.runs, 0)
        self.assertIsNone(ties._tie(got, self.expected, False))  # nor counted as a look in vain

    def test_after_some_that_were_no_ties_nobody_looks(self):
        ties, got = DecidedTies(), self.expected.want.view(1024, 8).float()
        got[:5] += 1
        for _ in range(2 * near_ties.FAILURES_MAX):
            ties.settle([got], [self.expected], self.nearby())
        self.assertEqual(self.runs, 2 * near_ties.RUNS_MAX * near_ties.FAILURES_MAX)

    def test_what_is_far_off_is_looked_at_whatever_the_reference_is_off_by(self):
        expected, comparer, ties = self.expected, Comparer(), DecidedTies()
        error = comparer.own_error(self.own(), expected)
        expected.own_max = 9.0
        self.assertFalse(ties.may_settle([{**error, "max": expected.own_median}], [expected]))
        self.assertTrue(ties.may_settle([{**error, "max": 20 * expected.own_median}], [expected]))


class Answers(unittest.TestCase):
    """What an answer is: as exact as the oracle, but for what was decided."""

    def asked(self, body, shape="64, 64", init="", learn_none=lambda: None):
        """(input, the oracle's leaves, what DecidedOtherwise answers)."""
        instance, _, task = instance_of(model_of(body, shape, init))
        torch.manual_seed(5)
        (x,) = task.make_inputs()
        found = DecidedOtherwise(lambda: instance.oracle([x], []), UNIT, 3, learn_none)()
        return x, instance.oracle([x], []), found

    def answers(self, *task):
        x, (want,), found = self.asked(*task)
        return x.double(), want, found

    def test_without_a_decision_there_is_none(self):
        self.assertIsNone(self.answers("return torch.relu(x @ x).softmax(1)")[2])

    def test_what_comes_beside_a_result_and_nobody_reads_is_none(self):
        for body in ("return torch.max(x @ x, 1)[0]", "return (x @ x).topk(3).values * 2",
                     "return torch.nn.functional.max_pool1d(x @ x, 2)",
                     "return torch.nn.functional.max_pool2d((x @ x)[None], 2)[0]"):
            self.assertIsNone(self.answers(body)[2], body)

    def test_what_is_read_past_all_operations_is_one(self):
        for body in ("y, i = (x @ x).max(1); return x[i.tolist()] + 0 * y[:, None]",
                     "y, i = (x @ x).max(1); return x[i.numpy()] + 0 * y[:, None]",
                     "y, i = (x @ x).max(1); return x[i.view(8, 8).flatten()] + 0 * y[:, None]",
                     "y = x @ x; b = torch.empty(64, dtype=torch.long); a = b.numpy(); "
                     "torch.max(y, 1, out=(torch.empty(64, dtype=y.dtype), b)); "
                     "return x[a.tolist()]"):
            _, want, ((one,), _) = self.answers(body)
            self.assertGreater(int((one != want).sum()), 0, body)

    def test_what_torch_func_has_wrapped_is_no_obstacle(self):
        _, want, ((one,), _) = self.answers(
            "y, i = (x @ x).max(1); z = torch.vmap(lambda r, j: r + j)(x, i); return z + y")
        self.assertGreater(int((one != want).sum()), 0)

    def test_looks_of_ours_are_no_decisions(self):
        """Parts of what is in bytes already decide nothing anew, and are read here."""
        _, want, ((one,), _) = self.answers(
            "q = (x * 3).to(torch.float8_e4m3fn); a, b = q.chunk(2, 0); c = b.double(); "
            "y = (x @ x)[:32] * 2; return (c * 0 + y).round() * 1000 + (y + 0.5).round()")
        self.assertTrue(0 < int((one != want).sum()) < one.numel() / 2)

    def test_where_a_number_is_read_other_inputs_may_decide(self):
        for body, learnt in (("return torch.relu(x @ x)", 1),
                             ("return x * 2 if float(x.abs().max()) < 60 else x.round()", 0),
                             ("return x * 2 if x.abs().max().tolist() < 60 else x.round()", 0)):
            learn = mock.Mock()
            self.assertIsNone(self.asked(body, learn_none=learn)[2])
            self.assertEqual(learn.call_count, learnt, body)

    def test_rounded_numbers_are_other_whole_ones_and_what_follows_is_exact(self):
        x, want, ((one,), (moved,)) = self.answers("return (x * 32).round() / 7")
        self.assertTrue(torch.allclose(one * 7, (one * 7).round(), rtol=0, atol=1e-12))
        self.assertGreater(int((one != want).sum()), 100)
        self.assertGreater(int((one != moved).sum()), 4000)

    def test_truths_places_and_bytes_are_decided(self):
        for body in ("y = x * 3; return torch.where(y > 1, x, -x)",
                     "y = x @ x; return x[y.argmax(1)]",
                     "y = x @ x; i = y.topk(3).indices; return x.gather(1, i)",
                     "y = x * 3; y.floor_(); return x + y",
                     "return x + torch.div(x * 3, 0.5, rounding_mode='floor')",
                     "return x + (x * 3).int()",
                     "y = x * 3; y.ge_(1.0); return x + y",
                     "return x + (x * 3).to(torch.float8_e4m3fn).double()",
                     "y = (x @ x).sort(1).indices; return x.gather(1, y)"):
            _, want, ((one,), _) = self.answers(body)
            others = int((one != want).sum())
            self.assertTrue(0 < others < one.numel() / 2, (body, others))

    def test_a_place_that_is_an_output_is_decided(self):
        _, (_, want), ((_, one), _) = self.asked("return tuple((x @ x).max(1))")
        others = int((one != want).sum())
        self.assertTrue(0 < others < one.numel() / 2, others)

    def test_a_comparison_of_inputs_has_one_answer(self):
        _, want, ((one,), _) = self.answers("return torch.where(x > x[3], x, -x)")
        self.assertTrue(torch.equal(one, want))

    def test_results_are_off_before_something_is_chosen_among_them(self):
        """Sums of many equal terms: what operands are off by is lost in their mean."""
        _, want, ((one,), _) = self.answers("return (x.abs() @ self.w * 4).round()", "64, 4096",
                                            "self.w = torch.ones(4096, 8)")
        self.assertGreater(float((one - want).abs().max()), 30)

    def test_places_may_be_of_another_number(self):
        """A loop over those that are chosen."""
        body = ("y = torch.zeros_like(x); i = torch.where(x * 3 > 1)[0]; "
                "return y.index_add(0, i, x[i])")
        _, want, ((one,), _) = self.answers(body)
        self.assertGreater(int((one != want).sum()), 0)

    def test_a_run_of_another_course_gives_no_answer(self):
        instance, _, task = instance_of(model_of(
            "return (x * 3).round() if float(x.sum() * 0) == 0 else x", "64, 4"))
        (x,) = task.make_inputs()
        (expected,) = instance.expected_on("nominal", [x], [], "half")
        with self.assertRaises(TaskFailure), Decisions(Decisions()):
            instance.oracle([x], [])
        self.assertTrue(expected.finite)


class UnitTest(unittest.TestCase):
    """Of which arithmetic are decisions?"""

    def test_that_of_a_policy(self):
        for policy, (unit, _) in POLICY_GRAINS.items():
            self.assertEqual(coarse_unit(policy, {torch.float32}), unit)
        for policy in ("eager", "exact"):
            self.assertEqual(coarse_unit(policy, {torch.float32}), 0)
            self.assertEqual(coarse_unit(policy, set()), 0)

    def test_that_of_a_model_in_half_precision(self):
        self.assertEqual(coarse_unit("eager", {torch.bfloat16}), 2 ** -8)
        self.assertEqual(coarse_unit("exact", {torch.float16}), 2 ** -11)
        self.assertEqual(coarse_unit("tf32", {torch.float16, torch.bfloat16}), 2 ** -8)
        self.assertEqual(coarse_unit("half", {torch.float16}), 2 ** -8)

    def test_a_part_in_half_precision_is_no_arithmetic(self):
        self.assertEqual(coarse_unit("eager", {torch.float32, torch.bfloat16}), 0)

    def test_a_models_numbers_are_its_weights_inputs_and_outputs(self):
        body, init = "return self.w(x).float()", "self.w = torch.nn.Linear(4, 4).half()"
        instance, *_ = instance_of(model_of(body, "8, 4", init).replace(
            "torch.randn(8, 4)", "torch.randn(8, 4).half()"))
        self.assertEqual(instance.dtypes, {torch.float16, torch.float32})


if __name__ == "__main__":
    unittest.main()
