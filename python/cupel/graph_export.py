"""The task's program as a graph of operators: one JSON value, for src/rewrite.

torch.export traces the program on fake tensors, with the shapes of one call. Composite operators
(linear, conv2d, batch_norm) stay whole. The graph that leaves here computes values only: what a
program writes into its own intermediate tensors has become new tensors, and what it writes into its
buffers stays, in its order, as an effect. A program that cannot be told this way is refused with a
reason; nobody guesses.

docs/rewriting.md describes the value.
"""

import contextlib
import itertools
import operator
import re
import warnings

import torch

from cupel.facts import settings_of, spec_of
from cupel.failures import TaskFailure
from cupel.graph_values import Refused, literal_tensor, numbered, plain
from cupel.inputs import derived_seed
from cupel.loading import seed_everything

GRAPH_VERSION = 1
NODES_MAX = 4000            # the reply must fit a frame; an unrolled loop of more is no algebra
_INDEXABLE = re.compile(r"^\d+$")
# Operators which write into their arguments though their schemas do not say so: (the flag that
# makes them, the argument that they write to).
_SECRET_WRITERS = {"aten.batch_norm": ("training", "running_mean"),
                   "aten.instance_norm": ("use_input_stats", "running_mean")}
# Second names of operators, and the first.
_ALIASES = {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div",
            "negative": "neg", "absolute": "abs", "concat": "cat", "concatenate": "cat",
            "special_expit": "sigmoid", "moveaxis": "movedim"}
_CONVERSIONS = ("aten.to.dtype_layout", "aten._to_copy.")  # to what they are given, None: as it is
# They may hand back their argument itself, and their schemas do not say so.
_SECRET_VIEWS = {"aten.dropout", "aten.feature_dropout", "aten.alpha_dropout",
                 "aten.feature_alpha_dropout"}


def export(program, seed):
    """{"graph": ..} of a loading.Program, or {"refused": why}. `seed`: 64 bits; the graph does not
    depend on it, which is tested by exporting under two."""
    try:
        graph = _export_once(program, derived_seed(seed, "graph", 0))
        if graph != _export_once(program, derived_seed(seed, "graph", 1)):
            raise Refused("its constructor draws numbers that are no parameters")
        return {"graph": graph}
    except Refused as problem:
        return {"refused": str(problem)}
    except TaskFailure:
        raise  # the task's own code, which the referee tells about
    except Exception as problem:  # what torch.export left in a shape that nobody foresaw
        return {"refused": f"{type(problem).__name__}: {problem}"}


def _export_once(program, seed):
    model = program.construct(seed)
    if model._forward_hooks or model._forward_pre_hooks:
        raise Refused("the model itself has forward hooks")
    if hasattr(model, "prepare"):
        raise Refused("it has a prepare() of its own, as a rewritten program has")
    seed_everything(seed)
    arguments = program.make_inputs()
    exported = traced(model, tuple(arguments))
    return graph_of(program, model, arguments, exported)


def graph_of(program, model, arguments, exported):
    """The graph of what traced() gave; `model`: the program's, or a part of it. Raises Refused."""
    return _Writer(program, model, arguments, exported).graph()


def traced(model, arguments):
    """What torch.export makes of a call of this module. Raises Refused."""
    # Before torch 2.7 export() gave another opset than this one.
    early = _torch_version() < (2, 7)
    export_function = torch.export.export_for_training if early else torch.export.export
    before, behind = settings_of(model), []  # export() puts back what the call has changed
    hook = model.register_forward_hook(lambda *_: behind.append(settings_of(model)))
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            exported = export_function(model, arguments, strict=False)
    except Exception as problem:  # whatever the task's code does on fake tensors
        text = str(problem).strip()
        first = text.splitlines()[0] if text else ""
        raise Refused(f"torch.export: {type(problem).__name__}: {first[:200]}") from problem
    finally:
        hook.remove()
    if any(found != before for found in behind):
        raise Refused("a call changes numbers, words or flags that its modules keep")
    return exported


def _torch_version():
    return tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])


