"""Constants of a graph of operators (graph_export.py): what stands for them in JSON."""

import math

import torch

LITERAL_ELEMENTS_MAX = 64  # a larger constant without a name would make the program unreadable


class Refused(Exception):
    """The program is not told as a graph; the message says why."""


def plain(value):
    """A constant argument."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return {"torch": str(value).split(".")[-1]}
    raise Refused(f"an argument of type {type(value).__name__}")


def literal_tensor(value, device):
    """Python that makes this constant; "": where the state is."""
    if value.numel() > LITERAL_ELEMENTS_MAX:
        raise Refused(f"a constant of {value.numel()} elements that the model does not hold")
    if value.is_complex() or value.layout != torch.strided:
        raise Refused("a complex constant")
    if value.is_floating_point() and not torch.isfinite(value).all():
        raise Refused("a constant that is not finite")
    place = device and f', device="{device}"'
    return f"torch.tensor({value.tolist()!r}, dtype={value.dtype}{place})"


def numbered(device):
    """"cuda:0" of "cuda"."""
    return device if device.type == "cpu" else torch.device(device.type, device.index or 0)
