"""Which files a task's program reads."""

import os
import tempfile
import unittest

import torch

from referee_session import RefereeProcess

TASK = """
import torch
import torch.nn as nn
{reads}

class Model(nn.Module):
    def forward(self, x):
        return x * scale


def get_inputs():
    return [torch.rand(4, 4)]


def get_init_inputs():
    return []
"""


class ReadFilesTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = os.path.realpath(directory.name)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read_by(self, reads):
        """Files below the directory of the test that a task read, as the referee tells them."""
        referee = RefereeProcess()
        self.addCleanup(referee.close)
        source = TASK.format(reads=reads)
        task = {"kind": "file", "path": os.path.join(self.root, "task.py"), "source": source,
                "import_root": self.root}
        reply = referee.ask("open", task=task, policy="eager", device="cpu", threads=1,
                            memory_bytes=0, input_seed=1, value_classes=[])
        self.assertEqual(reply["re"], "opened", reply)
        return {os.path.relpath(path, self.root) for path in reply["read_files"]
                if path.startswith(self.root)}

    def test_a_task_that_reads_nothing(self):
        self.assertEqual(self.read_by("scale = 2"), set())

    def test_data_is_seen(self):
        path = self.write("scale.txt", "3")
        self.assertEqual(self.read_by(f"scale = float(open({path!r}).read())"), {"scale.txt"})

    def test_a_link_is_followed(self):
        self.write("scale.txt", "3")
        link = os.path.join(self.root, "link.txt")
        os.symlink("scale.txt", link)
        self.assertEqual(self.read_by(f"scale = float(open({link!r}).read())"), {"scale.txt"})

    def test_tensors_are_seen(self):
        path = os.path.join(self.root, "scale.pt")
        torch.save(torch.ones(4), path)
        self.assertEqual(self.read_by(f"scale = torch.load({path!r})"), {"scale.pt"})

    def test_modules_beside_the_task_are_seen(self):
        self.write("constants_of_task.py", "scale = 5\n")
        self.assertIn("constants_of_task.py", self.read_by("from constants_of_task import scale"))


if __name__ == "__main__":
    unittest.main()
