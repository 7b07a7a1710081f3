"""What a program's forward() returned, as a host looks at it."""

import torch

from cupel.host_faults import ProgramFault
from cupel.protocol import dtype_name, flatten
from cupel.ties import ties_of
from cupel.told_values import told

PLAIN_TYPES = (torch.Tensor, torch.nn.Parameter)


def plain_leaves(result, device, lies_in_input):
    """Returns (what a reply tells of it beside its tensors, tensor leaves). A subclass of Tensor
    could compute when it is read. `lies_in_input`: of a leaf."""
    if type(result) is torch.Tensor:
        said, leaves = {"tree": "t"}, [result]
    else:
        tree, leaves, others = flatten(result)
        said = {"tree": tree, "values": list(map(_told, others))} if others else {"tree": tree}
    for leaf in leaves:
        if type(leaf) not in PLAIN_TYPES:
            raise _type_fault(f"a {type(leaf).__module__}.{type(leaf).__qualname__}")
        if leaf.layout is not torch.strided or leaf.is_quantized or leaf.device != device:
            raise _type_fault(f"a tensor of layout {leaf.layout} on {leaf.device}")
    ties = ties_of(leaves, lies_in_input)
    if ties:
        said["ties"] = ties
    return said, [leaf.detach() if leaf.requires_grad else leaf for leaf in leaves]


def _told(value):
    text = told(value)
    if text is None:
        raise _type_fault(f"a {type(value).__module__}.{type(value).__qualname__}")
    return text


def form(leaf):
    return {"dtype": dtype_name(leaf.dtype), "shape": tuple(leaf.shape), "strides": leaf.stride()}


def addresses_of_dense(result):
    """Of a tensor, or several in a row, that can be read as they are; () for all else."""
    addresses = []
    for leaf in result if type(result) in (tuple, list) else (result,):
        if type(leaf) is not torch.Tensor or leaf.layout is not torch.strided:
            return ()
        if not (leaf.is_contiguous() or packed(leaf.shape, leaf.stride())):
            return ()
        if leaf.is_neg() or leaf.is_conj():
            return ()
        addresses.append(leaf.data_ptr())
    return addresses if all(addresses) else ()


def dense(leaf):
    """The leaf's values without gaps: in the leaf's own layout, if that is packed(), else
    row-major."""
    if leaf.is_neg() or leaf.is_conj():
        leaf = leaf.resolve_conj().resolve_neg()
    return leaf if packed(leaf.shape, leaf.stride()) else leaf.contiguous()


def packed(shape, strides):
    """Do the strides lay the elements out without gaps, in some order of the dimensions? The judge
    takes such outputs as they lie, so that no layout costs more than another."""
    if len(shape) != len(strides):
        return False
    wanted = 1
    for stride, size in sorted((stride, size) for stride, size in zip(strides, shape) if size != 1):
        if stride != wanted:
            return False
        wanted *= size
    return True


def laid_out(shape, strides):
    """The strides in which an output is taken, where they leave no gaps; else None, which is
    row-major."""
    return strides if packed(shape, strides) else None


def _type_fault(got):
    return ProgramFault("call", "type", f"the program returned {got}; a plain dense torch.Tensor "
                        "on the task's device is needed")
