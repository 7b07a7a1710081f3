import base64
import os
import pickle
import sys
import tempfile
import unittest
from os import path
from unittest import mock

sys.path.insert(0, path.dirname(path.abspath(__file__)))

import torch  # noqa: E402

from host_harness import HostProcess, model  # noqa: E402
from test_probe import probe_path  # noqa: E402

from cupel.outputs import packed  # noqa: E402

X = torch.arange(12.0).view(3, 4)
# A call takes back what the one before returned, as CUDA graphs of torch.compile() do.
READ_ONCE = model("self.y is None or torch.utils.swap_tensors(self.y, self.y.to('meta')); "
                  "self.y = x[0] * 2; return self.y", init="self.y = None")


class HostCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = HostProcess()  # starting torch takes seconds; loading again is as good
        cls.addClassCleanup(cls.process.close)

    def host(self, source, example=(X,), **load):
        """The host, having loaded `source`; self.reply is what it said."""
        self.process.wipe()
        self.reply = self.process.load(source, example, **load)
        return self.process

    def assert_failed(self, reply, phase, kind, *words):
        self.assertEqual((reply["re"], reply.get("phase"), reply.get("kind")),
                         ("failed", phase, kind), reply)
        for word in words:
            self.assertIn(word, reply["what"])
        self.assertNotIn("cupel/host", reply["trace"])

    def run_once(self, forward, *inputs, **load):
        """Returns (reply, the host) of one call of a model with this forward()."""
        inputs = inputs or (X,)
        host = self.host(model(forward), inputs, **load)
        self.assertEqual(self.reply["re"], "loaded", self.reply)
        return host.call(*inputs, at=64, out=128), host


class Loading(HostCase):
    def test_ready_names_torch_and_threads(self):
        self.assertEqual(self.process.ready,
                         {"re": "ready", "torch": torch.__version__, "threads": 2})

    def test_broken_sources_are_told_apart(self):
        cases = [("def f(:\n", "import", "syntax", "candidate.py, line 1"),
                 ("x = 1\n", "import", "no_class", "ModelNew"),
                 ("def ModelNew(): pass\n", "import", "bad_class", "torch.nn.Module"),
                 ("import no_such_package_here\n", "import", "raised", "ModuleNotFoundError"),
                 ("import sys\nsys.exit(3)\n", "import", "raised", "sys.exit"),
                 (model("return x", init="raise ValueError('bad size')"), "construct", "raised",
                  "ValueError: bad size"),
                 (model("return x", init="[].pop()") , "construct", "raised", "line 5"),
                 (model("return x") + "    def prepare(self): 1 / 0\n", "prepare", "raised",
                  "ZeroDivisionError"),
                 (model("return x", init="torch.empty(1 << 60)"), "construct", "out_of_memory",
                  "memory")]
        for source, phase, kind, words in cases:
            with self.subTest(source=source):
                self.host(source)
                self.assert_failed(self.reply, phase, kind, words)

    def test_the_source_can_be_read_back_and_prepare_runs(self):
        source = model("return x[0] * self.scale", head="import inspect, torch") + (
            "    def prepare(self):\n"
            "        self.scale = float('def prepare' in inspect.getsource(ModelNew))\n")
        host = self.host(source)
        self.assertEqual(host.call(X)["re"], "done")
        self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, (3, 4)), X))

    def test_init_arguments_and_seed(self):
        source = model("return self.w.clone()", init="self.w = torch.nn.Parameter(torch.rand(n))",
                       arguments=", n, flag=False")
        for init in ([5, True], {"n": 5}):
            host = self.host(source, init=init, instances=[{"seed": 7, "weights": []}])
            self.assertEqual(self.reply["weights"], "seeded")
            host.call(X)
            torch.manual_seed(7)
            self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, (5,)), torch.rand(5)))


