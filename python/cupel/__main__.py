"""`python -m cupel`, and the command `cupel` of an installed package: the binary, in this process's
place."""

import os
import sys

from cupel.api import binary


def main():
    try:
        path = binary.find()
    except binary.NoBinary as problem:
        sys.exit(f"cupel: {problem}")
    try:
        os.execve(path, [path, *sys.argv[1:]], binary.environment())
    except OSError as problem:
        sys.exit(f"cupel: cannot run {path}: {problem.strerror}")


if __name__ == "__main__":
    main()
