"""What a program's syntax tree says of it."""

import pathlib
import textwrap
import unittest

import referee_session
from cupel.labels import labels_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Labels(unittest.TestCase):
    def labelled(self, source):
        return "; ".join(f"{label}:{line}" for label, line in labels_of(textwrap.dedent(source)))

    def test_calls_the_reference(self):
        self.assertEqual(self.labelled("class ModelNew(Model):\n  def f(self):\n"
                                       "    return super().forward(1)\n"), "calls the reference:3")
        self.assertEqual(self.labelled("x = 1\nm = Model(3)\n"), "calls the reference:2")
        self.assertEqual(self.labelled("class ModelNew(Model):\n  x = ModelNew(1)  # Model(2)"), "")

    def test_falls_back_in_except(self):
        self.assertEqual(self.labelled("try:\n  y = k(x)\nexcept Exception:\n  y = x + 1\n"),
                         "falls back in except:4")
        self.assertEqual(self.labelled("try:\n  import a\nexcept ImportError:\n  a = f()\n"), "")
        self.assertEqual(self.labelled("try:\n  y = k(x)\nexcept E:\n  raise\nz = f(x)\n"), "")
        self.assertEqual(self.labelled("try:\n  y = k(x)\nexcept E:\n  y = None\n"), "")

    def test_streams_threads_and_patches(self):
        for source, label in (
                ("s = torch.cuda.Stream()", "side streams"),
                ("S = r'''void f() { cudaStreamCreate(&s); }'''", "side streams"),
                ("t = threading.Thread(target=f)", "threads or processes"),
                ("S = '''void f() { std::thread t; }'''", "threads or processes"),
                ("torch.relu = f", "patches torch"), ("time.perf_counter = f", "patches torch"),
                ("F.relu = f", "patches torch"), ("setattr(torch, 'relu', f)", "patches torch"),
                ("sys.modules['torch'] = f", "patches torch")):
            self.assertIn(f"{label}:1", self.labelled(source), source)
        self.assertEqual(self.labelled("torch.backends.cudnn.benchmark = True\n"
                                       "if torch.x == 1: pass\nx = torch.y\n"), "")
        self.assertEqual(self.labelled("S = '''void f() { // std::thread t;\n}'''"), "")

    def test_what_it_is_made_of(self):
        self.assertEqual(self.labelled("f = torch.compile(g)"),
                         "only torch.compile:1; torch.compile:1")
        self.assertEqual(self.labelled("f = torch.compile(g)\nk = cpp_kernel(S, 'k')"),
                         "torch.compile:1; cpp_kernel:2")
        self.assertEqual(self.labelled("k = cuda_kernel(S, 'k')\nx.half()"),
                         "cuda_kernel:1; lower precision:2")
        self.assertEqual(self.labelled("m = load_inline('a')\n@triton.jit\ndef k(): pass"),
                         "load_inline:1; triton:2")
        self.assertEqual(self.labelled("p = x.data_ptr()"), "reads addresses:1")

    def test_precision_is_lowered_where_it_is_set_lower(self):
        for lowers in ("torch.backends.cuda.matmul.allow_tf32 = True",
                       "torch.backends.cudnn.conv.fp32_precision = 'tf32'",
                       "torch.set_float32_matmul_precision('high')",
                       "setattr(layers, 'allow_tf32', wanted)",
                       "with torch.backends.cudnn.flags(allow_tf32=True): f()"):
            self.assertEqual(self.labelled(lowers), "lower precision:1", lowers)
        for keeps in ("torch.backends.cuda.matmul.allow_tf32 = False",
                      "x = torch.backends.cudnn.allow_tf32",
                      "torch.set_float32_matmul_precision('highest')",
                      "with torch.backends.cudnn.flags(allow_tf32=False): f()"):
            self.assertEqual(self.labelled(keeps), "", keeps)

    def test_rewritten_layers_are_no_fallback_and_no_lower_precision(self):
        text = (ROOT / "src/rewrite/text/layer_as_products.py").read_text()
        self.assertEqual(self.labelled(text), "")

    def test_names_are_followed_through_imports(self):
        self.assertEqual(self.labelled("import torch.cuda as c\ns = c.Stream()"), "side streams:2")
        self.assertEqual(self.labelled("from torch import compile as make\nf = make(g)"),
                         "only torch.compile:2; torch.compile:2")

    def test_who_looks_at_its_surroundings(self):
        for look in ("os.environ['A']", "socket.gethostname()", "sys._getframe(1)",
                     "'a' in sys.modules", "getpass.getuser()"):
            self.assertEqual(self.labelled(f"x = {look}"), "looks at its surroundings:1", look)

    def test_strings_and_comments_do_not_count(self):
        self.assertEqual(self.labelled("'''torch.compile(x)'''\n# load_inline(\n"
                                       "y = 'cuda_kernel('"), "")

    def test_what_does_not_parse_says_where(self):
        self.assertEqual(self.labelled("x = 1\ny = ("), "does not parse:2")
        self.assertEqual(labels_of("x = '\0'"), [("does not parse", 1)])

    def test_absurd_programs_do_no_harm(self):
        for source in ("-" * 200_000 + "1", "a" + ".a" * 200_000, "1" + "+1" * 200_000,
                       "f" + "()" * 200_000, "lambda: " * 100_000 + "1"):
            self.assertEqual(self.labelled(source), "does not parse:1")

    def test_shipped_winners_are_kernels_and_nothing_else(self):
        for file in (ROOT / "tasks/winners").glob("*.py"):
            self.assertEqual([label for label, _ in labels_of(file.read_text())], ["cpp_kernel"],
                             file)

    def test_the_referee_tells_them_before_a_task_is_open(self):
        referee = referee_session.RefereeProcess()
        self.addCleanup(referee.close)
        reply = referee.ask("labels", source="m = Model(3)")
        self.assertEqual(reply, {"re": "labels",
                                 "labels": [{"label": "calls the reference", "line": 1}]})


if __name__ == "__main__":
    unittest.main()
