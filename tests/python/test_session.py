"""What a session makes of outputs that are NaN or infinite."""

import textwrap
import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel.oracle import Call
from cupel.session import Session

TASK = """
    import torch

    class Model(torch.nn.Module):
        def forward(self, x):
            powers = torch.exp(x)
            return {answer}

    def get_inputs():
        return [torch.randn(8, 16)]

    def get_init_inputs():
        return []
"""
SHARES = "powers / powers.sum(1, keepdim=True)"


class NoAnswer(unittest.TestCase):
    """exp(800) is infinite for the oracle, and infinity over infinity is no number."""

    def nonfinite(self, got, value_class="spikes", answer=SHARES):
        """How many places are wrong by that, of a program that makes `got` of an input."""
        session = Session({
            "task": {"kind": "file", "path": "/nowhere/task.py",
                     "source": textwrap.dedent(TASK.format(answer=answer))},
            "policy": "eager", "device": "cpu", "threads": 1, "memory_bytes": 2 << 30,
            "input_seed": 7, "value_classes": []})
        model = session.make_instance(1)
        session.instances[0] = model
        x = torch.randn(8, 16)
        x[3, 5] = 800.0
        expected = session._expect_on(Call(0, value_class, model, [x], []))
        if session._is_outside(value_class, expected):
            for one in expected:
                one.leave_odd_alone()
        (error,) = session._errors([got(x)], expected, None)
        return error["nonfinite"]

    def test_an_answer_is_right_there(self):
        self.assertEqual(self.nonfinite(lambda x: x.softmax(1)), 0)

    def test_elsewhere_there_is_one(self):
        def all_nan(x):
            return x.softmax(1).masked_fill(x.amax(1, keepdim=True) > 700, torch.nan)
        self.assertEqual(self.nonfinite(all_nan), 15)

    def test_where_the_tasks_own_outputs_are_odd_it_is_one(self):
        own = f"{SHARES} + torch.where(x < 0, torch.nan, 0.0)"
        self.assertGreater(self.nonfinite(lambda x: x.softmax(1), answer=own), 1)

    def test_on_the_tasks_own_inputs_and_among_nan_it_is_one(self):
        for value_class in ("nominal", "captured", "nonfinite"):
            self.assertEqual(self.nonfinite(lambda x: x.softmax(1), value_class), 1)


if __name__ == "__main__":
    unittest.main()
