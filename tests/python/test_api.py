import os
import stat
import subprocess
import sys
import tempfile
import unittest
from os import path
from unittest import mock

import cupel


class Api(unittest.TestCase):
    """The package against a program that stands where the binary would and shows its arguments."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.built = os.environ.get("CUPEL_BINARY")
        self.binary = path.join(directory.name, "cupel")
        patched = mock.patch.dict(os.environ, CUPEL_BINARY=self.binary)
        patched.start()
        self.addCleanup(patched.stop)

    def binary_that(self, does):
        with open(self.binary, "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\nimport json, sys\n{does}\n")
        os.chmod(self.binary, os.stat(self.binary).st_mode | stat.S_IXUSR)

    def test_arguments_and_the_answer(self):
        self.binary_that("print('progress'); print(json.dumps({'argv': sys.argv[1:]}))")
        answer = cupel.judge("t.py", "c.py", policy="exact", against=["a", "b"], fast=True,
                             slow=False, none=None, time_budget_s=2.5)
        self.assertEqual(answer["argv"], [
            "judge", "t.py", "c.py", "--json", "--policy", "exact", "--against", "a", "--against",
            "b", "--fast", "--time-budget-s", "2.5"])
        self.assertEqual(cupel.lint("t.py")["argv"], ["lint", "t.py", "--json"])
        self.assertEqual(cupel.optimize("t.py")["argv"], ["optimize", "t.py", "--json"])

    def test_a_status_with_an_answer_is_an_answer(self):
        self.binary_that("print(json.dumps({'kind': 'wrong'})); sys.exit(1)")
        self.assertEqual(cupel.judge("t.py", "c.py"), {"kind": "wrong"})

    def test_failures_carry_the_binarys_words(self):
        for does in ("print('t.py: no such file', file=sys.stderr); sys.exit(2)",
                     "print(json.dumps({'version': 1, 'kind': 'error', 'tag': 'input', "
                     "'what': 'no such file', 'where': 't.py', 'hint': ''})); sys.exit(2)"):
            self.binary_that(does)
            with self.assertRaises(cupel.CupelError) as caught:
                cupel.lint("t.py")
            self.assertEqual((str(caught.exception), caught.exception.status),
                             ("t.py: no such file", 2))

    def test_the_real_binarys_errors(self):
        if not self.built:
            self.skipTest("CUPEL_BINARY names no binary")
        os.environ["CUPEL_BINARY"] = self.built
        with self.assertRaisesRegex(cupel.CupelError, "missing.py") as caught:
            cupel.judge("missing.py", "candidate.py")
        self.assertEqual(caught.exception.status, 4)

    def test_a_missing_binary(self):
        with self.assertRaisesRegex(cupel.CupelError, "cannot run"):
            cupel.lint("t.py")

    def test_importing_does_not_import_torch(self):
        said = subprocess.run([sys.executable, "-c", "import sys, cupel; print('torch' in "
                               "sys.modules)"], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": path.dirname(
                                  path.dirname(cupel.__file__))}).stdout
        self.assertEqual(said.strip(), "False")


if __name__ == "__main__":
    unittest.main()
