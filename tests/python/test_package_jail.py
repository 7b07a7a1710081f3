"""What programs of a package:Class task can read: of the user's files the package, and no other.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import torch
from built import BINARY, ROOT

RIGHT = ("faster", "same", "slower", "ambiguous")

# Looks wherever it may for files that bear a word in their name or text, and raises an error if
# there is one. It does not hold the words itself, since it may come upon its own text.
WALK = '''
import os
import sys

PLAIN = ("/proc", "/sys", "/dev", "/usr", "/etc")   # no user's files


def places():
    here = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else "/"
    found = [*sys.path, os.getcwd(), os.path.expanduser("~"), "/", here]
    for path in list(found):
        for name in os.listdir(path) if os.path.isdir(path) else ():
            if name.endswith(".pth"):   # editable installs are named there
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    found += [line.strip() for line in file if line.startswith("/")]
    while here != "/":
        here = os.path.dirname(here)
        found.append(here)
    return found


def files():
    for place in places():
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if os.path.join(folder, name) not in PLAIN]
            yield from (os.path.join(folder, name) for name in names + folders)


def bears(path, words):
    if any(word in os.path.basename(path) for word in words):
        return True
    if "site-packages" in path or not os.path.isfile(path) or os.path.getsize(path) > 1 << 20:
        return False
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return False
    return any(word.encode() in text for word in words)


def walk(words):
    words = ["".join(parts) for parts in words]
    listed = [os.path.join(path, name) for path, finder in sys.path_importer_cache.items()
              for name in getattr(finder, "_path_cache", ())]
    for path in [*files(), *listed]:
        if bears(path, words):
            raise RuntimeError(f"found {path}")
'''
WORD, PACKAGES_WORD = ("hid", "den_of_the_user"), ("hid", "den_in_the_package")
CANDIDATE = f'''{WALK}
import torch
import netpkg.model

walk({[WORD, PACKAGES_WORD]!r})
if not any(path.endswith("netpkg/data.txt") for path in files()):
    raise RuntimeError("the package is not there")


class ModelNew(netpkg.model.Net):
    def forward(self, x):
        for _ in range(50):   # clearly slower, and so judged in few rounds, each of which walks
            y = self.layer(x)
        return y
'''
MODEL = f'''{WALK}
import torch

walk({[WORD]!r})


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(256, 256)

    def forward(self, x):
        return (self.layer(x) + self.layer(x) + self.layer(x)) / 3
'''


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class PackageJail(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.root = pathlib.Path(directory.name).resolve()
        secret, packages = "".join(WORD), "".join(PACKAGES_WORD)
        for path, text in (
                ("project/netpkg/__init__.py", ""), ("project/netpkg/model.py", MODEL),
                ("project/netpkg/data.txt", "seen"), ("project/netpkg/.env", packages),
                ("project/netpkg/runs/gelu-1/winner.py", secret), ("project/.env", secret),
                ("project/runs/gelu-2/winner.py", secret),
                ("project/runs/suite/cupel/gelu/0/winner.py", secret),
                ("project/candidate.py", CANDIDATE), ("project/.venv/.env", secret),
                ("other/src/editable_package/__init__.py", f"# {secret}\n"),
                ("other/src/.env", secret), (f"other/src/{secret}.txt", "")):
            cls.write(path, text)
        for winner in cls.root.glob("**/runs/**/winner.py"):   # what marks a run
            with sqlite3.connect(winner.with_name("journal.sqlite")) as journal:
                journal.execute("CREATE TABLE events (body TEXT)")
                journal.execute("INSERT INTO events VALUES (?)", (secret,))
            journal.close()
        cls.python = cls.environment_with_an_editable_install()

    @classmethod
    def write(cls, path, text):
        at = cls.root / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text, encoding="utf-8")

    @classmethod
    def environment_with_an_editable_install(cls):
        """A project's own: torch is lent to it, and the other package is on its path."""
        folder = cls.root / "project/.venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        python = folder / "bin/python"
        packages = subprocess.run([python, "-c", "import sysconfig; "
                                   "print(sysconfig.get_path('purelib'))"],
                                  capture_output=True, text=True, check=True).stdout.strip()
        lent = pathlib.Path(torch.__file__).parents[1]
        pathlib.Path(packages, "lent.pth").write_text(f"{lent}\n", encoding="utf-8")
        pathlib.Path(packages, "editable.pth").write_text(f"{cls.root}/other/src\n",
                                                          encoding="utf-8")
        return python

    def test_neither_the_candidate_nor_the_task_finds_what_is_not_the_packages(self):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT), CUPEL_PYTHON=str(self.python),
                           CUPEL_CACHE=str(self.root / "cache"))
        done = subprocess.run(
            [BINARY, "judge", "netpkg.model:Net", "candidate.py", "--inputs", "f32[128,256]",
             "--threads", "1", "--json"], capture_output=True, text=True, check=False,
            cwd=self.root / "project", env=environment, timeout=300)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["kind"], "verdict", answer)
        self.assertIn(answer["verdict"]["outcome"], RIGHT, answer)

    def test_the_walk_finds_them_outside(self):
        for word, where in ((WORD, "project"), (WORD, "other"), (PACKAGES_WORD, "project/netpkg")):
            text = f"{WALK}\ndef places():\n    return [{str(self.root / where)!r}]\n"
            done = subprocess.run([sys.executable, "-c", f"{text}\nwalk([{word!r}])"],
                                  capture_output=True, text=True, check=False)
            self.assertIn("RuntimeError: found ", done.stderr)


if __name__ == "__main__":
    unittest.main()
