"""Which files of a user's a task's code is made of."""

import importlib
import os
import sys
import tempfile
import unittest

from cupel import own_files


class OwnFilesTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        for path in ("own_package/__init__.py", "own_package/part.py", "own_single.py",
                     "own_space/part.py"):
            os.makedirs(os.path.join(self.root, os.path.dirname(path)), exist_ok=True)
            open(os.path.join(self.root, path), "w", encoding="utf-8").close()
        sys.path.insert(0, self.root)
        self.addCleanup(sys.path.remove, self.root)

    def imported(self, *names, left_out=""):
        for name in names:
            importlib.import_module(name)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in list(sys.modules)
                                 if name.startswith("own_")])
        return [os.path.relpath(path, self.root)
                for path in own_files.imported_files("own_task", left_out)
                if path.startswith(self.root)]

    def test_packages_are_directories_and_modules_files(self):
        self.assertEqual(self.imported("own_package.part", "own_single", "own_space.part"),
                         ["own_package", "own_single.py", "own_space"])

    def test_what_lies_beside_a_task_file_may_be_left_out(self):
        self.assertEqual(self.imported("own_package", left_out=self.root), [])

    def test_the_tasks_own_text_is_none(self):
        self.imported("own_single")
        sys.modules["own_task"] = sys.modules.pop("own_single")
        self.assertEqual(self.imported(), [])


if __name__ == "__main__":
    unittest.main()
