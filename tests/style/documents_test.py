"""The documents name what exists: modules, files, links, commands."""

import re
import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

ROOTS = ("src", "docs", "scripts", "tests", "tasks", "python", "apps", "bench", "cmake", ".ci")


def documents():
    return tree.files(suffixes=(".md",))


def text_of(name):
    return (tree.ROOT / name).read_text()


class DocumentsTest(unittest.TestCase):
    def test_architecture_has_a_line_for_every_module(self):
        rows = {match[1] for match in re.finditer(r"^\| `([a-z/]+)`", text_of("ARCHITECTURE.md"),
                                                  re.M)}
        self.assertEqual(set(tree.layers()) - rows, set())

    def test_links_resolve(self):
        wrong = []
        for path in documents():
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text()):
                if "://" not in target and not (path.parent / target).exists():
                    wrong.append(f"{tree.short(path)}: {target}")
        self.assertEqual(wrong, [])

    def test_named_paths_exist(self):
        wrong = []
        for path in documents():
            for name in re.findall(r"`((?:%s)/[\w./-]+)`" % "|".join(map(re.escape, ROOTS)),
                                   path.read_text()):
                if not re.search(r"[A-Z]{4,}", name) and not (tree.ROOT / name).exists():
                    wrong.append(f"{tree.short(path)}: {name}")
        self.assertEqual(wrong, [])

    def test_named_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.M))
        for path in documents():
            named = set(re.findall(r"`make ([a-z-]+)[^`]*`", path.read_text()))
            self.assertEqual(named - targets, set(), tree.short(path))

    def test_every_document_has_a_title(self):
        for path in documents():
            self.assertTrue(path.read_text().startswith("# "), f"{tree.short(path)}: no title")


if __name__ == "__main__":
    unittest.main()
