"""A candidate for the whole model: the model as its task has it, with winners in place of modules.

A winner takes a task's flat tensors; a module is called with keywords and nested arguments, and
returns objects of its own. So each is placed as a subclass that takes the tensors out of the call
and makes the object again. Names of parameters stay, so that the judge can load the model's state.
"""

import ast
import json
import re


class NotPlaceable(Exception):
    """Why a winner cannot take its module's place."""


def take_text(call, names):
    """Expressions that find the tensors `names` among `args` and `kwargs` of a call that was
    spelled `call`, as a list of texts."""
    found = _places(call)
    missing = [name for name in names if name not in found]
    if missing:
        raise NotPlaceable(f"its argument {missing[0]} is not where a call can be taken apart")
    return [found[name][0] for name in names]


def same_text(call):
    """A condition: what was one tensor in several places is one here too."""
    pairs = [f"{other} is {places[0]}" for places in _places(call).values()
             for other in places[1:]]
    return " and ".join(pairs) or "True"


def _places(call):
    """{name: its places, as texts}."""
    tree = ast.parse(f"f({call})", mode="eval").body
    found = {}
    for place, node in enumerate(tree.args):
        _walk(node, f"args[{place}]", found)
    for keyword in tree.keywords:
        _walk(keyword.value, f'kwargs["{keyword.arg}"]', found)
    return found


def _walk(node, place, found):
    if isinstance(node, ast.Name):
        found.setdefault(node.id, []).append(place)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for i, item in enumerate(node.elts):
            _walk(item, f"{place}[{i}]", found)
    elif isinstance(node, ast.Dict):
        for key, item in zip(node.keys, node.values):
            _walk(item, f"{place}[{ast.unparse(key)}]", found)
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            _walk(keyword.value, f"{place}.{keyword.arg}", found)


def give_text(task):
    """An expression that makes of `out`, which a winner returned, what the module returns."""
    if task["output"] == "out":
        return "out"
    fields = re.fullmatch(r"\{(.*)\}", task["output"])
    plain = fields and all(re.fullmatch(r"'(\w+)': out(\.\1|\['\1'\])", item.strip())
                           for item in fields[1].split(", "))
    if not plain or not task["returns"]:
        raise NotPlaceable("what it returns is nested, and cannot be made again")
    return f"{task['returns'].split(':')[1]}(**out)"


_PLACED = '''

{source_name} = {source!r}


class {name}(_module("{module}", {source_name}).ModelNew):
    def forward(self, *args, **kwargs):
        if not ({same}):
            raise ValueError("this call is not of the form that was captured")
        out = super().forward({taken})
        return {given}
'''

_HEAD = '''

import linecache
import sys
import types


def _module(name, source):
    """A program of its own, with names of its own."""
    module = types.ModuleType(name)
    module.__file__ = name + ".py"
    linecache.cache[module.__file__] = len(source), None, source.splitlines(True), module.__file__
    sys.modules[name] = module
    exec(compile(source, module.__file__, "exec"), module.__dict__)
    return module


def _put(model, path, module):
    parent, _, name = path.rpartition(".")
    setattr(model.get_submodule(parent), name, module)
'''

_MODEL = '''

class ModelNew(Model):
    def __init__(self, *init):
        super().__init__(*init)
{puts}

    def prepare(self):
        for part in list(self.modules()):
            if part is not self and callable(getattr(part, "prepare", None)):
                part.prepare()
'''


def composed(whole_text, placements):
    """The candidate's text. `placements`: [(task of the manifest, paths within the model, the
    winner's source)]."""
    parts, puts = [without_inputs(whole_text), _HEAD], []
    for number, (task, paths, source) in enumerate(placements):
        name = f"Placed{number}"
        parts.append(_PLACED.format(
            name=name, module=f"placed_{number}", source_name=f"SOURCE_{number}",
            source=source, taken=", ".join(take_text(task["call"], task["arguments"])),
            same=same_text(task["call"]), given=give_text(task)))
        puts += [f"        _put(self, {json.dumps(path)}, {name}(*{task['init']}))"
                 for path in paths]
    return "".join(parts) + _MODEL.format(puts="\n".join(puts))


def without_inputs(whole_text):
    """The text of a captured task up to where its inputs are made."""
    return whole_text[:whole_text.index("\ndef get_inputs():")].rstrip() + "\n"
