"""What the style tests share: the tree's files, C++ without comments and strings, functions."""

import ast
import os
import re
from pathlib import Path

ROOT = Path(os.environ.get("CUPEL_HOME") or Path(__file__).resolve().parents[2])
SKIPPED = {".git", ".venv", ".cache", "__pycache__", "runs"}
CPP_ROOTS = ("src", "apps", "tests", "bench")
PYTHON_ROOTS = ("python", "tasks", "tests", "bench", "scripts")


def files(*roots, suffixes):
    """Paths below the roots (all of the tree without roots) with one of the suffixes, sorted."""
    found = []
    for root in roots or (".",):
        for folder, folders, names in os.walk(ROOT / root):
            folders[:] = [f for f in folders
                          if f not in SKIPPED and not f.startswith((".dev-", "build-"))
                          and not (f == "build" and Path(folder) == ROOT)]
            found += [Path(folder) / name for name in names if name.endswith(suffixes)]
    return sorted(set(found))


def cpp_files(*roots):
    return files(*(roots or CPP_ROOTS), suffixes=(".h", ".cpp"))


def python_files(*roots):
    """Python of ours; the texts of scenarios are data, and some do not even parse."""
    scenarios = ROOT / "tests/scenarios"
    return [path for path in files(*(roots or PYTHON_ROOTS), suffixes=(".py",))
            if scenarios not in path.parents]


def short(path):
    return str(path.relative_to(ROOT))


def line_count(path):
    return len(path.read_text().splitlines())


def _layer_lines(indented):
    for line in (ROOT / "src/LAYERS").read_text().splitlines():
        if line and not line.startswith("#"):
            name, needs = line.split(":")
            if not line.startswith(" "):
                module = name
            if line.startswith(" ") == indented:
                yield module, name.strip(), needs.split()


def layers():
    """{module: modules it may include}, in the order of src/LAYERS."""
    return {module: needs for module, _, needs in _layer_lines(indented=False)}


def rooms():
    """{module: {room: rooms of the module that it may include}}, in the order of src/LAYERS."""
    table = {}
    for module, room, needs in _layer_lines(indented=True):
        table.setdefault(module, {})[room] = needs
    return table


def includes(path):
    """[(line number, included name, quoted)] of a C++ file."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            found.append((number, match[2], match[1] == '"'))
    return found


_BLANKED = re.compile(
    r'R"(?P<tag>[^\s()\\]*)\(.*?\)(?P=tag)"'     # raw strings
    r'|//[^\n]*|/\*.*?\*/'                        # comments
    r'|"(?:\\.|[^"\\\n])*"'                       # strings
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"       # characters, but not the ' in 1'000
    r"|^\s*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)  # preprocessor lines


def blank_cpp(text):
    """The text with strings, comments and preprocessor lines made empty; lines stay in place."""
    def blank(match):
        return '""' * match[0].startswith(('"', "R")) + "\n" * match[0].count("\n")
    return _BLANKED.sub(blank, text)


def cpp_functions(path):
    """[(first line, line count, signature)] of the functions that the file defines.

    A brace opens a function when it stands outside one, after a blank, behind text with a
    closing parenthesis that is no type, namespace or initializer.
    """
    text = blank_cpp(path.read_text())
    found, inside, depth, head, head_line, line = [], None, 0, "", 1, 1
    for at, char in enumerate(text):
        if char == "\n":
            line += 1
        if char == "{":
            depth += 1
            if inside is None and text[at - 1].isspace() and _is_function(head):
                inside = (depth, head_line, " ".join(head.split()))
        elif char == "}":
            if inside and inside[0] == depth:
                found.append((inside[1], line - inside[1] + 1, inside[2]))
                inside = None
            depth -= 1
        if inside is None and char in "{};" and not (char == "{" and not text[at - 1].isspace()):
            head, head_line = "", line
        elif not head.strip():
            head, head_line = char, line
        else:
            head += char
    return found


def _is_function(head):
    words = re.sub(r"template\s*<[^{}]*?>\s*(?=[\w:(\[])", "", head).split()
    if not words or ")" not in head or words[0] in ("namespace", "class", "struct", "enum",
                                                    "union", "extern"):
        return False
    return not re.search(r"[^=!<>+\-*/]=(?!=)\s*[\w:<>]*\s*$", head)


def python_functions(path):
    """[(first line, line count, name)] of the functions of a Python file, nested ones too."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(node.lineno, node.end_lineno - node.lineno + 1, node.name)
            for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]
