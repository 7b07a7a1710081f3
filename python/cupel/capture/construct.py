"""How a copy of a module is made: three ways, of which the first that gives the module back is
taken. From the constructor's arguments, as they were seen; from its attributes; or from the pickled
object without its weights."""

import base64
import copy
import io
import pickle
import textwrap

import torch

from cupel.capture.inlining import is_users
from cupel.capture.spelling import (Speller, Unspellable, is_plain, parameters_of,
                                    without_defaults)

SKELETON_BYTES_MAX = 256 << 10
_MISSING = object()


class Constructor:
    """`parameters`: names of what get_init_inputs() returns, `init`: that as text; `body`: the
    lines of __init__; `top`: lines above the class; `way`: in words; `needs`: see Speller."""

    def __init__(self, way, parameters, init, body, top, speller):
        self.way, self.parameters, self.init = way, parameters, init
        self.body, self.top = body, top
        self.needs = speller.needs


def constructors(module, construction_of):
    """Yields Constructors, and Unspellable problems where a way does not work."""
    for way in (_from_recorded, _from_attributes, _from_skeleton):
        try:
            found = way(module, construction_of)
        except Unspellable as problem:
            found = problem
        if found is not None:
            yield found


def _from_recorded(module, construction_of):
    made = construction_of(module)
    if made is None:
        return None
    args, kwargs = without_defaults(type(module).__init__, *made)
    names = [parameter.name for parameter in parameters_of(type(module).__init__)[1:]
             if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)]
    names = names[:len(args)] + [f"item_{i}" for i in range(len(args) - len(names))]
    return _calling("its constructor's arguments", list(zip(names, args)), kwargs, construction_of)


def _from_attributes(module, construction_of):
    """Of constructors that keep their arguments under their own names, or in a config."""
    args = []
    for parameter in parameters_of(type(module).__init__)[1:]:
        if parameter.kind == parameter.VAR_POSITIONAL:
            raise Unspellable("its constructor takes any number of arguments")
        if parameter.kind == parameter.VAR_KEYWORD:
            continue
        value = _kept(module, parameter.name)
        if value is _MISSING and parameter.default is parameter.empty:
            raise Unspellable(f"its constructor's argument {parameter.name}, which it does not "
                              "keep")
        if value is not _MISSING:
            args.append((parameter.name, value))
    return _calling("its attributes", [], dict(args), construction_of)


def _kept(module, name):
    for place in (name, f"_{name}"):
        if place in vars(module):
            return vars(module)[place]
    tensors = {**module._parameters, **module._buffers}
    if name in tensors:  # nn.Linear(bias=True) keeps a parameter of that name
        return tensors[name] is not None
    config = getattr(module, "config", None)
    return vars(config).get(name, _MISSING) if hasattr(config, "__dict__") else _MISSING


def _calling(way, args, kwargs, construction_of):
    """super().__init__(...): plain arguments come from get_init_inputs(), so that a candidate has
    them, and others stand in the text."""
    speller = Speller(construction_of)
    parameters, init, texts = [], [], []
    for name, value in [*args, *kwargs.items()]:
        text = _spelled(speller, name, value)
        if is_plain(value):
            parameters.append(name)
            init.append(text)
            text = name
        texts.append(f"{name}={text}" if len(texts) >= len(args) else text)
    body = [f"super().__init__({', '.join(texts)})"]
    return Constructor(way, parameters, f"[{', '.join(init)}]", body, [], speller)


def _spelled(speller, name, value):
    try:
        return speller.spell(value)
    except Unspellable as problem:
        raise Unspellable(f"its constructor's argument {name} is or holds {problem}") from None


_REVIVE = '''torch.nn.Module.__init__(self)
self.__dict__.update(_Reviver(io.BytesIO(base64.b64decode(SKELETON))).load().__dict__)
for part in self.modules():  # get_state() has the values
    for name, tensor in [*part._parameters.items(), *part._buffers.items()]:
        if tensor is not None and tensor.is_meta:
            made = torch.empty_like(tensor, device="cpu")
            made = made.normal_(0, 0.02) if made.is_floating_point() else made.zero_()
            kind = torch.nn.Parameter if name in part._parameters else torch.Tensor
            setattr(part, name, kind(made) if kind is torch.nn.Parameter else made)'''


_REVIVER = """
class _Reviver(pickle.Unpickler):
    def find_class(self, module, name):
        return globals()[name] if module in OWN else super().find_class(module, name)
"""


class _Globals(pickle.Unpickler):
    """Notes what a pickle refers to by name."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data))
        self.found = set()

    def find_class(self, module, name):
        self.found.add((module, name))
        return super().find_class(module, name)


def _from_skeleton(module, _):
    try:
        data = pickle.dumps(_emptied(module))
        reader = _Globals(data)
        reader.load()
    except Exception as problem:  # whatever the classes of what it holds do
        raise Unspellable(f"it cannot be pickled ({type(problem).__name__}: {problem})") from None
    if len(data) > SKELETON_BYTES_MAX:
        raise Unspellable(f"its pickle takes {len(data)} bytes, at most {SKELETON_BYTES_MAX} fit")
    own = {(place, name.split(".")[0]) for place, name in reader.found if is_users(place)}
    lines = textwrap.wrap(base64.b64encode(data).decode(), 94)
    modules = tuple(sorted({place for place, _ in own}))
    top = ["SKELETON = (", *(f'    "{line}"' for line in lines), ")", f"OWN = {modules!r}",
           "", *_REVIVER.splitlines()]
    speller = Speller()
    speller.needs |= {("base64", ""), ("io", ""), ("pickle", "")} | own
    return Constructor("the pickled module without its weights", [], "[]",
                       _REVIVE.splitlines(), top, speller)


def _emptied(module):
    """A copy whose parameters and persistent buffers hold nothing. Other buffers are small (tables
    of positions), and no state dict has them."""
    memo = {}
    persistent = {id(tensor) for tensor in module.state_dict(keep_vars=True).values()}
    for tensor in [*module.parameters(), *module.buffers()]:
        if id(tensor) not in persistent:
            continue
        empty = tensor.detach().to("meta")
        memo[id(tensor)] = torch.nn.Parameter(empty, requires_grad=False) \
            if isinstance(tensor, torch.nn.Parameter) else empty
    return copy.deepcopy(module, memo)
