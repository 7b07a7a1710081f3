"""Names that say nothing, unfinished work, and text that belongs to some other place."""

import ast
import re
import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

EMPTY_WORDS = {"util", "utils", "manager", "helper", "helpers", "misc"}
EMPTY_FILE_WORDS = EMPTY_WORDS | {"common"}
# Assembled from parts, so that this file passes its own test.
UNFINISHED = [r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bXX" + r"X\b", r"\bfor " + r"now\b"]
FOREIGN = [
    r"/work/(ma" + r"in|shared)\b", r"/tmp/(ve" + r"nv|kb)\b", r"/ro" + r"ot/", r"py" + r"env\b",
    r"\bDESI" + r"GN\b", r"\bissue #?\d", r"\bworkpl" + r"ace\b", r"\bC" + r"EO\b",
    r"\b(pypi|pytho" + r"nhosted)\.org\b", r"\bdownload\.py" + r"torch\.org\b",
    r"\bdeb\.deb" + r"ian\.org\b", r"\barchive\.ubu" + r"ntu\.com\b",
]
TEXT = (".h", ".cpp", ".py", ".md", ".txt", ".cmake", ".sh", ".json", ".toml", "Makefile", "run",
        "LAYERS")


# A type that a line at the left edge defines; `struct Lane::Row {` is a part of another.
TYPE = re.compile(r"^(?:struct|class|enum(?: class)?) (\w+)(?: final)?(?: ?:[^:].*)? \{", re.M)


def types_of(path):
    """Names of the types that a C++ file defines at the left edge, its private ones too."""
    return TYPE.findall(tree.blank_cpp(path.read_text()))


def words_of(identifier):
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", identifier)
    return {word.lower() for word in spaced.split("_")}


def empty_words(identifier):
    return words_of(identifier) & EMPTY_WORDS


def identifiers(path):
    """(line, identifier): all of the C++ code's; those that Python code defines."""
    if path.suffix == ".py":
        yield from python_definitions(path)
        return
    for number, line in enumerate(tree.blank_cpp(path.read_text()).splitlines(), 1):
        for identifier in re.findall(r"[A-Za-z_]\w*", line):
            yield number, identifier


def python_definitions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


class WordsTest(unittest.TestCase):
    def test_file_names_say_something(self):
        for path in tree.files(suffixes=TEXT):
            for part in path.relative_to(tree.ROOT).with_suffix("").parts:
                words = words_of(part.replace("-", "_"))
                self.assertEqual(words & EMPTY_FILE_WORDS, set(), tree.short(path))

    def test_identifiers_say_something(self):
        wrong = [f"{tree.short(path)}:{line}: {identifier}"
                 for path in tree.cpp_files() + tree.python_files()
                 for line, identifier in identifiers(path) if empty_words(identifier)]
        self.assertEqual(wrong, [])

    def test_a_type_of_a_module_has_a_name_of_its_own(self):
        # Files of a module are compiled in batches too, where private names meet.
        for module in tree.layers():
            defined = {}
            for path in tree.cpp_files(f"src/{module}"):
                for name in types_of(path):
                    defined.setdefault(name, []).append(tree.short(path))
            twice = {name: paths for name, paths in defined.items() if len(paths) > 1}
            self.assertEqual(twice, {}, module)

    def lines_with(self, pattern):
        found = re.compile(pattern)
        return [f"{tree.short(path)}:{number}: {line.strip()[:80]}"
                for path in tree.files(suffixes=TEXT)
                for number, line in enumerate(path.read_text().splitlines(), 1)
                if found.search(line)]

    def test_nothing_is_left_for_later(self):
        self.assertEqual(self.lines_with("|".join(UNFINISHED)), [])

    def test_the_project_speaks_of_itself_alone(self):
        self.assertEqual(self.lines_with("|".join(FOREIGN)), [])

    def test_no_property_is_checked_in_vain(self):
        # rc::check() fails no test by itself: its result must be expected.
        self.assertEqual(self.lines_with(r"^\s*rc::che" + r"ck\("), [])

    def test_words_are_found_inside_identifiers(self):
        self.assertEqual(empty_words("FileManager"), {"manager"})
        self.assertEqual(empty_words("k_misc_limit"), {"misc"})
        self.assertEqual(empty_words("managed_memory"), set())


if __name__ == "__main__":
    unittest.main()
