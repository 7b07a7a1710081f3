"""Numbers that C++ and Python both hold, each for itself, are the same."""

import ast
import math
import operator
import re
import unittest

import source_tree as tree

# (C++ file below src, its constant, Python file below python/cupel, its constant, how often the
# second goes into the first).
PAIRS = (
    ("judge/limits.h", "k_multiple_fp32", "order_errors.py", "REFUSED", 1),
    ("judge/limits.h", "k_multiple_fp32", "told_values.py", "MULTIPLE", 1),
    ("judge/limits.h", "k_multiple_exact", "near_ties.py", "MULTIPLE", 1),
    ("judge/limits.h", "k_multiple_low_precision", "decided_ties.py", "MULTIPLE", 1),
    ("judge/limits.h", "k_hidden_rms", "compare.py", "HIDDEN", 1),
    ("judge/limits.h", "k_hidden_max", "compare.py", "HIDDEN", 4),
    ("judge/limits.h", "k_floor_float64", "expected.py", "FLOAT64_UNIT", 32),
    ("judge/limits.h", "k_tolerance_rms_usable", "admission.py", "OWN_ERROR_MAX", 1),
    ("measure/round/round_state.cpp", "k_trained_instance", "session.py", "TRAINED", 1),
    ("measure/host/channel.h", "k_frame_bytes_max", "protocol.py", "FRAME_BYTES_MAX", 1),
    ("measure/host/channel.cpp", "k_fds_max", "protocol.py", "FDS_MAX", 1),
    ("measure/host/profile_reply.cpp", "k_rows_max", "profiling.py", "ROWS_MAX", 1),
)
OPERATORS = {ast.Add: operator.add, ast.Mult: operator.mul, ast.Pow: operator.pow,
             ast.LShift: operator.lshift, ast.Div: operator.truediv, ast.Sub: operator.sub}


def value_of(text, known):
    """Of an expression of numbers and of names that are known."""
    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        return known(node.id) if isinstance(node, ast.Name) else node.value
    return value(ast.parse(text, mode="eval"))


def cpp_value(file, name):
    text = (tree.ROOT / "src" / file).read_text()
    found = re.search(rf"\bconstexpr \S+ {name} = ([^;]+);", text)
    plain = re.sub(r"(?<=\d)(LL|ULL|U)\b", "", found[1])
    return value_of(plain, lambda other: cpp_value(file, other))


def python_value(file, name):
    text = (tree.ROOT / "python/cupel" / file).read_text()
    found = re.search(rf"^{name} = ([^#\n]+)", text, re.M)
    return value_of(found[1].strip(), lambda other: python_value(file, other))


class SharedNumbersTest(unittest.TestCase):
    def test_are_the_same_in_both_languages(self):
        for cpp_file, cpp_name, python_file, python_name, times in PAIRS:
            with self.subTest(cpp=cpp_name, python=f"{python_file}: {python_name}"):
                cpp, python = cpp_value(cpp_file, cpp_name), python_value(python_file, python_name)
                self.assertTrue(math.isclose(cpp, times * python, rel_tol=1e-12),
                                f"{cpp} and {times} times {python}")

    def test_the_values_are_read(self):
        self.assertEqual(cpp_value("measure/host/channel.h", "k_frame_bytes_max"), 4 << 20)
        self.assertEqual(python_value("compare.py", "HIDDEN"), 2.0 ** -23)


if __name__ == "__main__":
    unittest.main()
