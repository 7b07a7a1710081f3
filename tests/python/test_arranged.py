import unittest

import torch

from cupel.arranged import LAYOUTS, LOADED_LATER, WRITTEN, arrange, tell_inputs, tell_state


def program():
    class Sum(torch.nn.Module):
        """Keeps what it was called with."""

        def __init__(self):
            super(Sum, self).__init__()
            self.norm = torch.nn.BatchNorm1d(4)
            self.register_buffer("scratch", torch.zeros(2), persistent=False)

        def forward(self, x, pair, scale):
            self.given = x, pair["y"]
            return self.norm(x + pair["y"]) * scale
    return Sum


ARGUMENTS = (torch.arange(12.0).view(3, 4), {"y": torch.ones(3, 4)}, 2)
OF_TWO_DIMENSIONS = ("offset", "sliced", "stepped", "transposed")


class Kept(torch.nn.Module):
    """Returns what it needs again, in several forms."""

    def __init__(self):
        super().__init__()
        self.scales = torch.nn.Parameter(torch.full((3,), 2.0))
        self.count = torch.tensor([True, False])

    def forward(self, x):
        return {"made": x + 1, "kept": [self.scales, self.count], "of_input": x[1:],
                "expanded": self.scales[:1].expand(5), "number": 4}


class Packing(torch.nn.Module):
    """Packs its weights in its first call, and never again."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(2))
        self.packed = None

    def forward(self, x):
        self.calls += 1
        if self.packed is None:
            self.packed = self.linear.weight.detach().clone()
        return torch.nn.functional.linear(x, self.packed, self.linear.bias)


class LoadedLaterTest(unittest.TestCase):
    def answer(self, **members):
        program = type("Program", (Packing,), members)
        arrange(program, LOADED_LATER)
        made, x = program(), torch.ones(2, 3)
        if "prepare" in members:
            made.prepare()
        want = made.linear(x)
        return made, torch.equal(made(x), want)

    def test_what_was_packed_in_a_call_is_of_other_weights(self):
        self.assertFalse(self.answer()[1])

    def test_what_reads_its_weights_in_each_call_is_right(self):
        made, right = self.answer(forward=lambda self, x: self.linear(x))
        self.assertTrue(right)

    def test_buffers_are_as_if_there_had_been_no_other_call(self):
        made, _ = self.answer()
        self.assertEqual(made.calls.tolist(), [1.0, 1.0])

    def test_who_prepares_is_called_once_weights_are_final(self):
        def prepare(self):
            self.packed = self.linear.weight.detach().clone()
        made, right = self.answer(prepare=prepare)
        self.assertTrue(right)


class WrittenTest(unittest.TestCase):
    def setUp(self):
        class Program(Kept):
            pass
        arrange(Program, WRITTEN)
        self.program, self.x = Program(), torch.arange(3.0)

    def test_the_first_answer_is_the_programs(self):
        answer = self.program(self.x)
        self.assertTrue(torch.equal(answer["made"], self.x + 1))
        self.assertTrue(torch.equal(answer["kept"][0], torch.full((3,), 2.0)))
        self.assertEqual(answer["number"], 4)

    def test_what_is_needed_again_is_lost(self):
        self.program(self.x)
        self.assertTrue(bool(self.program.scales.isnan().all()))
        self.assertEqual(self.program.count.tolist(), [False, True])

    def test_inputs_are_the_users_own(self):
        self.program(self.x)
        self.assertEqual(self.x.tolist(), [0.0, 1.0, 2.0])


class ArrangeTest(unittest.TestCase):
    def called(self, layout):
        cls = program()
        plain = cls()(*ARGUMENTS)
        arrange(cls, layout)
        module = cls()
        torch.testing.assert_close(module(*ARGUMENTS), plain)
        self.assertTrue(torch.equal(module.given[0], ARGUMENTS[0]))
        return module.given

    def test_values_stay_and_strides_or_addresses_do_not(self):
        for layout in LAYOUTS:
            for tensor in self.called(layout):
                moved = tensor.data_ptr() % 64 != 0 or not tensor.is_contiguous()
                self.assertEqual(moved, layout in OF_TWO_DIMENSIONS, layout)

    def test_of_more_dimensions_the_outer_ones_lie_otherwise(self):
        x = torch.arange(120.0).view(2, 3, 4, 5)
        strides = {"longer": (210, 35, 5, 1), "channels_last": (60, 1, 15, 3)}
        for layout, wanted in strides.items():
            view = LAYOUTS[layout](x)
            self.assertTrue(torch.equal(view, x))
            self.assertEqual(view.stride(), wanted)

    def test_what_lies_around_is_no_number(self):
        x = self.called("stepped")[0]
        self.assertTrue(bool(x.as_strided((3, 7), (8, 1))[:, 1::2].isnan().all()))
        ids = LAYOUTS["sliced"](torch.arange(6).view(2, 3))
        self.assertEqual(int(ids.as_strided((1,), (1,), ids.storage_offset() + 3)),
                         torch.iinfo(torch.int64).max)

    def test_numbers_of_no_dimension_are_given_as_they_are(self):
        for view_of in LAYOUTS.values():
            self.assertEqual(float(view_of(torch.tensor(3.0))), 3.0)


class TellInputsTest(unittest.TestCase):
    def test_inputs_are_told_as_a_call_leaves_them(self):
        for wanted, names in ((None, ["0", "1"]), ({"1": ("float32", [3])}, ["1"])):
            class Shifting:
                def __call__(self, step, cache):
                    cache += step
                    return cache.sum()
            tell_inputs(Shifting, wanted)
            cache = torch.zeros(3)
            told = Shifting()(torch.ones(3), cache)
            self.assertEqual((sorted(told["inputs"]), float(told["result"])), (names, 3.0))
            self.assertEqual(told["inputs"]["1"].tolist(), [1.0] * 3)
            cache.zero_()
            self.assertEqual(told["inputs"]["1"].tolist(), [1.0] * 3)

    def test_what_a_call_puts_into_lists_and_dictionaries_is_told(self):
        class Keeping:
            def __call__(self, step, cache, steps):
                cache["k"] = torch.cat([cache["k"], step])
                cache["length"] += 1
                steps.append(step + 1)
                return cache["k"].sum()
        tell_inputs(Keeping)
        told = Keeping()(torch.ones(1), {"k": torch.zeros(2), "length": 2}, [])
        self.assertEqual([tensor.tolist() for tensor in told["inputs"].values()],
                         [[1.0], [0.0, 0.0, 1.0], [2.0]])
        self.assertEqual(told["others"], ["[t,{k:t,length:v},[t]]", 3])


class TellStateTest(unittest.TestCase):
    def test_of_buffers_that_no_state_dict_holds_those_that_calls_write_to(self):
        class Counting(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("count", torch.zeros(2), persistent=False)
                self.register_buffer("mask", torch.ones(2), persistent=False)
                self.register_buffer("packed", torch.zeros(2), persistent=False)
                self.register_buffer("grown", torch.zeros(0), persistent=False)

            def forward(self, x):
                self.count += x
                if self.grown.numel() == 0:
                    self.packed += 3
                    self.grown = torch.ones(2)
                return x * self.mask * self.packed * self.grown
        tell_state(Counting)
        module = Counting()
        for _ in range(2):
            told = module(torch.ones(2))
            self.assertEqual(told["result"].tolist(), [3.0, 3.0])
            state = told["state"]
            self.assertEqual({name: tensor.tolist() for name, tensor in state.items()},
                             {"count": [2.0, 2.0]})

    def test_two_calls_each_time_begin_with_the_first_one_s_buffers(self):
        cls = program()
        tell_state(cls)
        module = cls()
        with torch.no_grad():
            first, second = module(*ARGUMENTS), module(*ARGUMENTS)
        self.assertEqual(sorted(first["state"]), ["norm.num_batches_tracked", "norm.running_mean",
                                                  "norm.running_var"])
        self.assertEqual(int(second["state"]["norm.num_batches_tracked"]), 2)
        for name, tensor in first["state"].items():
            self.assertTrue(torch.equal(tensor, second["state"][name]), name)
        self.assertGreater(float(first["state"]["norm.running_mean"].abs().sum()), 0)

    def told(self, wanted):
        cls = program()
        tell_state(cls, wanted)
        with torch.no_grad():
            return cls()(*ARGUMENTS)

    def test_what_is_wanted_is_told_whatever_else_there_is(self):
        state = self.told({"norm.running_mean": ("float64", [4])})["state"]
        self.assertEqual({name: tensor.dtype for name, tensor in state.items()},
                         {"norm.running_mean": torch.float64})

    def test_what_is_not_all_there_is_told_by_numbers(self):
        told = self.told({"another": ("float32", [4]), "norm.running_mean": ("float32", [4]),
                          "norm.running_var": ("float32", [5])})
        self.assertEqual((list(told), list(told["kept"])), (["kept", "result"], ["1"]))


if __name__ == "__main__":
    unittest.main()
