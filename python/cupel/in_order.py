"""A run whose float32 sums are added up in order, one term after the other, as a loop does it.
Torch adds up in pairs, or in blocks, and is off by much less: by how much less is a matter of the
terms (of one sign, all equal, beside an outlier), and no multiple tells it (docs/equality.md).

Norms count, as do means, variances, softmax and long products. Convolutions and shorter products
are left as they are: what an order makes of some thousand terms is mostly within the judge's k.
"""

import contextlib
import math

import torch
from torch._decomp import decomposition_table
from torch.nn.attention import SDPBackend, sdpa_kernel

from cupel.choices import name_of
from cupel.operations import OperationMode

EXACT_LONGEST = 2048       # terms in order under `exact`; of more TF32 makes no more than an order
# Of terms of one sign, so many in order make half of what is allowed anyway; 6,000 and weights of
# many sizes, as training leaves them, all of it.
PRODUCT_TERMS_MIN = 4096
# Updates of single numbers: so many are always made, where terms may be equal; and no more than the
# others by one product, seconds on one core, so that several terms are added up at once.
UPDATES_FREE, UPDATES_MAX = 1 << 24, 1 << 31
# Of so few sums a product's terms are made, and added up as rows: to update a few numbers by a
# product of their own costs more. So many terms at once.
FEW_SUMS, TERMS_MADE = 1 << 10, 1 << 22
POOLED_MAX = 1 << 26       # terms of all windows together, which are copied
_SEED = 1                  # of the shuffled order
# torch's own words for these, in terms of those below.
_IN_SIMPLER_WORDS = frozenset((
    "native_layer_norm", "native_group_norm", "native_batch_norm",
    "_native_batch_norm_legit", "_batch_norm_with_update", "cudnn_batch_norm", "_fused_rms_norm",
    "_softmax", "_log_softmax", "_safe_softmax", "logsumexp", "norm",
    "_weight_norm_interface", "mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "soft_margin_loss", "nll_loss_forward",
    "nll_loss2d_forward", "_adaptive_avg_pool2d", "addmm", "baddbmm", "addmv", "mv", "dot",
    "trace", "nansum"))


def _forward(count, device):
    del count, device


def _backward(count, device):
    return torch.arange(count - 1, -1, -1, device=device)


def _shuffled(count, device):
    generator = torch.Generator().manual_seed(_SEED)
    return torch.randperm(count, generator=generator).to(device)


ORDERS = (_forward, _backward, _shuffled)


class InOrder(OperationMode):
    """`order`: of the terms, one of ORDERS. `longest`: so many are added up in order, and the sums
    of these as torch does it."""

    def __init__(self, order=_forward, longest=math.inf):
        super().__init__()
        self._order, self._longest = order, longest

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = name_of(func)
        if _writes(func) or not _is_single(args, kwargs):
            return func(*args, **kwargs)
        if name in _IN_SIMPLER_WORDS and func in decomposition_table:
            with self:
                return decomposition_table[func](*args, **kwargs)
        own = _OWN.get(name)
        result = own(self, **_by_name(func, args, kwargs)) if own else NotImplemented
        return func(*args, **kwargs) if result is NotImplemented else result

    def is_backward(self):
        return self._order is _backward

    def rows(self, terms):
        """The sum over the first dimension. `terms`: of two dimensions."""
        places = self._order(len(terms), terms.device)
        terms = terms if places is None else terms[places]
        return _together([_added_up(block)
                          for block in terms.split(min(self._longest, max(1, len(terms))))])

    def over(self, tensor, dims, keepdim=False):
        """The sum over these dimensions; None or none: over all."""
        dims = sorted({dim % tensor.dim() for dim in dims or range(tensor.dim())}) \
            if tensor.dim() else []
        kept = [dim for dim in range(tensor.dim()) if dim not in dims]
        terms = tensor.permute((*dims, *kept))
        shape = [tensor.shape[dim] for dim in kept]
        count = math.prod(tensor.shape[dim] for dim in dims)
        total = self.rows(terms.reshape(count, math.prod(shape))).view(shape)
        for dim in dims if keepdim else ():
            total = total.unsqueeze(dim)
        return total

    def product(self, left, right):
        """Of batches of matrices, a column by a row after the other."""
        terms = left.shape[-1]
        updates = terms * left.shape[0] * left.shape[1] * right.shape[2]
        if terms < PRODUCT_TERMS_MIN and updates > UPDATES_FREE:
            return NotImplemented
        places = self._order(terms, left.device)
        if places is not None:
            left, right = left[..., places], right[..., places, :]
        few = updates <= FEW_SUMS * terms
        step = TERMS_MADE * terms // updates if few else max(1, math.ceil(updates / UPDATES_MAX))
        add = _add_terms if few else torch.Tensor.baddbmm_
        block = max(1 if few else step, min(self._longest, terms))
        sums = []
        for start in range(0, terms, block):
            total = left.new_zeros(left.shape[0], left.shape[1], right.shape[2])
            for at in range(start, min(start + block, terms), step):
                stop = min(at + step, start + block, terms)
                add(total, left[..., at:stop], right[..., at:stop, :])
            sums.append(total)
        return _together(sums)


def _together(sums):
    """The sum of blocks, as torch does it."""
    return sums[0] if len(sums) == 1 else torch.stack(sums).sum(0)


