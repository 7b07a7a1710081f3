"""Watches a program's modules while it runs: how each was constructed, how long its calls take,
what they look like, and some of their inputs and outputs. Everything is undone at the end."""

import collections
import contextlib
import inspect
import random
import sys
import threading
import time
import weakref

import torch

from cupel.capture.calls import Output, form_of
from cupel.capture.spelling import Unspellable

DURATIONS_MAX = 4096      # kept of one module's calls of one shape
FRAMES_MAX = 40           # looked through for the constructor that was called
SAMPLE_BYTES_MAX = 256 << 20  # of the inputs of one call
KEPT_BYTES_MAX = 2 << 30      # of all inputs and outputs together


class Sample:
    """One call that happened: copies of its tensors, in the order of the form's names."""

    def __init__(self, form):
        self.tensors = [_copy(tensor) for tensor in form.tensors]
        self.outputs = None  # the tensors that came back, flat


class Variety:
    """The calls of one module that have one form and one set of shapes."""

    def __init__(self, form):
        self.form, self.shapes = form.emptied(), form.shapes()
        self.calls = 0
        self.seconds, self.own_seconds = [], []  # of a call; without the modules that it calls
        self.samples, self.too_large = [], 0
        self.output = None
        self.training = self.inference = False

    def total_seconds(self):
        return self.calls * _usual(self.seconds)

    def total_own_seconds(self):
        return self.calls * _usual(self.own_seconds)


class Seen:
    """A module that was called."""

    def __init__(self, module):
        self.module = module
        self.varieties = {}       # (form's key, shapes) -> Variety
        self.leaves = 0           # the most modules without parts that one call calls
        self.parents = set()      # ids of modules whose calls called it
        self.problem = ""         # why its calls cannot be kept
        self.writes = set()       # buffers and tensors of its own that calls change

    @property
    def calls(self):
        return sum(variety.calls for variety in self.varieties.values())

    def own_seconds(self):
        return sum(variety.total_own_seconds() for variety in self.varieties.values())


class _Running:
    """A call that has not ended. Times in seconds."""

    def __init__(self, seen):
        self.seen = seen
        self.watching = 0.0  # what watching took meanwhile, its own and that of calls within
        self.inner = 0.0
        self.leaves = 0


class Watch:
    """A context. `only`: the modules to look at, all for None. `samples`: kept of each variety."""

    def __init__(self, only=None, samples=6):
        self.seen = {}  # id of a module -> Seen, in the order of their first calls
        self.roots = []  # modules that were called from outside of any other
        self._made = weakref.WeakKeyDictionary()  # module -> (args, kwargs)
        self._only = None if only is None else {id(module) for module in only}
        self._samples = samples
        self._kept_bytes = 0
        self._draw = random.Random(0)
        self._stacks = threading.local()
        self._undo = contextlib.ExitStack()
        self._lock = threading.Lock()

    def __enter__(self):
        module_class = torch.nn.Module
        call, init = module_class.__call__, module_class.__init__
        self._undo.callback(setattr, module_class, "__call__", call)
        self._undo.callback(setattr, module_class, "__init__", init)
        module_class.__call__ = self._watched_call(call)
        module_class.__init__ = self._watched_init(init)
        self._undo.enter_context(_compiled_code_runs_eagerly())
        return self

    def __exit__(self, *_):
        self._undo.close()

    def seconds_of(self, module):
        """What its calls took in all, by what each module within took of its own: an interruption
        hits a long call more surely than a short one, and would be charged to the outermost."""
        return sum(self.seen[id(part)].own_seconds() for part in module.modules()
                   if id(part) in self.seen)

    def construction_of(self, module):
        """(args, kwargs) with which the module was made; None where that was not seen."""
        return self._made.get(module)

    # -- construction -----------------------------------------------------------------------

    def _watched_init(self, init):
        def __init__(module, *args, **kwargs):
            with contextlib.suppress(TypeError):  # what cannot be referred to weakly
                made = _constructor_arguments(module, sys._getframe(1))
                if made is not None:
                    self._made[module] = made
            return init(module, *args, **kwargs)
        return __init__

    # -- calls ------------------------------------------------------------------------------

    def _watched_call(self, call):
        def __call__(module, *args, **kwargs):
            if self._only is not None and id(module) not in self._only:
                return call(module, *args, **kwargs)
            return self._run(call, module, args, kwargs)
        return __call__

    def _stack(self):
        if not hasattr(self._stacks, "running"):
            self._stacks.running = []
        return self._stacks.running

    def _run(self, call, module, args, kwargs):
        stack, entered = self._stack(), time.perf_counter()
        seen = self._seen_of(module, stack)
        variety, sample = self._look(seen, args, kwargs)
        versions = _versions(module)
        running = _Running(seen)
        _synchronize(module)
        started = time.perf_counter()
        stack.append(running)
        try:
            result = call(module, *args, **kwargs)
            _synchronize(module)
        finally:
            stack.pop()
        ended = time.perf_counter()
        seconds = ended - started - running.watching
        with self._lock:
            if seen.calls:  # what a first call sets up is no state
                seen.writes.update(_changed(versions, _versions(module)))
            self._note(running, variety, seconds)
            self._keep(seen, variety, sample, result)
        if stack:
            outer = stack[-1]
            outer.inner += seconds
            outer.leaves += max(running.leaves, 1)
            outer.watching += time.perf_counter() - entered - seconds
        return result

    def _seen_of(self, module, stack):
        with self._lock:
            if id(module) not in self.seen:
                self.seen[id(module)] = Seen(module)
            seen = self.seen[id(module)]
            if stack:
                seen.parents.add(id(stack[-1].seen.module))
            elif all(root is not module for root in self.roots):
                self.roots.append(module)
        return seen

    def _look(self, seen, args, kwargs):
        """(the call's Variety, a Sample or None) before it runs: it may write to its inputs."""
        try:
            form = form_of(seen.module, args, kwargs, self.construction_of)
        except Unspellable as problem:
            seen.problem = str(problem)
            form = form_of(seen.module, (), {})
        with self._lock:
            key = (form.key(), form.shapes())
            size = sum(tensor.numel() * tensor.element_size() for tensor in form.tensors)
            if key not in seen.varieties:
                seen.varieties[key] = Variety(form)
            variety = seen.varieties[key]
            variety.training = seen.module.training
            if seen.problem or not self._wants(variety, size):
                return variety, None
            self._kept_bytes += size
        return variety, Sample(form)

    def _wants(self, variety, size):
        """Of many calls each is kept with the same chance."""
        if size > SAMPLE_BYTES_MAX or self._kept_bytes + size > KEPT_BYTES_MAX:
            variety.too_large = size
            return False
        return len(variety.samples) < self._samples or \
            self._draw.random() * (variety.calls + 1) < self._samples

    def _note(self, running, variety, seconds):
        seen = running.seen
        variety.calls += 1
        place = len(variety.seconds)
        if place >= DURATIONS_MAX:
            place = self._draw.randrange(DURATIONS_MAX)
        variety.seconds[place:place + 1] = [seconds]
        variety.own_seconds[place:place + 1] = [max(0.0, seconds - running.inner)]
        seen.leaves = max(seen.leaves, running.leaves)

    def _keep(self, seen, variety, sample, result):
        try:
            output = Output(result)
        except Unspellable as problem:
            seen.problem = f"it returns or holds in its output {problem}"
            return
        if variety.output is not None and variety.output.text != output.text:
            seen.problem = "its outputs differ in structure from call to call"
        if sample is not None:
            sample.outputs = [_copy(tensor) for tensor in output.tensors]
            place = len(variety.samples)
            if place >= self._samples:
                place = self._draw.randrange(self._samples)
                self._kept_bytes -= sum(t.nbytes for t in variety.samples[place].tensors)
            variety.samples[place:place + 1] = [sample]
        variety.output = output
        output.tensors = [tensor.detach().to("meta") for tensor in output.tensors]


