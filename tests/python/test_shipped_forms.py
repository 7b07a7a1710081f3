"""Forms of calls: what a shipped package compares quickly is what it would compare in full."""

import dataclasses
import importlib.util
import itertools
import pathlib
import unittest

import torch

PLACE = pathlib.Path(__file__).resolve().parents[2] / "python/cupel/shipping/package/forms.py"
SPEC = importlib.util.spec_from_file_location("forms", PLACE)
forms = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(forms)


@dataclasses.dataclass
class Answer:
    hidden: torch.Tensor
    note: str = "plain"


class OwnTensor(torch.Tensor):
    pass


TENSOR = torch.randn(4, 6)
VALUES = [
    TENSOR, torch.randn(4, 6), TENSOR.double(), TENSOR.t(), torch.randn(6, 4).t(), TENSOR[:, ::2],
    torch.randn(4, 3), TENSOR.reshape(-1), torch.nn.Parameter(TENSOR),
    TENSOR.as_subclass(OwnTensor), TENSOR.to_sparse(), TENSOR.to("meta"), torch.randn(1, 6),
    torch.randn(12, 6)[::12], torch.ones(4, 6, dtype=torch.int64), torch.tensor(1.0), 0, 1, True,
    False, 1.0, 0.0, -0.0, float("nan"), "1", "", None, [], (), [1], (1,), [True], [TENSOR],
    (TENSOR, None), {"x": TENSOR}, {"x": 1}, {}, torch.float32, torch.device("cpu"),
    Answer(TENSOR), Answer(TENSOR, "other"), Answer(None), object(), torch.Size([1]),
    [[TENSOR], [1]], [[TENSOR], [1.0]],
]


def form_or_none(value):
    try:
        return forms.form_of(value)
    except forms.NoForm:
        return None


class CheckerTest(unittest.TestCase):
    def test_a_checker_says_what_the_form_says(self):
        for known, value in itertools.product(VALUES, VALUES):
            form = form_or_none(known)
            if form is None:
                continue
            try:
                passes = forms.checker(form)(value)
            except forms.NoForm:
                passes = False
            with self.subTest(form=form, value=value):
                self.assertEqual(bool(passes), form_or_none(value) == form)


if __name__ == "__main__":
    unittest.main()
