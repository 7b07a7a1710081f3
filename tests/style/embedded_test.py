"""Python that C++ writes out lies in files of its own, and each of them is written out."""

import re
import unittest

from source_tree import ROOT

SOURCES = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".cpp", ".h"))
RAW_STRING = re.compile(r'R"(\w*)\((.*?)\)\1"', re.DOTALL)
PYTHON = re.compile(r"^\s*(def|class|import|from|with|return) |\bself\.", re.MULTILINE)


class Embedded(unittest.TestCase):
    def test_no_raw_string_holds_python(self):
        for path in SOURCES:
            for _, text in RAW_STRING.findall(path.read_text()):
                self.assertIsNone(PYTHON.search(text), f"{path}: {text[:80]!r}")

    def test_each_file_is_named_in_the_module_that_embeds_it(self):
        texts = sorted((ROOT / "src").glob("**/text/*.py"))
        self.assertGreater(len(texts), 20)
        for text in texts:
            module = text.relative_to(ROOT / "src").parts[0]
            named = any(
                f'"{text.name}"' in path.read_text()
                for path in SOURCES
                if path.relative_to(ROOT / "src").parts[0] == module
            )
            self.assertTrue(named, f"{text} is used by nothing")


if __name__ == "__main__":
    unittest.main()
