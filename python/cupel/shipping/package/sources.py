"""Loads the sources that this package carries, as they were judged: the task's and the winners'.

Their text is not changed. Where one imports `cupel`, which need not be installed, it gets the copy
of what it needs from this package's `carried` folder.
"""

import functools
import importlib.machinery
import importlib.util
import os
import pickle
import sys

from .manifest import HERE, WINNERS
from .renaming import renamed_imports

CARRIED = f"{__package__}.carried"


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        """Never from bytecode: who installed this package compiled the text as it is."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def source_to_code(self, data, path, **options):
        text = importlib.util.decode_source(data)
        return super().source_to_code(renamed_imports(text, CARRIED), path, **options)


@functools.lru_cache(maxsize=None)
def module_at(file):
    """The module of a source file of this package, imported once."""
    name = f"{__package__}.{os.path.splitext(file)[0].replace('/', '.')}"
    path = os.path.join(HERE, file)
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def original_module(original):
    return module_at(original["file"])


def original_class(original):
    """The task's own, which constructs what was measured."""
    return original_module(original).Model


def matched_class(original):
    """The class of the modules in a user's model: the task's own, or one that it is derived from
    only to construct it, or to call it with tensors alone."""
    return original_class(original).__mro__[original["matched"]]


def winner_class(winner):
    return module_at(WINNERS[winner]["file"]).ModelNew


def init_of(original):
    """The constructor's arguments of the measured modules, new ones each time."""
    make = getattr(original_module(original), "get_init_inputs", list)
    return pickle.loads(pickle.dumps(make()))


def constructed(kind, init):
    return kind(**init) if isinstance(init, dict) else kind(*init)