class _Writer:
    """One exported program to one JSON value."""

    def __init__(self, program, model, arguments, exported):
        self._program, self._model = program, model
        self._arguments, self._exported = arguments, exported
        self._nodes = []
        self._value_of = {}   # fx node -> name of the node that holds its value now
        self._last_use = {}   # fx node -> index of its last use
        self._order = {}
        self._outside = set()  # storages of inputs, weights and constants
        self._of_inputs = set()  # fx nodes that hang on one
        # Where its state lies, and the program that is made of it finds that again.
        has_state = any(True for _ in itertools.chain(model.parameters(), model.buffers()))
        self._home = numbered(torch.device(program.device)) if has_state else None

    def graph(self):
        fx_nodes = list(self._exported.graph.nodes)
        if len(fx_nodes) > NODES_MAX:
            raise Refused(f"{len(fx_nodes)} operators; at most {NODES_MAX} are looked at")
        for i, node in enumerate(fx_nodes):
            if not _is_assertion(node):
                self._order[node] = i
            for used in node.all_input_nodes:
                self._last_use[used] = i
        names = self._write_sources(fx_nodes)
        for node in fx_nodes:
            if node.op == "call_function":
                if not self._of_inputs.isdisjoint(node.all_input_nodes):
                    self._of_inputs.add(node)
                if not _is_assertion(node):
                    self._write_call(node)
            elif node.op not in ("placeholder", "output"):
                raise Refused(f"torch.export left a {node.op} in the graph")
        return {"version": GRAPH_VERSION, "init": self._init_text(), "parameters": names,
                "is_training": self._model.training, "nodes": self._nodes,
                "result": self._result(fx_nodes[-1])}

    # --- inputs, weights, constants

    def _write_sources(self, fx_nodes):
        """Placeholders; the names of forward's parameters."""
        specs = {spec.arg.name: spec for spec in self._exported.graph_signature.input_specs
                 if hasattr(spec.arg, "name")}
        names = _parameter_names(self._model, len(self._arguments))
        paths = iter(_leaf_paths(names, self._arguments))
        for node in fx_nodes:
            if node.op != "placeholder":
                continue
            spec = specs.get(node.name)
            kind = spec.kind.name if spec is not None else ""
            if kind == "USER_INPUT":
                self._of_inputs.add(node)
                self._write_source(node, "input", next(paths), self._meta(node))
            elif kind in ("PARAMETER", "BUFFER"):
                source = accessor(self._model, spec.target)
                self._write_source(node, "weight", source, self._meta(node), spec.target)
            elif kind == "CONSTANT_TENSOR":
                self._write_constant(node, spec.target)
            else:
                raise Refused(f"an argument of kind {kind or 'unknown'}, which is no tensor")
        return names

    def _write_source(self, node, op, source, value, state_name=""):
        self._outside.add(_storage(value))
        self._value_of[node] = node.name
        self._nodes.append({"name": node.name, "op": op, "source": source, "state": state_name,
                            "outputs": [_spec(value)]})

    def _write_constant(self, node, target):
        value = self._exported.constants[target]
        try:
            found = _resolve(self._model, target)
        except (AttributeError, KeyError, IndexError, TypeError):
            found = None
        if isinstance(found, torch.Tensor) and found.shape == value.shape:
            self._write_source(node, "weight", accessor(self._model, target), self._meta(node))
        else:
            where = self._encoded(value.device)["device"]
            self._write_source(node, "constant", literal_tensor(value, where), self._meta(node))

    def _init_text(self):
        """The constructor's arguments as Python, which the program compares itself with."""
        import ast
        import base64
        import pickle
        init = pickle.loads(base64.b64decode(self._program.init_pickle))
        text = repr(list(init))
        try:
            same = ast.literal_eval(text) == list(init)
        except (ValueError, SyntaxError, RuntimeError, TypeError):
            same = False
        if same is not True:
            raise Refused("its constructor's arguments are no plain values")
        return text

    # --- operators

    def _write_call(self, node):
        if node.target is operator.getitem:
            return self._write_getitem(node)
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            raise Refused(f"{node.target} is not an operator of torch")
        op, written = _op_name(node.target), _written(node, schema)
        if op == "aten.detach_.default":  # of a constant that forward makes: it stays what it is
            self._value_of[node] = self._encoded(node.args[0])["node"]
            return None
        effect = False
        if written:
            self._check_write(node, written[0], len(written))
            effect = written[0].op == "placeholder"
            if not effect:
                op = _functional_twin(node)
        if op == "aten.linear.default" and self._meta(node.args[1]).dim() != 2:
            raise Refused("a linear layer whose weight is a vector")
        arguments = self._call_arguments(op, node, schema)
        effect = effect or _writes_secretly(op, arguments)
        values = _values(node)
        tags = getattr(node.target, "tags", ())
        self._nodes.append({
            "name": node.name, "op": op, "arguments": arguments,
            "outputs": [_spec(value) for value in values],
            "is_tuple": not isinstance(node.meta.get("val"), torch.Tensor),
            "is_effect": effect,
            "is_random": torch.Tag.nondeterministic_seeded in tags and _draws(op, arguments),
            "is_view": not written and _is_view(node, schema, op)})
        self._value_of[node] = node.name
        if written and not effect:
            self._value_of[written[0]] = node.name
        return None

    def _write_getitem(self, node):
        source, index = node.args
        self._nodes.append({
            "name": node.name, "op": "getitem",
            "arguments": [{"name": "self", "value": self._encoded(source)},
                          {"name": "index", "value": index}],
            "outputs": [_spec(value) for value in _values(node)], "is_view": True})
        self._value_of[node] = node.name

    def _call_arguments(self, op, node, schema):
        """Every argument of the schema by name, with its default where none was given."""
        listed = []
        for i, argument in enumerate(schema.arguments):
            if i < len(node.args):
                value, given = node.args[i], True
            elif argument.name in node.kwargs:
                value, given = node.kwargs[argument.name], True
            else:
                value, given = argument.default_value, False
            if isinstance(value, torch.device) and self._stays(op, node):
                value = argument.default_value
            listed.append({"name": argument.name, "value": self._encoded(value),
                           "is_default": not given,
                           "is_keyword": argument.kwarg_only})
        return listed

    def _stays(self, op, node):
        """Is it a conversion of what lies there by itself? An input may lie elsewhere."""
        return op.startswith(_CONVERSIONS) and node not in self._of_inputs and not any(
            used.meta["val"].device != value.device
            for used in node.all_input_nodes for value in _values(node))

    def _check_write(self, node, target, count):
        """Refuses a write that anything but the target itself would show."""
        if count > 1 or target.op not in ("placeholder", "call_function"):
            raise Refused(f"{_op_name(node.target)} writes into several tensors")
        storage, now = _storage(self._meta(target)), self._order[node]
        if target.op == "placeholder":
            name = next(entry for entry in self._nodes if entry["name"] == target.name)
            if name["op"] != "weight" or not name["state"]:
                raise Refused("it writes into its inputs")
            if node.users:
                raise Refused(f"it reads what {_op_name(node.target)} wrote into a buffer")
            return
        if storage in self._outside:
            raise Refused(f"{_op_name(node.target)} writes into a view of an input or a weight")
        for other, at in self._order.items():
            if other is target or at >= now or other.op == "output":
                continue
            same = any(_storage(value) == storage for value in _values(other))
            if same and self._last_use.get(other, -1) > now and not self._same_value(other, target):
                raise Refused(f"{_op_name(node.target)} writes into a tensor of which there are "
                              "other views")

    def _same_value(self, other, target):
        """Whether both names now mean one and the same value: results of writes in place."""
        return self._value_of.get(other) == self._value_of.get(target)

    def _encoded(self, value):
        if isinstance(value, torch.fx.Node):
            if value not in self._value_of:
                raise Refused(f"it uses {value.name}, which is no tensor")
            return {"node": self._value_of[value]}
        if isinstance(value, (list, tuple)):
            return [self._encoded(item) for item in value]
        if isinstance(value, torch.device):
            return {"device": "" if numbered(value) == self._home else str(value)}
        return plain(value)

    def _meta(self, node):
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            raise Refused(f"{node.name} is no tensor")
        return value

    # --- the result

    def _result(self, output):
        leaves = list(output.args[0])
        kinds = [spec.kind.name for spec in self._exported.graph_signature.output_specs]
        leaves = [leaf for leaf, kind in zip(leaves, kinds) if kind == "USER_OUTPUT"]
        storages = [_storage(leaf.meta["val"]) if isinstance(leaf, torch.fx.Node) else None
                    for leaf in leaves]
        encoded = []
        for leaf, storage in zip(leaves, storages):
            value = self._encoded(leaf)
            fresh = storage not in self._outside and storages.count(storage) == 1
            encoded.append({"kind": "leaf", "value": value, "is_fresh": fresh})
        return _tree(self._exported.call_spec.out_spec, iter(encoded))


