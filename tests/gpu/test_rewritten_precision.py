"""Loops of cells as cuDNN's layers, on a GPU: as precise as the loops, by torch's defaults."""

import unittest

import torch

from gpu_machine import ROOT, module_of, needs_binary, needs_gpu, programs_of

TASKS = ("lstm_steps", "rnn_tagger")  # one becomes a layer, the other products before the loop
DEVICE = "cuda"
RMS_MAX = 4e-5     # of the spread; TF32 is off by 5e-4 and more, float32 layers by some 5e-6
TF32_FACTOR = 8.0  # a layer in TF32 is off by so many times what the held one is, or more


def task_file(name):
    return ROOT / "tasks" / f"{name}.py"


def in_double(value):
    return value.double() if value.is_floating_point() else value


def first_tensor(value):
    return value if isinstance(value, torch.Tensor) else first_tensor(value[0])


@needs_gpu
@needs_binary
class RewrittenPrecision(unittest.TestCase):
    def rms_of(self, source):
        """How far ModelNew is from the task in float64, in spreads."""
        module = module_of(source)
        torch.manual_seed(3)
        init = module.get_init_inputs()
        model, program = module.Model(*init), module.ModelNew(*init)
        program.load_state_dict(model.state_dict())
        inputs = [value.to(DEVICE) for value in module.get_inputs()]
        program.to(DEVICE)
        if hasattr(program, "prepare"):
            program.prepare()
        with torch.no_grad():
            got = first_tensor(program(*inputs)).double()
            want = first_tensor(model.to(DEVICE).double()(*[in_double(value) for value in inputs]))
        return ((got - want).square().mean().sqrt() / want.std()).item()

    def test_a_rewritten_loop_is_float32(self):
        for task in TASKS:
            for program in programs_of(task_file(task)):
                with self.subTest(task=task, program=program["name"]):
                    rms = self.rms_of(program["source"])
                    print(f"{task} {program['name']}: rms {rms:.2e}")
                    self.assertLessEqual(rms, RMS_MAX)
                    self.assertTrue(torch.backends.cudnn.allow_tf32)

    def test_unheld_it_would_be_tf32(self):
        if torch.cuda.get_device_capability()[0] < 8:
            self.skipTest("no TF32")
        source = programs_of(task_file("lstm_steps"))[0]["source"]
        unheld = source.replace("as_precise_as_products(torch.lstm, ", "torch.lstm(")
        self.assertNotEqual(unheld, source)
        self.assertGreaterEqual(self.rms_of(unheld),
                                TF32_FACTOR * self.rms_of(source))


if __name__ == "__main__":
    unittest.main()
