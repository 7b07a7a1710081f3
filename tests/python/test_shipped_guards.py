"""The forward that a shipped package writes for the calls of a module: it answers what the decision
in full would give to the winner, and sees whatever changes."""

import copy
import dataclasses
import importlib
import inspect
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import torch
import torch.nn.utils.prune

import shipping_order
from shipping_order import CAPTURED, CAPTURED_WINNER, DENSE, DENSE_WINNER, USERS


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
    False, 1.0, 0.0, -0.0, float("inf"), "1", "", None, [], (), [1], (1,), [True],
    [TENSOR], (TENSOR, None), {"x": TENSOR}, {"x": 1}, {}, torch.float32, torch.device("cpu"),
    Answer(TENSOR), Answer(TENSOR, "other"), Answer(None), object(), torch.Size([1]),
    [[TENSOR], [1]], [[TENSOR], [1.0]], torch.nested.nested_tensor([torch.randn(2, 3)]),
    TENSOR.to_mkldnn(),
]


class WrittenForward(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        at = pathlib.Path(directory.name)
        runs = [shipping_order.run_of("dense", DENSE, DENSE_WINNER),
                shipping_order.run_of("dense_9", DENSE.replace("(6, 16)", "(9, 16)"), DENSE_WINNER),
                shipping_order.run_of("gate", CAPTURED, CAPTURED_WINNER)]
        status, answer = shipping_order.ship(at / "out", "shipped_guards", runs)
        if status != 0:
            raise AssertionError(answer)
        (at / "dense_users.py").write_text(DENSE, encoding="utf-8")
        (at / "gate_users.py").write_text(USERS, encoding="utf-8")
        for path in (str(at), str(at / "out")):
            sys.path.insert(0, path)
            cls.addClassCleanup(sys.path.remove, path)
        cls.package = importlib.import_module("shipped_guards")
        cls.users = importlib.import_module("gate_users")

    @staticmethod
    def dense():
        return importlib.import_module("dense_users").Model(16)

    def settled(self, model, *inputs, **named):
        """The model replaced, with a forward that was written for this call."""
        self.assertTrue(self.package.apply(model, quiet=True))
        decides_in_full = model.forward.__func__
        for _ in range(2):
            model(*inputs, **named)
        self.assertIsNot(model.forward.__func__, decides_in_full)
        return model

    def decided_in_full(self):
        """Counts the calls that are not answered by a forward that was written for them."""
        straight = importlib.import_module("shipped_guards.straight")
        return mock.patch.object(straight, "in_full", side_effect=straight.in_full, autospec=True)

    def test_the_second_call_is_answered_by_what_was_written_for_it(self):
        cases = [(self.dense(), (torch.randn(6, 16),), {}),
                 (self.dense(), (), {"x": torch.randn(6, 16), "scale": 1.0}),
                 (self.users.Gate(24), (torch.randn(5, 24), torch.rand(5, 1)), {"power": 3})]
        for model, inputs, named in cases:
            with torch.no_grad():
                want = model(*inputs, **named)
                self.settled(model, *inputs, **named)
                with self.decided_in_full() as in_full:
                    got = model(*inputs, **named)
                    in_full.assert_not_called()
                    self.assertIs(type(got), type(want))
                    torch.testing.assert_close(*(each["y"] if type(each) is dict else each.hidden
                                                 for each in (got, want)))

    def test_several_forms_are_known_at_once(self):
        model, calls = self.dense(), [[torch.randn(rows, 16)] for rows in (6, 9)]
        with torch.no_grad():
            self.settled(model, *calls[0])
            model(*calls[1])
            with self.decided_in_full() as in_full:
                for x, in calls * 2:
                    torch.testing.assert_close(model(x)["y"], type(model).forward(model, x)["y"])
                in_full.assert_not_called()
                x = torch.randn(7, 16)
                torch.testing.assert_close(model(x)["y"], type(model).forward(model, x)["y"])
                in_full.assert_called_once()

    def test_what_a_written_forward_asks_of_a_value_is_its_form(self):
        straight, forms, manifest, attachment, instances = (
            importlib.import_module(f"shipped_guards.{name}")
            for name in ("straight", "forms", "manifest", "attachment", "instances"))
        module, told = torch.nn.Identity(), self.package.MANIFEST["entries"][0]
        beside, held = attachment.Attachment(module, []), instances.Held(module, [])

        def form_or_none(value):
            try:
                return forms.form_of(value)
            except (forms.NoForm, RuntimeError):
                return None

        for known in VALUES:
            form = form_or_none(known)
            if form is None:
                continue
            entry = manifest.Entry({**told, "recast": False, "places": None, "training": None})
            entry.form = ("list", (form,))
            call = straight.Call(0, entry, held, beside, (known,), {}, known)
            quick = straight.written(module, straight.RemovableHandle.next_id, beside.structure,
                                     [call])
            for value in VALUES:
                with self.subTest(form=form, value=type(value)), torch.no_grad(), \
                        mock.patch.object(straight, "in_full", lambda *_: self):
                    self.assertEqual(quick(module, value) is value, form_or_none(value) == form)

    def test_whatever_changes_after_it_is_seen_by_a_written_forward(self):
        def poked(model):
            model.one.inner._parameters["bias"] = torch.nn.Parameter(torch.randn(16))

        def moved(model):
            model.one.inner.weight.data = torch.randn(16, 16)

        def loaded(model):
            model.load_state_dict({name: torch.randn_like(weight)
                                   for name, weight in model.state_dict().items()})

        def pruned(model):
            torch.nn.utils.prune.l1_unstructured(model.one.inner, "weight", 0.5)

        def put(model):
            model.one._modules["inner"] = torch.nn.Linear(16, 16)

        changes = [poked, moved, loaded, pruned, put, lambda model: model.half().float(),
                   lambda model: setattr(model.two.inner, "bias", None),
                   lambda model: setattr(model.two, "inner", torch.nn.Identity()),
                   lambda model: model.two.register_forward_pre_hook(lambda _, a: (a[0] + 1,)),
                   lambda model: torch.nn.init.ones_(model.two.inner.bias),
                   lambda model: model.one.inner.bias.set_(torch.randn(16)),
                   lambda model: torch.nn.utils.vector_to_parameters(
                       torch.randn(2 * 16 * 17), model.parameters())]
        for change in changes:
            model, x = self.dense(), torch.randn(6, 16)
            with torch.no_grad():
                self.settled(model, x)
                change(model)
                for _ in range(3):
                    torch.testing.assert_close(model(x)["y"], type(model).forward(model, x)["y"])

    def test_gradients_and_autocast_are_seen_by_a_written_forward(self):
        model, x = self.dense(), torch.randn(6, 16)
        with torch.no_grad():
            self.settled(model, x)
        with self.decided_in_full() as in_full:
            self.assertTrue(model(x)["y"].requires_grad)
            self.assertEqual(in_full.call_count, 1)
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertEqual(model(x)["y"].dtype, torch.bfloat16)
            self.assertEqual(in_full.call_count, 2)
        model.requires_grad_(False)
        with self.decided_in_full() as in_full:
            self.assertFalse(model(x)["y"].requires_grad)
            in_full.assert_not_called()
        x.requires_grad_()
        model(x)["y"].sum().backward()
        self.assertIsNotNone(x.grad)

    def test_transforms_are_seen_by_a_written_forward(self):
        model, x = self.dense(), torch.randn(6, 16)
        with torch.no_grad():
            self.settled(model, x)
            rows = torch.func.vmap(lambda row: model(row)["y"])(x.expand(2, 6, 16))
            torch.testing.assert_close(rows[1], type(model).forward(model, x)["y"])
            with self.decided_in_full() as in_full:
                traced = torch.jit.trace(model, x, strict=False)
                in_full.assert_called()
            torch.testing.assert_close(traced(x * 2), type(model).forward(model, x * 2))
            with torch.autograd.forward_ad.dual_level():
                dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
                self.assertIsNotNone(
                    torch.autograd.forward_ad.unpack_dual(model(dual)["y"]).tangent)
            weights = {name: torch.zeros_like(weight) for name, weight in model.named_parameters()}
            got = torch.func.functional_call(model, weights, x)["y"]
            self.assertEqual(got.abs().sum(), 0)

    def test_it_has_the_signature_of_the_original(self):
        model, x = self.dense(), torch.randn(6, 16)
        want = inspect.signature(model.forward)
        self.package.apply(model, quiet=True)
        self.assertEqual(inspect.signature(model.forward), want)
        with torch.no_grad():
            self.assertEqual(inspect.signature(self.settled(model, x).forward), want)

    def test_a_copy_has_its_own_weights(self):
        model, x = self.dense(), torch.randn(6, 16)
        with torch.no_grad():
            twin = copy.deepcopy(self.settled(model, x))
            for weight in twin.parameters():
                weight.mul_(2)
            for _ in range(3):
                for each in (model, twin):
                    torch.testing.assert_close(each(x)["y"], type(each).forward(each, x)["y"])

    def test_torch_compile_does_not_see_new_weights_as_another_program(self):
        model, x = self.dense(), torch.randn(6, 16)
        compiled_graphs = []

        def backend(graph, _):
            compiled_graphs.append(graph)
            return graph

        with torch.no_grad():
            self.settled(model, x)
            torch._dynamo.reset()
            compiled = torch.compile(model, backend=backend, fullgraph=True)
            for _ in range(4):
                model.one.inner.weight.mul_(1.5)
                want = type(model).forward(model, x)["y"]
                torch.testing.assert_close(model(x)["y"], want)
                torch.testing.assert_close(compiled(x)["y"], want)
        self.assertEqual(len(compiled_graphs), 1)


if __name__ == "__main__":
    unittest.main()
