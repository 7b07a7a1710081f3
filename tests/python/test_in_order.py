"""Sums in order: what torch's operations come to."""

import contextlib
import itertools
import unittest

import torch
import torch.nn.functional as F
from cupel.in_order import (EXACT_LONGEST, ORDERS, POOLED_MAX, PRODUCT_TERMS_MIN, TERMS_MADE,
                            InOrder, added_up)

FORWARD, BACKWARD, _ = ORDERS
LONG = 1 << 14             # terms of a product that are too many to be left alone
# Of a tensor of three dimensions.
OPERATIONS = {
    "sum": lambda x: x.sum(),
    "sum over two": lambda x: x.sum((0, 2), keepdim=True),
    "mean": lambda x: x.mean(-1),
    "mean of all": lambda x: x.mean(),
    "var": lambda x: x.var(1),
    "std": lambda x: x.std((0, 1), unbiased=False, keepdim=True),
    "var and mean": lambda x: torch.cat(torch.var_mean(x, dim=-1, correction=0)),
    "layer norm": lambda x: F.layer_norm(x, x.shape[1:]),
    "group norm": lambda x: F.group_norm(x, 2),
    "instance norm": F.instance_norm,
    "batch norm": lambda x: F.batch_norm(x, None, None, training=True),
    "rms norm": lambda x: F.rms_norm(x, x.shape[-1:]),
    "softmax": lambda x: x.softmax(-1),
    "log softmax": lambda x: x.log_softmax(1),
    "logsumexp": lambda x: x.logsumexp(-1),
    "norm": lambda x: x.norm(),
    "a row's norm": lambda x: F.normalize(x, dim=-1),
    "sum of magnitudes": lambda x: x.norm(p=1, dim=1),
    "largest": lambda x: torch.linalg.vector_norm(x, float("inf"), dim=1),
    "product": lambda x: x[0] @ x[1].t(),
    "products": lambda x: x @ x.transpose(1, 2),
    "linear": lambda x: F.linear(x, x[0], x[0, :, 0]),
    "matrix by vector": lambda x: x[0] @ x[0, 0],
    "einsum": lambda x: torch.einsum("bij,bkj->ik", x, x),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]),
    "loss": lambda x: F.mse_loss(x, x.flip(0)),
    "cross entropy": lambda x: F.cross_entropy(x[0], torch.arange(x.shape[1])),
    "pool": lambda x: F.avg_pool2d(x, (4, 64)),
    "padded pool": lambda x: F.avg_pool2d(x, 3, padding=1),
    "pool of all": lambda x: F.adaptive_avg_pool2d(x, 1),
    "running sum": lambda x: x.cumsum(-1),
    "running product": lambda x: (1 + 0.01 * x).cumprod(-1),
    "running sum in place": lambda x: x.clone().cumsum_(-1),
    "one number": lambda x: x[0, 0, 0].sum() + x[0, 0, 1].mean() + x[0, 0, 2].var(correction=0),
    "nothing": lambda x: x[:, :0].sum(1) + x[:, :0].mean(1).nan_to_num(1.0),
    "bags": lambda x: F.embedding_bag(torch.arange(12).view(3, 4), x[0], mode="sum"),
    "long product": lambda x: x.view(-1, LONG) @ x.view(LONG, -1),
    "convolution": lambda x: F.conv1d(x, x[:, :, :3].contiguous()),
    "whole numbers": lambda x: (x * 9).long().sum(1),
}
# These are off by at least so many times what torch is off by.
LOSES = {"sum": 20, "mean": 2, "layer norm": 4, "group norm": 4, "batch norm": 4, "softmax": 3,
         "norm": 4, "product": 4, "products": 4, "linear": 4, "matrix by vector": 2,
         "attention": 4, "loss": 20, "running sum": 5}


def error(got, want):
    off, size = (leaf.double().square().mean().sqrt() for leaf in (got - want, want))
    return float(off / size)


