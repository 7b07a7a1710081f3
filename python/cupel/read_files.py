"""Which files this process opens through Python, so that what was found of a task is known to be
out of date when one of them changes. Trusted processes alone rely on it.
"""

import os
import sys

_KERNEL = ("/proc/", "/sys/", "/dev/")
_seen = set()
_watching = False


def watch():
    """From now on files are noted, until the process ends: Python takes no such hook back."""
    global _watching
    if not _watching:
        _watching = True
        sys.addaudithook(_see)


def read_files():
    """Absolute paths of all that was opened, links followed; the kernel's own left out."""
    paths = {os.path.realpath(path) for path in _seen}
    return sorted(path for path in paths if not path.startswith(_KERNEL))


def _see(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        _seen.add(os.path.abspath(os.fsdecode(arguments[0])))
