#!/usr/bin/env python3
"""Which C++ files may be compiled as one: prints a line `BATCH PATH` for each file that is named.

Two files share a batch where neither declares in its unnamed namespace what the other has a word
for; both may give the same thing the same short name. Sources are formatted, so what they declare
begins in the first column.
"""
import pathlib
import re
import sys

LOCAL = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
USING = re.compile(r"using (?:(\w+) =)?")
TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)")
FUNCTION_OR_CONSTANT = re.compile(r"[^(={;]*?\b(\w+)(?:\[\w*\])?\s*[(={;]")
OF_ALL = re.compile(r"TEST|TEST_F|TEST_P|RC_GTEST\w*")  # macros, each of which makes a name of its own


class Names:
    """What a file, or a batch of them, declares for itself alone, and every word in it."""

    def __init__(self, text=""):
        self.declared, self.short = set(), {}
        self.words = set(re.findall(r"\w+", text))
        for body in LOCAL.findall(text):
            for line in re.findall(r"^[A-Za-z].*", body, re.M):
                self._declare(line)

    def _declare(self, line):
        if found := USING.match(line):
            if found[1]:
                self.short[found[1]] = line
        elif found := TYPE.match(line) or FUNCTION_OR_CONSTANT.match(line):
            if not OF_ALL.fullmatch(found[1]):
                self.declared.add(found[1])

    def collides(self, other):
        return bool(self.declared & other.words or self.words & other.declared or
                    any(other.short.get(name, line) != line for name, line in self.short.items()))

    def add(self, other):
        self.short |= other.short
        self.declared |= other.declared
        self.words |= other.words


def batch_of(names, batches):
    """The first batch that has room for a file, which is in it then."""
    for number, batch in enumerate(batches):
        if not batch.collides(names):
            batch.add(names)
            return number
    batches.append(names)
    return len(batches) - 1


def main(paths):
    batches = []
    for path in paths:
        print(batch_of(Names(pathlib.Path(path).read_text()), batches), path)


if __name__ == "__main__":
    main(sys.argv[1:])
