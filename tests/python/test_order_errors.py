"""When the referee looks at other orders of sums, and what it tells."""

import unittest

import torch
from cupel.compare import Comparer
from cupel.expected import Expected
from cupel.failures import TaskFailure
from cupel.in_order import ORDERS, added_up
from cupel.oracle import Leaves
from cupel.order_errors import OTHERS_MAX, OrderErrors, OthersInOrder
from cupel.session import Session

FORWARD = ORDERS[0]
MOST = 1024                # times what the reference is off by


class Looking(unittest.TestCase):
    """At a mean of terms of one sign."""

    def setUp(self):
        torch.manual_seed(2)
        self.x = torch.rand(64, 8192)
        self.runs = 0
        self.comparer = Comparer()
        want = self.x.double().mean(1)
        self.expected = Leaves([Expected(want, torch.float32)], [])
        self.comparer.own_error(self.x.mean(1), self.expected[0])

    def errors_of(self, got):
        return [self.comparer.leaf_error(got, self.expected[0])]

    def errors_in(self, order):
        self.runs += 1
        with added_up(order, False):
            return self.errors_of(self.x.mean(1))

    def in_order(self):
        with added_up(FORWARD, False):
            return self.x.mean(1)

    def looked(self, got, orders=None):
        orders = orders or OrderErrors(2, MOST)
        return orders.look(self.errors_of(got), self.expected, self.errors_in)

    def test_what_is_refused_by_no_one_is_not_looked_at(self):
        self.assertEqual(self.looked(self.x.mean(1) * (1 + 1e-7)), [])
        self.assertEqual(self.looked(self.in_order(), OrderErrors(0, MOST)), [])
        self.assertEqual(self.runs, 0)

    def test_one_order_suffices_where_it_explains(self):
        got = self.in_order()
        (known,) = self.looked(got)
        self.assertGreaterEqual(known["max"], self.errors_of(got)[0]["max"])
        self.assertEqual(self.runs, 1)
        self.looked(got)
        self.assertEqual(self.runs, 1)  # it is known on this input

    def test_the_worst_of_several_orders_counts(self):
        wrong = self.x.mean(1) * (1 + 2e-5)
        (known,) = self.looked(wrong)
        self.assertEqual(self.runs, len(ORDERS))
        self.assertEqual(known["rms"], max(self.expected.in_order[order][0]["rms"]
                                           for order in ORDERS))
        self.assertLess(known["rms"], 0.1 * self.errors_of(wrong)[0]["rms"])

    def test_after_two_failures_nobody_looks_any_more(self):
        orders, wrong = OrderErrors(2, MOST), self.x.mean(1) * (1 + 2e-5)
        for _ in range(2):
            self.assertTrue(self.looked(wrong, orders))
        self.assertEqual(self.looked(wrong, orders), [])
        self.assertEqual(self.looked(self.in_order(), orders), [])

    def test_what_no_order_may_make_is_not_looked_at(self):
        self.assertEqual(self.looked(self.x.mean(1) * 1.01), [])
        self.assertEqual(self.runs, 0)

    def test_what_is_not_refused_after_all_is_no_failure(self):
        orders = OrderErrors(0.5, MOST)  # no order explains as much as it makes
        (one,) = self.expected
        unit = (one.own_error()["rms"] + 2.0 ** -23) * one.spread
        between = one.want * (1 + 8 * 2.0 ** -23) + 16 * unit
        for _ in range(3):
            self.assertTrue(self.looked(between.float(), orders))

    def test_nan_is_not_explained(self):
        got = self.x.mean(1)
        got[3] = float("nan")
        self.assertEqual(self.looked(got), [])

    def test_a_reference_that_fails_so_is_not_looked_at(self):
        def fails(order):
            raise TaskFailure("too_large", "no room")
        got = OrderErrors(2, MOST).look(self.errors_of(self.in_order()), self.expected, fails)
        self.assertEqual(got, [])

    def wrong(self, times=40):
        """Off by so many times what the reference is."""
        (one,) = self.expected
        unit = (one.own_error()["rms"] + 2.0 ** -23) * one.spread
        return (one.want * (1 + 8 * 2.0 ** -23) + times * unit).float()

    def test_what_an_order_makes_of_another_input_counts_where_its_own_does_not_explain(self):
        wrong, asked = self.wrong(200), []

        def make(instance, value_class, number, order):
            asked.append((instance, value_class, number, order))
            return self.errors_of(wrong if number == 1 else self.x.mean(1))
        others = OthersInOrder(make)
        OrderErrors(2, MOST).look(self.errors_of(self.in_order()), self.expected, self.errors_in,
                                  others.of(0, "nominal"))
        self.assertEqual(asked, [])
        for _ in range(2):
            (known,) = OrderErrors(2, MOST).look(self.errors_of(wrong), self.expected,
                                                 self.errors_in, others.of(0, "nominal"))
            self.assertEqual(known["rms"], self.errors_of(wrong)[0]["rms"])
        self.assertEqual(asked, [(0, "nominal", 0, ORDERS[0]), (0, "nominal", 1, ORDERS[1])])

    def test_other_inputs_are_asked_about_nobody_who_is_not_refused(self):
        for refused, runs in ((32, 0), (12, 1)):
            asked = []
            orders = OrderErrors(1e-6, MOST, refused)  # no order explains anything
            orders.look(self.errors_of(self.wrong(20)), self.expected, self.errors_in,
                        (asked.append(self.errors_of(self.wrong(9))) or [] for _ in range(1)))
            self.assertEqual(len(asked), runs)

    def test_after_two_failures_nobody_asks_for_other_inputs(self):
        orders, wrong, asked = OrderErrors(1e-6, MOST), self.wrong(), []

        def nothing():
            asked.append(1)
            yield []
        for _ in range(4):
            orders.look(self.errors_of(wrong), self.expected, self.errors_in, nothing())
        self.assertEqual(len(asked), 2)

    def test_others_are_a_few_of_each_class_and_end_where_the_reference_fails(self):
        def make(instance, value_class, number, order):
            if value_class == "spikes" and number:
                raise TaskFailure("too_large", "no room")
            if value_class == "large":
                raise torch.cuda.OutOfMemoryError("CUDA out of memory")
            return [number]
        others = OthersInOrder(make)
        self.assertEqual(len(list(others.of(0, "nominal"))), OTHERS_MAX)
        self.assertEqual(list(others.of(0, "spikes"))[:2], [[0], []])
        self.assertEqual(next(others.of(0, "large")), [])


