"""ProgramFacts: what whoever rewrites a task must see of it, where its own text only imports.

The user's modules are followed from the task's text, and of installed libraries those modules that
it names itself: of each, the definitions that are used, and of a class the methods that something
names. Nothing is run: modules are read as text (`ast`), and the classes of a constructed model's
parts are added, which a registry may have chosen.
"""

import ast
import base64
import bisect
import collections
import functools
import pickle
import re
import site
import sys
import sysconfig

from cupel import protocol
from cupel.loading import TASK_MODULE

SOURCE_BYTES_MAX = 40 << 10  # of all modules together: some 10,000 tokens of a prompt
INIT_CHARS_MAX = 2 << 10
WEIGHT_LINES_MAX = 80
LEFT_OUT_MAX = 12
WELL_KNOWN = {"torch", "cupel", "numpy"}  # nobody needs to be shown their sources
# What torch calls without the user naming it.
CALLED_BY_TORCH = {"__init__", "__new__", "__call__", "forward", "__getattr__", "__post_init__"}


def describe(program, classes, weights):
    """ProgramFacts as a dict. `classes`: of the constructed model's parts; `weights`: its
    weight_lines()."""
    walk = Walk(program.import_root)
    walk.start(program.source, classes)
    sources, left_out = walk.render(SOURCE_BYTES_MAX)
    return {"init": _shown_init(program.init_pickle), "weights": weights, "sources": sources,
            "left_out": left_out[:LEFT_OUT_MAX]}


def _shown_init(init_pickle):
    shown = repr(pickle.loads(base64.b64decode(init_pickle)))
    return shown if len(shown) <= INIT_CHARS_MAX else shown[:INIT_CHARS_MAX] + "..."


def weight_lines(weights):
    """A line for each form of weight; equal ones of numbered layers share theirs."""
    alike = collections.Counter()
    for name, tensor in weights:
        shape = f"{protocol.dtype_name(tensor.dtype)}{list(tensor.shape)}".replace(" ", "")
        alike[(re.sub(r"(?<![A-Za-z_])\d+(?![A-Za-z_])", "*", name), shape, name)] += 1
    groups = collections.defaultdict(list)
    for pattern, shape, name in alike:
        groups[(pattern, shape)].append(name)
    lines = []
    for (pattern, shape), names in groups.items():
        several = len(names) > 1
        lines.append(f"{pattern if several else names[0]}: {shape}"
                     + (f", {len(names)} of them" if several else ""))
    if len(lines) > WEIGHT_LINES_MAX:
        more = len(lines) - WEIGHT_LINES_MAX
        lines = lines[:WEIGHT_LINES_MAX] + [f"and {more} further forms"]
    return lines


class Text:
    """A module as text: its top-level definitions by name."""

    def __init__(self, name, text, package):
        self.name, self.package = name, package
        self.lines = text.splitlines(keepends=True)
        self.tree = ast.parse(text)
        self.nodes = {}    # name -> the top-level statement that binds it last
        self.imports = {}  # name -> (module, attribute or None)
        self.stars = []    # modules of which all names are imported
        for node in self.tree.body:
            self._bind(node, node)

    def _bind(self, node, statement):
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for child in ast.iter_child_nodes(node):
                for inner in getattr(child, "body", None) or [child]:
                    self._bind(inner, statement)
            return
        for name, target in bindings(node, self.package):
            if name == "*":
                self.stars.append(target[0])
                continue
            self.nodes[name] = statement
            if target:
                self.imports[name] = target

    def segment(self, node):
        """Its lines, decorators among them."""
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
        return first, node.end_lineno


