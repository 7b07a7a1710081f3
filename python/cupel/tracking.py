"""Watches the operations of one call: live bytes, and how many terms an output element sums.

Works on real and on fake tensors: only sizes are looked at.
"""

import weakref

import torch
from torch.utils._pytree import tree_iter

from cupel.operations import OperationMode

# Products: (position of the left operand); K is its last dimension.
_PRODUCTS = {"mm": 0, "bmm": 0, "addmm": 1, "baddbmm": 1, "mv": 0, "addmv": 1, "dot": 0,
             "addbmm": 1, "linear": 0, "_addmm_activation": 1, "mkldnn_linear": 0}
_SPATIAL = {"convolution", "_convolution", "mkldnn_convolution", "convolution_overrideable"}
_ATTENTION = ("scaled_dot_product",)
_RECURRENT = ("rnn", "lstm", "gru")
_SCANS = {"cumsum", "cumprod", "logcumsumexp", "cummax", "cummin", "_softmax", "_log_softmax"}
_NORMS = {"native_layer_norm", "native_group_norm", "native_batch_norm",
          "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "batch_norm",
          "_batch_norm_with_update", "_batch_norm_no_update", "native_instance_norm"}
_REDUCTIONS = {"sum", "mean", "var", "var_mean", "std", "std_mean", "prod", "norm",
               "linalg_vector_norm", "logsumexp", "nansum", "_embedding_bag",
               "_embedding_bag_forward_only", "avg_pool1d", "avg_pool2d", "avg_pool3d",
               "adaptive_avg_pool1d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d",
               "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "nll_loss_forward",
               "nll_loss2d_forward", "binary_cross_entropy", "kl_div", "_cdist_forward"}


class CallTracker(OperationMode):
    """`peak_bytes`: most bytes of storages that the call itself made and held at once.
    `reduction_length`: the largest number of terms that one operation sums into an element;
    an upper estimate, because operations are looked at one by one (a chain of layers rounds
    between them, so lengths do not multiply), by these rules: K of products, the receptive
    field of convolutions, the normalized size of norms, the scanned dimension, else the ratio
    of the elements read to the elements made."""

    def __init__(self, bytes_max=0):
        """The call ends with a MemoryError when it holds more than `bytes_max`; 0: no limit."""
        super().__init__()
        self._bytes_max = bytes_max
        self.live_bytes = 0
        self.peak_bytes = 0
        self.reduction_length = 1
        self._known = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for leaf in tree_iter(result):
            if isinstance(leaf, torch.Tensor):
                self._saw(leaf)
        terms = terms_summed(func, args, result)
        self.reduction_length = max(self.reduction_length, terms)
        return result

    def ignore(self, tensors):
        """Storages that were there before the call."""
        for tensor in tensors:
            self._known[tensor.untyped_storage()._cdata] = None

    def _saw(self, tensor):
        try:
            storage = tensor.untyped_storage()
        except NotImplementedError:  # sparse and the like: no storage to count
            return
        key = storage._cdata
        if key in self._known:
            return
        size = storage.nbytes()
        self._known[key] = weakref.finalize(storage, self._freed, key, size)
        self.live_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        if self._bytes_max and self.live_bytes > self._bytes_max:
            raise MemoryError(f"the call holds more than {self._bytes_max} bytes")

    def _freed(self, key, size):
        self._known.pop(key, None)
        self.live_bytes -= size


def terms_summed(func, args, result):
    """How many terms one element of the result sums; 1 where nothing is summed."""
    name = func._schema.name.split("::")[-1].rstrip("_") if hasattr(func, "_schema") else ""
    tensors = [leaf for leaf in tree_iter(args) if isinstance(leaf, torch.Tensor)]
    made = [leaf for leaf in tree_iter(result) if isinstance(leaf, torch.Tensor)]
    if not tensors or not made:
        return 1
    return max(1, _terms(name, args, tensors, made))


def _terms(name, args, tensors, made):
    if name in _PRODUCTS:
        return args[_PRODUCTS[name]].shape[-1]
    if name in _SPATIAL:
        return _receptive_field(args)
    if any(mark in name for mark in _ATTENTION):
        return max(tensors[0].shape[-1], tensors[1].shape[-2])
    if any(mark in name for mark in _RECURRENT):
        return max((t.shape[-1] for t in tensors if t.dim() > 1), default=1)
    if name in _SCANS:
        return args[0].shape[args[1]] if args[0].dim() else 1
    if name in _NORMS:
        return tensors[0].numel() // max(1, _norm_groups(name, args, made))
    if name in _REDUCTIONS:
        return -(-max(t.numel() for t in tensors) // max(1, made[0].numel()))
    return 1


def _receptive_field(args):
    weight, transposed = args[1], len(args) > 6 and args[6] is True
    kept = weight.shape[1] if transposed else weight.shape[0]
    return weight.numel() // max(1, kept)


def _norm_groups(name, args, made):
    if name == "native_group_norm":
        return args[3] * args[6]  # batch, groups
    if name == "native_layer_norm":
        return made[1].numel()
    return args[0].shape[1] if args[0].dim() > 1 else 1
