"""What an agent sees of a task that only imports its program: the sources that it uses."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

from cupel import facts, loading, task_sources

TASK = '''
import torch
from {module} import {name}


class Model({name}):
    pass


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return {init}
'''


class PackageTest(unittest.TestCase):
    """Each test has a package of its own name, since modules stay loaded."""

    made = 0

    def package(self, **modules):
        PackageTest.made += 1
        name = f"shop{PackageTest.made}"
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        for module, text in {"__init__": "", **modules}.items():
            path = pathlib.Path(directory.name, name, *module.split(".")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.parent.name != name and not (path.parent / "__init__.py").exists():
                (path.parent / "__init__.py").write_text("", encoding="utf-8")
            text = textwrap.dedent(text).replace("PKG", name)
            path.write_text(text, encoding="utf-8")
        self.addCleanup(sys.path.remove, directory.name)
        self.root, self.name = directory.name, name
        return name

    def described(self, module, name, init="[]"):
        source = TASK.format(module=f"{self.name}.{module}" if module else self.name, name=name,
                             init=init)
        program = loading.load({"kind": "file", "path": "<task>", "source": source,
                                "import_root": self.root})
        return facts.describe(program, 0).program_facts()

    def sources(self, *arguments):
        described = self.described(*arguments)
        prefix = self.name + "."
        return {part["module"].removeprefix(prefix): part["text"]
                for part in described["sources"]}


class Following(PackageTest):
    def test_modules_are_followed_by_what_they_use(self):
        self.package(**{
            "net": """
                import logging
                from torch import nn
                from . import ops
                from .layers.norm import RootNorm as Norm

                log = logging.getLogger(__name__)

                class Net(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.norm = Norm(width)

                    def forward(self, x):
                        return ops.soft(self.norm(x))

                    def fit(self, data):
                        log.info("never called")
                """,
            "ops": """
                import torch

                STEEP = 2.0
                def soft(x):
                    return _scaled(x).tanh()

                def _scaled(x):
                    return x * STEEP

                def save(x):
                    torch.save(x, "x.pt")
                """,
            "layers.norm": """
                import torch
                from torch import nn

                class RootNorm(nn.Module):
                    def __init__(self, width):
                        super().__init__()
                        self.weight = nn.Parameter(torch.ones(width))

                    def forward(self, x):
                        return x * self.weight

                class Unused(nn.Module):
                    pass
                """})
        found = self.described("net", "Net", "[8]")
        texts = {part["module"]: part["text"] for part in found["sources"]}
        name = self.name
        self.assertEqual(set(texts), {f"{name}.net", f"{name}.ops", f"{name}.layers.norm"})
        self.assertIn("class RootNorm", texts[f"{name}.layers.norm"])
        self.assertNotIn("Unused", texts[f"{name}.layers.norm"])
        self.assertIn("STEEP = 2.0", texts[f"{name}.ops"])
        self.assertIn("def _scaled", texts[f"{name}.ops"])
        self.assertNotIn("save", texts[f"{name}.ops"])
        self.assertNotIn("import torch", texts[f"{name}.ops"])  # only save() needs it
        self.assertNotIn("fit", texts[f"{name}.net"])
        self.assertNotIn("logging", texts[f"{name}.net"])
        self.assertEqual([part["module"] for part in found["sources"]][-1], f"{name}.net")
        self.assertEqual(found["left_out"], [f"{name}.net.Net: nothing calls fit"])
        self.assertEqual(found["init"], "[8]")
        self.assertEqual(found["weights"], ["norm.weight: float32[8]"])
        for text in texts.values():
            compile(text, "<part>", "exec")

    def test_bases_of_other_modules_and_methods_that_only_they_call(self):
        self.package(
            base="""
                from torch import nn

                class Base(nn.Module):
                    def forward(self, x):
                        return self.tail(x)

                    def report(self):
                        return 1
                """,
            net="""
                from PKG.base import Base

                class Net(Base):
                    def tail(self, x):
                        return x.neg()
                """)
        found = self.sources("net", "Net")
        self.assertIn("def tail", found["net"])
        self.assertIn("self.tail", found["base"])
        self.assertNotIn("report", found["base"])

    def test_what_a_registry_chose_is_found_in_the_model(self):
        self.package(
            registry="""
                BLOCKS = {}
                def register(cls):
                    BLOCKS[cls.__name__] = cls
                    return cls
                """,
            blocks="""
                from torch import nn
                from PKG.registry import register

                @register
                class Chosen(nn.Module):
                    def forward(self, x):
                        return x.exp()

                @register
                class Other(nn.Module):
                    pass
                """,
            net="""
                from torch import nn
                import PKG.blocks
                from PKG.registry import BLOCKS

                class Net(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.block = BLOCKS["Chosen"]()

                    def forward(self, x):
                        return self.block(x)
                """)
        found = self.sources("net", "Net")
        self.assertIn("class Chosen", found["blocks"])
        self.assertNotIn("Other", found["blocks"])
        self.assertIn("BLOCKS = {}", found["registry"])

    def test_names_that_a_package_hands_on(self):
        self.package(
            inner="""
                from torch import nn

                def half(x):
                    return x / 2

                class Net(nn.Module):
                    def forward(self, x):
                        return half(x)
                """,
            __init__="from .inner import *\n")
        found = self.sources("", "Net")
        self.assertEqual(set(found), {"inner"})
        self.assertIn("def half", found["inner"])

    def test_a_task_that_holds_its_program_needs_none(self):
        source = TASK.format(module="torch.nn", name="Identity", init="[]")
        program = loading.load({"kind": "file", "path": "<task>", "source": source,
                                "import_root": os.getcwd()})
        self.assertEqual(facts.describe(program, 0).program_facts()["sources"], [])

    def test_what_the_task_itself_names_of_a_library_is_shown(self):
        self.package(blocks="""
            import torch
            from .hidden import scaled

            class Layer(torch.nn.Module):
                def forward(self, x):
                    return scaled(x) * 2
            """, hidden="def scaled(x):\n    return x\n")
        sys.path.insert(0, self.root)
        source = TASK.format(module=f"{self.name}.blocks", name="Layer", init="[]")
        program = loading.load({"kind": "file", "path": "<task>", "source": source,
                                "import_root": "/nowhere"})
        shown = facts.describe(program, 0).program_facts()["sources"]
        self.assertEqual([part["module"] for part in shown], [f"{self.name}.blocks"])
        self.assertIn("class Layer", shown[0]["text"])

    def test_a_library_below_the_root_is_not_the_users(self):
        """A project with its virtual environment inside."""
        script = ("import sys, os; from cupel import task_sources; root = sys.prefix\n"
                  "import numpy\n"
                  "print(task_sources._is_installed(numpy.__file__, os.path.dirname(root)))")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stdout.strip(), "True")


class Limits(PackageTest):
    def test_what_is_too_long_is_left_out_from_the_far_end(self):
        long = "\n".join(f"    x = x + {i}  # a line of it" for i in range(2500))
        self.package(
            far=f"def far(x):\n{long}\n    return x\n",
            net="""
                from torch import nn
                from PKG.far import far

                class Net(nn.Module):
                    def forward(self, x):
                        return far(x)
                """)
        found = self.described("net", "Net")
        self.assertEqual([part["module"] for part in found["sources"]], [f"{self.name}.net"])
        self.assertIn(f"{self.name}.far.far is left out", " ".join(found["left_out"]))
        size = sum(len(part["text"]) for part in found["sources"])
        self.assertLessEqual(size, task_sources.SOURCE_BYTES_MAX)

    def test_weights_of_numbered_layers_share_a_line(self):
        import torch

        layers = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(3)])
        lines = task_sources.weight_lines(facts.named_weights(layers))
        self.assertEqual(lines, ["*.weight: float32[4,4], 3 of them",
                                 "*.bias: float32[4], 3 of them"])
        many = torch.nn.ParameterDict({f"p{'x' * i}": torch.zeros(1) for i in range(100)})
        lines = task_sources.weight_lines(facts.named_weights(many))
        self.assertEqual(len(lines), task_sources.WEIGHT_LINES_MAX + 1)
        self.assertEqual(lines[-1], "and 20 further forms")


if __name__ == "__main__":
    unittest.main()
