"""State dicts that a user names: both formats, checkpoints, and files that hold something else."""

import hashlib
import json
import pathlib
import struct
import tempfile
import unittest

import torch

from cupel import loading
from cupel.failures import TaskFailure
from cupel.weights import read_state

SOURCE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
    def forward(self, x):
        return self.fc(x)
def get_inputs():
    return [torch.randn(4, 3)]
"""
STATE = {"fc.weight": torch.arange(6.0).view(2, 3), "fc.bias": torch.tensor([1.0, -2.0]),
         "steps": torch.tensor(7)}
_NAMES = {torch.float32: "F32", torch.int64: "I64"}


def safetensors(state):
    """The bytes of such a file."""
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in state.items():
        data = tensor.numpy().tobytes()
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


class WeightsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, value):
        """A file of bytes, or of what torch.save makes of `value`: (path, digest)."""
        path = self.folder / name
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            torch.save(value, path)
        return str(path), hashlib.sha256(path.read_bytes()).hexdigest()

    def expect_state(self, state):
        self.assertEqual(set(state), set(STATE))
        for name, tensor in STATE.items():
            self.assertEqual(state[name].dtype, tensor.dtype)
            self.assertTrue(torch.equal(state[name], tensor), name)

    def expect_refused(self, name, value, words):
        with self.assertRaisesRegex(TaskFailure, words):
            read_state(*self.file(name, value))

    def test_both_formats(self):
        self.expect_state(read_state(*self.file("a.pt", STATE)))
        self.expect_state(read_state(*self.file("a.safetensors", safetensors(STATE))))
        empty = {"fc.weight": torch.zeros(0, 3)}
        got = read_state(*self.file("b.safetensors", safetensors(empty)))
        self.assertEqual(got["fc.weight"].shape, (0, 3))

    def test_checkpoints_of_training_loops(self):
        self.expect_state(read_state(*self.file("a.pt", {"epoch": 3, "state_dict": STATE})))
        wrapped = {f"_orig_mod.{name}": tensor for name, tensor in STATE.items()}
        self.expect_state(read_state(*self.file("b.pt", {"model": wrapped, "loss": 0.1})))

    def test_what_is_no_state_dict(self):
        self.expect_refused("a.pt", torch.nn.Linear(2, 2), "torch.save")
        self.expect_refused("b.pt", {"epoch": 3}, "no state dict")
        self.expect_refused("c.pt", b"text", "torch.save")
        self.expect_refused("d.safetensors", b"text", "safetensors")
        self.expect_refused("e.safetensors", safetensors(STATE)[:-8], "do not agree")
        self.expect_refused("f.pt", {}, "no state dict")

    def test_a_file_that_was_changed(self):
        path, digest = self.file("a.pt", STATE)
        self.file("a.pt", {**STATE, "steps": torch.tensor(8)})
        with self.assertRaisesRegex(TaskFailure, "changed"):
            read_state(path, digest)

    def program(self, path, digest, source=SOURCE):
        return loading.load({"kind": "file", "path": "<task>", "source": source,
                             "weights": path, "weights_id": digest})

    def test_the_model_has_them(self):
        own = SOURCE + "\ndef get_state():\n    return {}\n"
        for source in (SOURCE, own):  # the user's come before the task's own
            model = self.program(*self.file("a.pt", STATE), source).construct(1)
            self.expect_state(model.state_dict())

    def test_names_that_do_not_fit(self):
        other = {"fc.weights": STATE["fc.weight"]}
        with self.assertRaisesRegex(TaskFailure, "a.pt does not fit Model"):
            self.program(*self.file("a.pt", other)).construct(1)


if __name__ == "__main__":
    unittest.main()
