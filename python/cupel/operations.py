"""What those have in common that look at each operation of a run, as aten has it."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


class OperationMode(TorchDispatchMode):
    """A mode that sees a program's operations."""

    @classmethod
    def _should_skip_dynamo(cls):
        """torch would import its compiler, which takes a second, to keep it out of this class. No
        program is compiled while a mode that sees its operations is on."""
        return False


def tensors_in(tree):
    """The tensors among the leaves of arguments or results, as a list."""
    return [leaf for leaf in tree_iter(tree) if isinstance(leaf, torch.Tensor)]


def written_by(func, args, kwargs):
    """The tensors that an operation writes to."""
    for place, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            given = args[place] if place < len(args) else kwargs.get(argument.name)
            yield from tensors_in(given)