class OnFurtherInputs(unittest.TestCase):
    SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.layer_norm(x, x.shape[1:])

def get_inputs():
    return [torch.randn(4, 4096)]
"""

    def test_the_reference_is_off_by_what_its_order_makes_and_sets_no_precedent(self):
        session = Session({"task": {"kind": "file", "path": "/nowhere/norm.py",
                                    "source": self.SOURCE}, "input_seed": 7})
        session.instances[0] = session.make_instance(3)
        with torch.no_grad():
            found = list(session._others_in_order.of(0, "shifted_columns"))
        self.assertEqual(len(found), OTHERS_MAX)
        self.assertGreater(sum(leaf["rms"] > 1e-6 for (leaf,) in found), OTHERS_MAX // 2)
        self.assertEqual(session.precedents[0, "shifted_columns"][0].errors, [])


class OwnErrors(unittest.TestCase):
    def test_of_float64_the_arguments_that_are_no_tensors_are_the_calls(self):
        """The reference is run once more there, with other roundings."""
        source = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, factor):
        return (x * factor).cumsum(1), (x > 0).long()

def get_inputs():
    return [torch.randn(16, 64, dtype=torch.float64), 3.0]
"""
        session = Session({"task": {"kind": "file", "path": "/nowhere/sums.py", "source": source},
                           "input_seed": 7})
        session.instances[0] = session.make_instance(3)
        with torch.no_grad():
            call = session._further_call(0, "nominal", 1)
            _, _, (sums, truths) = session.own_errors(call)
        self.assertTrue(0 < sums["rms"] < 1e-12)
        self.assertEqual(truths["mismatched"], 0)


if __name__ == "__main__":
    unittest.main()
