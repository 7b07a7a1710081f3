import unittest

import torch

from cupel import options

X, Y = torch.randn(4, 6), torch.randn(4, 6)


def module(forward):
    class Model(torch.nn.Module):
        pass
    Model.forward = forward
    return Model


def told(forward, arguments, **asked):
    """What a model of such a forward tells."""
    cls = module(forward)
    options.tell(cls, **asked)
    return cls()(*arguments)


def scaled(self, x, scale=1.0, negated=False, *, added=None):
    x = x * scale
    if added is not None:
        x = x + added
    return -x if negated else x


def masked(self, x, mask=None):
    return x if mask is None else x.masked_fill(~mask, 0.0)


def scores(self, x, mask=None):
    made = x @ x.t()
    return made if mask is None else made.masked_fill(~mask, 0.0)


def shares(self, x, bias=None):
    made = x @ x.t()
    return (made if bias is None else made + bias).softmax(-1) @ x


class UnpassedTest(unittest.TestCase):
    def test_what_has_a_default_and_is_not_passed(self):
        self.assertEqual(options.unpassed(scaled, 2),
                         [("scale", 1.0), ("negated", False), ("added", None)])
        self.assertEqual(options.unpassed(scaled, 3), [("negated", False), ("added", None)])

    def test_of_any_number_of_arguments_none_is_known(self):
        self.assertEqual(options.unpassed(lambda *arguments, **named: None, 2), [])

    def test_what_is_no_function_has_none(self):
        self.assertEqual(options.unpassed(3, 0), [])


class TellTest(unittest.TestCase):
    def test_the_reference_tells_what_each_option_does(self):
        forms = told(scaled, [X], most=8)["forms"]
        self.assertEqual(list(forms), ["scale.0.5", "scale.1.75", "negated.True",
                                       "added.tensor.0", "added.mask.0"])
        self.assertTrue(torch.equal(forms["scale.0.5"], X * 0.5))
        self.assertTrue(torch.equal(forms["negated.True"], -X))
        self.assertTrue(torch.equal(forms["added.tensor.0"], X + X.flip(0, 1)))

    def test_no_more_are_told_than_are_asked_for(self):
        self.assertEqual(list(told(scaled, [X], most=2)["forms"]), ["scale.0.5", "scale.1.75"])

    def test_an_option_that_changes_nothing_is_not_told(self):
        self.assertEqual(told(lambda self, x, verbose=False: x, [X], most=8)["forms"], {})

    def test_what_leaves_no_numbers_is_not_told(self):
        forms = told(lambda self, x, divisor=1: x / (divisor - 2), [X], most=8)["forms"]
        self.assertEqual(list(forms), ["divisor.0"])

    def test_masks_are_in_the_shape_that_the_reference_takes(self):
        self.assertEqual(list(told(masked, [X], most=8)["forms"])[0], "mask.mask.0")
        form, = told(scores, [X], most=1)["forms"]
        self.assertEqual(form, "mask.square.0")

    def test_what_is_added_to_scores_are_numbers(self):
        self.assertEqual(list(told(shares, [X], most=8)["forms"]), ["bias.sums.0"])

    def test_what_the_task_passes_as_none_is_passed_by_its_place(self):
        forms = told(scores, [X, None], most=8)["forms"]
        self.assertEqual(list(forms), ["1.square.0"])
        renamed = told(lambda self, x, given: scores(self, x, given), [X, None],
                       wanted=dict.fromkeys(forms))["forms"]
        self.assertTrue(torch.equal(renamed["1.square.0"], forms["1.square.0"]))

    def test_inputs_that_are_alike_give_one_mask(self):
        forms = told(lambda self, x, y, mask=None: scores(self, x, mask) + y @ x.t(), [X, Y],
                     most=8)["forms"]
        self.assertEqual(list(forms), ["mask.square.0"])

    def test_the_program_answers_in_the_same_forms(self):
        forms = told(scaled, [X], most=8)["forms"]
        again = told(scaled, [X], wanted=dict.fromkeys(forms))["forms"]
        self.assertEqual(list(again), list(forms))
        self.assertTrue(all(map(torch.equal, again.values(), forms.values())))

    def test_who_takes_no_option_tells_a_part(self):
        wanted = {"scale.0.5": None, "negated.True": None}
        result = told(lambda self, x, negated=False: -x if negated else x, [X], wanted=wanted)
        self.assertEqual(list(result), ["kept"])
        self.assertEqual(list(result["kept"]), ["1"])

    def test_a_mask_has_truths_of_both_kinds_in_each_row_and_column(self):
        mask = options._truths((4, 6), "cpu")
        for axis in (0, 1):
            self.assertTrue(mask.any(axis).all())
            self.assertFalse(mask.all(axis).any())


if __name__ == "__main__":
    unittest.main()
