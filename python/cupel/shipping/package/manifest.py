"""What this package holds, as manifest.json tells it."""

import json
import os

import torch

from .forms import from_json, rebuilt, tensors_of

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = __package__.rpartition(".")[2]


def _read():
    with open(os.path.join(HERE, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)


MANIFEST = _read()


class Entry:
    """One row of the dispatch table: a call in this form, on this device, is answered by that
    winner."""

    def __init__(self, told):
        self.told = told
        self.id, self.original, self.winner = told["id"], told["original"], told["winner"]
        self.device = told["device"]        # "cpu" or "cuda"
        self.machines = told["machines"]    # [{"device": a name, "torch": "2.13"}]
        self.form = from_json(told["form"])
        self.arity = told["arity"]          # how many arguments the winner is called with; or,
        self.places = told["places"]        # where it takes tensors alone, which of the call's
        self.output_form = from_json(told["output_form"])
        self.output_places = told["output_places"]  # which of the winner's tensors; None: in order
        self.outputs = [(torch.Size(each["shape"]), tuple(each["strides"]),
                         getattr(torch, each["dtype"])) for each in told["outputs"]]
        self.recast = told["recast"]        # the winner has another structure of the same leaves
        self.operator = told["operator"]    # torch.compile calls it as one operator
        self.training = told["training"]    # the mode that it was judged in; None: either
        # Bytes at whose multiples tensors must begin, or the winner raises an error; 1: anywhere.
        self.alignment = told.get("alignment", 1)

    def arguments(self, values):
        """The winner's, of those of a call of this form."""
        if self.places is None:
            return values[:self.arity]
        tensors = tensors_of(values)
        return [tensors[place] for place in self.places]

    def result(self, tensors, home):
        """What the original returns, with the winner's tensors. `home`: the module that defines the
        original's class."""
        return rebuilt(self.output_form, iter(self.in_order(tensors)), home)

    def in_order(self, tensors):
        """The winner's, in the order of the original's output."""
        if self.output_places is None:
            return tensors
        return [tensors[place] for place in self.output_places]


ENTRIES = {told["id"]: Entry(told) for told in MANIFEST["entries"]}
ORIGINALS = MANIFEST["originals"]
WINNERS = MANIFEST["winners"]
