"""CUDA kernels that a program of this process had compiled, as their sources reached a compiler:
which of them a memory checker is to look at in shared memory (docs/audit.md, "Memory of a GPU").

The program's text does not tell: it may put its sources together as it runs. Where these do not
tell either, the checker looks at all kernels. Standard library only."""

import re

NAMES_MAX = 64  # each is a part of the checker's command line; more than that are all kernels
NAME_CHARACTERS_MAX = 128
_MARK = re.compile(r"\b__global__\b")
# Shared memory in CUDA C++ (__shared__), in PTX (.shared), or in a word that is put together.
_MAY_SHARE = re.compile(r"shared|##")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_RETURNS = re.compile(r"\bvoid\s+$")
# What may stand in brackets between the mark and the kernel's name.
_ATTRIBUTES = ("__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__")
_WORD_OR_BRACKET = re.compile(r"\w+|[(){};]")


def told(program, kernels, extensions):
    """{"names": kernels that may use shared memory, "unnamed": whether there may be others}.
    `program`: its text; `kernels`: {name: source} of cuda_kernel(); `extensions`: CUDA sources of
    torch's extensions, None one that could not be read."""
    names = [name for name, source in kernels.items() if _MAY_SHARE.search(source)]
    # Compiled through none of the doors that are watched.
    unnamed = not kernels and not extensions and _MARK.search(program) is not None
    for source in extensions:
        found = kernels_in(source) if source is not None else None
        unnamed |= found is None
        names += found or ()
    names = [name for name in dict.fromkeys(names) if len(name) <= NAME_CHARACTERS_MAX]
    return {"names": names[:NAMES_MAX], "unnamed": unnamed or len(names) > NAMES_MAX}


def kernels_in(source):
    """Names of all kernels of CUDA C++, if any may use shared memory; None where macros make them,
    so that they cannot be told."""
    source = _COMMENT.sub(" ", source)
    if not _MAY_SHARE.search(source):
        return []
    if "##" in source:
        return None
    names = []
    for mark in _MARK.finditer(source):
        before = source[: mark.start()]
        line = before[before.rfind("\n") + 1:]
        returns = _RETURNS.search(before)
        name = None if line.lstrip().startswith("#") else _name_after(source, mark.end(), returns)
        if name is None:
            return None
        names.append(name)
    return names


def _name_after(source, at, returns):
    """The word before the brackets of the parameters, behind which the kernel's body begins or its
    declaration ends; None where it is not that simple. `returns`: whether "void" stood before."""
    word, depth, named = None, 0, False
    for found in _WORD_OR_BRACKET.finditer(source, at):
        token = found[0]
        if token == "(":
            named = named or (depth == 0 and word not in _ATTRIBUTES)
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth == 0:
            if named or token in "{};":
                return word if named and returns and token in "{;" else None
            returns = returns or token == "void"
            word = token
    return None
