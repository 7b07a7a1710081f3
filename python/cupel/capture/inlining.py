"""The user's own definitions as the text of one file: what a class uses of their modules is copied,
what it uses of installed libraries is imported.

A task must stand alone: the referee sees its directory and no other, a candidate's process not even
that (docs/threat_model.md).
"""

import ast
import os
import site
import symtable
import sys
import sysconfig

from cupel.capture.spelling import Unspellable
from cupel.task_sources import Text, bindings, names_in


class Inliner:
    """Gathers definitions. `lines`: imports; `blocks`: texts in an order in which they can run."""

    def __init__(self):
        self.lines, self.blocks = set(), []
        self._texts = {}    # module -> Text
        self._bound = {}    # name in the file -> what it stands for
        self._begun = set()
        self._later = []    # what functions use when they are called

    def add(self, module, name):
        """Makes `module`'s `name` known in the file under that name, or of "" the module itself.
        Raises Unspellable."""
        if not name:
            return self.lines.add(f"import {module}")
        self._add(module, name, name, deep=False)
        while self._later:
            self._add(*self._later.pop(0), deep=False)

    def _add(self, module, name, wanted, deep):
        """`wanted`: the name it has in the file."""
        if not is_users(module):
            return self._import(module, name, wanted)
        text = self._text(module)
        target = text.imports.get(name)
        if target is not None:
            return self._add_imported(text, name, wanted, target, deep)
        node = text.nodes.get(name)
        if node is None:
            return self._add_unknown(text, name, wanted, deep)
        if (module, name) not in self._begun:
            self._begun.add((module, name))
            self._define(text, node, deep)
        if wanted != name:
            self._bind(wanted, f"{wanted} = {name}")

    def _add_imported(self, text, name, wanted, target, deep):
        module, attribute = target
        inner = f"{module}.{attribute}" if attribute else module
        if inner in sys.modules and is_users(inner):
            return self._namespace(text, wanted, inner, deep)
        if attribute is None:
            plain = name == module.split(".")[0]
            return self.lines.add(self._segment(text, text.nodes[name]).strip() if plain
                                  else f"import {module} as {name}")
        return self._add(module, attribute, wanted, deep)

    def _namespace(self, text, wanted, module, deep):
        """`ops.scale(x)`, where ops is a module of the user's."""
        chains = {chain[1] for chain in names_in(text.tree)[1] if chain[0] == wanted}
        if not chains:
            raise Unspellable(f"the module {module} as a value ({wanted}, in {text.name}); import "
                              "what is used of it by name")
        used = sorted(name for name in chains if name in self._text(module).nodes)
        for name in used:
            self._add(module, name, name, deep=True)
        self.lines.add("import types")
        inner = ", ".join(f"{name}={name}" for name in used)
        self._bind(wanted, f"{wanted} = types.SimpleNamespace({inner})")

    def _add_unknown(self, text, name, wanted, deep):
        """Of `from x import *`, or a builtin."""
        for star in text.stars:
            if is_users(star) and name in vars(sys.modules.get(star, sys)):
                return self._add(star, name, wanted, deep)
            if not is_users(star):
                self.lines.add(f"from {star} import *")
        if name not in vars(sys.modules["builtins"]) and \
                name in vars(sys.modules.get(text.name, sys)):
            if not name.startswith("__"):
                raise Unspellable(f"{text.name}.{name}, whose source cannot be found; define it at "
                                  "the top of the file")

    def _import(self, module, name, wanted):
        told = f"from {module} import {name}" + (f" as {wanted}" if wanted != name else "")
        if self._bound.setdefault(wanted, told) != told:
            raise Unspellable(f"two things called {wanted} in its modules; rename one of them")
        self.lines.add(told)

    def _bind(self, name, block):
        if self._bound.setdefault(name, block) != block:
            raise Unspellable(f"two things called {name} in its modules; rename one of them")
        if block not in self.blocks:
            self.blocks.append(block)

    def _define(self, text, node, deep):
        segment = self._segment(text, node)
        at_once = deep or not isinstance(node, (ast.ClassDef, ast.FunctionDef))
        needed = _names_at_definition(node)
        bound = {name for name, _ in bindings(node, "")}
        for name in _globals_of(segment):
            if name in bound:
                continue
            if at_once or name in needed:
                self._add(text.name, name, name, at_once)
            else:
                self._later.append((text.name, name, name))
        for name in bound or {segment}:
            self._bind(name, segment)

    def _text(self, module):
        if module not in self._texts:
            self._texts[module] = _read(module)
            if any(part.module == "__future__" for part in self._texts[module].tree.body
                   if isinstance(part, ast.ImportFrom)):
                self.lines.add("from __future__ import annotations")
        return self._texts[module]

    @staticmethod
    def _segment(text, node):
        first, last = text.segment(node)
        return "".join(text.lines[first - 1:last]).rstrip()


def is_users(module):
    """Is it a module of the user's own, which is neither installed nor torch's?"""
    if module == "__main__":
        return True
    found = sys.modules.get(module)
    path = getattr(found, "__file__", None)
    if path is None:  # what no import would find again was made by hand
        return found is not None and getattr(found, "__spec__", None) is None
    if module.split(".")[0] in ("torch", "cupel"):
        return False
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"),
                 sysconfig.get_path("stdlib"), *site.getsitepackages()}
    return not any(os.path.realpath(path).startswith(os.path.realpath(library) + os.sep)
                   for library in libraries if library)


def _read(module):
    found = sys.modules[module]
    path = getattr(found, "__file__", None)
    if not path or not os.path.isfile(path):
        raise Unspellable(f"{module}, whose source cannot be found; put it into a file and import "
                          "that")
    try:
        with open(path, encoding="utf-8") as file:
            package = module if hasattr(found, "__path__") else module.rpartition(".")[0]
            if module == "__main__":
                package = found.__package__ or ""
            return Text(module, file.read(), package)
    except (OSError, UnicodeDecodeError, SyntaxError) as problem:
        raise Unspellable(f"{path}, which cannot be read as Python "
                          f"({type(problem).__name__})") from None


def _names_at_definition(node):
    """What is read when a class or function is defined: bases, decorators, defaults, annotations,
    a class's own statements."""
    if isinstance(node, ast.ClassDef):
        parts = [*node.bases, *(key.value for key in node.keywords), *node.decorator_list]
        names = {name for part in node.body for name in _names_at_definition(part)}
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parts = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults),
                 *(arg.annotation for arg in ast.walk(node.args)
                   if isinstance(arg, ast.arg) and arg.annotation)]
        parts += [node.returns] if node.returns else []
        names = set()
    else:
        parts, names = [node], set()
    return names | {name.id for part in parts for name in ast.walk(part)
                    if isinstance(name, ast.Name)}


def _globals_of(segment):
    """Names of the module that a statement reads, in an order that is always the same."""
    found, tables = set(), [symtable.symtable(segment, "<captured>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        top = table.get_type() == "module"
        found |= {symbol.get_name() for symbol in table.get_symbols()
                  if symbol.is_referenced() and (top or symbol.is_global())}
    return sorted(found)
