"""What of a call crosses between processes: arguments and results as trees of leaves."""

import collections
import dataclasses
import unittest

import torch
from cupel import protocol


@dataclasses.dataclass
class Answer:
    hidden: torch.Tensor
    pairs: tuple = ()
    note: str = "plain"


class Trees(unittest.TestCase):
    def test_a_dataclass_is_a_mapping_of_its_fields(self):
        one, two = torch.zeros(1), torch.ones(2)
        tree, tensors, others = protocol.flatten(Answer(one, (two, 3)))
        self.assertEqual(tree, "{hidden:t,pairs:[t,v],note:v}")
        self.assertTrue(tensors[0] is one and tensors[1] is two)
        self.assertEqual(others, [3, "plain"])
        plain = {"hidden": one, "pairs": [two, 3], "note": "plain"}
        self.assertEqual(protocol.flatten(plain)[0], tree)

    def test_a_mapping_that_is_a_dataclass_too_tells_what_it_holds(self):
        @dataclasses.dataclass
        class Output(collections.OrderedDict):
            logits: object = None
            cache: object = None

        output = Output()
        output["logits"] = torch.zeros(1)
        self.assertEqual(protocol.flatten(output)[0], "{logits:t}")

    def test_a_class_is_no_answer_of_it(self):
        self.assertEqual(protocol.flatten(Answer)[0], "v")

    def test_arguments_come_back(self):
        value = [torch.zeros(1), {"a": [1, torch.ones(1)]}]
        tree, tensors, others = protocol.flatten(value)
        self.assertEqual(protocol.unflatten(tree, tensors, others), value)


if __name__ == "__main__":
    unittest.main()