def _parameter_names(model, count):
    """forward's own where they are plain; where it takes more, what takes that up, too."""
    import inspect
    all_own = inspect.signature(model.forward).parameters.values()
    own = [parameter.name for parameter in all_own
           if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    names = own[:count] if len(own) >= count else [f"input_{i}" for i in range(count)]
    return names + ["*others", "**named"] * (len(all_own) > count)


def _leaf_paths(names, arguments):
    """Where each tensor of the arguments lies, as Python: x, x1[0], x1["key"]."""
    def walk(path, value):
        if isinstance(value, torch.Tensor):
            yield path
        elif type(value) in (list, tuple):
            for i, item in enumerate(value):
                yield from walk(f"{path}[{i}]", item)
        elif type(value) is dict:
            for key, item in value.items():
                yield from walk(f"{path}[{key!r}]", item)
        else:
            raise Refused("a call takes values that are no tensors")
    for name, value in zip(names, arguments):
        yield from walk(name, value)


def _tree(spec, leaves):
    children = _children(spec)
    kind = getattr(spec, "type", None)
    if kind is None:
        return next(leaves)
    if kind in (list, tuple):
        return {"kind": kind.__name__, "items": [_tree(child, leaves) for child in children]}
    if kind is dict and all(isinstance(key, str) for key in spec.context):
        return {"kind": "dict", "keys": list(spec.context),
                "items": [_tree(child, leaves) for child in children]}
    raise Refused(f"it returns a {getattr(kind, '__name__', kind)}")


def _children(spec):
    children = getattr(spec, "children", None)
    if children is None:  # of older torch
        children = spec.children_specs
    return children() if callable(children) else children


def _resolve(model, target):
    value = model
    for piece in target.split("."):
        value = getattr(value, piece)
    return value


def accessor(model, target):
    """Python that reads the tensor of this state name from `self`: self.layers[0].weight."""
    text, value = "self", model
    for piece in target.split("."):
        inner = getattr(value, piece)
        if _INDEXABLE.match(piece):
            text += f"[{piece}]"
            if not _indexes(value, int(piece), inner):
                raise Refused(f"{target} is not reached by Python's own means")
        elif piece.isidentifier():
            text += f".{piece}"
        else:
            raise Refused(f"{target} is not reached by Python's own means")
        value = inner
    return text


def _indexes(container, index, inner):
    with contextlib.suppress(Exception):
        return container[index] is inner
    return False


def _storage(value):
    return value.untyped_storage()._cdata


def _values(node):
    """The tensors that a node yields; getitem of a tuple picks one."""
    value = node.meta.get("val")
    items = value if isinstance(value, (list, tuple)) else [value]
    for item in items:
        if not isinstance(item, torch.Tensor):
            raise Refused(f"{node.name} computes a number of its values"
                          if node.op == "call_function" else f"{node.name} is no tensor")
        if item.layout != torch.strided:
            raise Refused(f"{node.name} is a {item.layout} tensor")
    return list(items)


def _spec(value):
    if any(not isinstance(size, int) for size in value.shape):
        raise Refused("sizes that depend on values")
    return spec_of(value)


def _is_assertion(node):
    """What torch.export adds to say what it relies on: dtypes, which the graph knows."""
    return "_assert_" in str(node.target) and not node.users


def _op_name(target):
    name = str(target)
    library, _, rest = name.partition(".")
    packet, _, overload = rest.partition(".")
    if library == "aten" and packet in _ALIASES:
        return f"aten.{_ALIASES[packet]}.{overload}"
    return name


def _written(node, schema):
    """The nodes that the operator says it writes into."""
    written = []
    for i, argument in enumerate(schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        value = node.args[i] if i < len(node.args) else node.kwargs.get(argument.name)
        written += value if isinstance(value, (list, tuple)) else [value]
    return [value for value in written if isinstance(value, torch.fx.Node)]


def _writes_secretly(op, arguments):
    flag, state = _SECRET_WRITERS.get(op.rpartition(".")[0], (None, None))
    values = {argument["name"]: argument["value"] for argument in arguments}
    return flag is not None and values.get(flag) is True and values.get(state) is not None


def _is_view(node, schema, op):
    if op.rpartition(".")[0] in _SECRET_VIEWS:
        return True
    return any(result.alias_info is not None for result in schema.returns)


def _draws(op, arguments):
    """Whether an operator that can draw random numbers does: dropout in training, of some."""
    values = {argument["name"]: argument["value"] for argument in arguments}
    share = values.get("dropout_p", values.get("dropout", values.get("p") if "dropout" in op
                                               else None))
    return values.get("train", values.get("training")) is not False and share != 0


def _functional_twin(node):
    """relu_ to relu: the operator which gives the value that the other one writes."""
    packet, overload = str(node.target).rsplit(".", 1)
    name = packet.split(".", 1)[1]
    twin = getattr(getattr(torch.ops.aten, name[:-1], None), overload, None) \
        if packet.startswith("aten.") and name.endswith("_") else None
    if twin is None:
        raise Refused(f"{packet} writes into a tensor, and has no twin that does not")
    # The dtype of what is written into stays; the twin has that which its operands have together.
    given = torch.fx.map_arg((node.args, node.kwargs), lambda used: used.meta["val"])
    made, wanted = twin(*given[0], **given[1]), node.meta["val"]
    if (made.dtype, made.shape) != (wanted.dtype, wanted.shape):
        raise Refused(f"{packet} writes into a tensor of another dtype")
    return str(twin)
