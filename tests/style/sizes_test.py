"""Small functions, small files: the limits, and the distribution of function lengths."""

import statistics
import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

FUNCTION_LINES_MAX = 70
FUNCTION_LINES_P90_MAX = 45
FUNCTION_LINES_MEDIAN_MAX = 10
FILE_LINES_MAX = 500
HEADER_LINES_MAX = 150
PYTHON_COLUMNS_MAX = 100


def percentile_90(lengths):
    return statistics.quantiles(lengths, n=10)[-1]


def describe(name, lengths):
    return (f"{name}: {len(lengths)} functions, median {statistics.median(lengths):g} lines, "
            f"90th percentile {percentile_90(lengths):g}, longest {max(lengths)}")


class SizesTest(unittest.TestCase):
    def check_longest(self, paths, functions):
        wrong = [f"{tree.short(path)}:{line}: {count} lines: {name[:60]}"
                 for path in paths for line, count, name in functions(path)
                 if count > FUNCTION_LINES_MAX]
        self.assertEqual(wrong, [])

    def check_distribution(self, name, paths, functions):
        lengths = [count for path in paths for _, count, _ in functions(path)]
        self.assertGreater(len(lengths), 20, f"{name}: the function finder found nothing")
        print(describe(name, lengths))
        self.assertLess(percentile_90(lengths), FUNCTION_LINES_P90_MAX, name)
        self.assertLessEqual(statistics.median(lengths), FUNCTION_LINES_MEDIAN_MAX, name)

    def test_no_cpp_function_is_too_long(self):
        self.check_longest(tree.cpp_files(), tree.cpp_functions)

    def test_no_python_function_is_too_long(self):
        self.check_longest(tree.python_files(), tree.python_functions)

    def test_most_cpp_functions_are_short(self):
        self.check_distribution("C++", tree.cpp_files("src", "apps"), tree.cpp_functions)

    def test_most_python_functions_are_short(self):
        self.check_distribution("Python", tree.python_files("python"), tree.python_functions)

    def test_files_are_short(self):
        wrong = []
        for path in tree.cpp_files() + tree.python_files():
            limit = HEADER_LINES_MAX if path.suffix == ".h" else FILE_LINES_MAX
            if tree.line_count(path) >= limit:
                wrong.append(f"{tree.short(path)}: {tree.line_count(path)} lines")
        self.assertEqual(wrong, [])

    def test_python_lines_fit(self):
        wrong = [f"{tree.short(path)}:{number}: {len(line)} columns"
                 for path in tree.python_files()
                 for number, line in enumerate(path.read_text().splitlines(), 1)
                 if len(line) > PYTHON_COLUMNS_MAX]
        self.assertEqual(wrong, [])


class FunctionFinderTest(unittest.TestCase):
    """The finder must not be blind, or the limits above mean nothing."""

    def functions_of(self, source):
        import tempfile
        from pathlib import Path
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.cpp"
            path.write_text(source)
            return [(line, count) for line, count, _ in tree.cpp_functions(path)]

    def test_finds_free_functions_members_and_constructors(self):
        source = ("namespace a {\n"
                  "int f() {\n  if (x) {\n    y();\n  }\n  return '}';\n}\n"
                  "struct S {\n  S() : a_{1}, b_(2) {\n    f();\n  }\n"
                  "  int g() const { return 1; }\n};\n"
                  "}  // namespace a\n")
        self.assertEqual(self.functions_of(source), [(2, 6), (9, 3), (12, 1)])

    def test_leaves_out_initializers_types_strings_and_comments(self):
        source = ("constexpr int k[] = {f(1), 2};\n"
                  "enum class E { a, b };\n"
                  "// int f() {\n"
                  'const char* k_text = R"(int g() {\n})";\n'
                  "#define X() { \\\n  }\n")
        self.assertEqual(self.functions_of(source), [])

    def test_counts_signatures_of_several_lines(self):
        source = "template <class T>\nint f(int a,\n      int b) {\n  return a;\n}\n"
        self.assertEqual(self.functions_of(source), [(1, 5)])


if __name__ == "__main__":
    unittest.main()