class Weights(HostCase):
    SOURCE = model("return torch.nn.functional.linear(x[0], self.a.weight, self.a.bias) + self.b",
                   init="self.a = torch.nn.Linear(4, 2); self.register_buffer('b', torch.ones(2))")

    def load(self, named, source=SOURCE):
        host = self.process
        return host, host.load(source, [X], weights=host.deliver(named))["weights"]

    def test_agreeing_state_is_loaded(self):
        state = {"a.weight": torch.rand(2, 4), "a.bias": torch.rand(2), "b": torch.rand(2)}
        host, weights = self.load(state)
        self.assertEqual(weights, "loaded")
        host.call(X)
        want = X @ state["a.weight"].T + state["a.bias"] + state["b"]
        torch.testing.assert_close(host.outputs.get(0, torch.float32, (3, 2)), want)

    def test_state_comes_as_a_users_does_through_load_state_dict(self):
        source = model("return self.twice + self.b", init="""
        self.w = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2), persistent=False)
        self.register_load_state_dict_post_hook(lambda module, _: module.note())""") + """
    def note(self):
        self.twice = 2 * self.w
"""
        state = {"w": torch.rand(2), "b": torch.rand(2)}
        host, weights = self.load(state, source)
        self.assertEqual(weights, "loaded")
        host.call(X)
        self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, (2,)),
                                    2 * state["w"] + state["b"]))

    def test_state_that_differs_is_left_seeded(self):
        full = {"a.weight": torch.rand(2, 4), "a.bias": torch.rand(2), "b": torch.rand(2)}
        for state in ({**full, "a.weight": torch.rand(4, 2)}, {**full, "more": torch.rand(1)},
                      {name: full[name] for name in ("a.weight", "a.bias")}):
            self.assertEqual(self.load(state)[1], "seeded")

    def test_tied_tensors_count_under_any_of_their_names(self):
        source = model("return self.q", init="self.p = self.q = torch.nn.Parameter(torch.ones(2))")
        self.assertEqual(self.load({"p": torch.rand(2)}, source)[1], "loaded")
        self.assertEqual(self.load({"p": torch.ones(2), "q": torch.ones(2)}, source)[1], "loaded")

    def test_two_instances_hold_their_own_state(self):
        host = self.process
        source = model("return self.w + 0", init="self.w = torch.nn.Parameter(torch.ones(2))")
        states = [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])]
        instances = [{"seed": i, "weights": host.deliver({"w": state}, 128 * i)}
                     for i, state in enumerate(states)]
        self.assertEqual(host.load(source, [X], instances=instances)["weights"], "loaded")
        for i, state in enumerate(states):
            host.call(X, instance=i, out=64 * i)
            self.assertTrue(torch.equal(host.outputs.get(64 * i, torch.float32, (2,)), state))


