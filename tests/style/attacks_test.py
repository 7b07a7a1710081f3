"""Every attack and every honest candidate says what it does, and every attack is in the matrix."""

import re
import unittest

import source_tree as tree

WHY = re.compile(r"^#\s*why:\s*(\S.*)$", re.M)


def files(folder):
    return list(tree.files(folder, suffixes=(".py",)))


class AttacksTest(unittest.TestCase):
    def test_each_says_how_it_works(self):
        silent = [path.name for folder in ("tests/cheats", "tests/honest")
                  for path in files(folder) if not WHY.search(path.read_text())]
        self.assertEqual(silent, [])

    def test_the_matrix_names_every_attack(self):
        matrix = (tree.ROOT / "docs/attacks.md").read_text()
        missing = [path.stem for path in files("tests/cheats") if f"`{path.stem}`" not in matrix]
        self.assertEqual(missing, [])

    def test_the_matrix_names_no_other(self):
        matrix = (tree.ROOT / "docs/attacks.md").read_text()
        named = re.findall(r"^\| `(\w+)` \|", matrix, re.M)
        known = {path.stem for path in files("tests/cheats")}
        self.assertGreaterEqual(len(named), 66)
        self.assertEqual(sorted(set(named) - known), [])


if __name__ == "__main__":
    unittest.main()
