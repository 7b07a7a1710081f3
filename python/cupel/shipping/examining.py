"""Runs a winner once, in the jail of `cupel ship`, and notes what its guards and its operator need:
the form of its call and of its outputs, whether it may read the user's weights where they lie, and
what it had compiled."""

import functools
import importlib
import inspect
import os
import re
import shutil

import torch

from cupel import placement
from cupel.shipping import contracts
from cupel.shipping.refusal import Refused
from cupel.shipping.traffic import check_mode

# Compiled by torch when they are called: an outer torch.compile is better given the original.
_COMPILES = re.compile(r"\btorch\.(?:compile|jit)\b|\bCUDAGraph\b|make_graphed_callables")
# Parts of torch.nn whose outputs hang on the mode, or may.
_MODAL = re.compile(r"Dropout|BatchNorm|InstanceNorm|RReLU|LSTM|GRU|RNN|MultiheadAttention"
                    r"|Transformer|Quant|FractionalMaxPool")
_MODAL_WORDS = re.compile(r"\btraining\b|\bdropout|\brrelu\b|\bbatch_norm\b|\binstance_norm\b")
# What a class has that says nothing of its calls.
_BOOKKEEPING = {"__init__", "__module__", "__doc__", "__qualname__", "__firstlineno__",
                "__static_attributes__", "__annotations__"}


class Call:
    """A call of a user's module. `matched`: its class, by its place among the bases of the task's;
    `values`: its arguments in their order; `result`: what it returns; `places`, `output_places`:
    where the task's tensors are among its, None: they are the same."""

    def __init__(self, matched, values, result, places=None, output_places=None):
        self.matched, self.values, self.result = matched, values, result
        self.places, self.output_places = places, output_places


class HandedOn:
    """A call that the task's forward made of the class that it is derived from."""

    def __init__(self, base, inputs, args, kwargs, result):
        self.base, self._inputs, self._result = base, inputs, result
        self._args, self._kwargs = args, kwargs

    def in_user_order(self, parameters, forms, expected):
        """The Call; None where the task does more than to hand tensors on and back."""
        if parameters.names is None:
            return None
        values = parameters.in_order(self._args, self._kwargs)
        places = _places(self._inputs, forms.tensors_of(values))
        back = _places(forms.tensors_of(self._result), forms.tensors_of(expected))
        if places is None or back is None:
            return None
        return Call(1, values, self._result, places, back)


def _places(tensors, among):
    """For each tensor its place in the other list, which has no more; or None."""
    at = {id(tensor): place for place, tensor in enumerate(among)}
    places = [at.get(id(tensor)) for tensor in tensors]
    return places if None not in places and sorted(places) == list(range(len(among))) else None


def _handed_on(model, inputs):
    """(HandedOn or None, what the model returns)."""
    own, base = type(model), type(model).__mro__[1]
    if base is torch.nn.Module or "forward" not in vars(own) or not all(
            isinstance(value, torch.Tensor) for value in inputs):
        return None, model(*inputs)
    calls, forward, own_one = [], base.forward, "forward" in vars(base)

    @functools.wraps(forward)
    def recorded(self, *args, **kwargs):
        result = forward(self, *args, **kwargs)
        calls.append((args, kwargs, result))
        return result

    base.forward = recorded
    try:
        expected = model(*inputs)
    finally:
        if own_one:
            base.forward = forward
        else:
            del base.forward
    return (HandedOn(base, inputs, *calls[0]) if len(calls) == 1 else None), expected


def _first_that_adds(own):
    """The place of the first class that does more than to construct: a task of a user's class is
    derived from it only to say with which arguments."""
    for place, kind in enumerate(own.__mro__):
        if kind is torch.nn.Module or set(vars(kind)) - _BOOKKEEPING:
            return place if kind is not torch.nn.Module else 0
    return 0