class Calling(HostCase):
    def test_outputs_are_without_gaps_at_aligned_offsets(self):
        reply, host = self.run_once("return {'t': x[0].t(), 'rest': (x[0][:, 1], 5, [x[0]])}")
        self.assertEqual(reply["tree"], "{t:t,rest:[t,v,[t]]}")
        self.assertEqual([leaf["strides"] for leaf in reply["outputs"]], [[1, 4], [4], [4, 1]])
        self.assertGreater(reply["claim_ns"], 0)
        for offset, want in ((128, X), (192, X[:, 1]), (256, X)):  # X.t() lies as X does
            self.assertTrue(torch.equal(host.outputs.get(offset, torch.float32, want.shape), want))

    def test_what_ties_outputs_is_told(self):
        reply, _ = self.run_once("y = x[0] + 1; return x[0], y, y[:1], y[:1].expand(3, -1) * 1")
        self.assertEqual(reply["ties"], [["input"], ["output"], ["output"], []])
        reply, _ = self.run_once("return x[0] + 1, (x[0] * 2)[:, 1:]")
        self.assertNotIn("ties", reply)

    def test_what_a_single_call_returned_is_overwritten_and_what_others_did_is_not(self):
        head = """
import sys, torch
host = sys.modules['__main__']
honest, seen = host.overwrite, []
def overwrite(parts):
    seen.extend(part.end - part.first for part in parts)
    honest(parts)
host.overwrite = overwrite
"""
        host = self.host(model("return len(seen), sum(seen), x[0] * 2, x[0][:1] * 2", head=head))
        self.assertEqual(host.call(X)["values"], ["int 0", "int 0"])
        self.assertEqual(host.call(X)["values"], ["int 2", "int 64"])
        host.ask({"op": "batch", "instance": 0, "core": -1, "at": [0, 0], "out": [0, 256]})
        self.assertEqual(host.call(X)["values"], ["int 4", "int 128"])

    def test_slots_may_move_and_tensors_are_fresh_objects(self):
        host = self.host(model("x[0].mark = getattr(x[0], 'mark', 0) + 1; return x[0] * x[0].mark"))
        for place in (0, 64, 0, 128, 0):
            host.call(X + place, at=place, out=512 + place)
            self.assertTrue(torch.equal(host.outputs.get(512 + place, torch.float32, X.shape),
                                        X + place))

    def test_strides_of_inputs_are_kept(self):
        image = torch.rand(1, 3, 2, 2).to(memory_format=torch.channels_last)
        host = self.host(model("return torch.tensor(x[0].stride())"), [image])
        host.call(image)
        self.assertEqual(host.outputs.get(0, torch.int64, (4,)).tolist(), list(image.stride()))

    def test_nested_arguments_and_values(self):
        host = self.host(model("return x[0]['a'] * x[1] + x[0]['b'][0]"),
                         [{"a": X, "b": [X]}, 3])
        values = base64.b64encode(pickle.dumps([3])).decode()
        self.assertEqual(host.call(X, X + 1, values=values)["re"], "done")
        self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, X.shape), 4 * X + 1))

    def test_a_result_may_be_the_input_or_need_grad(self):
        for forward in ("return x[0]", "return x[0].clone().requires_grad_(True)",
                        "return torch.nn.Parameter(x[0])"):
            with self.subTest(forward=forward):
                _, host = self.run_once(forward)
                self.assertTrue(torch.equal(host.outputs.get(128, torch.float32, X.shape), X))

    def test_grad_stays_off_even_if_the_program_turns_it_on(self):
        host = self.host(model("r = torch.tensor([torch.is_grad_enabled()]); "
                               "torch.set_grad_enabled(True); return r"))
        for _ in range(2):
            host.call(X)
            self.assertFalse(host.outputs.get(0, torch.bool, (1,)).item())

    def test_what_exceeds_the_room_is_not_copied(self):
        reply, host = self.run_once("return x[0] + 1, x[0].repeat(100, 1), x[0]", output_room=4096)
        self.assertEqual([leaf["shape"] for leaf in reply["outputs"]], [[3, 4], [300, 4], [3, 4]])
        self.assertTrue(torch.equal(host.outputs.get(128, torch.float32, X.shape), X + 1))
        self.assertFalse(host.outputs.get(192, torch.float32, (1200,)).any())

    def test_garbage_in_cycles_is_collected_between_calls(self):
        head = ("import torch\nclass Knot:\n    alive = 0\n    def __init__(self):\n"
                "        Knot.alive += 1; self.knot = self\n"
                "    def __del__(self): Knot.alive -= 1\n")
        host = self.host(model("Knot(); return torch.tensor([Knot.alive])", head=head))
        alive = []
        for _ in range(40):
            host.call(X)
            alive.append(host.outputs.get(0, torch.int64, (1,)).item())
        self.assertEqual(alive[15:18], [1, 2, 3])
        self.assertEqual(max(alive), 16)

    def test_results_that_are_not_plain_tensors(self):
        head = "import torch\nclass Lazy(torch.Tensor): pass\n"
        for forward, word in (("return x[0].as_subclass(Lazy)", "Lazy"),
                              ("return x[0].to_sparse()", "sparse"),
                              ("return x[0].to('meta')", "meta")):
            host = self.host(model(forward, head=head))
            self.assert_failed(host.call(X), "call", "type", word)

    def test_a_raising_call_is_told_and_the_host_goes_on(self):
        host = self.host(model("return x[0] if x[0].sum() > 0 else x[0] @ x[0]"))
        reply = host.call(X * 0)
        self.assert_failed(reply, "call", "raised", "RuntimeError", "candidate.py, line 7")
        self.assertTrue(reply["trace"].startswith("Traceback"))
        self.assertEqual(host.call(X)["re"], "done")

    def test_long_messages_are_cut(self):
        reply, _ = self.run_once("raise ValueError('x' * 100000)")
        self.assert_failed(reply, "call", "raised")
        self.assertLessEqual(len(reply["what"]), 500)
        self.assertLessEqual(len(reply["trace"]), 8 << 10)

    def test_a_batch_runs_each_call_on_its_own_slots(self):
        host = self.host(model("return x[0] * 2"))
        for i in range(3):
            host.inputs.put(256 * i, X + i)
        reply = host.ask({"op": "batch", "instance": 0, "core": -1, "at": [0, 256, 512],
                          "out": [0, 64, 128]})
        self.assertEqual((reply["re"], len(reply["outputs"])), ("batch_done", 3))
        self.assertEqual(reply["outputs"][0]["tree"], "t")
        for i in range(3):
            self.assertTrue(torch.equal(host.outputs.get(64 * i, torch.float32, X.shape),
                                        2 * (X + i)))

    def test_held_outputs_are_read_once_more_as_they_are_by_then(self):
        kept = model("self.y = x[0] * 2 if self.y is None else "
                     "torch.mul(x[0], 2, out=self.y); return self.y", init="self.y = None")
        for source, first_by_then in ((kept, 2 * (X + 1)), (model("return x[0] * 2"), 2 * X),
                                      (model("return x[0]"), X)):
            with self.subTest(source=source):
                host = self.host(source, holds=True)
                host.call(X)
                host.call(X + 1)
                self.assertEqual(host.ask({"op": "hold"}), {"re": "held"})
                reply = host.ask({"op": "recall", "index": 0, "out": 512})
                self.assertEqual((reply["re"], reply["tree"], reply["kernels"], reply["sharing"]),
                                 ("recalled", "t", [], {"names": [], "unnamed": False}))
                self.assertTrue(torch.equal(host.outputs.get(512, torch.float32, X.shape),
                                            first_by_then))

    def test_a_held_output_in_an_input_is_copied_unless_the_references_lies_there_too(self):
        for in_inputs, by_then in (([], X), ([0], X + 1)):
            with self.subTest(in_inputs=in_inputs):
                host = self.host(model("return x[0]"), holds=True, in_inputs=in_inputs)
                host.call(X)
                host.call(X + 1)  # in the same slot
                host.ask({"op": "hold"})
                host.ask({"op": "recall", "index": 0, "out": 512})
                self.assertTrue(torch.equal(host.outputs.get(512, torch.float32, X.shape), by_then))

    def test_a_held_output_that_cannot_be_read_any_more_fails_in_a_phase_of_its_own(self):
        host = self.host(READ_ONCE, holds=True)
        host.call(X)
        self.assertEqual(host.call(X)["re"], "done")
        host.ask({"op": "hold"})
        self.assert_failed(host.ask({"op": "recall", "index": 0, "out": 512}), "recall", "raised",
                           "meta tensor")


