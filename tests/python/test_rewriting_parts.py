"""Programs that do not export as a whole: their parts are rewritten, and the rest is as written."""

import pathlib
import tempfile
import unittest

import cupel
import rewriting
import torch
from cupel import graph_export, loading
from cupel.graph_parts import export_parts

SOURCE = """
import torch
import torch.nn as nn
torch.set_default_dtype(torch.float64)

class Block(nn.Module):
    def __init__(self, width, scale):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(width, width), nn.BatchNorm1d(width), \\
            nn.Linear(width, width)
        self.scale = scale

    def forward(self, x, shift=None):
        y = self.b(torch.relu(self.norm(self.a(x)))) * self.scale
        return y if shift is None else y + shift

class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(width, width), nn.Linear(width, width))

    def forward(self, x):
        return self.inner(x) - self.inner[1:](x) if x.sum() > -1e9 else x

class Counting(Block):
    def forward(self, x):
        self.scale += 1
        return super().forward(x)

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width, 2.0), Block(width, 2.0), Block(width, 3.0)])
        self.gate = Gate(width)
        self.counting = Counting(width, 0)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
            if x.abs().max() > 1e6:
                x = x / 1e6
        x = self.gate(x) + self.counting(x)
        return self.blocks[0](x, shift=x) + self.blocks[1](x[:2]).sum() + self.blocks[0](x)

def get_inputs():
    return [torch.randn(6, 32)]

def get_init_inputs():
    return [32]
"""


# A router that picks rows by their values between blocks that could be told as graphs.
ROUTED = """
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.norm = nn.Linear(width, width), nn.BatchNorm1d(width)

    def forward(self, x):
        return x + torch.relu(self.norm(self.a(x)))

class Router(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score, self.deep = nn.Linear(width, 1), nn.Linear(width, width)

    def forward(self, x):
        chosen = self.score(x).squeeze(1) > 0
        out = x.clone()
        if chosen.any():
            out[chosen] = self.deep(x[chosen])
        return out

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.ModuleList([Block(width) for _ in range(3)])
        self.router = Router(width)

    def forward(self, x):
        for block in self.blocks:
            x = self.router(block(x))
        return x

def get_inputs():
    return [torch.randn(64, 48)]

def get_init_inputs():
    return [48]
"""


class JudgedTest(unittest.TestCase):
    """From the task's file to a verdict, through the binary."""

    def test_the_judge_accepts_a_program_of_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            task, candidate = pathlib.Path(folder, "routed.py"), pathlib.Path(folder, "new.py")
            task.write_text(ROUTED)
            found = cupel.rewrite(str(task), mode="inference")
            self.assertIn("data-dependent", found["refused"])
            program, = found["programs"]
            self.assertEqual({step["rule"] for step in program["steps"]},
                             {"batch norm into weights"})
            self.assertEqual(program["source"].count(".__class__ = RewrittenBlock"), 3)
            candidate.write_text(program["source"])
            verdict = cupel.judge(str(task), str(candidate), mode="inference", threads=1)
        self.assertIn(verdict["verdict"]["outcome"], ("faster", "same", "slower", "ambiguous"))


class PartsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = rewriting.Driver()
        cls.addClassCleanup(cls.driver.close)
        try:
            with torch.no_grad():
                program = loading.load({"kind": "file", "path": "<task>", "source": SOURCE,
                                        "mode": "inference"})
                cls.exported = graph_export.export(program, seed=7)
                cls.exported["parts"] = export_parts(program, seed=7)
        finally:
            torch.set_default_dtype(torch.float32)
        cls.program, = cls.driver.rewrite(cls.exported)["programs"]

    def test_equal_parts_are_told_once(self):
        self.assertIn("refused", self.exported)
        told = {tuple(part["paths"]): part["kind"] for part in self.exported["parts"]}
        self.assertEqual(told, {
            ("self.blocks[0]", "self.blocks[1]"): "Block", ("self.blocks[2]",): "Block",
            ("self.gate.inner",): "torch.nn.Sequential"})  # the gate itself reads a value

    def test_rules_fire_in_parts(self):
        rules = {step["rule"] for step in self.program["steps"]}
        self.assertIn("batch norm into weights", rules)
        self.assertIn("linear after linear", rules)
        self.assertLess(self.program["after"]["operations"], self.program["before"]["operations"])

    def test_both_programs_agree(self):
        want, got = rewriting.run_both(SOURCE, self.program["source"], 3, mode="inference")
        self.assertLess(rewriting.error(got, want), 1e-12)

    def test_the_other_mode_and_other_arguments_run_as_written(self):
        want, got = rewriting.run_both(SOURCE, self.program["source"], 3)
        self.assertTrue(torch.equal(got, want))
        new = rewriting.module_of(SOURCE + "\n\n" + self.program["source"])
        self.addCleanup(torch.set_default_dtype, torch.float32)
        model = new.ModelNew(16)
        self.assertIs(type(model.blocks[0]), new.Block)
        self.assertIs(type(new.ModelNew(32).blocks[0]), new.RewrittenBlock)

    def test_the_state_is_the_same(self):
        new = rewriting.module_of(SOURCE + "\n\n" + self.program["source"])
        self.addCleanup(torch.set_default_dtype, torch.float32)
        model = new.ModelNew(32).eval()
        model.prepare()
        self.assertEqual(list(model.state_dict()), list(new.Model(32).state_dict()))


if __name__ == "__main__":
    unittest.main()
