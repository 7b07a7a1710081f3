import unittest

import torch

from cupel import broadcasts


def module(forward):
    class Model(torch.nn.Module):
        """Keeps what it was called with."""

        def __init__(self):
            super(Model, self).__init__()
            self.given = []

        def forward(self, *arguments):
            self.given.append(arguments)
            return forward(*arguments)
    return Model


def told(forward, arguments, **asked):
    """What a model of such a forward tells."""
    cls = module(forward)
    broadcasts.tell(cls, **asked)
    return cls()(*arguments)


def gated(x, gate):
    return x * torch.sigmoid(gate)


def whole_only(x, gate):
    if x.shape != gate.shape:
        raise ValueError("x and gate must have the same shape")
    return gated(x, gate)


def numbers_only(x, gate):
    return gated(x, gate) if not gate.dim() else whole_only(x, gate)


X, GATE = torch.randn(4, 6), torch.randn(4, 6)
OF_THE_LAST = ["1.0", "1.1", "1.lead", "1.all"]


class FormsTest(unittest.TestCase):
    def test_of_each_tensor_that_has_another_beside_it(self):
        names = broadcasts.forms_of
        self.assertEqual(names([X]), [])
        self.assertEqual(names([X, GATE])[:4], OF_THE_LAST)
        self.assertEqual(names([torch.ones(2, 8, 4, 4), torch.ones(2, 1, 4, 4)])[:5],
                         ["1.0", "1.2", "1.3", "1.lead", "1.all"])
        self.assertEqual(names([torch.ones(2, 4, 4), torch.ones(4)]),
                         ["1.0", "1.all", "0.2", "0.all"])
        self.assertEqual(names([torch.ones(3, 4), torch.ones(5)]), [])

    def test_what_is_given_lies_where_the_whole_was_and_nobody_should_read_the_rest(self):
        for form, shape in zip(OF_THE_LAST, [(1, 6), (4, 1), (6,), ()]):
            x, gate = broadcasts.given((X, GATE), form)
            self.assertEqual((x is X, tuple(gate.shape)), (True, shape))
            around = gate.as_strided((GATE.numel(),), (1,))
            self.assertTrue(bool(around[gate.numel():].isnan().all()))
            _, whole = broadcasts.given((X, GATE), form, expanded=True)
            self.assertTrue(torch.equal(whole, gate.expand(4, 6)))
            self.assertTrue(whole.is_contiguous())

    def test_masks_and_what_lies_in_dictionaries(self):
        mask = torch.rand(4, 6) > 0.5
        arguments = broadcasts.given(({"x": X, "mask": mask}, 3), "1.1")
        self.assertEqual((tuple(arguments[0]["mask"].shape), arguments[1]), ((4, 1), 3))
        self.assertTrue(torch.equal(arguments[0]["mask"], mask[:, :1]))


class TellTest(unittest.TestCase):
    def test_a_reference_tells_what_it_takes(self):
        forms = told(gated, (X, GATE), most=8)["forms"]
        self.assertEqual(list(forms), OF_THE_LAST + ["0.0", "0.1", "0.lead", "0.all"])
        torch.testing.assert_close(forms["1.1"], gated(X, GATE[:, :1]))
        self.assertEqual(list(told(gated, (X, GATE), most=2)["forms"]), OF_THE_LAST[:2])
        self.assertEqual(told(whole_only, (X, GATE), most=8), {"forms": {}})
        self.assertEqual(list(told(numbers_only, (X, GATE), most=8)["forms"]), ["1.all"])

    def test_not_what_means_something_else_there(self):
        def over_columns(x, gate):
            return x + gate.sum(1, keepdim=True)
        self.assertEqual(list(told(over_columns, (X, GATE), most=2)["forms"]), ["1.0", "0.0"])

    def test_it_finds_out_once(self):
        cls = module(gated)
        broadcasts.tell(cls, most=8)
        model = cls()
        model(X, GATE)
        calls = len(model.given)
        model(X, GATE)
        self.assertEqual(len(model.given) - calls, len(model.forms_told))

    def test_a_program_tells_what_is_wanted_or_the_part_that_it_takes(self):
        wanted = dict.fromkeys(OF_THE_LAST)
        self.assertEqual(list(told(gated, (X, GATE), wanted=wanted)["forms"]), OF_THE_LAST)
        self.assertEqual(list(told(numbers_only, (X, GATE), wanted=wanted)["kept"]), ["3"])
        self.assertEqual(told(whole_only, (X, GATE), wanted=wanted), {"kept": {}})

    def test_a_broken_device_is_no_refusal(self):
        def broken(*_):
            raise RuntimeError("CUDA error: misaligned address")
        with self.assertRaises(RuntimeError):
            told(broken, (X, GATE), wanted={"1.0": None})


if __name__ == "__main__":
    unittest.main()
