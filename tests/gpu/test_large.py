"""Calls of gigabytes, whose inputs and outputs the judge keeps in the machine's memory."""

import unittest

import torch
from gpu_machine import ROOT, judge, needs_binary, needs_gpu

TASK = ROOT / "tests" / "gpu" / "tasks" / "beyond_the_gpu.py"
MEMORY_MIN = 130 << 30

ONE_PASS = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        {forward}
"""


@needs_gpu
@needs_binary
class Large(unittest.TestCase):
    def setUp(self):
        if torch.cuda.mem_get_info()[1] < MEMORY_MIN:
            self.skipTest("a smaller GPU has no room for two programs of this size")

    def outcome(self, forward):
        document = judge(TASK, ONE_PASS.format(forward=forward.replace("\n", "\n        ")))
        print(f"{self.id().split('.')[-1]:36} {document['headline']}")
        return document["verdict"]["outcome"]

    def test_a_third_of_the_passes_is_faster(self):
        self.assertEqual(self.outcome("return torch.relu(x)"), "faster")

    def test_a_row_that_is_left_out_is_found(self):
        self.assertEqual(self.outcome("out = torch.relu(x)\nout[-7] = 0\nreturn out"), "wrong")


if __name__ == "__main__":
    unittest.main()
