"""What a winner refuses: a package tells of it, and has the original answer there."""

import importlib
import json
import pathlib
import sys
import tempfile
import unittest

import torch

import shipping_order
from cupel.shipping import contracts
from shipping_order import DENSE, DENSE_WINNER

REFUSES = """
        if {tensor}.data_ptr() % 16:
            raise RuntimeError("the input must begin at a multiple of 16 bytes")
"""
PICKY_WINNER = DENSE_WINNER.replace(
    "scale=1.0):\n        for", "scale=1.0):" + REFUSES.format(tensor="x") + "        for")
NAMED = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8))

    def forward(self, batch):
        return batch["x"] * self.weight + 1

def get_inputs():
    return [{"x": torch.randn(4, 8)}]
"""
NAMED_WINNER = NAMED.split("def get_inputs")[0].replace("Model(", "ModelNew(").replace(
    "(self, batch):\n", "(self, batch):" + REFUSES.format(tensor="batch['x']"))
REASONS = [
    {"code": "faster", "text": "99 % sure of 1.9x"},
    {"code": "layout_refused", "text": "inputs that begin one element into memory: RuntimeError: "
                                       "the input must begin\n at a multiple of 16 bytes"},
    {"code": "layout_refused",
     "text": "inputs of size 1 that broadcast: it raises an error in some of them"},
    {"code": "load_refused", "text": "weights that are loaded after a call: RuntimeError: packed"}]
SENTENCES = [
    "With inputs that begin one element into memory the winner raises an error, which says: "
    "RuntimeError: the input must begin at a multiple of 16 bytes. In this package the original "
    "answers such a call.",
    "With inputs of size 1 that broadcast the winner raises an error. In this package the original "
    "answers such a call.",
    "With weights that are loaded after a call the winner raises an error, which says: "
    "RuntimeError: packed. This package makes the winner anew when weights change."]


def off_by_one(tensor):
    return contracts.beginning_at(tensor.itemsize, tensor)


class Refusals(unittest.TestCase):
    def test_sentences(self):
        self.assertEqual(contracts.refusals({"reasons": REASONS}), SENTENCES)
        self.assertEqual(contracts.refusals({"reasons": REASONS[:1]}), [])

    def test_how_inputs_must_be_aligned(self):
        def takes(bytes_):
            def call(tensors, _):
                if any(tensor.data_ptr() % bytes_ for tensor in tensors):
                    raise ValueError
            return call
        for dtype, least in ((torch.float32, 4), (torch.float64, 8), (torch.bool, 1)):
            inputs = [[torch.zeros(4, 6, dtype=dtype)], 3]
            for bytes_ in (1, 2, 4, 8, 16, 32, 64):
                wanted = bytes_ if bytes_ > least else 1
                self.assertEqual(contracts.alignment_of(takes(bytes_), inputs), wanted)
        self.assertEqual(contracts.alignment_of(takes(64), [[], 3]), 1)


class PickyWinner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        at = pathlib.Path(directory.name)
        runs = [shipping_order.run_of("dense", DENSE, PICKY_WINNER),
                shipping_order.run_of("named", NAMED, NAMED_WINNER),
                shipping_order.run_of("other", DENSE.replace("(6, 16)", "(9, 16)"), DENSE_WINNER)]
        runs[0]["verdict"]["reasons"] = REASONS
        cls.out = at / "out"
        status, answer = shipping_order.ship(cls.out, "picky", runs)
        if status != 0:
            raise AssertionError(answer)
        (at / "picky_users.py").write_text(DENSE, encoding="utf-8")
        (at / "named_users.py").write_text(NAMED, encoding="utf-8")
        for path in (str(at), str(cls.out)):
            sys.path.insert(0, path)
            cls.addClassCleanup(sys.path.remove, path)
        cls.package = importlib.import_module("picky")

    def test_the_package_tells_of_it(self):
        manifest = json.loads((self.out / "picky/manifest.json").read_text(encoding="utf-8"))
        picky, named, other = manifest["entries"]
        self.assertEqual([each["alignment"] for each in (picky, named, other)], [16, 16, 1])
        self.assertEqual([picky["refuses"], other["refuses"]], [SENTENCES, []])
        told = (self.out / "README.md").read_text(encoding="utf-8")
        for sentence in SENTENCES:
            self.assertIn(f"- dense, dense: {sentence}\n", told)

    def check(self, model, call_with):
        """Calls with inputs at either kind of address, before a forward is written and after."""
        aligned, off = torch.randn(4, 8), off_by_one(torch.randn(4, 8))
        if "picky_users" in type(model).__module__:
            aligned, off = torch.randn(6, 16), off_by_one(torch.randn(6, 16))
        with torch.no_grad():
            wanted = [model(call_with(x)) for x in (off, aligned, off)]
            self.assertTrue(self.package.apply(model, quiet=True))
            for _ in range(3):
                for x, want in zip((off, aligned, off), wanted):
                    torch.testing.assert_close(model(call_with(x)), want)
            self.assertIn("the winner answers", self.package.why(model, call_with(aligned)))
            self.assertIn("no multiple of 16 bytes", self.package.why(model, call_with(off)))

    def test_the_original_answers_at_other_addresses(self):
        self.check(importlib.import_module("picky_users").Model(16), lambda x: x)

    def test_of_tensors_in_a_dict_as_well(self):
        self.check(importlib.import_module("named_users").Model(), lambda x: {"x": x})

    def test_a_compiled_model_copies_such_an_input(self):
        model = importlib.import_module("picky_users").Model(16)
        x = torch.randn(6, 16)
        with torch.no_grad():
            want = model(x)
            self.assertTrue(self.package.apply(model, quiet=True))
            compiled = torch.compile(model, fullgraph=True, backend="eager")
            for value in (x, off_by_one(x)):
                torch.testing.assert_close(compiled(value), want)


if __name__ == "__main__":
    unittest.main()
