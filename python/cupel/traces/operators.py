"""Torch's own operators: which kernel the dispatcher calls for each, whoever registered it, in
Python or C++; and the objects below torch.ops.aten through which Python calls them."""

import torch

NAMESPACE = "aten::"
# Lines of a dispatch table that torch itself adds when it is asked for shapes, or to map over rows.
_LATE_LINES = ("\nMeta:", "\nFuncTorchBatched:", "\nFuncTorchBatchedDecomposition:")
_own = torch._C  # its functions as they are before a program can replace them
_dump, _names = _own._dispatch_dump_table, _own._dispatch_get_all_op_names


def operators():
    """{name: hash of the kernels' places} of the dispatcher's tables; some 70 ms for 3,000, which
    are 38 MB of text."""
    return {name: hash(_without_late_lines("\n" + _dump(name)))
            for name in _names() if name.startswith(NAMESPACE)}


def _without_late_lines(table):
    """Each line begins with a newline, and each of these is there once at most."""
    for line in _LATE_LINES:
        start = table.find(line)
        if start >= 0:
            end = table.find("\n", start + 1)
            table = table[:start] + (table[end:] if end >= 0 else "")
    return table


def replaced_in(namespace):
    """Names below torch.ops.aten where something else lies than the operator of that name."""
    return sorted(
        f"torch.ops.aten.{name}" for name, packet in vars(namespace).items()
        if not name.startswith("_") and callable(packet)
        and getattr(packet, "_qualified_op_name", None) != NAMESPACE + name)


def changed(before, later):
    """The names of operators that call another kernel, or are not there."""
    return sorted(name for name, table in before.items() if later.get(name) != table)
