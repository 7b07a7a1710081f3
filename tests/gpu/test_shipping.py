"""A CUDA kernel as a shipped package: its cubin lies in the package, its own tests prove it."""

import importlib
import pathlib
import sys
import tempfile
import unittest

import torch

from gpu_machine import ROOT, needs_gpu
from test_kernels import NVRTC

sys.path.append(str(ROOT / "tests/python"))
import shipping_order  # noqa: E402


@needs_gpu
class ShippedKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        task, _ = shipping_order.shipped_task("mish_gate")
        run = shipping_order.run_of("mish_gate", task, NVRTC)
        run["options"]["device"] = "cuda"
        run["machine"]["device"] = torch.cuda.get_device_name()
        status, cls.answer = shipping_order.ship(cls.at, "shipped_cuda", [run])
        if status != 0:
            raise AssertionError(cls.answer)
        sys.path.insert(0, str(cls.at))
        cls.addClassCleanup(sys.path.remove, str(cls.at))
        cls.package = importlib.import_module("shipped_cuda")

    def test_the_cubin_is_in_the_package(self):
        self.assertRegex(self.answer["proved"], r"Ran \d+ tests")
        names = sorted(path.suffix for path in (self.at / "shipped_cuda/kernels").iterdir())
        self.assertEqual(names, [".cu", ".cubin"])

    def test_devices_and_streams(self):
        checking = importlib.import_module("shipped_cuda.checking")
        entry, = checking.runnable()
        model, inputs = checking.model_of(entry, 1), checking.inputs_of(entry, 2)
        with torch.no_grad():
            want = model(*inputs)
            self.assertTrue(self.package.apply(model, quiet=True))
            self.assertIn("the winner", self.package.why(model, *inputs))
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                got = model(*inputs)
            torch.cuda.current_stream().wait_stream(stream)
            self.assertEqual(checking.difference(entry, got, want), "")
            model.cpu()
            on_cpu = [value.cpu() for value in inputs]
            self.assertIn("the original", self.package.why(model, *on_cpu))
            torch.testing.assert_close(model(*on_cpu), want.cpu(), rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
