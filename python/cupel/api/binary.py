"""Where the `cupel` binary is, and what it is told of this Python."""

import importlib.util
import os
import shutil
import sys

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of a wheel, a bundle, a checkout.
_PLACES = (("home", "bin", "cupel"), ("..", "..", "bin", "cupel"), ("..", "..", "build", "cupel"))


class NoBinary(Exception):
    """There is none; the words say what to do."""


def find():
    """$CUPEL_BINARY, else the one that came with this package, else `cupel` on PATH."""
    if os.environ.get("CUPEL_BINARY"):
        return os.environ["CUPEL_BINARY"]
    for place in _PLACES:
        path = os.path.normpath(os.path.join(_HERE, *place))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    on_path = shutil.which("cupel")
    if on_path and _is_program(on_path):
        return on_path
    raise NoBinary("there is no cupel binary: pip install Cupel, build it (make build), or set "
                   "CUPEL_BINARY")


def _is_program(path):
    """Not the script that would come back to here."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def environment():
    """The binary's environment: programs run in this Python where it has torch, unless
    $CUPEL_PYTHON names another one."""
    variables = dict(os.environ)
    if not variables.get("CUPEL_PYTHON") and importlib.util.find_spec("torch") is not None:
        variables["CUPEL_PYTHON"] = sys.executable
    return variables
