"""The generators of random numbers that code shares: torch's on each device, numpy's, Python's.

Whether calls draw from one or put it into a state of their own is not seen in its state alone. So
each look draws a number from every generator: a call that begins in another state then, and ends in
the same one as a call before it, has put it there."""

import pickle
import random
import sys

import torch

CUDA_OFFSET_STEP = 4  # of its generators: offsets are multiples of it
_default, _uniform = torch.default_generator, torch.Tensor.uniform_


class Generators:
    """What calls do to generators, from look to look. Not thread-safe."""

    def __init__(self):
        self._begun = self._seeds = None
        self._ends = {}    # name: states in which calls that changed it have left it
        self.drawn, self.put = set(), set()  # names

    def begin(self, seed):
        """The calls follow; `seed`: the last one that torch's generator was given."""
        self._seeds, self._begun = {**_seeds(), "torch": seed}, _states()

    def look(self):
        """At what the calls since the last look have done; and draws, so that the next ones begin
        in a state that no call has met."""
        self._note(_states())
        _draw()
        self._begun = _states()

    def reseeded(self):
        """Names of generators that have another seed now."""
        now = _seeds()
        return sorted(name for name, seed in self._seeds.items() if now[name] != seed)

    def _note(self, states):
        for name, state in states.items():
            if name not in self._begun or _same(state, self._begun[name]):
                continue
            self.drawn.add(name)
            ends = self._ends.setdefault(name, [])
            if any(_same(state, end) for end in ends):
                self.put.add(name)
            ends.append(state)


def _seeds():
    found = {"torch": torch.initial_seed()}
    if torch.cuda.is_initialized():
        found["torch.cuda"] = torch.cuda.initial_seed()
    return found


def _states():
    """{name: a tensor, or what compares}. Numpy's where somebody has imported it."""
    found = {"torch": _default.get_state(), "random": random.getstate()}
    if torch.cuda.is_initialized():
        for index, generator in enumerate(torch.cuda.default_generators):
            found[f"torch.cuda:{index}"] = generator.get_state()
    if numpy_random := sys.modules.get("numpy.random"):
        found["numpy"] = pickle.dumps(numpy_random.get_state(legacy=False))
    return found


def _draw():
    """One number from each. No kernel runs for a GPU's: their state is a seed and an offset."""
    _uniform(torch.empty(1, device="cpu"))
    random.getrandbits(1)
    if torch.cuda.is_initialized():
        for generator in torch.cuda.default_generators:
            generator.set_offset(generator.get_offset() + CUDA_OFFSET_STEP)
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.random_sample()


def _same(one, other):
    return torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other
