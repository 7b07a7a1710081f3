"""What a candidate would have compiled when it is imported: `python -m cupel.wanted_builds`, with
{"source", "architectures"} as JSON on standard input and a list of build requests
(docs/protocol.md) as JSON on standard output. Nothing is compiled and no device is needed: the
doors of `cupel.inline` and of `load_inline` note what they are asked for and hand out stand-ins.

Importing torch takes longer than compiling a small kernel, so that is tried without it at first:
torch and Triton are stand-ins too, which give themselves whatever is done with them. A candidate
that wants a number or a text of them is imported once more, beside the real ones.

Runs in a build jail: the candidate's code is untrusted, and so is what this says of it.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
import types

from cupel import inline, light_extension

STAND_INS = ("torch", "triton")
EXTENSION_PARAMETERS = ("name", "cpp_sources", "cuda_sources", "functions")


class StandIn:
    """Something whose attributes, calls, items and subclasses are stand-ins. As a decorator it
    leaves its function alone. It is no number, no text and no sequence: who needs one is told."""

    def __init__(self, *_arguments, **_keywords):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()

    def __call__(self, *arguments, **_keywords):
        alone = len(arguments) == 1 and isinstance(arguments[0], types.FunctionType)
        return arguments[0] if alone else StandIn()

    def __getitem__(self, _key):
        return StandIn()

    __iter__ = None  # else its items would be counted through, without an end

    def __enter__(self):
        return self

    def __exit__(self, *_problem):
        return False

    def __str__(self):
        raise TypeError("a stand-in has no text")

    __repr__ = __format__ = __str__


def _calculated(*_others):
    return StandIn()


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or",
              "xor", "lshift", "rshift"):
    setattr(StandIn, f"__{_name}__", _calculated)
    setattr(StandIn, f"__r{_name}__", _calculated)
for _name in ("neg", "pos", "invert"):
    setattr(StandIn, f"__{_name}__", _calculated)


class StandInModule(types.ModuleType):
    """A package of which every name is there."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below STAND_INS."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in STAND_INS:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandInModule(spec.name)

    def exec_module(self, module):
        pass


class Doors:
    """Notes what is asked for."""

    def __init__(self, architectures):
        self.requests = []
        self._architectures = architectures

    def install(self):
        inline._library = self._cpp_library
        inline.cuda_kernel = StandIn()  # compiled on the device, in hundredths of a second
        light_extension.architectures = lambda: self._architectures

    def _cpp_library(self, source, name, flags):
        self.requests.append({"kind": "cpp", "name": name, "source": source, "flags": list(flags)})
        return StandIn()

    def load_inline(self, *arguments, **keywords):
        """For torch.utils.cpp_extension.load_inline, whose first parameters have always been
        these."""
        asked = {**dict(zip(EXTENSION_PARAMETERS, arguments)), **keywords}
        request = None if asked.get("use_pch") else light_extension.request_of(asked)
        if request:
            self.requests.append({"kind": "extension", "name": str(asked["name"]),
                                  "source": request, "flags": []})
        return StandIn()


def wanted_without_torch(source, architectures):
    """The requests, or None where the import needs more than stand-ins."""
    doors = Doors(architectures)
    doors.install()
    finder = StandInFinder()
    sys.meta_path.insert(0, finder)
    try:
        _open_extensions(doors)
        _execute(source)
        return doors.requests
    except Exception:  # whatever the candidate raises when torch is not what it seems
        return None
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in STAND_INS]:
            del sys.modules[name]


def wanted_with_torch(source, architectures):
    """The requests up to the end of the import, or to where it fails."""
    doors = Doors(architectures)
    doors.install()
    try:
        _open_extensions(doors)
        _execute(source)
    except Exception:  # the judge will say what is wrong with it
        pass
    return doors.requests


def _open_extensions(doors):
    importlib.import_module("torch.utils.cpp_extension").load_inline = doors.load_inline


def _compiles(source):
    try:
        compile(source, "candidate.py", "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _execute(source):
    module = types.ModuleType("candidate")
    module.__file__ = "candidate.py"
    sys.modules["candidate"] = module
    exec(compile(source, "candidate.py", "exec", dont_inherit=True), module.__dict__)


def main():
    asked = json.load(sys.stdin)
    answer = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # the candidate has no say in the answer
    os.dup2(silence, 2)
    requests = []
    if _compiles(asked["source"]):
        requests = wanted_without_torch(asked["source"], asked["architectures"])
    if requests is None:
        requests = wanted_with_torch(asked["source"], asked["architectures"])
    with os.fdopen(answer, "w", encoding="utf-8") as file:
        json.dump(requests, file)
    os._exit(0)  # threads and exit handlers of the candidate have no say


if __name__ == "__main__":
    main()
