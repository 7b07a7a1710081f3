"""Proves PACKAGE anew on this machine: python -m unittest discover -s tests -t . (or pytest)."""

import copy
import io
import unittest

import torch

from PACKAGE import apply, checking, restore, why

FRESH = 5


class Proof(unittest.TestCase):
    def each(self):
        """(entry, model, inputs) of each measured call."""
        for index, entry in enumerate(checking.runnable()):
            with self.subTest(entry=entry.id, label=entry.told["label"]):
                yield entry, checking.model_of(entry, 11 + index), checking.inputs_of(entry, 77)

    @staticmethod
    def ask(program, entry, model, inputs):
        args, kwargs = checking.arguments(entry, model, inputs)
        return program(*args, **kwargs)

    def who(self, entry, model, inputs):
        args, kwargs = checking.arguments(entry, model, inputs)
        return why(model, *args, **kwargs)

    def same(self, entry, got, want):
        self.assertEqual(checking.difference(entry, got, want), "")

    def test_equal_on_fresh_inputs_and_weights(self):
        for entry, _, _ in self.each():
            for seed in range(FRESH):
                model, inputs = checking.model_of(entry, seed), checking.inputs_of(entry, 99 + seed)
                with torch.no_grad():
                    want = checking.called(entry, model, inputs)
                    with checking.replaced(model):
                        self.assertIn("the winner answers", self.who(entry, model, inputs))
                        self.same(entry, checking.called(entry, model, inputs), want)

    def test_what_was_not_measured_is_the_originals(self):
        for entry, model, inputs in self.each():
            for other in (checking.other_batch(inputs)[0], checking.strided(inputs),
                          checking.shifted(inputs)):
                with torch.no_grad():
                    try:
                        want = checking.called(entry, model, other)
                    except (RuntimeError, ValueError):
                        continue  # the original has no other sizes
                    with checking.replaced(model):
                        self.same(entry, checking.called(entry, model, other), want)

    def test_gradients_are_the_originals(self):
        for entry, model, inputs in self.each():
            inputs = [value.requires_grad_() if isinstance(value, torch.Tensor)
                      and value.dtype.is_floating_point else value for value in inputs]
            wanted = self.gradients(entry, model, inputs)
            with checking.replaced(model):
                got = self.gradients(entry, model, inputs)
            for one, other in zip(got, wanted):
                torch.testing.assert_close(one, other)

    @staticmethod
    def gradients(entry, model, inputs):
        leaves = [leaf for leaf in [*inputs, *model.parameters()]
                  if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
        result = checking.called(entry, model, inputs)
        outputs = [leaf for leaf in checking.tensors_of(result) if leaf.requires_grad]
        if not leaves or not outputs:
            return []
        found = torch.autograd.grad(sum(leaf.sum() for leaf in outputs), leaves, allow_unused=True)
        return [gradient for gradient in found if gradient is not None]

    def test_another_number_of_threads(self):
        before = torch.get_num_threads()
        self.addCleanup(torch.set_num_threads, before)
        for entry, model, inputs in self.each():
            with torch.no_grad():
                want = checking.called(entry, model, inputs)
                with checking.replaced(model):
                    for threads in (1, 3, before):
                        torch.set_num_threads(threads)
                        self.same(entry, checking.called(entry, model, inputs), want)

    def test_weights_loaded_before_and_after(self):
        for entry, model, inputs in self.each():
            keys = list(model.state_dict())
            other = checking.model_of(entry, 5)
            with torch.no_grad():
                want = checking.called(entry, other, inputs)
                with checking.replaced(model):
                    checking.called(entry, model, inputs)
                    self.assertEqual(list(model.state_dict()), keys)
                    model.load_state_dict(other.state_dict())
                    self.same(entry, checking.called(entry, model, inputs), want)
                    buffer = io.BytesIO()
                    torch.save(model.state_dict(), buffer)
                    buffer.seek(0)
                    model.load_state_dict(torch.load(buffer))
                    self.same(entry, checking.called(entry, model, inputs), want)

    def test_compiled_whole(self):
        for entry, model, inputs in self.each():
            with torch.no_grad(), checking.replaced(model):
                want = checking.called(entry, model, inputs)
                torch._dynamo.reset()
                compiled = torch.compile(model, fullgraph=True)
                self.same(entry, self.ask(compiled, entry, model, inputs), want)
                other, could = checking.other_batch(inputs)
                if could:
                    wanted = checking.called(entry, model, other)
                    self.same(entry, self.ask(compiled, entry, model, other), wanted)

    def test_exported(self):
        for entry, model, inputs in self.each():
            if not all(isinstance(value, torch.Tensor) for value in inputs):
                continue
            args, kwargs = checking.arguments(entry, model, inputs)
            try:
                torch.export.export(model, args, kwargs)
            except Exception:  # whatever torch.export says: the original cannot be exported either
                continue
            with torch.no_grad(), checking.replaced(model):
                want = checking.called(entry, model, inputs)
                exported = torch.export.export(model, args, kwargs)
                self.same(entry, exported.module()(*args, **kwargs), want)
                called = any("PACKAGE" in str(node.target) for node in exported.graph.nodes)
                self.assertEqual(called, entry.operator)

    def test_copies_and_undoing(self):
        for entry, model, inputs in self.each():
            with torch.no_grad():
                want = checking.called(entry, model, inputs)
                with checking.replaced(model):
                    checking.called(entry, model, inputs)
                    twin = copy.deepcopy(model)
                    for weight in twin.parameters():
                        weight.zero_()
                    self.same(entry, checking.called(entry, model, inputs), want)
                    self.assertIn("the winner answers", self.who(entry, twin, inputs))
                self.assertNotIn("forward", vars(model))
                self.assertEqual(restore(model), 0)

    def test_other_modules_are_left_alone(self):
        other = torch.nn.Sequential(torch.nn.Linear(3, 4))
        self.assertFalse(apply(other, quiet=True))
        self.assertNotIn("forward", vars(other[0]))


if __name__ == "__main__":
    unittest.main()
