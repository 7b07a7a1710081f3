"""Instances of winners with the weights of the modules that they stand for."""

import contextlib
import weakref

import torch

from .manifest import ORIGINALS, WINNERS
from .sources import constructed, init_of, winner_class


class Misfit(Exception):
    """The weights are not those of a module that was measured."""


def build(entry, weights, device):
    """A new instance of the entry's winner. `weights`: {name: tensor}, those of the original. They
    are never written to: the instance has copies, or reads them where it was seen to change
    nothing."""
    with torch.inference_mode(False), torch.no_grad(), _random_state_kept(device):
        init = init_of(ORIGINALS[entry.original])
        instance = _constructed_on(device, winner_class(entry.winner), init)
        _load(instance, weights, WINNERS[entry.winner]["shares_weights"])
        instance.requires_grad_(False)
        if entry.told["evaluates"]:
            instance.eval()
        if callable(getattr(instance, "prepare", None)):
            instance.prepare()
    return instance


def _constructed_on(device, kind, init):
    """A new instance there; code that insists on the CPU makes it here, and it is moved."""
    try:
        with torch.device(device):
            return constructed(kind, init).to(device)
    except (RuntimeError, TypeError, NotImplementedError):
        if device.type == "cpu":
            raise
    return constructed(kind, init).to(device)


@contextlib.contextmanager
def _random_state_kept(device):
    """Constructors draw numbers; the user's generators shall not notice."""
    devices = [device.index or 0] if device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices):
        yield


def _load(instance, weights, shares):
    mine = dict(instance.named_parameters(remove_duplicate=False))
    mine.update(instance.named_buffers(remove_duplicate=False))
    for name, weight in weights.items():
        own = mine.get(name)
        if own is None or own.shape != weight.shape or own.dtype != weight.dtype:
            raise Misfit(f"the winner has no {name} of {weight.dtype} {tuple(weight.shape)}")
        if shares:
            _put(instance, name, weight.detach())
        else:
            own.copy_(weight)


def _put(instance, name, tensor):
    path, _, last = name.rpartition(".")
    owner = instance.get_submodule(path)
    if last in owner._parameters:
        owner._parameters[last] = torch.nn.Parameter(tensor, requires_grad=False)
    else:
        owner._buffers[last] = tensor


def _plain_call(instance):
    """What calls it: its forward, unless its class or torch does something around it."""
    around = (instance._forward_hooks or instance._forward_pre_hooks or instance._backward_hooks
              or instance._backward_pre_hooks or instance._compiled_call_impl
              or type(instance).__call__ is not torch.nn.Module.__call__)
    return instance if around else instance.forward


class Held:
    """An instance and the state of the weights that it was made of. The weights' memory is kept, so
    that no other tensor can come to lie at its address; whether they are kept themselves is the
    caller's choice."""

    def __init__(self, instance, weights, weakly=False, at_end=None):
        self.instance, self.run = instance, _plain_call(instance)
        self.kept = [weight.detach() for weight in weights]
        self.known = [weakref.ref(weight, at_end) for weight in weights] if weakly else weights
        self.weakly = weakly
        self.state = [(weight.data_ptr(), weight._version) for weight in weights]

    def serves(self, weights):
        """Whether they are the same tensors and nothing was written to them."""
        if len(weights) != len(self.state):
            return False
        known = [reference() for reference in self.known] if self.weakly else self.known
        for weight, same, (address, version) in zip(weights, known, self.state):
            if weight is not same or weight.data_ptr() != address or weight._version != version:
                return False
        return True
