"""The include order of src/LAYERS, and where third-party headers may enter."""

import unittest

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

# Header prefix -> modules (or apps) whose .cpp files may include it. None: any.
OWNERS = {
    "CLI/": {"apps"},
    "SQLiteCpp/": {"journal"},
    "sqlite3.h": {"journal"},
    "toml++/": {"task"},
    "openssl/": {"base"},
    "spdlog/": {"apps"},
    "curl/": {"llm"},
    "httplib.h": set(),
    "nlohmann/": None,
}
HEADERS_THAT_MAY = {  # third-party headers that a header of ours may include
    "src/model/codec.h": {"nlohmann/json.hpp"},
}


def module_of(path):
    parts = path.relative_to(tree.ROOT).parts
    return parts[1] if parts[0] == "src" else parts[0]


def room_of(name):
    """Of an included file's name; "." for a module's own files."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else "."


class LayersTest(unittest.TestCase):
    def test_a_module_needs_only_earlier_ones(self):
        seen = set()
        for module, needs in tree.layers().items():
            self.assertLessEqual(set(needs), seen, f"src/LAYERS: {module}")
            seen.add(module)

    def test_every_module_has_a_line(self):
        folders = {p.name for p in (tree.ROOT / "src").iterdir() if p.is_dir()}
        with_sources = {f for f in folders if tree.cpp_files(f"src/{f}")}
        self.assertEqual(with_sources - set(tree.layers()), set())

    def test_modules_include_only_what_their_line_allows(self):
        table = tree.layers()
        wrong = []
        for path in tree.cpp_files("src"):
            module = module_of(path)
            allowed = set(table.get(module, [])) | {module}
            for line, name, quoted in tree.includes(path):
                target = name.split("/")[0]
                if quoted and target not in allowed:
                    wrong.append(f"{tree.short(path)}:{line}: {module} may not include {name}")
        self.assertEqual(wrong, [])

    def test_a_room_needs_only_earlier_ones(self):
        for module, table in tree.rooms().items():
            seen = {"."}
            for room, needs in table.items():
                self.assertLessEqual(set(needs), seen, f"src/LAYERS: {module}/{room}")
                seen.add(room)

    def test_every_room_has_a_line(self):
        for module in tree.layers():
            folders = {path.parent.relative_to(tree.ROOT / "src" / module)
                       for path in tree.cpp_files(f"src/{module}")}
            self.assertEqual({str(folder) for folder in folders} - {"."},
                             set(tree.rooms().get(module, [])), module)

    def test_rooms_include_only_what_their_line_allows(self):
        wrong = []
        for module, table in tree.rooms().items():
            for room, needs in table.items():
                for path in tree.cpp_files(f"src/{module}/{room}"):
                    wrong += [f"{tree.short(path)}:{line}: {room} may not include {name}"
                              for line, name, quoted in tree.includes(path)
                              if quoted and name.startswith(module + "/")
                              and room_of(name) not in (*needs, room)]
        self.assertEqual(wrong, [])

    def test_quoted_includes_exist(self):
        for path in tree.cpp_files("src"):
            for line, name, quoted in tree.includes(path):
                if quoted:
                    self.assertTrue((tree.ROOT / "src" / name).exists(),
                                    f"{tree.short(path)}:{line}: no src/{name}")

    def test_third_party_headers_enter_at_their_owner(self):
        wrong = []
        for path in tree.cpp_files("src", "apps"):
            for line, name, _ in tree.includes(path):
                where = f"{tree.short(path)}:{line}: {name}"
                wrong += [where + problem for problem in self.problems(path, name)]
        self.assertEqual(wrong, [])

    def problems(self, path, name):
        for prefix, owners in OWNERS.items():
            if not name.startswith(prefix) or name == "nlohmann/json_fwd.hpp":
                continue
            if name in HEADERS_THAT_MAY.get(tree.short(path), ()):
                continue
            if path.suffix == ".h":
                yield " belongs in a .cpp file"
            elif owners is not None and module_of(path) not in owners:
                yield f" belongs to {', '.join(sorted(owners)) or 'nobody yet'}"

    def test_tests_alone_include_test_frameworks(self):
        for path in tree.cpp_files("src", "apps"):
            for line, name, _ in tree.includes(path):
                self.assertNotRegex(name, r"^(gtest|gmock|rapidcheck)",
                                    f"{tree.short(path)}:{line}")


if __name__ == "__main__":
    unittest.main()
