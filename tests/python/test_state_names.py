"""Which of a program's tensors is given which of the reference's weights."""

import unittest

import referee_session  # noqa: F401  (puts python/ on the path)
import torch
from cupel.state_names import load, names_for
from torch import nn


class Arena:
    """Tensors by an offset."""

    def __init__(self):
        self._tensors = []

    def deliver(self, named):
        entries, places = [], {}
        for name, tensor in named.items():
            if id(tensor) not in places:
                places[id(tensor)] = len(self._tensors)
                self._tensors.append(tensor.detach().clone())
            entries.append({"name": name, "offset": places[id(tensor)],
                            "dtype": str(tensor.dtype).split(".")[1],
                            "shape": list(tensor.shape)})
        return entries

    def tensor_at(self, offset, dtype, shape):
        return self._tensors[offset]


class Reference(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Linear(8, 8)
        self.norm = nn.BatchNorm1d(8)
        self.out = nn.Linear(8, 8)
        self.last = nn.LayerNorm(8)


class Renamed(Reference):
    def __init__(self, **others):
        super().__init__()
        made = dict(self._modules)
        self._modules.clear()
        for new, old in {"a": "into", "b": "norm", "c": "out", "d": "last"}.items():
            self.add_module(new, made[old])
        for name, tensor in others.items():
            self.register_buffer(name, tensor(made) if callable(tensor) else tensor)


def made(cls, seed, **others):
    torch.manual_seed(seed)
    return cls(**others)


def state_of(model):
    return {**dict(model.named_parameters(remove_duplicate=False)),
            **dict(model.named_buffers(remove_duplicate=False))}


class Names(unittest.TestCase):
    def names(self, cls, reference=Reference, **others):
        self.arena = Arena()
        delivered = self.arena.deliver(state_of(made(reference, 1)))
        return names_for([made(cls, seed, **others) for seed in (1, 2)], delivered, self.arena)

    def test_equal_names_are_enough(self):
        self.assertEqual(self.names(Reference), {name: name for name in state_of(Reference())})

    def test_other_names_are_found_by_value_and_order(self):
        names = self.names(Renamed)
        pairs = {"a": "into", "b": "norm", "c": "out", "d": "last"}
        self.assertEqual(names, {name: pairs[name[0]] + name[1:] for name in state_of(Renamed())})

    def test_what_is_loaded_is_the_references(self):
        names = self.names(Renamed)
        trained = made(Reference, 7)
        with torch.no_grad():
            for tensor in trained.parameters():
                tensor.copy_(torch.randn_like(tensor))
        program = made(Renamed, 2)
        program.load_state_dict(load(program, names, self.arena.deliver(state_of(trained)),
                                     self.arena))
        self.assertTrue(torch.equal(program.d.bias, trained.last.bias))
        self.assertTrue(torch.equal(program.c.weight, trained.out.weight))

    def test_a_constant_beside_them_stays(self):
        for constant in (torch.zeros(8), torch.ones(()), torch.arange(5)):
            names = self.names(Renamed, table=constant)
            self.assertEqual(len(names), len(state_of(Reference())), constant)
            self.assertNotIn("table", names)

    def test_what_hangs_on_weights_without_being_one_keeps_the_seed(self):
        packed = lambda made: made["out"].weight.detach().t().contiguous()  # noqa: E731
        self.assertIsNone(self.names(Renamed, packed=packed))

    def test_a_weight_without_a_counterpart_keeps_the_seed(self):
        class Less(Renamed):
            def __init__(self):
                super().__init__()
                self.c.weight = nn.Parameter(self.c.weight.detach().t().contiguous())
        self.assertIsNone(self.names(Less))

        class Least(Renamed):
            def __init__(self):
                super().__init__()
                self.d = nn.Identity()
        self.assertIsNone(self.names(Least))

    def test_counters_need_none(self):
        class Uncounted(Renamed):
            def __init__(self):
                super().__init__()
                self.b.num_batches_tracked = None
        self.assertIsNotNone(self.names(Uncounted))

    def test_tied_weights_need_one_name(self):
        class Tied(Reference):
            def __init__(self):
                super().__init__()
                self.out.weight = self.into.weight

        class Once(Renamed):
            def __init__(self):
                super().__init__()
                self.c.weight = self.a.weight
        self.assertIn("a.weight", self.names(Once, Tied))


if __name__ == "__main__":
    unittest.main()
