"""The wheel, installed into a fresh virtual environment, works where no checkout is.

It is made of the build directory that holds CUPEL_BINARY (build/cupel). torch comes from the Python
that runs this test, through a .pth file: it is large.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile

from built import BINARY, ROOT


@unittest.skipUnless((BINARY.parent / "cmake_install.cmake").exists(), f"{BINARY} is no build's")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        # What a user has: nothing of a checkout's.
        cls.variables = {name: value for name, value in os.environ.items()
                         if not name.startswith(("CUPEL_", "PYTHON"))}
        cls.variables["CUPEL_CACHE"] = str(cls.at / "cache")
        cls.bin = cls.at / "venv/bin"
        cls.run_tool(sys.executable, "-m", "venv", cls.at / "venv")
        cls.lend_packages()
        # Its dependencies are lent: pip must not look for them.
        cls.run_tool(cls.bin / "python", "-m", "pip", "install", "--no-index", "--no-deps",
                     "--quiet", "--disable-pip-version-check", ROOT,
                     CUPEL_BUILT=str(BINARY.parent))

    @classmethod
    def run_tool(cls, *command, **variables):
        done = subprocess.run(command, cwd=cls.at, env={**cls.variables, **variables}, text=True,
                              capture_output=True, timeout=500, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def lend_packages(cls):
        """Makes this Python's packages those of the new environment too."""
        import torch
        site_packages = pathlib.Path(torch.__file__).parents[1]
        own = cls.run_tool(cls.bin / "python", "-c",
                           "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        pathlib.Path(own, "lent.pth").write_text(f"{site_packages}\n", encoding="utf-8")

    def test_the_command_is_the_binary(self):
        said = self.run_tool(self.bin / "cupel", "version")
        self.assertEqual(said, self.run_tool(self.bin / "python", "-m", "cupel", "version"))
        self.assertEqual(said, self.run_tool(BINARY, "version"))

    def test_the_doctor_finds_all_of_it_here(self):
        said = json.loads(self.run_tool(self.bin / "python", "-m", "cupel", "doctor", "--json"))
        self.assertTrue(said["ready"], said)
        found = {probe["name"]: probe["found"] for probe in said["probes"]}
        self.assertTrue(found["home"].startswith(str(self.at)), found)
        self.assertTrue(found["probe"].startswith(str(self.at)), found)
        self.assertIn(str(self.bin / "python"), found["python"])

    def test_importing_and_judging_a_shipped_task(self):
        script = textwrap.dedent("""\
            import json, os, sys
            import cupel
            home = os.path.join(os.path.dirname(cupel.__file__), "home")
            winner = os.path.join(home, "tasks/winners/mish_gate.py")
            verdict = cupel.judge("mish_gate", winner, threads=1)
            print(json.dumps([cupel.__file__, "torch" in sys.modules, verdict]))
            """)
        place, torch_came, answer = json.loads(
            self.run_tool(self.bin / "python", "-c", script, PATH=os.defpath))
        self.assertTrue(place.startswith(str(self.at)))
        self.assertFalse(torch_came)
        self.assertIn(answer["verdict"]["outcome"], ("faster", "ambiguous", "same"), answer)
        self.assertGreater(answer["verdict"]["checked_calls"], 10)

    def test_what_the_file_says_of_itself(self):
        sys.path.insert(0, str(ROOT / "scripts"))
        self.addCleanup(sys.path.remove, str(ROOT / "scripts"))
        import cupel_wheel
        os.environ["CUPEL_BUILT"] = str(BINARY.parent)
        self.addCleanup(os.environ.pop, "CUPEL_BUILT")
        path = self.at / cupel_wheel.build_wheel(self.at)
        self.assertRegex(path.name, r"^cupel-[\d.]+-py3-none-manylinux_\d+_\d+_\w+\.whl$")
        with zipfile.ZipFile(path) as wheel:
            about = wheel.read(next(name for name in wheel.namelist()
                                    if name.endswith("METADATA"))).decode()
            names = wheel.namelist()
        self.assertTrue(re.search(r"^Requires-Dist: numpy$", about, re.M))
        for name in ("bin/cupel", "bin/libcupel_probe.so", "libexec/cupel/bwrap", "prices.json",
                     "tasks/mish_gate.py", "prompts/write.txt", "python/cupel/host.py"):
            self.assertTrue(any(each.startswith(f"cupel/home/{name}") for each in names), name)
        self.assertFalse([name for name in names if "tests" in name or name.endswith(".pyc")])


if __name__ == "__main__":
    unittest.main()
