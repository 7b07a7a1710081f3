"""What TF32 does to a reference, whatever algorithms the libraries choose for it.

Allowed to use TF32, cuDNN and cuBLAS still take float32 kernels where those look faster, by shape
and layout; another program of the same task may not. So operands of products are cut to TF32's ten
bits of mantissa here, as the tensor cores cut what they are given; sums stay float32.

By torch's defaults that is allowed to convolutions on a GPU: under `eager` their operands alone are
cut.
"""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_KEPT_BITS = -1 << 13  # of a float32: sign, exponent, ten bits of mantissa
_aten = torch.ops.aten
_CONVOLUTIONS = {_aten.convolution: (0, 1)}
# Products, and which of their arguments are multiplied.
_PRODUCTS = {
    **_CONVOLUTIONS,
    _aten.mm: (0, 1), _aten.bmm: (0, 1), _aten.addmm: (1, 2), _aten.baddbmm: (1, 2),
    _aten.addbmm: (1, 2), _aten._addmm_activation: (1, 2), _aten.linear: (0, 1),
    _aten.matmul: (0, 1),
    _aten._scaled_dot_product_efficient_attention: (0, 1, 2),
}


def arithmetic_of(policy, on_gpu):
    """The context in which a reference shows what `policy` allows: `tf32` to all products, `eager`
    on a GPU to convolutions, as long as cuDNN may. Recurrent layers are cuDNN's affair."""
    if policy == "tf32":
        return _Cut(_PRODUCTS)
    if policy == "eager" and on_gpu and torch.backends.cudnn.allow_tf32:
        return _Cut(_CONVOLUTIONS)
    return contextlib.nullcontext()


class _Cut(TorchDispatchMode):
    """Inside, these operands have TF32's precision."""

    def __init__(self, operands):
        super().__init__()
        self._operands = operands

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        places = self._operands.get(func.overloadpacket, ())
        args = [cut(arg) if i in places else arg for i, arg in enumerate(args)]
        return func(*args, **(kwargs or {}))


def cut(tensor):
    """A float32 tensor in TF32's precision; others as they are."""
    if tensor.dtype != torch.float32:
        return tensor
    return (tensor.view(torch.int32) & _KEPT_BITS).view(torch.float32)
