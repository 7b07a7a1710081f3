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


class Named(collections.OrderedDict):
    """A mapping whose entries are attributes, as Hugging Face's models return it."""
    __getattr__ = collections.OrderedDict.__getitem__


Pair = collections.namedtuple("Pair", "total top")


class Trees(unittest.TestCase):
    def test_a_dataclass_is_read_by_its_fields(self):
        one, two = torch.zeros(1), torch.ones(2)
        tree, tensors, others = protocol.flatten(Answer(one, (two, 3)))
        self.assertEqual(tree, "<hidden:t,pairs:[t,v],note:v>")
        self.assertTrue(tensors[0] is one and tensors[1] is two)
        self.assertEqual(others, [3, "plain"])

    def test_what_is_read_by_other_names_or_keys_has_another_tree(self):
        one = torch.zeros(1)
        values = {"[t,v]": (one, 2), "(total:t,top:v)": Pair(one, 2), "{total:t}": {"total": one},
                  "{@total:t}": Named(total=one), "{=1:t}": {1: one}, "{1:t}": {"1": one},
                  "{a%20;b:t}": {"a b": one}, "{a_b:t}": {"a_b": one}, "{=None:t}": {None: one},
                  "(values:t,indices:t)": torch.max(torch.zeros(2, 2), dim=1)}
        for tree, value in values.items():
            self.assertEqual(protocol.flatten(value)[0], tree)

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
        value = [torch.zeros(1), {"a": [1, torch.ones(1)], 1: {None: 2, "1": 3, "é:": 4}}]
        tree, tensors, others = protocol.flatten(value)
        self.assertEqual(protocol.unflatten(tree, tensors, others), value)

    def test_names_come_back(self):
        value = [Pair(1, 2), Named(a=3, b=4), Answer(5)]
        tree, tensors, others = protocol.flatten(value)
        pair, named, answer = back = protocol.unflatten(tree, tensors, others)
        self.assertEqual((pair[0], pair.top, named["a"], named.b, answer.hidden), (1, 2, 3, 4, 5))
        self.assertEqual(protocol.flatten(back)[0], tree)

    def test_no_tree(self):
        for tree in ("", "[t", "[t,x]", "{a}", "[t]]", "(a:t"):
            with self.assertRaises(protocol.ProtocolError):
                protocol.unflatten(tree, [1, 2], [])


if __name__ == "__main__":
    unittest.main()
