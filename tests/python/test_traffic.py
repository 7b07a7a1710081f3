"""What a package says of the calls that a capture saw, and runs in another mode than these."""

import pathlib
import tempfile
import unittest

import cupel
import torch
from cupel.shipping import traffic
from cupel.shipping.refusal import Refused


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = torch.nn.Linear(8, 8), torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.fc(x).relu())


class TrafficTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)
        net = Net().eval()
        with cupel.capture(net, out=self.out), torch.no_grad():
            for rows in (4, 4, 4, 2):
                net(torch.randn(rows, 8))

    def task(self, name="net"):
        return {"name": name, "path": str(self.out / f"{name}.py")}

    def run_on(self, rows):
        return {"task": self.task(), "facts": {"inputs": [{"dtype": "float32",
                                                           "shape": [rows, 8]}]}}

    def test_calls_that_winners_answer(self):
        row, = traffic.answered([self.run_on(4)])
        self.assertEqual((row["calls"], row["answered"]), (4, 3))
        self.assertEqual(row["others"], [{"shapes": "2x8", "calls": 1}])
        row, = traffic.answered([self.run_on(4), self.run_on(2)])
        self.assertEqual((row["answered"], row["others"]), (4, []))
        row, = traffic.answered([self.run_on(3)])
        self.assertEqual(row["answered"], 0)

    def test_a_sentence_a_module(self):
        said, = traffic.sentences(traffic.answered([self.run_on(4)]))
        self.assertIn("winners answer 3 of the 4 calls seen; the original 1 of 2x8", said)

    def test_what_was_not_captured(self):
        other = {"task": self.task("other"), "facts": {"inputs": []}}
        self.assertEqual(traffic.answered([other]), [])
        self.assertEqual(traffic.answered([{**other, "task": {"name": "x", "path": ""}}]), [])

    def test_the_mode_of_a_run_fits_that_of_the_calls(self):
        self.assertEqual(traffic.check_mode(self.task(), False), "")
        self.assertEqual(traffic.check_mode(self.task(), None), "")
        with self.assertRaises(Refused) as caught:
            traffic.check_mode(self.task(), True)
        self.assertIn("--mode inference", caught.exception.hint)
        self.assertIn("eval()", traffic.check_mode(self.task("other"), True))
        self.assertEqual(traffic.check_mode(self.task("other"), False), "")


if __name__ == "__main__":
    unittest.main()
