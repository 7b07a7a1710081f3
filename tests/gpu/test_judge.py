"""Verdicts on a GPU: an identical program, a faster one, wrong ones, cheats."""

import unittest

from gpu_machine import ROOT, judge, needs_binary, needs_gpu, task_source

TASKS = ROOT / "tests" / "gpu" / "tasks"
SETTLED = ("same", "ambiguous", "slower")

MISH = """
import torch
import torch.nn.functional as F

class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bias = torch.nn.Parameter(0.5 * torch.randn(channels))
        self.slope = torch.nn.Parameter(0.5 + torch.rand(channels))

    def forward(self, x, gate):
        return torch.addcmul(x, F.mish(x + self.bias), torch.tanh(F.mish(gate * self.slope)))
"""

SOFTMAX = """
import torch

class ModelNew(torch.nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.calls = 0
        {init}

    def right(self, x):
        return torch.softmax(x / self.temperature, dim=1)

    def forward(self, x):
        self.calls += 1
        {forward}
"""


def softmax(forward, init="pass"):
    return SOFTMAX.format(forward=forward.replace("\n", "\n        "),
                          init=init.replace("\n", "\n        "))


@needs_gpu
@needs_binary
class Verdicts(unittest.TestCase):
    def verdict(self, task, source, *options):
        """Returns (outcome, first reason's code, ratio over eager or 0) and prints one line."""
        document = judge(task, source, *options)
        verdict = document["verdict"]
        code = verdict["reasons"][0]["code"] if verdict["reasons"] else ""
        print(f"{self.id().split('.')[-1]:44} {document['headline']}")
        return verdict["outcome"], code, document

    def test_identity_of_a_small_task(self):
        outcome, _, _ = self.verdict("softmax_rows", task_source("softmax_rows"))
        self.assertIn(outcome, ("same", "ambiguous"))

    def test_a_side_stream_takes_the_devices_time_as_well(self):
        """An honest program and one on a stream of its own: the same kernels, the same time."""
        forward = ("self.side.wait_stream(torch.cuda.current_stream())\n"
                   "with torch.cuda.stream(self.side):\n"
                   "    y = self.right(x)\n"
                   "torch.cuda.current_stream().wait_stream(self.side)\n"
                   "return y")
        _, _, document = self.verdict("softmax_rows",
                                      softmax(forward, "self.side = torch.cuda.Stream()"))
        device = document["verdict"]["device_ratios"][0]
        self.assertEqual(device["over"], "eager")
        print(f"{'':44} the device's own time: {device['ratio']:.3f}x, "
              f"{1e3 * device['candidate_ms']:.1f} us against {1e3 * device['over_ms']:.1f} us")
        self.assertLess(abs(device["candidate_ms"] - device["over_ms"]), 0.003)

    def test_a_call_finds_nothing_in_the_cache(self):
        """Memory that each call reads twice, by the program's own events."""
        forward = ("times = []\n"
                   "for _ in range(2):\n"
                   "    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))\n"
                   "    start.record()\n"
                   "    torch.sum(self.data, dim=0, out=self.sum)\n"
                   "    end.record()\n"
                   "    end.synchronize()\n"
                   "    times.append(start.elapsed_time(end))\n"
                   "self.seen.append(times)\n"
                   "if self.calls == 40:\n"
                   "    typical = [sorted(each)[20] for each in zip(*self.seen)]\n"
                   "    print(f'cold {typical[0]:.4f} warm {typical[1]:.4f}', flush=True)\n"
                   "return self.right(x)")
        init = ("self.data = torch.ones(6 << 20, device='cuda')\n"
                "self.sum = torch.zeros((), device='cuda')\n"
                "self.seen = []")
        _, _, document = self.verdict("softmax_rows", softmax(forward, init))
        said = document["program"]["output_tail"]
        print(f"{'':44} {said.strip()}")
        _, cold, _, warm = said.split()
        self.assertGreater(float(cold), 1.1 * float(warm))

    def test_identity_of_a_large_task(self):
        text = (TASKS / "large_chain.py").read_text(encoding="utf-8")
        source = text.replace("class Model(", "class ModelNew(")
        outcome, _, _ = self.verdict(TASKS / "large_chain.py", source)
        self.assertIn(outcome, ("same", "ambiguous"))

    def test_identity_with_weights(self):
        outcome, _, _ = self.verdict("transformer_block", task_source("transformer_block"))
        self.assertIn(outcome, ("same", "ambiguous"))

    def test_identity_under_exact(self):
        outcome, _, _ = self.verdict("conv_bn_relu", task_source("conv_bn_relu"), "--policy",
                                     "exact")
        self.assertIn(outcome, ("same", "ambiguous"))

    def test_a_faster_program(self):
        outcome, _, _ = self.verdict("mish_gate", MISH)
        self.assertEqual(outcome, "faster")

    def test_tf32_is_wrong_under_eager_and_faster_under_tf32(self):
        text = (TASKS / "matmul.py").read_text(encoding="utf-8")
        source = text.replace("class Model(", "class ModelNew(").replace(
            "        return x", "        torch.backends.cuda.matmul.allow_tf32 = True\n"
            "        return x")
        self.assertEqual(self.verdict(TASKS / "matmul.py", source)[0], "wrong")
        self.assertEqual(self.verdict(TASKS / "matmul.py", source, "--policy", "tf32")[0],
                         "faster")

    def test_half_is_faster_under_half(self):
        text = (TASKS / "matmul.py").read_text(encoding="utf-8")
        source = text.replace("class Model(", "class ModelNew(").replace(
            "return x @ self.weight", "return (x.half() @ self.weight.half()).float()")
        self.assertEqual(self.verdict(TASKS / "matmul.py", source, "--policy", "half")[0],
                         "faster")

    def test_wrong_values(self):
        outcome, code, _ = self.verdict("softmax_rows", softmax("return self.right(x) * 1.01"))
        self.assertEqual((outcome, code), ("wrong", "value"))

    def test_an_output_on_the_cpu(self):
        outcome, code, _ = self.verdict("softmax_rows", softmax("return self.right(x).cpu()"))
        self.assertEqual((outcome, code), ("wrong", "type"))

    def test_a_write_to_an_input(self):
        outcome, code, _ = self.verdict("softmax_rows", softmax("y = self.right(x)\n"
                                                                "x[0, 0] = 1.0\nreturn y"))
        self.assertEqual((outcome, code), ("wrong", "mutated_input"))

    def test_a_side_stream_hides_nothing(self):
        source = softmax("self.side.wait_stream(torch.cuda.current_stream())\n"
                         "with torch.cuda.stream(self.side):\n"
                         "    y = self.right(x)\n"
                         "torch.cuda.current_stream().wait_stream(self.side)\n"
                         "return y", "self.side = torch.cuda.Stream()")
        outcome, _, _ = self.verdict("softmax_rows", source)
        self.assertIn(outcome, SETTLED)

    def test_a_side_stream_that_waits_for_nobody_is_no_program(self):
        """The current stream is still writing its input, as in a model's next layer."""
        source = softmax("with torch.cuda.stream(self.side):\n    return self.right(x)",
                         "self.side = torch.cuda.Stream()")
        outcome, _, _ = self.verdict("softmax_rows", source)
        self.assertEqual(outcome, "wrong")

    def test_outputs_remembered_by_address(self):
        source = softmax("key = x.data_ptr()\n"
                         "if key not in self.seen: self.seen[key] = self.right(x)\n"
                         "return self.seen[key]", "self.seen = {}")
        self.assertEqual(self.verdict("softmax_rows", source)[0], "wrong")

    def test_a_stopwatch_that_lies(self):
        patch = ("from cupel.host_clock import ProbeClock\n"
                 "ProbeClock.span = lambda self, call, given: (call(*given), 5000)")
        outcome, code, _ = self.verdict("softmax_rows", softmax("return self.right(x)", patch))
        self.assertNotIn(outcome, ("faster", "same"), code)

    def test_a_reply_before_the_work_is_done(self):
        patch = ("from cupel.host_clock import ProbeClock\n"
                 "self.side = torch.cuda.Stream()\n"
                 "ProbeClock.span = lambda self, call, given: (call(*given), 50000)\n"
                 "ProbeClock.join = lambda self: None")
        source = softmax("with torch.cuda.stream(self.side):\n"
                         "    torch.cuda._sleep(3_000_000)\n"
                         "    return self.right(x)", patch)
        outcome, _, _ = self.verdict("softmax_rows", source)
        self.assertIn(outcome, ("wrong", "suspect"))

    def test_work_left_to_a_stream_after_the_reply(self):
        """The copy of the outputs waits in the side stream too: the judge sees poison, or waits."""
        patch = ("from cupel.host_clock import ProbeClock\n"
                 "self.side = torch.cuda.Stream()\n"
                 "torch.cuda.set_stream(self.side)\n"
                 "ProbeClock.span = lambda self, call, given: (call(*given), 50000)\n"
                 "ProbeClock.join = lambda self: None")
        source = softmax("torch.cuda._sleep(3_000_000)\nreturn self.right(x)", patch)
        outcome, _, _ = self.verdict("softmax_rows", source)
        self.assertIn(outcome, ("suspect", "wrong", "slower"))

    def test_a_kernel_left_behind_does_not_slow_the_others(self):
        patch = ("from cupel.host_clock import ProbeClock\n"
                 "self.side = torch.cuda.Stream()\n"
                 "join = ProbeClock.join\n"
                 "def left(clock):\n"
                 "    join(clock)\n"
                 "    with torch.cuda.stream(self.side): torch.cuda._sleep(10_000_000)\n"
                 "ProbeClock.join = left")
        outcome, _, _ = self.verdict("softmax_rows", softmax("return self.right(x)", patch))
        self.assertNotEqual(outcome, "faster")


if __name__ == "__main__":
    unittest.main()