def _usual(seconds):
    """First calls are slow, and what else the machine does only ever delays: the lower quartile."""
    ordered = sorted(seconds)
    return ordered[len(ordered) // 4] if ordered else 0.0


def _copy(tensor):
    return tensor.detach().to("cpu", copy=True)


def _constructor_arguments(module, frame):
    """(args, kwargs) of the constructor of the module's own class, which is on the stack; None
    where it is not."""
    wanted = getattr(inspect.unwrap(type(module).__init__), "__code__", None)
    found = None
    for _ in range(FRAMES_MAX):
        if frame is None:
            break
        if frame.f_code is wanted and _first_local(frame) is module:
            found = frame
        frame = frame.f_back
    return found and _arguments_of(found)


def _first_local(frame):
    names = frame.f_code.co_varnames
    return frame.f_locals.get(names[0]) if frame.f_code.co_argcount else None


def _arguments_of(frame):
    told = inspect.getargvalues(frame)
    code, values = frame.f_code, told.locals
    positional = list(told.args[1:code.co_argcount])
    only_by_name = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    args = [values[name] for name in positional] + list(values.get(told.varargs) or ())
    kwargs = {name: values[name] for name in only_by_name}
    kwargs.update(values.get(told.keywords) or {})
    return args, kwargs


def _versions(module):
    """{name: what changes when the tensor is written to or replaced} of the module's own buffers
    and plain tensor attributes."""
    held = [*module._buffers.items(),
            *((name, value) for name, value in vars(module).items()
              if isinstance(value, torch.Tensor))]
    return {name: (id(tensor), tensor._version) for name, tensor in held
            if tensor is not None and not tensor.is_inference()}


def _changed(before, after):
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _synchronize(module):
    if not torch.cuda.is_initialized():
        return
    tensor = next(module.parameters(), None)
    if tensor is None or tensor.is_cuda:
        torch.cuda.synchronize()


@contextlib.contextmanager
def _compiled_code_runs_eagerly():
    """Modules within compiled ones are only seen where these run as they are written."""
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is None or "torch._dynamo" not in sys.modules:
        yield
        return
    with set_stance("force_eager"):
        yield


def tied_to(module, everything):
    """[(name of its own, name elsewhere)] of parameters that modules outside share. `everything`:
    [(path, root)]."""
    own = {id(tensor): name for name, tensor in module.named_parameters(remove_duplicate=False)}
    inside = {id(part) for part in module.modules()}
    pairs = collections.OrderedDict()
    for path, root in everything:
        for place, part in root.named_modules():
            if id(part) in inside:
                continue
            for name, tensor in part._parameters.items():
                if id(tensor) in own:
                    pairs[own[id(tensor)]] = ".".join(filter(None, (path, place, name)))
    return list(pairs.items())
