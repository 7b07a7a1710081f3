"""A candidate that is the whole model with a shipped package applied to it.

What is judged is then what a user gets: a module of the user's own class, called as the user calls
it, with the package's guards and its dispatch. The package lies in the candidate's text.
"""

import base64
import io
import textwrap
import zipfile

from cupel.whole_model.composing import without_inputs

COLUMNS = 100

_APPLIED = '''

import base64
import importlib
import io
import sys
import tempfile
import zipfile

_cupel_package = """
{files}
"""


def _cupel_imported():
    folder = tempfile.mkdtemp()
    zipfile.ZipFile(io.BytesIO(base64.b64decode(_cupel_package))).extractall(folder)
    sys.path.insert(0, folder)
    return importlib.import_module("{name}")


class _Handing(Model.__base__):
    """Hands the task's call to the module that the package is applied to."""

    def forward(self, *args, **kwargs):
        return self.users[0](*args, **kwargs)


class ModelNew(Model):
    users_class = Model.__base__

    def prepare(self):
        """The user's module has the same parts and weights; in a list it is no part itself."""
        users = object.__new__(self.users_class)
        users.__dict__.update(self.__dict__)
        done = _cupel_imported().apply(users, quiet=True)
        if not done:
            raise RuntimeError(f"nothing was replaced: {{done}}")
        self.users = [users]


Model.__bases__ = (_Handing,)
'''


def applied(whole_text, name, package):
    """The candidate's text. `whole_text`: of the task; `package`: the directory that holds it."""
    files = "\n".join(textwrap.wrap(_zipped(package / name), COLUMNS))
    return without_inputs(whole_text) + _APPLIED.format(name=name, files=files)


def _zipped(folder):
    """The folder as base64 of a zip; equal folders give equal texts."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                file.writestr(zipfile.ZipInfo(str(path.relative_to(folder.parent))),
                              path.read_bytes(), zipfile.ZIP_DEFLATED)
    return base64.b64encode(kept.getvalue()).decode()
