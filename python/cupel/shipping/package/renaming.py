"""Imports of cupel made imports of the copy that this package carries."""

import ast


def renamed_imports(text, package):
    """The text with imports of cupel made imports of `package`; lines stay where they are."""
    lines = text.splitlines(keepends=True)
    for node in sorted(_imports_of_cupel(ast.parse(text)), key=lambda node: -node.lineno):
        first, last = node.lineno - 1, node.end_lineno - 1
        before = lines[first].encode()[:node.col_offset].decode()
        after = lines[last].encode()[node.end_col_offset:].decode()
        kept = "\\\n" * (last - first)  # continued: the lines below keep their numbers
        lines[first:last + 1] = [before + _renamed(node, package) + " " + kept + after]
    return "".join(lines)


def _imports_of_cupel(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and _is_cupel(node.module or ""):
            yield node
        if isinstance(node, ast.Import) and any(_is_cupel(alias.name) for alias in node.names):
            yield node


def _is_cupel(name):
    return name == "cupel" or name.startswith("cupel.")


def _renamed(node, package):
    if isinstance(node, ast.ImportFrom):
        names = ", ".join(_alias(alias.name, alias.asname) for alias in node.names)
        return f"from {package}{node.module[len('cupel'):]} import {names}"
    return "; ".join(_renamed_alias(alias, package) for alias in node.names)


def _renamed_alias(alias, package):
    if not _is_cupel(alias.name):
        return "import " + _alias(alias.name, alias.asname)
    renamed = package + alias.name[len("cupel"):]
    if alias.asname:
        return f"import {renamed} as {alias.asname}"
    return f"import {renamed}; import {package} as cupel"  # `cupel.inline` is found through it


def _alias(name, as_name):
    return f"{name} as {as_name}" if as_name else name
