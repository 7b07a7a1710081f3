"""Every attack and every honest candidate says what it does. Every attack has a row in a page, with
the verdicts that its file expects."""

import collections
import re
import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

WHY = re.compile(r"^#\s*why:\s*(\S.*)$", re.M)
EXPECT = re.compile(r"^#\s*expect:\s*(\S.*)$", re.M)
ROW = re.compile(r"^\| `(\w+)` \|.*\| ([^|]*) \|$", re.M)
OVERVIEW = tree.ROOT / "docs/attacks.md"


def files(folder):
    return list(tree.files(folder, suffixes=(".py",)))


def pages():
    return sorted((tree.ROOT / "docs").glob("attacks_*.md"))


def rows():
    """(attack, verdicts) of all pages."""
    return [(name, re.findall(r"`([^`]+)`", verdicts))
            for page in pages() for name, verdicts in ROW.findall(page.read_text())]


def expected(path):
    return [one.strip() for one in EXPECT.search(path.read_text())[1].split("|")]


class AttacksTest(unittest.TestCase):
    def test_each_says_how_it_works(self):
        silent = [path.name for folder in ("tests/cheats", "tests/honest")
                  for path in files(folder) if not WHY.search(path.read_text())]
        self.assertEqual(silent, [])

    def test_each_attack_has_one_row(self):
        self.assertGreaterEqual(len(rows()), 66)
        counts = collections.Counter(name for name, _ in rows())
        self.assertEqual(counts, {path.stem: 1 for path in files("tests/cheats")})

    def test_rows_have_the_verdicts_that_files_expect(self):
        files_expect = {path.stem: expected(path) for path in files("tests/cheats")}
        wrong = [name for name, verdicts in rows() if verdicts != files_expect.get(name)]
        self.assertEqual(wrong, [])

    def test_the_overview_leads_to_every_page(self):
        text = OVERVIEW.read_text()
        self.assertEqual([page.name for page in pages() if f"({page.name})" not in text], [])

    def test_the_overview_names_what_there_is(self):
        lines = [line for line in OVERVIEW.read_text().splitlines() if line.startswith("| ")]
        named = {name for line in lines
                 for name in re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+)+)`", line)}
        known = {path.stem for folder in ("tests/cheats", "tests/honest") for path in files(folder)}
        self.assertGreaterEqual(len(named), 20)
        self.assertEqual(sorted(named - known), [])


if __name__ == "__main__":
    unittest.main()