class Operations(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.x = torch.rand(4, 16, 2048)

    def test_they_are_what_they_were_but_for_rounding(self):
        for (name, operation), order in itertools.product(OPERATIONS.items(), ORDERS):
            with self.subTest(name, order=order.__name__), torch.no_grad():
                want, plain = operation(self.x.double()), operation(self.x)
                with added_up(order, False):
                    got = operation(self.x)
                self.assertEqual((got.shape, got.dtype), (plain.shape, plain.dtype))
                self.assertLess(error(got, want), 1e-4)

    def test_they_are_off_by_more_than_torch_is(self):
        for name, times in LOSES.items():
            with self.subTest(name), torch.no_grad():
                want, plain = OPERATIONS[name](self.x.double()), OPERATIONS[name](self.x)
                with added_up(FORWARD, False):
                    got = OPERATIONS[name](self.x)
                self.assertGreater(error(got, want), times * error(plain, want))

    def test_running_statistics_are_kept(self):
        kept = []
        for order in (None, FORWARD):
            norm = torch.nn.BatchNorm1d(16)
            with InOrder(order) if order else contextlib.nullcontext():
                norm(self.x)
            kept.append([norm.running_mean, norm.running_var, norm.num_batches_tracked])
        for want, got in zip(*kept):
            torch.testing.assert_close(got, want)

    def test_backwards_a_running_product_is_made_by_doubling(self):
        factors = (1 + 0.01 * torch.randn(1, 8)).expand(2048, 8)
        with InOrder(BACKWARD):
            got = factors.cumprod(0)
        want, reach = factors.clone(), 1
        while reach < len(want):
            want[reach:] *= want[:-reach].clone()
            reach *= 2
        self.assertTrue(torch.equal(got, want))
        with InOrder(FORWARD):
            in_order = factors.cumprod(0)
        exact = factors.double().cumprod(0)
        self.assertGreater(error(got, exact), 2 * error(in_order, exact))

    def test_a_sum_is_what_a_loop_makes(self):
        terms = self.x[0, 0]
        totals = {}
        for order, walk in ((FORWARD, terms), (BACKWARD, terms.flip(0))):
            total = torch.tensor(0.0)
            for term in walk:
                total = total + term
            with InOrder(order):
                totals[order] = terms.sum()
            self.assertEqual(float(totals[order]), float(total))
        self.assertNotEqual(*map(float, totals.values()))

    def test_under_exact_blocks_are_added_up_as_ever(self):
        terms = torch.rand(64, 16 * EXACT_LONGEST)
        want = terms.double().sum(1)
        errors = []
        for exact in (False, True):
            with added_up(FORWARD, exact):
                errors.append(error(terms.sum(1), want))
        self.assertGreater(errors[0], 2.5 * errors[1])

    def test_a_product_of_few_terms_is_left_alone_where_it_is_large(self):
        x, y = torch.rand(512, 2048), torch.rand(2048, 512)
        self.assertLess(PRODUCT_TERMS_MIN, LONG)
        with InOrder():
            got = x @ y
        self.assertTrue(torch.equal(got, x @ y))

    def test_a_product_of_few_sums_is_what_a_loop_makes(self):
        """Its terms are made in several blocks, of which the sums go on."""
        x, y = torch.rand(2, 3, TERMS_MADE // 10), torch.rand(2, TERMS_MADE // 10, 4)
        terms = (x.unsqueeze(-1) * y.unsqueeze(1)).movedim(2, 0)
        with InOrder():
            got, want = x @ y, terms.sum(0)
        self.assertTrue(torch.equal(got, want))

    def test_windows_that_would_take_much_memory_are_left_alone(self):
        x = torch.rand(1, 1, 512, 512)
        self.assertGreater(33 ** 2 * 480 ** 2, POOLED_MAX)
        with InOrder():
            got = F.avg_pool2d(x, 33, 1)
        self.assertTrue(torch.equal(got, F.avg_pool2d(x, 33, 1)))

    def test_other_types_are_left_alone(self):
        for x in (self.x.double(), self.x.bfloat16()):
            with InOrder():
                got = x.sum(1)
            self.assertTrue(torch.equal(got, x.sum(1)))


if __name__ == "__main__":
    unittest.main()
