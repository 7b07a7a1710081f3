"""What a task brings of its user: calls (the value class `captured`) and a state."""

import unittest

import referee_session
import torch
from cupel import captured, facts, inputs, loading
from cupel.failures import TaskFailure

SOURCE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(40, 6)
    def forward(self, x, ids, mask, starts, scale):
        return (self.table(ids) + x * scale) * mask[..., None] + starts.sum()
def get_inputs():
    return [torch.randn(8, 5, 6), torch.randint(0, 40, (8, 5)), torch.ones(8, 5).bool(),
            torch.tensor([0, 3, 9]), 2.0]
def get_state():
    return {"table.weight": torch.arange(240.0).view(40, 6)}
def get_captured_inputs():
    x = torch.zeros(8, 5, 6)
    x[:, 0] = torch.arange(8.0)[:, None] + 1
    x[0, 0, 0] = float("-inf")
    ids = torch.arange(40).view(8, 5) % 7
    mask = torch.arange(5) < torch.arange(1, 9)[:, None]
    return [[x + 0, ids, mask, torch.tensor([0, 2, 8]), 2.0] for _ in range(2)]
"""


def program_of(source=SOURCE):
    return loading.load({"kind": "file", "path": "/nowhere/served.py", "source": source})


def draws(count, source=SOURCE):
    program = program_of(source)
    made = captured.Captured(program, facts.describe(program, 0).facts)
    return [made.draw(torch.Generator().manual_seed(seed)) for seed in range(count)]


class Draws(unittest.TestCase):
    def test_none_comes_twice(self):
        tensors = [tensors for tensors, _ in draws(40)]
        floats = {tuple(t[0].flatten().tolist()) for t in tensors}
        indices = {tuple(t[1].flatten().tolist()) for t in tensors}
        self.assertEqual((len(floats), len(indices)), (40, 40))

    def test_what_carries_meaning_stays(self):
        for (x, ids, mask, starts), values in draws(10):
            self.assertEqual(starts.tolist(), [0, 2, 8])
            self.assertEqual(values, [2.0])
            self.assertEqual(int((x == 0).sum()), 8 * 4 * 6)
            self.assertEqual(int((x == float("-inf")).sum()), 1)
            self.assertLess(int(ids.max()), 7)
            self.assertEqual(sorted(mask.sum(1).tolist()), [1, 2, 3, 4, 5, 5, 5, 5])

    def test_rows_change_about_together(self):
        for (x, _, mask, _), _ in draws(10):
            order = x[:, 0, 1].round().long() - 1
            self.assertEqual(mask.sum(1).tolist(), [min(int(i) + 1, 5) for i in order])

    def test_numbers_stay_near(self):
        for (x, *_), _ in draws(10):
            finite = x[:, 0, 1:]
            self.assertLess(float((finite - finite.round()).abs().max()), 8 * 6 * captured.NOISE)

    def test_source_makes_the_class(self):
        program = program_of()
        described = facts.describe(program, 0).facts
        source = inputs.InputSource(program, described, 3)
        self.assertTrue(source.has_captured())
        one, two = source.make(1, "captured"), source.make(1, "captured")
        self.assertTrue(all(map(torch.equal, one[0], two[0])))

    def test_another_form_is_refused(self):
        with self.assertRaisesRegex(TaskFailure, "must have one form"):
            draws(1, SOURCE + "\ndef get_captured_inputs():\n    return [[torch.ones(3)]]\n")
        with self.assertRaisesRegex(TaskFailure, "no list of lists"):
            draws(1, SOURCE + "\ndef get_captured_inputs():\n    return 3\n")


class State(unittest.TestCase):
    def test_the_reference_has_it_under_any_seed(self):
        for seed in (1, 2):
            weight = program_of().construct(seed).table.weight
            self.assertEqual(weight.detach().flatten().tolist(), list(map(float, range(240))))

    def test_that_does_not_fit_is_refused(self):
        with self.assertRaisesRegex(TaskFailure, "does not fit Model"):
            program_of(SOURCE + "\ndef get_state():\n    return {}\n").construct(1)


class Session(referee_session.RefereeTest):
    def test_the_lint_keeps_the_class_and_the_judge_draws_it(self):
        source = SOURCE.replace('x[0, 0, 0] = float("-inf")', "pass")
        self.referee.open(source)
        report = self.referee.ask("admit", samples=2)["evidence"]
        kept = [one["name"] for one in report["classes"] if one["kept"]]
        self.assertEqual(kept[:2], ["nominal", "captured"])
        self.referee.share_vault(1 << 20)
        made = self.referee.ask("prepare", first=0, count=2 * len(kept), offset=0, stride=1 << 14,
                                mix="timed")
        self.assertIn("captured", [one["class"] for one in made["sets"]])

    def test_tasks_without_such_calls_do_not_hear_of_it(self):
        self.referee.open(SOURCE.replace("def get_captured_inputs", "def other"))
        report = self.referee.ask("admit", samples=2)["evidence"]
        self.assertNotIn("captured", [one["name"] for one in report["classes"]])


if __name__ == "__main__":
    unittest.main()