class Examiner:
    """`package`: the package as a module; `folder`: where it lies; `manifest`: to be completed."""

    def __init__(self, package, folder, manifest):
        self._name, self._folder, self._manifest = package.__name__, folder, manifest
        self.notes = []  # sentences for who ships
        self._watch_builds()

    def _part(self, name):
        return importlib.import_module(f"{self._name}.{name}")

    def entry(self, run, index):
        """One row of the dispatch table."""
        device = run["options"]["device"]
        original = self._manifest["originals"][run["original"]]
        winner = self._manifest["winners"][run["winner_key"]]
        model, inputs = self._measured(run, original, device)
        call = self._call_of(model, inputs)
        self._describe_original(run, original, model, call)
        got, alignment = self._outputs(run, winner, model, inputs, device)
        machine, ratio = run["machine"], run["verdict"]["ratios"][0]
        here, forms = self._part("here"), self._part("forms")
        compiles = bool(_COMPILES.search(run["winner"]["source"]))
        training = model.training if _mode_matters(model, run["task"]["source"]) else None
        self.notes += filter(None, [check_mode(run["task"], training)])
        return {
            "id": f"entry{index}", "task": run["task"]["name"], "original": run["original"],
            "winner": run["winner_key"], "label": run["winner"]["label"],
            "weights_file": run["task"].get("weights", ""),
            "device": "cuda" if placement.is_gpu(device) else "cpu",
            "machines": [{"device": machine["device"] or here.device_name("cpu"),
                          "torch": machine["torch"] or here.torch_version()}],
            "arity": len(inputs), "shown": run["shown_inputs"],
            **self._told_call(run, call),
            "outputs": [{"shape": list(leaf.shape), "strides": list(leaf.stride()),
                         "dtype": str(leaf.dtype)[6:]} for leaf in forms.tensors_of(got)],
            "recast": _skeleton(forms, got) != _skeleton(forms, call.result),
            "operator": not compiles and bool(forms.tensors_of(call.values) or original["weights"]),
            "training": training, "alignment": alignment,
            "refuses": contracts.refusals(run["verdict"]),
            "evaluates": _evaluates(run),
            "policy": run["options"]["policy"],
            "metric": run["options"].get("metric", "latency"), "threads": run["options"]["threads"],
            "error_max": run["tolerance"]["error_max"],
            "mismatched_max": run["tolerance"]["mismatched_max"],
            "ratio": ratio["ratio"], "low": ratio["low"], "high": ratio["high"]}

    def _told_call(self, run, call):
        """What the manifest has of it."""
        forms = self._part("forms")
        try:
            form = ("list", tuple([forms.form_of(value) for value in call.values]))
            output_form = forms.form_of(call.result)
        except forms.NoForm as problem:
            raise Refused(f"the call cannot be described: {problem}", run["task"]["name"],
                          "wrap the module in one that takes and returns tensors") from None
        return {"form": forms.to_json(form), "output_form": forms.to_json(output_form),
                "places": call.places, "output_places": call.output_places}

    def _call_of(self, model, inputs):
        """The Call that a user's model makes of the measured class."""
        own = type(model)
        with torch.no_grad():
            inner, expected = _handed_on(model, _copied(inputs))
        parameters, forms = self._part("attachment").Parameters, self._part("forms")
        if inner is not None:
            found = inner.in_user_order(parameters(inner.base.forward), forms, expected)
            if found is not None:
                return found
        values = parameters(own.forward).in_order(inputs, {})
        return Call(_first_that_adds(own), values, expected)

    def _measured(self, run, original, device):
        """(the task's module, inputs of one call), as the judge makes them."""
        sources = self._part("sources")
        try:
            module = sources.original_module(original)
            torch.manual_seed(run["seed"])
            with torch.device(device):
                model = sources.constructed(module.Model, sources.init_of(original)).to(device)
            if _evaluates(run):
                model.eval()
            inputs = placement.moved(placement.make_on(device, module.get_inputs), device)
        except Exception as problem:  # the task's own code may raise anything
            raise Refused(f"the task does not run here: {type(problem).__name__}: {problem}",
                          run["task"]["name"], "ship where the run was made") from problem
        return model, list(inputs)

    def _describe_original(self, run, original, model, call):
        matching = self._part("matching")
        original["weights"] = matching.weight_groups(model)
        original["matched"] = call.matched
        kind = type(model).__mro__[call.matched]
        original["digests"] = matching.digests(kind, model)

    def _outputs(self, run, winner, model, inputs, device):
        """(what the winner returns, how its inputs must be aligned). Notes whether it leaves
        weights alone that it shares."""
        instances = self._part("instances")
        weights = dict(model.named_parameters(remove_duplicate=False))
        weights.update(model.named_buffers(remove_duplicate=False))
        place = torch.device(device) if placement.is_gpu(device) else torch.device("cpu")
        stand_in = type("Entry", (), {"original": run["original"], "winner": run["winner_key"],
                                      "told": {"evaluates": _evaluates(run)}})
        instances.ORIGINALS.update(self._manifest["originals"])
        instances.WINNERS.update(self._manifest["winners"])
        winner["shares_weights"] = True
        shared = {name: weight.detach().clone() for name, weight in weights.items()}
        before = [weight._version for weight in shared.values()]
        try:
            instance = instances.build(stand_in, shared, place)
            missing = set(instance.state_dict()) - set(weights)
            with torch.no_grad():
                got = instance(*_copied(inputs))
                alignment = contracts.alignment_of(instance, inputs)
        except instances.Misfit as problem:
            raise Refused(f"{problem}: the weights of a model of yours cannot be loaded into it",
                          run["task"]["name"], "ask for a program that keeps the original's names "
                          "of weights") from None
        if missing:
            raise Refused(f"the winner keeps weights of its own, {sorted(missing)[0]}, that the "
                          "original's state does not fill", run["task"]["name"],
                          "ask for a program that derives them in prepare()")
        untouched = before == [weight._version for weight in shared.values()] and all(
            torch.equal(shared[name], weight) for name, weight in weights.items())
        winner["shares_weights"] = untouched
        return got, alignment

    def _watch_builds(self):
        """Puts what the winners have compiled into the package, source beside it."""
        inline, nvrtc, cuda = (self._part(f"carried.{name}")
                               for name in ("inline", "inline_nvrtc", "inline_cuda"))
        name_of, folder = self._part("kernels").name_of_library, self._folder / "kernels"
        build, build_cuda, stored = inline._build, cuda.build, nvrtc.stored

        def library(name, source, flags):
            path = build(name, source, flags)
            target = folder / name_of(inline, source, flags)
            shutil.copyfile(path, target)
            target.with_suffix(".cpp").write_text(source, encoding="utf-8")
            return path

        def cubin(path, make):
            found = stored(path, make)
            (folder / os.path.basename(path)).write_bytes(found)
            (folder / os.path.basename(path)).with_suffix(".cu").write_text(sources[-1],
                                                                            encoding="utf-8")
            return found

        sources = []

        def build_and_note(source, *rest):
            sources.append(source)
            return build_cuda(source, *rest)

        inline.set_builder(library)
        cuda.build, nvrtc.stored = build_and_note, cubin


def _evaluates(run):
    """Whether the task's mode is inference: then eval() is called on all that is constructed."""
    return run["task"]["settings"].get("mode") == "inference"


def _copied(inputs):
    return [value.clone() if isinstance(value, torch.Tensor) else value for value in inputs]


def _skeleton(forms, value):
    """Its structure, whatever its tensors are."""
    return forms.to_json(_bare(forms.form_of(value)))


def _bare(form):
    if form[0] == "tensor":
        return ("str", "tensor")
    if form[0] in ("list", "tuple"):
        return (form[0], tuple([_bare(inner) for inner in form[1]]))
    if form[0] in ("dict", "object"):
        return (*form[:-1], tuple([(key, _bare(inner)) for key, inner in form[-1]]))
    return form


def _mode_matters(model, source):
    """Whether train() and eval() may change what the module computes."""
    if _MODAL_WORDS.search(source):
        return True
    for part in model.modules():
        kind = type(part)
        if kind.__module__.split(".")[0] == "torch":
            if _MODAL.search(kind.__name__):
                return True
            continue
        try:
            if _MODAL_WORDS.search(inspect.getsource(kind)):
                return True
        except (OSError, TypeError):
            return True
    return False