class Rows(HostCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        probe = mock.patch.dict(os.environ, CUPEL_PROBE=probe_path(directory.name))
        probe.start()
        cls.addClassCleanup(probe.stop)
        super().setUpClass()

    def test_a_call_behind_a_gate_tells_the_devices_own_time(self):
        """On the CPU there is none; the call is as any other."""
        host = self.host(model("return x[0] * 2"))
        host.inputs.put(0, X)
        call = {"op": "call", "instance": 0, "core": -1, "at": 0, "out": 0}
        self.assertNotIn("device_ns", host.ask(call))
        self.assertEqual(host.ask({**call, "gate_ns": 1_000_000})["device_ns"], 0)
        self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, X.shape), 2 * X))

    def row(self, forward, *rows):
        host = self.host(model(forward), (X,))
        return host.row_calls(*(rows or [(X,)]), at=64)

    def assert_bytes(self, raw, tensor):
        dense = tensor.contiguous()
        got = torch.frombuffer(raw, dtype=dense.dtype, count=dense.numel())
        self.assertTrue(torch.equal(got.view(dense.shape), dense), got)

    def test_each_call_of_a_row_has_its_input_and_its_outputs(self):
        reply, calls = self.row("return x[0] * 2", (X + 1,), (X - 5,))
        self.assertEqual([form["tree"] for form in reply["outputs"]], ["t", "t"])
        self.assertEqual(len(reply["claims_ns"]), 2)
        self.assert_bytes(calls[0][0], (X + 1) * 2)
        self.assert_bytes(calls[1][0], (X - 5) * 2)

    def test_outputs_lie_in_their_own_order_if_that_leaves_no_gaps(self):
        reply, (outputs,) = self.row("return x[0].t(), x[0] > 3, x[0][:, 1:3], x[0][:, :1]")
        strides = [leaf["strides"] for leaf in reply["outputs"][0]["outputs"]]
        self.assertEqual(strides, [[1, 4], [4, 1], [4, 1], [4, 1]])
        self.assert_bytes(outputs[0], X)
        self.assert_bytes(outputs[1], X > 3)
        self.assert_bytes(outputs[2], X[:, 1:3])
        self.assert_bytes(outputs[3], X[:, :1])

    def test_what_leaves_no_gaps(self):
        image = torch.rand(2, 3, 4, 5)
        for tensor in (image, image.to(memory_format=torch.channels_last),
                       image.permute(3, 1, 0, 2), image[:1], torch.rand(3, 1)[:, 0:1],
                       torch.tensor(1.0)):
            self.assertTrue(packed(tensor.shape, tensor.stride()), tensor.stride())
        for tensor in (image[:, :2], image[..., ::2], image[:, :, :1].expand(2, 3, 4, 5),
                       image[0, 0, 0].unfold(0, 2, 1)):
            self.assertFalse(packed(tensor.shape, tensor.stride()), tensor.stride())
        self.assertFalse(packed((2, 3), (3,)))

    def test_what_can_be_read_as_it_lies_is_told_before_it_is_looked_at(self):
        reply, (outputs,) = self.row("return [x[0] * 2, x[0] > 3]")
        self.assertEqual(reply["outputs"][0]["tree"], "[t,t]")
        self.assert_bytes(outputs[0], X * 2)
        self.assert_bytes(outputs[1], X > 3)
        reply, (outputs,) = self.row(
            "return torch.view_as_complex(torch.stack([x[0], x[0]], -1)).conj().imag")
        self.assert_bytes(outputs[0], -X)

    def test_other_kinds_of_tensors_are_a_failure_of_the_type(self):
        for result in ("x[0].to_sparse()", "[x[0].to('meta')]",
                       "torch.quantize_per_tensor(x[0], 1.0, 0, torch.quint8)"):
            reply, _ = self.row(f"return {result}")
            self.assert_failed(reply, "call", "type", "a plain dense torch.Tensor")

    def test_rows_follow_each_other(self):
        self.row("return x[0] * 2")
        reply, (outputs,) = self.process.row_calls((X + 2,))
        self.assertEqual(reply["re"], "done")
        self.assert_bytes(outputs[0], (X + 2) * 2)

    def test_a_failure_is_told_as_of_any_call(self):
        reply, (outputs,) = self.row("return x[1]")
        self.assert_failed(reply, "call", "raised", "IndexError")
        self.assertEqual(outputs, [])
        reply, (outputs,) = self.row("return 3")
        self.assertEqual((reply["outputs"][0]["tree"], outputs), ("v", []))

    def burst(self, forward):
        host = self.host(model(forward), (X,))
        reply, early = host.burst((X,), (X - 5,), places=(64, 512))
        return host, reply, early

    def test_outputs_of_a_burst_are_copied_afterwards(self):
        host, reply, early = self.burst("return x[0] * 2, x[0] > 3")
        self.assertFalse(early)
        self.assertEqual([form["tree"] for form in reply["outputs"]], ["[t,t]", "[t,t]"])
        for place, x in ((64, X), (512, X - 5)):
            self.assertTrue(torch.equal(host.outputs.get(place, torch.float32, X.shape), x * 2))
            self.assertTrue(torch.equal(host.outputs.get(place + 64, torch.bool, X.shape), x > 3))

    def test_an_output_that_lies_in_an_input_outlives_it(self):
        host, _, _ = self.burst("return x[0]")
        self.assertTrue(torch.equal(host.outputs.get(64, torch.float32, X.shape), X))
        self.assertTrue(torch.equal(host.outputs.get(512, torch.float32, X.shape), X - 5))

    def test_a_failure_in_a_burst_is_told_as_of_any_call(self):
        host, reply, early = self.burst("return x[1]")
        self.assertIsNone(early)
        self.assert_failed(reply, "call", "raised", "IndexError")
        self.assertEqual(host.burst((X,), places=(64,))[0]["re"], "failed")

    def test_an_output_of_a_burst_that_a_later_call_took_back_fails_in_a_phase_of_its_own(self):
        host = self.host(READ_ONCE, (X,))
        reply, _ = host.burst((X,), (X,), places=(64, 512))
        self.assert_failed(reply, "recall", "raised", "on meta")
        self.assertEqual(host.call(X)["re"], "done")


