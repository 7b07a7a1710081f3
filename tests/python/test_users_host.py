"""A host that looks like a user's process: what a program sees there, and that it computes."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import host_harness
import torch

from cupel import users_host

PACKAGE = os.path.dirname(os.path.abspath(users_host.__file__))
LOOK = """
import os, sys, threading, torch
def look():
    frame, files = sys._getframe(), []
    while frame is not None:
        files.append(os.path.dirname(frame.f_code.co_filename))
        frame = frame.f_back
    ours = sorted(name for name in sys.modules if name.split(".")[0] == "cupel")
    path = [place for place in sys.path if os.path.exists(os.path.join(place, "cupel"))]
    main = sys.modules["__main__"]
    held = [one for one in vars(main).values() if "cupel" in getattr(type(one), "__module__", "")
            or "cupel" in (getattr(one, "__module__", None) or "")]
    began = open("/proc/self/environ").read()
    told = [name for name, value in os.environ.items() if "cupel" in value] + held + [
        "main.py" for _ in range(open(main.__file__).read().count("cupel"))]
    told += [began] if "HOME=" not in began or "PYTHONPATH=" in began else []
    threads = [thread.name for thread in threading.enumerate()]
    return PACKAGE in files, ours, path, told, len(sys.argv), threads, __name__
""".replace("PACKAGE", repr(PACKAGE))
# Puts the socket where a jail has it, and becomes the script.
BECOME = ("import os, sys; os.dup2(int(sys.argv[1]), 3); "
          "os.execv(sys.executable, [sys.executable, sys.argv[2]])")
UNMARKED = (False, [], [], [], 1, ["MainThread"], users_host.module_name(os.getcwd()))
INLINE = ["cupel", "cupel.inline", "cupel.inline_signature"]
X = torch.arange(6.0).view(2, 3)


class UsersHost(host_harness.HostProcess):
    """As HostProcess, started as the script that a jail has in a user's directory."""

    def __init__(self):
        self.inputs, self.outputs, self.weights = (host_harness.Memory() for _ in range(3))
        self.baton = host_harness.Memory(host_harness.BATON_BYTES)
        self._turn, self._answer_build = 0, None
        self.asked, self._ended = [], None
        self._work = tempfile.TemporaryDirectory()
        script = shutil.copy(os.path.join(PACKAGE, "users_main.py"),
                             os.path.join(self._work.name, "main.py"))
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(host_harness.REPLY_SECONDS_MAX)
        environment = {name: value for name, value in os.environ.items() if "CUPEL" not in name}
        environment.update(PYTHONPATH=os.path.dirname(PACKAGE), PYTHONWARNINGS="ignore",
                           BACKEND="cupel.users_host", PWD="/")
        self.process = subprocess.Popen(
            [sys.executable, "-c", BECOME, str(theirs.fileno()), script],
            pass_fds=[theirs.fileno()], env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        theirs.close()
        self.ready = self.receive()


class UsersHostTest(unittest.TestCase):
    def setUp(self):
        self.host = UsersHost()
        self.addCleanup(self.host.process.stderr.close)
        self.addCleanup(self.host.process.wait)
        self.addCleanup(self.host.process.kill)
        self.assertEqual(self.host.ready["re"], "ready")

    def test_a_program_finds_no_mark_wherever_it_looks(self):
        source = LOOK + f"""
def check():
    assert look() == {UNMARKED!r}, look()
check()
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        check()
    def prepare(self):
        check()
    def forward(self, x):
        check()
        return x * 2
"""
        self.assertEqual(self.host.load(source, [X])["re"], "loaded")
        reply = self.host.call(X)
        self.assertEqual(reply["re"], "done", reply)
        self.assertTrue(torch.equal(self.host.outputs.get(0, torch.float32, X.shape), X * 2))

    def test_a_program_that_imports_the_package_finds_what_its_user_has(self):
        for statement in ("from cupel.inline import cpp_kernel",
                          "import importlib; importlib.import_module('cupel.inline')"):
            source = LOOK + f"{statement}\nassert look()[1] == {INLINE!r}, look()[1]\n" + (
                "import cupel\nassert not hasattr(cupel, 'host'), dir(cupel)\n1 / 0")
            host = UsersHost()
            self.addCleanup(host.process.stderr.close)
            self.addCleanup(host.process.wait)
            self.addCleanup(host.process.kill)
            self.assertIn("ZeroDivisionError", host.load(source, [X])["what"])

    def test_texts_that_import_the_package(self):
        for source, imports in (("import cupel.inline as i", True), ("import torch", False),
                                ("try:\n    from cupel import inline\nexcept ImportError: pass",
                                 True),
                                ("import sys; 'cupel' in sys.modules", False),
                                ("__import__('cupel.inline')", True), ("def", False)):
            self.assertEqual(users_host.imports_package(source), imports, source)

    def test_the_judges_own_host_has_such_marks(self):
        source = LOOK + "assert look()[0] and 'cupel.host_program' in sys.modules\n1 / 0"
        host = host_harness.HostProcess()
        self.addCleanup(host.process.stderr.close)
        self.addCleanup(host.process.wait)
        self.addCleanup(host.process.kill)
        self.assertIn("ZeroDivisionError", host.load(source, [X])["what"])

    def test_failures_have_their_phases(self):
        for source, phase in (("raise ValueError('no')", "import"),
                              ("import torch\nclass ModelNew(torch.nn.Module):\n"
                               "    def __init__(self): raise ValueError('no')", "construct"),
                              ("import torch\nclass ModelNew(torch.nn.Module):\n"
                               "    def prepare(self): raise ValueError('no')", "prepare")):
            reply = self.host.load(source, [X])
            self.assertEqual((reply["re"], reply["phase"]), ("failed", phase))
        self.host.load("import torch\nclass ModelNew(torch.nn.Module):\n"
                       "    def forward(self, x): raise ValueError('no')", [X])
        self.assertEqual(self.host.call(X)["phase"], "call")

    def test_it_tells_what_was_left_behind(self):
        self.host.load("import torch\nclass ModelNew(torch.nn.Module):\n"
                       "    def forward(self, x):\n"
                       "        torch.set_default_dtype(torch.float64)\n        return x", [X],
                       holds=True)
        self.host.call(X)
        changed = [change["what"] for change in self.host.ask({"op": "state"})["changes"]]
        self.assertIn("torch.get_default_dtype", changed)


if __name__ == "__main__":
    unittest.main()