def bindings(node, package):
    """[(name, (module, attribute) or None)] that a statement binds at the level it stands."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [(node.name, None)]
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name.split(".")[0],
                 (alias.name if alias.asname else alias.name.split(".")[0], None))
                for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            parts = package.split(".")
            base = parts[:len(parts) - node.level + 1]
            module = ".".join(base + ([module] if module else []))
        return [(alias.asname or alias.name, (module, alias.name)) for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else \
        [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
    return [(name.id, None) for target in targets for name in ast.walk(target)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]


def names_in(node):
    """(names that are read, chains such as ("pkg", "ops", "scale"), attributes by name)."""
    names, chains, attributes = set(), set(), set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.Attribute):
            attributes.add(part.attr)
            chain, base = [part.attr], part.value
            while isinstance(base, ast.Attribute):
                chain.append(base.attr)
                base = base.value
            if isinstance(base, ast.Name):
                chains.add((base.id, *reversed(chain)))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            if part.value.isidentifier():  # getattr(self, "scale"), an annotation in quotes
                attributes.add(part.value)
                names.add(part.value)
    return names, chains, attributes


class Walk:
    """What the task uses of the user's modules, found breadth first."""

    def __init__(self, import_root):
        self._root = import_root
        self._named = set()                   # modules that the task's text imports from
        self._texts = {}                      # module -> Text or None
        self._used = {}                       # (module, name) -> depth, in the order found
        self._attributes = set(CALLED_BY_TORCH)
        self._problems = []
        self._seen = {}                       # (module, name) -> methods followed so far

    def start(self, source, classes):
        task = Text(TASK_MODULE, source, "")
        self._named = {module for module, _ in task.imports.values()
                       if module.split(".")[0] not in sys.stdlib_module_names | WELL_KNOWN}
        self._follow_node(task, task.tree, 0)
        for found in classes:
            for base in found.__mro__:
                if base.__module__ != TASK_MODULE and self._text(base.__module__):
                    self._use(base.__module__, base.__qualname__.split(".")[0], 1)
        while self._methods_grew():
            pass

    def render(self, bytes_max):
        """([{"module", "text"}], sentences on what is missing). Farthest first is what goes where
        all of it is too long."""
        # Farthest last; of equals those found last, since sorting keeps their order.
        keys = sorted(self._used, key=self._used.get)
        kept = bisect.bisect_right(range(1, len(keys) + 1), bytes_max,
                                   key=lambda count: self._size(keys[:count]))
        kept = min(max(1, kept), len(keys))
        parts, dropped = self._parts(keys[:kept])
        left_out = [f"{module}.{name} is left out: all of it is longer than {bytes_max >> 10} KiB"
                    for module, name in reversed(keys[kept:])]
        return parts, self._problems + left_out + dropped

    def _size(self, keys):
        """In bytes, of the text with these definitions; no more with fewer of them."""
        return sum(len(part["text"].encode()) for part in self._parts(keys)[0])

    def _text(self, name):
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name]

    def _read(self, name):
        module = sys.modules.get(name)
        path = getattr(module, "__file__", None)
        if not path or not self._is_users(name, path):
            return None
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            return Text(name, text, module.__package__ or "")
        except (OSError, UnicodeDecodeError, SyntaxError) as problem:
            self._problems.append(f"{name} cannot be read as Python: {type(problem).__name__}")
            return None

    def _is_users(self, name, path):
        if name.split(".")[0] in ("torch", "cupel", "cupel_task_source"):
            return False
        if name in self._named:
            return True
        if self._root and path.startswith(self._root.rstrip("/") + "/"):
            return not _is_installed(path, self._root)
        return False

    def _use(self, module, name, depth):
        text = self._text(module)
        if text is None:
            return
        if name not in text.nodes:
            for star in text.stars:
                self._use(star, name, depth)
            return
        if name in text.imports:
            self._used.setdefault((module, name), depth)
            self._follow_import(text.imports[name], depth)
            return
        if (module, name) in self._used:
            return
        self._used[(module, name)] = depth
        self._follow_definition(text, text.nodes[name], (module, name), depth)

    def _follow_import(self, target, depth):
        module, attribute = target
        if attribute is not None:
            self._use(module, attribute, depth)

    def _follow_definition(self, text, node, key, depth):
        if not isinstance(node, ast.ClassDef):
            return self._follow_node(text, node, depth)
        followed = self._seen.setdefault(key, set())
        for part in [*node.bases, *node.keywords, *node.decorator_list]:
            self._follow_node(text, part, depth)
        for index, part in enumerate(node.body):
            if index in followed or not self._is_wanted(part):
                continue
            followed.add(index)
            self._follow_node(text, part, depth)

    def _is_wanted(self, part):
        """Of a class: all but methods that nothing names."""
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return True
        return part.name in self._attributes or bool(part.decorator_list) and \
            any("property" in ast.dump(d) or "setter" in ast.dump(d) for d in part.decorator_list)

    def _follow_node(self, text, node, depth):
        names, chains, attributes = names_in(node)
        self._attributes |= attributes
        for name in sorted(names):
            if name in text.imports:
                if text.name != TASK_MODULE:
                    self._used.setdefault((text.name, name), depth + 1)
                self._follow_import(text.imports[name], depth + 1)
            elif name in text.nodes and text.name != TASK_MODULE:
                self._use(text.name, name, depth + 1)
        for chain in sorted(chains):
            self._follow_chain(text, chain, depth + 1)

    def _follow_chain(self, text, chain, depth):
        """`ops.scale`, where `ops` is a module of the user's."""
        if chain[0] not in text.imports:
            return
        module, attribute = text.imports[chain[0]]
        module = f"{module}.{attribute}" if attribute else module
        for name in chain[1:]:
            inner = f"{module}.{name}"
            if inner in sys.modules and self._text(inner):
                module = inner
                continue
            self._use(module, name, depth)
            return

    def _methods_grew(self):
        """Follows the methods of known classes that something has named since."""
        before = len(self._attributes), sum(map(len, self._seen.values())), len(self._used)
        for (module, name), depth in list(self._used.items()):
            text = self._text(module)
            node = text.nodes.get(name)
            if isinstance(node, ast.ClassDef):
                self._follow_definition(text, node, (module, name), depth)
        return before != (len(self._attributes), sum(map(len, self._seen.values())),
                          len(self._used))

    def _parts(self, keys):
        names, nearest = collections.defaultdict(set), {}
        for module, name in keys:
            names[module].add(name)
            if name not in self._text(module).imports:
                depth = self._used[(module, name)]
                nearest[module] = min(depth, nearest.get(module, depth))
        parts, dropped = [], []
        for module in sorted(nearest, key=lambda name: -nearest[name]):  # no mere re-exports
            text, missing = self._part(self._text(module), names[module])
            dropped += missing
            parts.append({"module": module, "text": text})
        return parts, dropped

    def _part(self, text, names):
        """The lines of a module's used statements, and what of its classes is left out."""
        kept, dropped = set(), []
        for name in names:
            node = text.nodes[name]
            first, last = text.segment(node)
            lines = set(range(first, last + 1))
            if isinstance(node, ast.ClassDef):
                unused = [part for part in node.body if not self._is_wanted(part)]
                for part in unused:
                    start, end = text.segment(part)
                    lines -= set(range(start, end + 1))
                if unused:
                    dropped.append(f"{text.name}.{name}: nothing calls "
                                   + ", ".join(part.name for part in unused[:6])
                                   + (", ..." if len(unused) > 6 else ""))
            kept |= lines
        return _joined(text.lines, kept), dropped


def _joined(lines, kept):
    """The kept lines; a blank one where something between is left out."""
    out, previous = [], None
    for number in sorted(kept):
        if previous is not None and number != previous + 1 and out[-1].strip():
            out.append("\n")
        out.append(lines[number - 1])
        previous = number
    return "".join(out).strip("\n") + "\n"


def _is_installed(path, root):
    """Libraries that lie below the import root, in a virtual environment say, are not the
    user's."""
    return any(path.startswith(library + "/") and not root.startswith(library)
               for library in _libraries())


@functools.cache
def _libraries():
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"),
             sysconfig.get_path("stdlib"), *site.getsitepackages()}
    return [path for path in paths if path]
