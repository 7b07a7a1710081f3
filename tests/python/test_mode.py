"""The model's mode: as its constructor leaves it, or after eval(); for referee, hosts and graph."""

import textwrap
import unittest

import host_harness
import referee_session
import torch

from cupel import graph_export, loading
from cupel.failures import TaskFailure

TASK = """
    import torch
    import torch.nn as nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(6)
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            return self.drop(self.norm(x)) * 2

    def get_inputs():
        return [torch.randn(8, 6)]
"""

# prepare() tells the mode that it found; forward() that of the call.
CANDIDATE = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
        self.found = -1.0

    def prepare(self):
        self.found = float(self.training)

    def forward(self, x):
        return torch.tensor([self.found, float(self.training), float(self.norm.training)])
"""


def program(mode):
    task = {"kind": "file", "path": "<task>", "source": textwrap.dedent(TASK)}
    return loading.load(task if mode is None else {**task, "mode": mode})


def operators(mode):
    with torch.no_grad():
        graph = graph_export.export(program(mode), seed=7)["graph"]
    nodes = {node["op"].split(".")[1]: node for node in graph["nodes"] if "." in node["op"]}
    return graph, nodes


class ModeTest(unittest.TestCase):
    def test_a_model_is_as_its_constructor_leaves_it(self):
        for mode in (None, "as_constructed"):
            self.assertTrue(program(mode).construct(1).training)

    def test_inference_puts_all_of_it_into_eval(self):
        model = program("inference").construct(1)
        self.assertFalse(any(module.training for module in model.modules()))

    def test_another_mode_is_refused(self):
        with self.assertRaises(TaskFailure) as caught:
            program("eval")
        self.assertIn("as_constructed, inference", str(caught.exception))

    def test_the_graph_is_that_of_the_mode(self):
        def flag(nodes, op, name):
            return next(each["value"] for each in nodes[op]["arguments"] if each["name"] == name)
        for mode, trains in (("as_constructed", True), ("inference", False)):
            graph, nodes = operators(mode)
            self.assertEqual(graph["is_training"], trains)
            self.assertEqual(flag(nodes, "batch_norm", "training"), trains)
            self.assertEqual(nodes["batch_norm"]["is_effect"], trains)
            self.assertEqual(flag(nodes, "dropout", "train"), trains)


class RefereeModeTest(referee_session.RefereeTest):
    def admitted(self, mode):
        task = {"kind": "file", "path": "/nowhere/task.py", "source": textwrap.dedent(TASK),
                "mode": mode}
        reply = self.referee.open(task=task)
        self.assertEqual(reply["re"], "opened", reply)
        return self.referee.ask("admit", samples=1)["evidence"]

    def test_a_dropout_drops_as_constructed_alone(self):
        self.assertFalse(self.admitted("as_constructed")["deterministic"])
        served = self.admitted("inference")
        self.assertTrue(served["deterministic"])
        self.assertFalse(served["changes_state"])


class HostModeTest(unittest.TestCase):
    def modes_seen(self, **changes):
        host = host_harness.HostProcess()
        self.addCleanup(host.close)
        x = torch.zeros(8, 6)
        loaded = host.load(CANDIDATE, [x], **changes)
        self.assertEqual(loaded["re"], "loaded", loaded)
        host.call(x)
        return host.outputs.get(0, torch.float32, [3]).tolist()

    def test_eval_comes_before_prepare(self):
        self.assertEqual(self.modes_seen(mode="inference"), [0.0, 0.0, 0.0])

    def test_without_it_the_constructors_mode_stays(self):
        self.assertEqual(self.modes_seen(mode="as_constructed"), [1.0, 1.0, 1.0])
        self.assertEqual(self.modes_seen(), [1.0, 1.0, 1.0])


if __name__ == "__main__":
    unittest.main()