def _added_up(terms, total=None):
    """Of rows, to `total`; index_add_ adds one after the other, in the dtype given."""
    total = terms.new_zeros(1, *terms.shape[1:]) if total is None else total
    return total.index_add_(0, torch.zeros(len(terms), dtype=torch.long, device=terms.device),
                            terms)[0]


def _add_terms(total, left, right):
    """As baddbmm_, a term after the other."""
    terms = (left.unsqueeze(-1) * right.unsqueeze(1)).movedim(2, 0)
    _added_up(terms.reshape(len(terms), -1), total.view(1, -1))


def _writes(func):
    """Its result lies in what it is given: it is left alone."""
    return func._schema.name.endswith("_") or func._overloadname.endswith("out")


def _is_single(args, kwargs):
    """Is it computed in float32, and of something?"""
    first = args[0] if args else None
    return isinstance(first, torch.Tensor) and first.dtype == torch.float32 and \
        first.numel() > 0 and kwargs.get("dtype") in (None, torch.float32)


def _by_name(func, args, kwargs):
    names = [argument.name for argument in func._schema.arguments]
    given = dict(zip(names, args)) | kwargs
    return {("tensor" if name == "self" else name): value for name, value in given.items()}


def _sum(mode, tensor, dim=None, keepdim=False, dtype=None):
    del dtype  # float32, here and below
    return mode.over(tensor, dim, keepdim)


def _mean(mode, tensor, dim=None, keepdim=False, dtype=None):
    del dtype
    total = mode.over(tensor, dim, keepdim)
    return total / (tensor.numel() / total.numel())


def _vector_norm(mode, tensor, ord=2, dim=None, keepdim=False, dtype=None):
    del dtype
    if not 0 < ord < math.inf:
        return NotImplemented
    powers = tensor.square() if ord == 2 else tensor.abs().pow(ord)
    return mode.over(powers, dim, keepdim).pow(1 / ord)


def _var_mean(mode, tensor, dim=None, unbiased=True, correction=None, keepdim=False):
    """Around the mean, in two passes."""
    less = int(unbiased) if correction is None else correction
    mean = mode.over(tensor, dim, True)
    count = tensor.numel() / max(1, mean.numel())
    mean = mean / count
    squares = mode.over((tensor - mean).square(), dim, keepdim)
    mean = mean if keepdim else mean.reshape(squares.shape)
    return squares / max(0.0, count - less), mean


def _of_var(finish):
    def computed(mode, **given):
        return finish(*_var_mean(mode, **given))
    return computed


def _mm(mode, tensor, mat2, out_dtype=None):
    del out_dtype  # none, of float32
    made = mode.product(tensor[None], mat2[None])
    return made if made is NotImplemented else made[0]


def _bmm(mode, tensor, mat2, out_dtype=None):
    del out_dtype
    return mode.product(tensor, mat2)


def _running(step):
    """By `step`, in place, of each place with what is before it; backwards by doubling."""
    def computed(mode, tensor, dim, dtype=None):
        del dtype
        if not tensor.dim():
            return NotImplemented
        result = tensor.clone()
        (_by_doubling if mode.is_backward() else _one_by_one)(step, result, dim)
        return result
    return computed


def _one_by_one(step, result, dim):
    for at in range(1, result.shape[dim]):
        step(result.select(dim, at), result.select(dim, at - 1))


def _by_doubling(step, result, dim):
    """Of twice as many before it each time (Hillis and Steele, *Data parallel algorithms*, 1986),
    which rounds products of equal factors alike."""
    reach, count = 1, result.shape[dim]
    while reach < count:
        earlier = result.narrow(dim, 0, count - reach).clone()
        step(result.narrow(dim, reach, count - reach), earlier)
        reach *= 2


def _avg_pool(places):
    """Over `places` dimensions."""
    def computed(mode, tensor, kernel_size, stride=(), padding=(0,), ceil_mode=False,
                 count_include_pad=True, divisor_override=None):
        del count_include_pad  # there is none
        if any(padding) or ceil_mode:
            return NotImplemented
        sizes, steps = (list(given) * (places // len(given))
                        for given in (kernel_size, stride or kernel_size))
        for dim, (size, step) in enumerate(zip(sizes, steps), tensor.dim() - places):
            tensor = tensor.unfold(dim, size, step)
        if tensor.numel() > POOLED_MAX:
            return NotImplemented
        return mode.over(tensor, range(-places, 0)) / (divisor_override or math.prod(sizes))
    return computed


_OWN = {"sum": _sum, "mean": _mean, "linalg_vector_norm": _vector_norm, "mm": _mm, "bmm": _bmm,
        "cumsum": _running(torch.Tensor.add_), "cumprod": _running(torch.Tensor.mul_),
        "var_mean": _of_var(lambda var, mean: (var, mean)), "var": _of_var(lambda var, _: var),
        "std_mean": _of_var(lambda var, mean: (var.sqrt(), mean)),
        "std": _of_var(lambda var, _: var.sqrt()),
        **{f"avg_pool{places}d": _avg_pool(places) for places in (1, 2, 3)}}


@contextlib.contextmanager
def added_up(order, exact):
    """The context of a run; attention is written out in it."""
    with InOrder(order, EXACT_LONGEST if exact else math.inf), sdpa_kernel(SDPBackend.MATH):
        yield