class Living(HostCase):
    """Each test ends its host."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        self.process = HostProcess()
        self.addCleanup(self.process.close)

    def test_bye_ends_the_process_and_so_does_the_sockets_end(self):
        host = self.host(model("return x[0]", head="import torch, threading, time\n"
                               "threading.Thread(target=time.sleep, args=(600,)).start()"))
        host.send({"op": "bye"})
        self.assertEqual(host.close(), (0, ""))
        self.assertEqual(HostProcess().close(), (0, ""))

    def test_the_sockets_end_ends_a_program_that_hangs(self):
        host = self.host(model("print('in', flush=True)\n        while True: pass"))
        host.send({"op": "call", "instance": 0, "core": -1, "at": 0, "out": 0})
        self.assertEqual(host.close()[0], 0)

    def test_death_closes_the_socket(self):
        host = self.host(model("import os; os._exit(9)"))
        self.assertIsNone(host.call(X))
        self.assertEqual(host.process.wait(60), 9)

    def test_children_inherit_no_descriptor(self):
        forward = ("import subprocess; n = subprocess.run(['sh', '-c', 'ls /proc/self/fd | wc -l'],"
                   " capture_output=True, close_fds=False).stdout; return x[0] * 0 + int(n)")
        _, host = self.run_once(forward)
        # 0, 1, 2 and the directory that ls reads.
        self.assertEqual(host.outputs.get(128, torch.float32, X.shape)[0, 0].item(), 4)

    def test_a_call_stays_on_the_core_that_it_was_given(self):
        given = os.sched_getaffinity(0)
        core = max(given)
        host = self.host(model("cores = os.sched_getaffinity(0)\n"
                               "        return x[0] * 0 + len(cores) * 1000 + max(cores)",
                               head="import os, torch"))
        seen = []
        for wanted in (-1, core, core, -1):
            host.call(X, core=wanted)
            seen.append(host.outputs.get(0, torch.float32, X.shape)[0, 0].item())
        self.assertEqual(seen[1:3], [1000 + core] * 2)
        self.assertEqual(seen[3], seen[0])
        if len(given) > 1:
            self.assertNotEqual(seen[0], seen[1])

    def test_an_unknown_request_is_not_answered(self):
        host = self.host(model("return x[0]"))
        host.socket.sendall(b"\x02\0\0\0{}")
        self.assertIsNone(host.receive())
        self.assertEqual(host.process.wait(60), 70)


if __name__ == "__main__":
    unittest.main()
