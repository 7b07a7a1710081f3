"""Which files of the user's a task's code is made of, so that its programs can be shown these and
no others (docs/threat_model.md)."""

import os
import sys

OURS = ("cupel", "__main__")


def imported_files(task_module, left_out=""):
    """Paths of all packages (their directories) and modules (their files) that this process has
    imported; the judge leaves out those of Python's installation. `task_module`: the
    name that the task's own text was given; `left_out`: a directory whose modules are not told."""
    paths = set()
    for name, module in list(sys.modules.items()):
        if "." not in name and name not in OURS and name != task_module:
            paths.update(_places(module))
    return sorted(path for path in paths if not (left_out and _lies_in(path, left_out)))


def _places(module):
    folders = getattr(module, "__path__", None)
    if folders is None:
        folders = [getattr(module, "__file__", None)]
    for place in folders:
        if isinstance(place, str) and os.path.isabs(place) and os.path.exists(place):
            yield place


def _lies_in(path, folder):
    folder = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), folder]) == folder
